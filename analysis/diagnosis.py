"""Diagnosis: which symptoms of which bias the estimates show, judge by judge, and which they do not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from recuse.analysis.inference.power import minimum_detectable_effect
from recuse.analysis.inference.signflip import least_p
from recuse.schema import TIERS, EstimateFrame

__all__ = ["BIASES", "CHANCE_MARGIN", "LEVEL", "Bias", "Finding", "Level", "diagnose"]

Bias: TypeAlias = Literal["position", "length", "self-preference", "agreement"]
Level: TypeAlias = Literal["shown", "not shown", "cannot be told"]
Row: TypeAlias = Mapping[str, Any]

BIASES: Final[tuple[Bias, ...]] = ("position", "length", "self-preference", "agreement")
LEVEL: Final = 0.05
"""Two-sided; p-values are those adjusted over the judges of the study where the row has them."""
_FEW_TASKS: Final = 10
"""Leaning tasks below which a sign-flip says little."""
CHANCE_MARGIN: Final = 0.20
"""Kappa is at chance when its interval lies within this of 0."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One bias looked for in one judge (agreement: in one pair of judges).

    ``evidence`` holds rows of the estimates: first the one that the level was read from, then those that a
    reader should see beside it. ``detectable`` is the smallest effect that the first row's precision would
    have found with power .8, in its unit; null where it has no standard error.
    """

    study: str | None
    judge: str
    judge_2: str | None
    bias: Bias
    level: Level
    evidence: tuple[Row, ...]
    detectable: float | None
    reason: str | None = None


def diagnose(estimates: EstimateFrame) -> list[Finding]:
    """Look in every judge for each bias that its estimates can speak of.

    Parameters
    ----------
    estimates
        The estimates of a run; nothing else is looked at, and nothing is estimated anew.

    Returns
    -------
    list
        By study, judge and bias. *Shown*: position, if the sign-flip over task sums of lean reaches the
        level; length, if the interval of the longer version's score excludes ½ (where concision is rewarded
        if the probe has such tasks; without a probe, if the part put down to length excludes 0);
        self-preference, if the delta against uninvolved judges reaches the level, in whichever direction;
        agreement, if kappa's interval lies within `CHANCE_MARGIN` of 0. *Cannot be told*: the quantity has
        no estimate or no test; for position also where only the sign test on reversals reaches the level;
        for agreement where the interval holds both 0 and values outside the margin. A bias of which there is
        no row is left out.

    Notes
    -----
    A symptom is an association in these judgments. Finding none is not finding that there is none, for which
    ``detectable`` stands beside it.
    """
    index = _Index(estimates)
    found: list[Finding] = []
    for study, judge in index.judges():
        looked = (_position(index, study, judge), _length(index, study, judge), _own(index, study, judge))
        found += [finding for finding in looked if finding is not None]
    return found + [_agreement(index, study, *pair) for study, *pair in index.pairs()]


class _Index:
    """Rows by estimand and keys; what is not named is null, but for the probe, which is ``main``."""

    def __init__(self, estimates: EstimateFrame) -> None:
        self._rows: dict[tuple[object, ...], list[Row]] = defaultdict(list)
        self._all: Sequence[Row] = estimates.lazy().collect().to_dicts()
        for row in self._all:
            self._rows[self._key(row["estimand"], row)].append(row)

    def judges(self) -> list[tuple[str | None, str]]:
        looked = {"slot_a_rate", "long_wins_score", "length_length_share", "self_preference_delta"}
        named = {
            (row["study"], row["judge"]) for row in self._all if row["estimand"] in looked and row["judge"]
        }
        return sorted(named, key=lambda one: (one[0] or "", one[1]))

    def pairs(self) -> list[tuple[str | None, str, str]]:
        named = {
            (row["study"], row["judge"], row["judge_2"])
            for row in self._all
            if row["estimand"] == "cohen_kappa"
        }
        return sorted(named, key=lambda one: (one[0] or "", *one[1:]))

    def one(self, estimand: str, *, test: str | None = None, **keys: str | None) -> Row | None:
        rows = self._rows[self._key(estimand, {"probe": "main", **keys})]
        if test is not None:
            return next((row for row in rows if row["test"] == test), None)
        return next((row for row in rows if row["conf_low"] is not None), rows[0] if rows else None)

    def tiers(self, estimand: str, **keys: str | None) -> list[Row]:
        """Give the rows by tier, one per tier, from objective to subjective."""
        rows = [
            row
            for row in self._all
            if row["estimand"] == estimand and row["tier"] and all(row[k] == v for k, v in keys.items())
        ]
        first = {row["tier"]: row for row in reversed(rows)}
        order = {tier: place for place, tier in enumerate(TIERS)}
        return [first[tier] for tier in sorted(first, key=lambda name: (order.get(name, len(order)), name))]

    @staticmethod
    def _key(estimand: str, keys: Mapping[str, Any]) -> tuple[object, ...]:
        columns = ("study", "judge", "judge_2", "generator", "tier", "probe", "group", "baseline")
        return (estimand, *(keys.get(column) for column in columns))


def _reached(row: Row | None) -> bool:
    if row is None:
        return False
    p_value = row["p_value"] if row["p_adjusted"] is None else row["p_adjusted"]
    return p_value is not None and p_value <= LEVEL


def _detectable(row: Row) -> float | None:
    if row["mde"] is not None:
        return float(row["mde"])
    return minimum_detectable_effect(row["std_error"], None if row["n_tasks"] is None else row["n_tasks"] - 1)


def _leaning(row: Row) -> int:
    """Tasks whose sum of lean is not 0, from the row of the sign-flip."""
    return int(row["n_tasks"] or 0) - int(row["n_dropped"] or 0)


def _position(index: _Index, study: str | None, judge: str) -> Finding | None:
    keys = {"study": study, "judge": judge}
    lean = index.one("slot_a_rate", test="sign_flip_task_lean", **keys) or index.one("slot_a_rate", **keys)
    if lean is None:
        return None
    reversals = index.one("slot_a_rate", test="sign_test_reversals", **keys)
    share, flips = index.one("reversal_a_share", **keys), index.one("flip_rate", **keys)
    level: Level = "shown" if _reached(lean) else "not shown"
    reason = None
    if lean["estimate"] is None or lean["p_value"] is None:
        level, reason = "cannot be told", lean["reason"]
    elif level == "not shown" and least_p(_leaning(lean)) > LEVEL:
        level, reason = "cannot be told", "fewer than 6 non-zero task sums: no two-sided test can reach .05"
    elif level == "not shown" and _reached(reversals):
        few = _leaning(lean) < _FEW_TASKS
        why = "too few tasks lean to tell it of tasks" if few else "the test over tasks does not show it"
        level, reason = "cannot be told", f"reversals go one way, but {why}"
    rows = tuple(row for row in (lean, share, reversals, flips) if row is not None)
    return Finding(study, judge, None, "position", level, rows, _detectable(lean), reason)


def _length(index: _Index, study: str | None, judge: str) -> Finding | None:
    keys = {"study": study, "judge": judge}
    probe = [
        index.one("long_wins_score", probe="length", group=group, **keys)
        for group in ("rewards=concision", None, "rewards=elaboration")
    ]
    part, raw = index.one("length_length_share", **keys), index.one("longer_wins_rate", **keys)
    rows = tuple(row for row in (*probe, part, raw) if row is not None)
    if not rows or rows[0]["estimand"] == "longer_wins_rate":
        return None
    first = rows[0]
    if first["conf_low"] is None or first["conf_high"] is None:
        reason = first["reason"] or "no interval"
        return Finding(study, judge, None, "length", "cannot be told", rows, None, reason)
    null = 0.5 if first["unit"] == "proportion" else 0.0
    shown = first["conf_low"] > null or first["conf_high"] < null
    return Finding(study, judge, None, "length", "shown" if shown else "not shown", rows, _detectable(first))


def _own(index: _Index, study: str | None, judge: str) -> Finding | None:
    keys = {"study": study, "judge": judge, "baseline": "uninvolved"}
    delta = index.one("self_preference_delta", **keys)
    if delta is None:
        return None
    equal = index.one("self_preference_delta_length_adjusted", **keys)
    peers = index.one("self_preference_delta", **{**keys, "baseline": "all_peers"})
    rows = tuple(row for row in (delta, equal, peers) if row is not None)
    if delta["estimate"] is None or delta["p_value"] is None:
        reason = delta["reason"] or "no test"
        return Finding(study, judge, None, "self-preference", "cannot be told", rows, None, reason)
    level: Level = "shown" if _reached(delta) else "not shown"
    return Finding(study, judge, None, "self-preference", level, rows, _detectable(delta))


def _agreement(index: _Index, study: str | None, judge: str, other: str) -> Finding:
    keys = {"study": study, "judge": judge, "judge_2": other}
    kappa = index.one("cohen_kappa", **keys)
    by_tier = index.tiers("cohen_kappa", **keys)
    first = kappa if kappa is not None else by_tier[0]
    low, high = first["conf_low"], first["conf_high"]
    beside = (index.one("raw_agreement", **keys), index.one("expected_agreement", **keys))
    rows = (first, *(row for row in (*beside, *by_tier) if row is not None and row is not first))
    level: Level = "cannot be told"
    reason = first["reason"] or "no interval"
    if low is not None and high is not None:
        reason = "the interval holds both chance and agreement beyond it"
        if low >= -CHANCE_MARGIN and high <= CHANCE_MARGIN:
            level = "shown"
        elif low > 0 or high < 0:
            level = "not shown"
    told = reason if level == "cannot be told" else None
    return Finding(study, judge, other, "agreement", level, rows, _detectable(first), told)
