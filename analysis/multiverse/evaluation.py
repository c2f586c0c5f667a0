"""A claim under every combination of choices, evaluated together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

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
from recuse.analysis.multiverse.frame import SpecificationFrame, Specifications
from recuse.analysis.multiverse.grid import CLUSTERS, SAME_JUDGES, Cell, grid, group_of, usual_ties, why_not
from recuse.analysis.multiverse.spreads import rows_by_task, spread_of
from recuse.analysis.multiverse.variants import Variants
from recuse.schema import CONFIDENCE_LEVEL

__all__ = ["MOST_COMPARISONS", "MOST_TASKS", "multiverse"]

MOST_TASKS: Final = 30
"""Tasks up to which each is left out; of more, those that move the usual estimate most."""
MOST_COMPARISONS: Final = 150_000
"""Comparisons up to which judges are left out: each takes a copy of all scores under every other choice."""
_TOO_MANY: Final = f"judges are left out up to {MOST_COMPARISONS:,} comparisons only"
_LEVEL: Final = 1 - CONFIDENCE_LEVEL
_NOTHING_LEFT: Final = "nothing is left to estimate from"
_UNSEEN: Final = "no spread can be seen, hence no interval"


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What one combination comes to with nothing and with each task left out, each of shape (K,)."""

    estimate: FloatArray
    std_error: FloatArray
    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    effect: FloatArray
    holds: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Block:
    """One combination of choices: K rows of the frame."""

    choices: Mapping[str, Sequence[str | bool | None]]  # K of each
    outcome: _Outcome
    n_comparisons: FloatArray  # (K,)
    n_tasks: npt.NDArray[np.int64]  # (K,)
    reason: str | None


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
    clusters by CR2 for means and CR3 on the logit scale for rates (exact where a rate is 0 or 1), comparisons
    or rows as clusters by CR1, the jackknife for coefficients of agreement. Leaving a task out goes with
    every other choice but leaving a judge out. p-values are not adjusted: the share of specifications is a
    description, not a test.
    """
    variants = variants or Variants(evidence)
    left = _tasks_to_leave_out(claim, evidence, variants)
    known: dict[tuple[Cell, bool], Reading] = {}
    blocks: list[_Block] = []
    for cell in grid(claim, judges):
        tasks = left if cell.without_judge is None else left[:0]
        names: list[str | None] = [None, *np.array(evidence.tasks, dtype=object)[tasks].tolist()]
        keep = _kept(evidence.n_tasks, tasks)
        for cluster in CLUSTERS:
            reading = _reading(claim, cell, cluster, variants, known)
            blocks.append(_block(claim, _choices(claim, cell, cluster, names), reading, keep, cluster))
    return _frame(blocks)


def _reading(
    claim: Claim, cell: Cell, cluster: Unit, variants: Variants, known: dict[tuple[Cell, bool], Reading]
) -> Reading:
    """Read the quantity for one combination, or say why it is none; what was read is kept in ``known``."""
    reason = why_not(claim, cell, cluster)
    if reason is None and cell.without_judge and variants.evidence.comparisons.height > MOST_COMPARISONS:
        reason = _TOO_MANY
    if reason is not None:
        return unread(reason)
    by_presentation = cluster == "row" and group_of(claim) == "scores"
    if (cell, by_presentation) not in known:
        found = _read(claim, cell, variants, by_presentation=by_presentation)
        if cell.baseline == "uninvolved_family":
            by_model = known[replace(cell, baseline="uninvolved"), by_presentation]
            found = _new(found, by_model)
        known[cell, by_presentation] = found
    return known[cell, by_presentation]


def _read(claim: Claim, cell: Cell, variants: Variants, *, by_presentation: bool) -> Reading:
    there = variants.under(
        group_of(claim),
        scoring=cell.scoring,
        ties=cell.ties,
        without_judge=cell.without_judge,
        by_presentation=by_presentation,
    )
    return read(claim, there, Choices(scoring=None, baseline=cell.baseline or "all_peers"))


def _new(found: Reading, by_model: Reading) -> Reading:
    """Refuse a reading by family that asks the same judges as that by model: it is no second analysis."""
    if found.reason is not None or by_model.reason is not None:
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
    claim: Claim, cell: Cell, cluster: Unit, tasks: Sequence[str | None]
) -> dict[str, Sequence[str | bool | None]]:
    usual = (
        cell.scoring in {None, "resolved"}
        and cell.baseline in {None, "uninvolved"}
        and cluster == "task"
        and cell.ties == usual_ties(claim)
        and cell.without_judge is None
    )
    n = len(tasks)
    return {
        "claim": [claim.id] * n,
        "scoring": [cell.scoring] * n,
        "baseline": [cell.baseline] * n,
        "cluster": [cluster] * n,
        "ties": [cell.ties] * n,
        "left_out": ["nothing" if cell.without_judge is None else "judge", *["task"] * (n - 1)],
        "left_out_name": [cell.without_judge, *tasks[1:]],
        "is_usual": [usual, *[False] * (n - 1)],
    }


def _outcome(
    claim: Claim, forms: Sequence[Form], keep: npt.NDArray[np.bool_], unit: Unit, *, tallies: bool
) -> _Outcome:
    spreads = [spread_of(form, keep, unit, tallies=tallies) for form in forms]
    tests = [_test(claim, spread) for spread in spreads]
    estimates = np.stack([spread.estimate for spread in spreads])
    closest = np.argmin(np.where(np.isnan(estimates), np.inf, estimates), axis=0)
    bounds = [spread.bounds(CONFIDENCE_LEVEL) for spread in spreads]
    parts: list[list[FloatArray]] = [
        [spread.estimate for spread in spreads],
        [spread.std_error for spread in spreads],
        [low for low, _ in bounds],
        [high for _, high in bounds],
    ]
    estimate, std_error, low, high = (
        np.take_along_axis(np.stack(part), closest[None], axis=0)[0] for part in parts
    )
    p_value: FloatArray = np.max(np.stack(tests), axis=0)
    with np.errstate(invalid="ignore"):
        on_side = claim.is_equivalence | ((estimates - claim.null) * claim.sign > 0).all(0)
        holds = on_side & (p_value <= _LEVEL)
    effect = (estimate - claim.null) * claim.sign
    return _Outcome(estimate, std_error, low, high, p_value, effect, holds)


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
    larger: FloatArray = np.max(np.stack(sided), axis=0)
    return larger


def _block(
    claim: Claim,
    choices: Mapping[str, Sequence[str | bool | None]],
    reading: Reading,
    keep: npt.NDArray[np.bool_],
    cluster: Unit,
) -> _Block:
    nothing = np.full(len(keep), np.nan)
    holds = np.zeros(len(keep), dtype=np.bool_)
    outcome = _Outcome(nothing, nothing, nothing, nothing, nothing, nothing, holds)
    rows = np.zeros(keep.shape[1])
    if reading.reason is None:
        tallies = group_of(claim) in {"slots", "tallies"}
        outcome = _outcome(claim, reading.forms, keep, cluster, tallies=tallies)
        rows = np.max([rows_by_task(form, keep.shape[1]) for form in reading.forms], axis=0)
    return _Block(choices, outcome, keep @ rows, (keep & (rows > 0)).sum(1), reading.reason)


def _frame(blocks: Sequence[_Block]) -> SpecificationFrame:
    """Put the combinations together; NaN becomes null, and what has no number says why."""
    columns: dict[str, Any] = {
        name: [value for block in blocks for value in block.choices[name]] for name in blocks[0].choices
    }
    numbers = {"estimate": "estimate", "std_error": "std_error", "conf_low": "low", "conf_high": "high"}
    numbers |= {name: name for name in ("p_value", "effect", "holds")}
    columns |= {
        name: np.concatenate([getattr(block.outcome, field) for block in blocks])
        for name, field in numbers.items()
    }
    columns["n_comparisons"] = np.concatenate([block.n_comparisons for block in blocks]).astype(np.int64)
    columns["n_tasks"] = np.concatenate([block.n_tasks for block in blocks])
    columns["reason"] = [block.reason for block in blocks for _ in block.n_tasks]
    schema = {name: column.dtype for name, column in Specifications.columns().items()}
    left = pl.when(pl.col("estimate").is_null()).then(pl.lit(_NOTHING_LEFT))
    return Specifications.validate(
        pl.DataFrame(columns, schema_overrides=schema)
        .with_columns(pl.col(pl.Float64).fill_nan(None))
        .with_columns(
            holds=pl.when(pl.col("p_value").is_not_null()).then("holds"),
            reason=pl.coalesce("reason", left.when(pl.col("p_value").is_null()).then(pl.lit(_UNSEEN))),
        )
        .select(list(schema))
    )
