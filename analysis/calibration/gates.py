"""Gates: what a judge has to show before it may approve anything."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import special

from recuse.errors import ConfigurationError, UnknownNameError
from recuse.schema import CONFIDENCE_LEVEL, EstimateFrame

__all__ = ["QUANTITIES", "Gate", "GateResult", "cases_needed", "evaluate_gates", "parse_gate"]

Outcome = Literal["passes", "fails", "cannot be shown"]

QUANTITIES: Final = {
    "false_approval": "false_approval_rate",
    "false_rejection": "false_rejection_rate",
    "abstention": "abstention_rate",
    "agreement": "raw_agreement",
    "kappa": "human_kappa",
    "pass_rate": "pass_rate",
    "corrected_pass_rate": "corrected_pass_rate",
    "position_consistency": "position_consistency",
    "test_retest_agreement": "test_retest_agreement",
    "long_wins_score": "long_wins_score",
}
"""What a gate may ask for → its estimand; the estimand's own name is understood too."""
_SELECTORS: Final = ("case_type", "scoring")
_USUAL_SCORING: Final = {
    "false_approval_rate": "decided",
    "false_rejection_rate": "decided",
    "raw_agreement": "approved",
    "human_kappa": "approved",
}
_EXACT: Final = frozenset(
    {
        "false_approval_rate",
        "false_rejection_rate",
        "abstention_rate",
        "raw_agreement",
        "pass_rate",
        "position_consistency",
    }
)
"""Estimands whose interval is Clopper–Pearson's, so that the cases needed can be told."""
_GATE: Final = re.compile(
    r"(?P<name>\w+)\s*(?:\{(?P<selectors>[^}]*)\})?\s+(?P<side>upper|lower)\s+bound\s*"
    r"(?P<relation>≤|<=|≥|>=)\s*(?P<limit>-?\d*\.?\d+)\s*(?P<percent>%?)"
)
_MOST: Final = 10**9


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition on a bound."""

    text: str
    estimand: str
    side: Literal["upper", "lower"]
    limit: float
    blocking: bool
    case_type: str | None = None
    scoring: str | None = None


@dataclass(frozen=True, slots=True)
class GateResult:
    """What a gate answers for one judge."""

    gate: Gate
    judge: str
    outcome: Outcome
    says: str
    """One sentence with the bound, the count, and the cases needed."""
    n: int = 0
    bound: float | None = None
    needed: int | None = field(default=None)
    """Cases with which it could be shown; null where no number can be told, or where it passes."""


def parse_gate(text: str, *, blocking: bool) -> Gate:
    """Read a gate: ``false_approval{case_type=exclusion} upper bound ≤ 0.05``.

    Parameters
    ----------
    text
        Quantity, optionally ``{case_type=NAME}`` (and ``scoring=NAME`` after a comma), ``upper bound ≤`` or
        ``lower bound ≥`` (``<=`` and ``>=`` are the same), and a number or a percentage.
    blocking
        Whether a judge that does not pass is stopped, or only reviewed.

    Raises
    ------
    ConfigurationError
        The gate asks the estimate, the harmless side, or a limit that no number of cases can show.
    UnknownNameError
        The quantity or the selector is not known.
    """
    form = "QUANTITY{case_type=NAME} upper bound ≤ 0.05, or … lower bound ≥ 0.8"
    match = _GATE.fullmatch(text.strip())
    if match is None:
        if "estimate" in text:
            raise ConfigurationError(f"a gate asks a bound, not the estimate: {text!r}", f"write {form}")
        raise ConfigurationError(f"cannot read the gate {text!r}", f"write {form}")
    name = match["name"]
    estimand = QUANTITIES.get(name, name)
    if estimand not in QUANTITIES.values():
        raise UnknownNameError("quantity of a gate", name, QUANTITIES)
    upward = match["relation"] in {"≥", ">="}
    if upward != (match["side"] == "lower"):
        raise ConfigurationError(
            f"the gate {text!r} asks the harmless bound, which shows nothing",
            "ask for upper bound ≤ limit, or lower bound ≥ limit",
        )
    limit = float(match["limit"]) / (100 if match["percent"] else 1)
    lowest = -1.0 if estimand == "human_kappa" else 0.0
    if not lowest < limit < 1:
        raise ConfigurationError(
            f"no number of cases can show the limit of {text!r}", f"write one between {lowest:g} and 1"
        )
    side: Literal["upper", "lower"] = "lower" if upward else "upper"
    return Gate(text.strip(), estimand, side, limit, blocking, **_selectors(match["selectors"], text))


def evaluate_gates(
    gates: Iterable[Gate],
    estimates: EstimateFrame,
    judge: str,
    *,
    case_types: Sequence[str],
    conf_level: float = CONFIDENCE_LEVEL,
) -> list[GateResult]:
    """Ask every gate of one judge.

    A gate passes if the bound of the two-sided interval lies within the limit. It fails if the whole interval
    lies beyond, or the estimate does although there are cases enough. Else it *cannot be shown* with so few
    cases, which is neither a pass nor a verdict on the judge.

    Parameters
    ----------
    gates
        The gates.
    estimates
        Estimates of the calibration.
    judge
        The judge.
    case_types
        The types that the labels have.
    conf_level
        Level of the intervals in ``estimates``.

    Raises
    ------
    UnknownNameError
        A gate names a case type that the labels do not have.
    """
    return [_evaluate(gate, estimates, judge, case_types, conf_level) for gate in gates]


def cases_needed(limit: float, side: Literal["upper", "lower"], conf_level: float, rate: float = 0.0) -> int:
    """Fewest cases whose exact bound keeps a limit, if errors stay at a rate.

    Parameters
    ----------
    limit
        The limit, in (0, 1).
    side
        ``upper``: the upper bound of an error; ``lower``: the lower bound of a success.
    conf_level
        Two-sided confidence level.
    rate
        Share of errors (or of failures, for ``lower``) among the cases; 0 is the best case.

    Returns
    -------
    int
        Exact for a rate of 0, else to about half a percent.

    Examples
    --------
    >>> cases_needed(0.05, "upper", 0.95)
    72
    """
    worst = limit if side == "upper" else 1 - limit
    tail = (1 - conf_level) / 2
    best = math.ceil(math.log(tail) / math.log1p(-worst))
    if rate <= 0:
        return best
    n = np.unique(np.round(np.geomspace(best, _MOST, 4_000)).astype(np.int64))
    kept = _upper(np.ceil(rate * n), n, tail) <= worst
    return int(n[np.flatnonzero(kept).min(initial=len(n) - 1)])


def _upper(x: npt.NDArray[np.float64], n: npt.NDArray[np.int64], tail: float) -> npt.NDArray[np.float64]:
    return np.asarray(special.betainccinv(x + 1, np.maximum(n - x, 1e-9), tail), dtype=np.float64)


def _selectors(written: str | None, text: str) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for part in (written or "").split(","):
        if not part.strip():
            continue
        key, separator, value = (word.strip() for word in part.partition("="))
        if not separator or not value:
            raise ConfigurationError(
                f"cannot read {part.strip()!r} in the gate {text!r}", "write case_type=NAME"
            )
        if key not in _SELECTORS:
            raise UnknownNameError("selector of a gate", key, _SELECTORS)
        chosen[key] = value.strip("\"'")
    return chosen


def _evaluate(
    gate: Gate, estimates: EstimateFrame, judge: str, case_types: Sequence[str], conf_level: float
) -> GateResult:
    if gate.case_type is not None and gate.case_type not in case_types:
        raise UnknownNameError(f"case type in the gate {gate.text!r}:", gate.case_type, case_types)
    rows = _rows(gate, estimates, judge)
    if not rows.height:
        return GateResult(
            gate, judge, "cannot be shown", "cannot be shown: nothing of the kind was estimated"
        )
    row = rows.row(0, named=True)
    n = int(row["n_tasks"] or 0)
    estimate: float | None = row["estimate"]
    inner, outer = ("conf_high", "conf_low") if gate.side == "upper" else ("conf_low", "conf_high")
    bound, other = row[inner], row[outer]
    if bound is not None and _within(gate, bound):
        return GateResult(gate, judge, "passes", f"{gate.side} bound {bound:.3f}, n = {n:,}", n, bound)
    if other is not None and not _within(gate, other):
        beyond = "lower" if gate.side == "upper" else "upper"
        says = f"estimate {estimate:.3f}, and even the {beyond} bound, {other:.3f}, is beyond; n = {n:,}"
        return GateResult(gate, judge, "fails", says, n, bound)
    needed, why, enough = _needed(gate, estimate, n, conf_level)
    if estimate is not None and not _within(gate, estimate) and enough:
        says = f"estimate {estimate:.3f} is beyond; n = {n:,}"
        return GateResult(gate, judge, "fails", says, n, bound)
    says = f"cannot be shown with n = {n:,}: {why or row['reason']}"
    return GateResult(gate, judge, "cannot be shown", says, n, bound, needed)


def _needed(
    gate: Gate, estimate: float | None, n: int, conf_level: float
) -> tuple[int | None, str | None, bool]:
    """Tell how many cases a gate needs, why these do not do, and if a flawless judge would pass with them."""
    if gate.estimand not in _EXACT:
        why = None if estimate is None else f"the interval about {estimate:.3f} is too wide"
        return None, why, True
    best = cases_needed(gate.limit, gate.side, conf_level)
    if n < best:
        ideal = float(special.betainccinv(1, n, (1 - conf_level) / 2)) if n else 1.0
        ideal = ideal if gate.side == "upper" else 1 - ideal
        flaw = "an error" if gate.side == "upper" else "a failure"
        why = f"even without {flaw} the {gate.side} bound would be {ideal:.2f}; {best:,} cases are needed"
        return best, why, False
    if estimate is None or not _within(gate, estimate):
        return None, None, True
    rate = estimate if gate.side == "upper" else 1 - estimate
    more = cases_needed(gate.limit, gate.side, conf_level, rate)
    return more, f"at the estimate, {estimate:.3f}, about {more:,} cases are needed", True


def _within(gate: Gate, value: float) -> bool:
    return value <= gate.limit if gate.side == "upper" else value >= gate.limit


def _rows(gate: Gate, estimates: EstimateFrame, judge: str) -> pl.DataFrame:
    """Find the row that a gate speaks of; of several methods the one with the worse bound comes first."""
    group = None if gate.case_type is None else f"case_type={gate.case_type}"
    scoring = gate.scoring or _USUAL_SCORING.get(gate.estimand)
    probe = {
        "position_consistency": "swap",
        "test_retest_agreement": "repetition",
        "long_wins_score": "length",
    }.get(gate.estimand, "main")
    found = estimates.filter(
        (pl.col("estimand") == gate.estimand)
        & (pl.col("judge") == judge)
        & pl.col("judge_2").is_null()
        & (pl.col("probe") == probe)
        & pl.col("group").eq_missing(pl.lit(group, pl.String))
        & (pl.lit(value=scoring is None) | pl.col("scoring").eq_missing(pl.lit(scoring, pl.String)))
    )
    bound = "conf_high" if gate.side == "upper" else "conf_low"
    return found.sort(bound, descending=gate.side == "upper", nulls_last=False)
