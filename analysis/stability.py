"""Stability: whether a judge that is asked again says the same, and what makes it say something else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np
import polars as pl

from recuse.analysis.askings import agreement_across, agreement_within, askings, n_asked
from recuse.analysis.cells import cluster_sums, each_cell, mean_of, pooled_and_by, rate_of, total
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.settings import Settings
from recuse.analysis.variance_split import variance_shares
from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = ["stability"]

_ONCE: Final = "every presentation was asked once: whether a judge repeats itself cannot be seen"
_CELL: Final = ("study", "probe", "judge", "tier")
_SUMS: Final = ("agreement", "modal", "asked", "repetition", "order", "beyond", "both", "again", "verdicts")


def stability(comparisons: ComparisonFrame, settings: Settings) -> EstimateFrame:
    """Test–retest agreement, modal share, causes of a changed verdict and the split of variance.

    By judge, tier and probe, for probes in which a presentation (one ordered pair) was asked again:

    - ``test_retest_agreement``: share of equal verdicts (a, b, tie) among all pairs of askings of one
      presentation, mean over presentations. 1: always the same verdict.
    - ``modal_share``: share of a presentation's verdicts that are its commonest one, mean over presentations.
      1: always the same; it cannot be below one third.
    - ``verdict_change_rate``: how often two verdicts on one comparison name different answers, where only the
      asking differs (group ``cause=repetition``) or the order does (group ``cause=order``), both on
      comparisons asked again in both orders. 0: never. ``verdict_change_excess`` is order less
      repetition: what swapping the answers adds to asking again.
    - ``variance_share``: see :func:`recuse.analysis.variance_split.variance_shares`.

    ``n_presentations`` counts verdicts, ``n_comparisons`` comparisons asked again (in both orders, for the
    causes), ``n_dropped`` comparisons that were not. Intervals take tasks as clusters.
    """
    rows: list[Estimate] = []
    again = comparisons.filter(pl.col("replicate") > 0).select("study", "probe").unique()
    main = comparisons.filter(pl.col("probe") == "main").select("study", "judge").unique()
    without = main.join(again.select("study").unique(), on="study", how="anti")
    for study, judge in without.select(pl.all().cast(pl.String)).sort("study", "judge").rows():
        base = Estimate(estimand="test_retest_agreement", unit="proportion", study=study, judge=judge)
        rows += [
            replace(base, estimand=name).undefined(_ONCE) for name in ("test_retest_agreement", "modal_share")
        ]
    if again.is_empty():
        return estimate_frame(rows)
    asked = askings(comparisons.join(again, on=["study", "probe"], how="semi"))
    rng = settings.rng("stability")
    for keys, cell in each_cell(pooled_and_by(_task_sums(asked)), _CELL):
        rows += _cell_rows(keys, cell, settings, rng)
    return estimate_frame([*rows, *variance_shares(asked, settings)])


def _cell_rows(
    keys: dict[str, Any], cell: pl.DataFrame, settings: Settings, rng: np.random.Generator
) -> Iterator[Estimate]:
    base = Estimate(
        estimand="test_retest_agreement",
        unit="proportion",
        n_presentations=total(cell, "verdicts"),
        n_comparisons=total(cell, "again"),
        n_dropped=total(cell, "pairs") - total(cell, "again"),
        **keys,
    )
    for name, column in (("test_retest_agreement", "agreement"), ("modal_share", "modal")):
        row = replace(base, estimand=name, reason=None if total(cell, "asked") else _ONCE)
        yield rate_of(row, cluster_sums(cell, column, "asked"), settings, rng)
    base = replace(
        base,
        estimand="verdict_change_rate",
        n_comparisons=total(cell, "both"),
        n_dropped=total(cell, "pairs") - total(cell, "both"),
        reason=None if total(cell, "both") else "no comparison was asked again in both orders",
    )
    for cause in ("repetition", "order"):
        row = replace(base, group=f"cause={cause}")
        yield rate_of(row, cluster_sums(cell, cause, "both"), settings, rng)
    row = replace(base, estimand="verdict_change_excess", unit="difference")
    excess = cluster_sums(cell, "beyond", "both")
    yield mean_of(row, excess, settings, rng, bounds=(-1.0, 1.0), test=True)


def _task_sums(asked: pl.DataFrame) -> pl.DataFrame:
    twice = {slot: n_asked(slot) > 1 for slot in "ab"}
    modal = {
        slot: pl.max_horizontal(f"{slot}_first", f"{slot}_second", f"{slot}_tie") / n_asked(slot)
        for slot in "ab"
    }
    both = twice["a"] & twice["b"]
    repetition = 1 - (agreement_within("a") + agreement_within("b")) / 2
    order = 1 - agreement_across("a_", "b_")
    return (
        asked.with_columns(
            agreement=pl.sum_horizontal(pl.when(twice[slot]).then(agreement_within(slot)) for slot in "ab"),
            modal=pl.sum_horizontal(pl.when(twice[slot]).then(modal[slot]) for slot in "ab"),
            asked=pl.sum_horizontal(twice[slot].cast(pl.Int64) for slot in "ab"),
            verdicts=pl.sum_horizontal(pl.when(twice[slot]).then(n_asked(slot)) for slot in "ab"),
            repetition=pl.when(both).then(repetition),
            order=pl.when(both).then(order),
            beyond=pl.when(both).then(order - repetition),
            both=both.cast(pl.Int64),
            again=(twice["a"] | twice["b"]).cast(pl.Int64),
        )
        .group_by(*_CELL, "task_id")
        .agg(pl.col(_SUMS).sum(), pairs=pl.len().cast(pl.Int64))
        .sort("task_id")
    )
