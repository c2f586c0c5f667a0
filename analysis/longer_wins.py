"""Longer wins: how often the longer of two answers is preferred, nothing held fixed."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import polars as pl

from recuse.analysis.cells import cluster_sums, each_cell, pooled_and_by, rate_of, total
from recuse.analysis.comparisons import of_pairs
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.grouping import cells_of
from recuse.analysis.patterns import patterns, task_patterns
from recuse.analysis.row_codes import JUDGE, STRATUM, TASK, coded, outcomes_of, without_codes
from recuse.analysis.settings import Settings
from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = ["longer_wins_counts", "longer_wins_of", "longer_wins_rate", "longer_wins_sums"]

_LENGTHS: Final = "no decided presentation of answers of unequal known length"


def longer_wins_rate(comparisons: ComparisonFrame, settings: Settings) -> EstimateFrame:
    """Share of decided presentations that the longer answer wins, probe ``main``, by judge and tier.

    ½: length and verdict do not go together. Uncontrolled: a longer answer may win for what it says, so
    this is no measure of a preference for length. Words decide which answer is longer, characters where
    words are missing. ``n_comparisons`` counts comparisons with such a presentation, ``n_dropped`` decided
    presentations of equal or unknown length.
    """
    return longer_wins_of(patterns(longer_wins_sums(comparisons)), settings)


def longer_wins_sums(comparisons: pl.DataFrame) -> pl.DataFrame:
    """Sum :func:`longer_wins_counts` by judge and task, as patterns of tasks."""
    frame = longer_wins_counts(coded(comparisons))
    cells = cells_of(frame[TASK].to_numpy(), frame[JUDGE].to_numpy())
    sums = {name: cells.whole_sum(frame[name].to_numpy()) for name in ("wins", "n", "decided")}
    sums["comparisons"] = cells.count(frame["n"].to_numpy() > 0)
    names = {name: frame[name] for name in ("study", "judge", "tier")}
    return task_patterns(names, cells, [frame[STRATUM].to_numpy(), frame[JUDGE].to_numpy()], sums)


def longer_wins_of(sums: pl.DataFrame, settings: Settings) -> EstimateFrame:
    """Estimate :func:`longer_wins_rate` from patterns of :func:`longer_wins_sums`."""
    rng = settings.rng("longer_wins_rate")
    rows: list[Estimate] = []
    for keys, cell in each_cell(pooled_and_by(sums), ["study", "judge", "tier"]):
        row = Estimate(
            estimand="longer_wins_rate",
            unit="proportion",
            n_presentations=total(cell, "n"),
            n_comparisons=total(cell, "comparisons"),
            n_dropped=total(cell, "decided") - total(cell, "n"),
            **keys,
        )
        if not total(cell, "n"):
            rows.append(replace(row, n_tasks=0).undefined(_LENGTHS))
            continue
        rows.append(rate_of(row, cluster_sums(cell, "wins", "n"), settings, rng))
    return estimate_frame(rows)


def longer_wins_counts(comparisons: pl.DataFrame) -> pl.DataFrame:
    """Count for each comparison of probe ``main`` the decided presentations that the longer answer wins.

    Adds ``decided``, ``n`` (of these, where the lengths are known and differ) and ``wins``.
    """
    main = coded(of_pairs(comparisons))
    longer_first = pl.coalesce(_sign("words"), _sign("chars")).fill_null(0)
    main = main.with_columns(longer_first=longer_first)
    kinds, outcomes = outcomes_of(main, "longer_first")
    wins_first = (pl.col("verdict_first_in_a") == "a").fill_null(value=False).cast(pl.Int64) + (
        pl.col("verdict_first_in_b") == "b"
    ).fill_null(value=False)
    decided = (pl.col("n_slot_a") + pl.col("n_slot_b")).cast(pl.Int64)
    longer_first = pl.col("longer_first")
    counts = outcomes.select(
        wins=pl.when(longer_first > 0)
        .then(wins_first)
        .when(longer_first < 0)
        .then(decided - wins_first)
        .otherwise(0),
        n=pl.when(longer_first != 0).then(decided).otherwise(0),
        decided=decided,
    )
    found = main.hstack([counts[name][kinds.index] for name in counts.columns])
    return found if TASK in comparisons.columns else without_codes(found)


def _sign(unit: str) -> pl.Expr:
    first, second = pl.col(f"{unit}_first"), pl.col(f"{unit}_second")
    return (first > second).cast(pl.Int8) - (first < second).cast(pl.Int8)
