"""A claim under every combination of choices, evaluated together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import dataframely as dy
import numpy as np
import numpy.typing as npt
import polars as pl

from recuse.analysis.claims.choices import Choices
from recuse.analysis.claims.evidence import Evidence
from recuse.analysis.claims.forms import Contrast, Form, Mean, RatioDifference
from recuse.analysis.claims.reading import Reading, unread
from recuse.analysis.claims.readings import read
from recuse.analysis.claims.record import Claim
from recuse.analysis.inference.clusters import FloatArray
from recuse.analysis.inference.specifications import Spread, Unit
from recuse.analysis.multiverse.grid import CLUSTERS, Cell, grid, group_of, usual_ties, why_not
from recuse.analysis.multiverse.spreads import rows_by_task, spread_of
from recuse.analysis.multiverse.variants import Variants
from recuse.schema import CONFIDENCE_LEVEL

__all__ = ["MOST_TASKS", "SAME_JUDGES", "SpecificationFrame", "Specifications", "multiverse"]

MOST_TASKS: Final = 30
"""Tasks up to which each is left out; of more, those that move the usual estimate most."""
_LEVEL: Final = 1 - CONFIDENCE_LEVEL
SAME_JUDGES: Final = "it asks the same judges as baseline uninvolved"
"""Why a baseline by family is no specification of its own where all judges are of different families."""
_UNSEEN: Final = "no spread can be seen, hence no interval"


class Specifications(dy.Schema):
    """One row per specification of one claim: its choices, what comes out, and whether the claim holds.

    A null choice leaves the claim nothing to choose. ``holds`` is null where the specification is infeasible or
    has no interval; ``reason`` says why.
    """

    claim = dy.String(nullable=False)
    scoring = dy.String(nullable=True)
    baseline = dy.String(nullable=True)
    cluster = dy.String(nullable=False)
    ties = dy.String(nullable=True)
    left_out = dy.String(nullable=False)
    """``nothing``, ``judge`` or ``task``."""
    left_out_name = dy.String(nullable=True)
    is_usual = dy.Bool(nullable=False)
    """Resolved, uninvolved judges, tasks as clusters, the usual tie rule, nothing left out."""
    estimate = dy.Float64(nullable=True, allow_nan=False, allow_inf=False)
    std_error = dy.Float64(nullable=True, allow_nan=False, allow_inf=False)
    conf_low = dy.Float64(nullable=True, allow_nan=False, allow_inf=False)
    conf_high = dy.Float64(nullable=True, allow_nan=False, allow_inf=False)
    p_value = dy.Float64(nullable=True, min=0, max=1)
    """Of the claim: two-sided against the null, or for an absence the larger of two one-sided ones."""
    effect = dy.Float64(nullable=True, allow_nan=False, allow_inf=False)
    """Distance from the null in the claimed direction."""
    holds = dy.Bool(nullable=True)
    n_comparisons = dy.Int64(nullable=False)
    n_tasks = dy.Int64(nullable=False)
    reason = dy.String(nullable=True)

    @dy.rule()
    def undecided_has_a_reason(cls) -> pl.Expr:
        """A specification in which nobody can tell says why."""
        return pl.col("holds").is_not_null() | pl.col("reason").is_not_null()


SpecificationFrame: TypeAlias = dy.DataFrame[Specifications]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What one combination comes to with nothing and with each task left out, each of shape (K,)."""

    estimate: FloatArray
    std_error: FloatArray
    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    holds: npt.NDArray[np.bool_]


def multiverse(
    claim: Claim, evidence: Evidence, judges: Sequence[str], variants: Variants | None = None
) -> SpecificationFrame:
    """Evaluate a claim over scoring × baseline × unit × tie rule × who or what is left out.

    Parameters
    ----------
    claim
        What is claimed.
    evidence
        From :func:`recuse.analysis.claims.evidence.gather`, for the claim's studies.
    judges
        Judges to leave out one by one, where the claim depends on more than one judge.
    variants
        Shared by claims about the same evidence, so that nothing is made twice.

    Returns
    -------
    SpecificationFrame
        One row per combination, infeasible ones with a reason.

    Notes
    -----
    A directional claim holds where the estimate lies on the claimed side and p ≤ .05, a ranking where all its
    neighbours do, an absence where both one-sided tests reject at .05. Intervals are analytic: tasks as
    clusters by CR2 for means and CR3 on the logit scale for rates (exact where a rate is 0 or 1), comparisons or
    rows as clusters by CR1, the jackknife for coefficients of agreement. Leaving a task out goes with every
    other choice but leaving a judge out. p-values are not adjusted: the share of specifications is a
    description, not a test.
    """
    variants = variants or Variants(evidence)
    usual = usual_ties(claim)
    left = _tasks_to_leave_out(claim, evidence, variants)
    blocks: list[pl.DataFrame] = []
    by_model: dict[tuple[Cell, bool], Reading] = {}
    for cell in grid(claim, judges):
        readings: dict[bool, Reading] = {}
        for cluster in CLUSTERS:
            reason = why_not(claim, cell, cluster)
            by_presentation = cluster == "row" and group_of(claim) == "scores"
            if reason is None and by_presentation not in readings:
                found = _read(claim, cell, variants, by_presentation=by_presentation)
                if cell.baseline == "uninvolved":
                    by_model[cell, by_presentation] = found
                same = by_model.get((replace(cell, baseline="uninvolved"), by_presentation))
                readings[by_presentation] = found if cell.baseline != "uninvolved_family" else _new(found, same)
            reading = readings.get(by_presentation)
            if reason is None and reading is not None:
                reason = reading.reason
            keep = _kept(evidence.n_tasks, left if cell.without_judge is None else left[:0])
            names = [None, *(evidence.tasks[task] for task in left)] if cell.without_judge is None else [None]
            choices = _choices(claim, cell, cluster, names, usual)
            outcome = None
            if reason is None and reading is not None:
                tallies = group_of(claim) in {"slots", "tallies"}
                outcome = _outcome(claim, reading.forms, keep, cluster, tallies=tallies)
            blocks.append(_block(claim, choices, outcome, reading, keep, reason))
    return Specifications.validate(pl.concat(blocks))


def _read(claim: Claim, cell: Cell, variants: Variants, *, by_presentation: bool) -> Reading:
    there = variants.under(
        group_of(claim),
        scoring=cell.scoring,
        ties=cell.ties,
        without_judge=cell.without_judge,
        by_presentation=by_presentation,
    )
    return read(claim, there, Choices(scoring=None, baseline=cell.baseline or "all_peers"))


def _new(found: Reading, by_model: Reading | None) -> Reading:
    """Refuse a reading by family that asks the same judges as that by model: it is no second analysis."""
    if by_model is None or found.reason is not None or by_model.reason is not None:
        return found
    alike = all(
        isinstance(mine, Mean) and isinstance(other, Mean) and _equal(mine, other)
        for one, two in zip(found.forms, by_model.forms, strict=True)
        for mine, other in zip(_means(one), _means(two), strict=True)
    )
    return unread(SAME_JUDGES, found.n_dropped) if alike else found


def _means(form: Form) -> tuple[Form, ...]:
    if isinstance(form, Contrast):
        return form.high, form.low
    return (form.first, form.second) if isinstance(form, RatioDifference) else (form,)


def _equal(one: Mean, other: Mean) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in ("value", "weight", "task")
    )


def _tasks_to_leave_out(claim: Claim, evidence: Evidence, variants: Variants) -> npt.NDArray[np.int64]:
    usual = Cell("resolved", "uninvolved", usual_ties(claim), None)
    for baseline in ("uninvolved", "all_peers"):
        cell = Cell(usual.scoring, baseline, usual.ties, None)
        reading = _read(claim, cell, variants, by_presentation=False)
        if reading.reason is None:
            break
    if not reading.forms:
        return np.zeros(0, dtype=np.int64)
    form = reading.forms[0]
    there = np.flatnonzero(rows_by_task(form, evidence.n_tasks))
    if len(there) <= MOST_TASKS:
        return there
    order = there[np.argsort(form.without()[there], kind="stable")]
    return np.sort(np.concatenate([order[: MOST_TASKS // 2], order[-MOST_TASKS // 2 :]]))


def _kept(n_tasks: int, left: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    keep = np.ones((1 + len(left), n_tasks), dtype=np.bool_)
    keep[np.arange(1, 1 + len(left)), left] = False
    return keep


def _choices(
    claim: Claim, cell: Cell, cluster: Unit, tasks: Sequence[str | None], usual_tie_rule: str | None
) -> pl.DataFrame:
    left_out = ["nothing" if cell.without_judge is None else "judge", *["task"] * (len(tasks) - 1)]
    usual = (
        cell.scoring in {None, "resolved"}
        and cell.baseline in {None, "uninvolved"}
        and cluster == "task"
        and cell.ties == usual_tie_rule
        and cell.without_judge is None
    )
    return pl.DataFrame(
        {
            "claim": [claim.id] * len(tasks),
            "scoring": [cell.scoring] * len(tasks),
            "baseline": [cell.baseline] * len(tasks),
            "cluster": [cluster] * len(tasks),
            "ties": [cell.ties] * len(tasks),
            "left_out": left_out,
            "left_out_name": [cell.without_judge, *tasks[1:]],
            "is_usual": [usual, *[False] * (len(tasks) - 1)],
        },
        schema_overrides=dict.fromkeys(("scoring", "baseline", "ties", "left_out_name"), pl.String),
    )


def _outcome(
    claim: Claim, forms: Sequence[Form], keep: npt.NDArray[np.bool_], unit: Unit, *, tallies: bool
) -> _Outcome:
    spreads = [spread_of(form, keep, unit, tallies=tallies) for form in forms]
    tests = [_test(claim, spread) for spread in spreads]
    estimates = np.stack([spread.estimate for spread in spreads])
    closest = np.argmin(np.where(np.isnan(estimates), np.inf, estimates), axis=0)
    bounds = [spread.bounds(CONFIDENCE_LEVEL) for spread in spreads]
    chosen = [
        np.take_along_axis(np.stack(values), closest[None], axis=0)[0]
        for values in (
            estimates,
            [spread.std_error for spread in spreads],
            [low for low, _ in bounds],
            [high for _, high in bounds],
        )
    ]
    p_value = np.max(np.stack(tests), axis=0)
    with np.errstate(invalid="ignore"):
        on_side = claim.is_equivalence | ((estimates - claim.null) * claim.sign > 0).all(0)
        holds = on_side & (p_value <= _LEVEL)
    return _Outcome(*chosen, p_value, holds)


def _test(claim: Claim, spread: Spread) -> FloatArray:
    """Two-sided p-value, or for an absence the larger of the two one-sided ones."""
    if not claim.is_equivalence:
        return spread.p_value(claim.null)
    sided: list[FloatArray] = []
    for end in (claim.null - claim.margin_or_usual, claim.null + claim.margin_or_usual):
        if spread.is_rate and not 0 < end < 1:
            continue
        two_sided = spread.p_value(end)
        inside = (spread.estimate > end) == (end < claim.null)
        sided.append(np.where(inside, two_sided / 2, 1 - two_sided / 2))
    return np.max(np.stack(sided), axis=0)


def _block(
    claim: Claim,
    choices: pl.DataFrame,
    outcome: _Outcome | None,
    reading: Reading | None,
    keep: npt.NDArray[np.bool_],
    reason: str | None,
) -> pl.DataFrame:
    n = choices.height
    columns: dict[str, Any] = dict.fromkeys(
        ("estimate", "std_error", "conf_low", "conf_high", "p_value", "effect"), np.full(n, np.nan)
    )
    holds: list[bool] = [False] * n
    rows = np.zeros(keep.shape[1])
    if outcome is not None and reading is not None:
        rows = np.max([rows_by_task(form, keep.shape[1]) for form in reading.forms], axis=0)
        effect = (outcome.estimate - claim.null) * claim.sign
        values = (outcome.estimate, outcome.std_error, outcome.low, outcome.high, outcome.p_value, effect)
        columns = dict(zip(columns, values, strict=True))
        holds = outcome.holds.tolist()
    numbers = choices.with_columns(
        *(pl.Series(name, values).fill_nan(None).cast(pl.Float64) for name, values in columns.items()),
        pl.Series("held", holds, dtype=pl.Boolean),
        n_comparisons=pl.Series((keep @ rows).astype(np.int64)),
        n_tasks=pl.Series((keep & (rows > 0)).sum(1)),
    )
    said = pl.lit(reason, dtype=pl.String)
    why = pl.when(pl.col("estimate").is_null()).then(pl.lit("nothing is left to estimate from"))
    return numbers.with_columns(
        holds=pl.when(pl.col("p_value").is_not_null()).then("held"),
        reason=pl.coalesce(said, why.when(pl.col("p_value").is_null()).then(pl.lit(_UNSEEN))),
    ).select(list(Specifications.columns()))
