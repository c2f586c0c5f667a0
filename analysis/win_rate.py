"""Win rate of a generator: its mean score, by judge and over all judges."""

from __future__ import annotations

import polars as pl

from recuse.analysis.cells import cluster_sums, each_cell, pooled_and_by, rate_of, total
from recuse.analysis.comparisons import pair_scores
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.patterns import patterns
from recuse.analysis.settings import Settings
from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = ["side_scores", "win_rate", "win_rate_of", "win_rate_sums"]


def win_rate(
    comparisons: ComparisonFrame, settings: Settings, sides: pl.DataFrame | None = None
) -> EstimateFrame:
    """Mean score of each generator's answers in probe ``main``.

    0: it loses every comparison; 1: it wins every one; ½ is what a generator gets that ties, or whose
    comparisons flip, throughout. Against these opponents only: win rates of different opponents do not
    compare. Rows with a null judge are over all model judges (over the humans where there are no
    others), each task × pair × judge weighing equally, involved judges included.

    ``n_comparisons`` counts task × pair × judge after averaging replicates, ``n_presentations`` the
    verdicts behind them, ``n_dropped`` the comparisons without a score under the scoring rule.
    """
    return win_rate_of(patterns(win_rate_sums(comparisons, sides)), settings)


def win_rate_of(sums: pl.DataFrame, settings: Settings) -> EstimateFrame:
    """Estimate :func:`win_rate` from patterns of :func:`win_rate_sums`."""
    panel = "model" if (sums["judge_kind"] == "model").any() else "human"
    sums = sums.filter(pl.col("judge").is_not_null() | (pl.col("judge_kind") == panel)).drop("judge_kind")
    rng = settings.rng("win_rate")
    rows: list[Estimate] = []
    for keys, cell in each_cell(pooled_and_by(sums), ["study", "judge", "tier", "generator"]):
        row = Estimate(
            estimand="win_rate",
            unit="proportion",
            scoring=settings.scoring,
            n_comparisons=total(cell, "n"),
            n_presentations=total(cell, "n_presentations"),
            n_dropped=total(cell, "n_dropped"),
            **keys,
        )
        if not total(cell, "n"):
            row = row.undefined("no comparison with a score")
        rows.append(rate_of(row, cluster_sums(cell, "score", "n"), settings, rng))
    return estimate_frame(rows)


def side_scores(comparisons: ComparisonFrame) -> pl.DataFrame:
    """Sum the scores of each generator's answers, one row per task × judge × generator.

    ``score`` is the sum over the ``n`` scored pairs, ``n_presentations`` the verdicts behind them.
    """
    pairs = pair_scores(comparisons)
    keys = ["study", "task_id", "tier", "judge", "judge_kind"]
    halves = [
        pairs.select(*keys, "n_presentations", generator=side, score=score)
        for side, score in (("first", pl.col("score_first")), ("second", 1 - pl.col("score_first")))
    ]
    return (
        pl.concat(halves)
        .group_by(*keys, "generator")
        .agg(pl.col("score").sum(), pl.len().cast(pl.Int64).alias("n"), pl.col("n_presentations").sum())
    )


def win_rate_sums(comparisons: ComparisonFrame, sides: pl.DataFrame | None = None) -> pl.DataFrame:
    """Sum scores by judge, generator and task, and (there ``judge`` is null) over the judges of a kind.

    ``sides`` is :func:`side_scores` of the same comparisons, where it is at hand.
    """
    by = ["study", "task_id", "tier", "judge", "judge_kind", "generator"]
    scored = side_scores(comparisons) if sides is None else sides
    lost = comparisons.filter(
        (pl.col("probe") == "main") & (pl.col("first") != pl.col("second")) & pl.col("score_first").is_null()
    )
    dropped = [
        lost.group_by(*by[:-1], pl.col(side).alias("generator")).agg(
            pl.len().cast(pl.Int64).alias("n_dropped")
        )
        for side in ("first", "second")
    ]
    sums = pl.concat([scored, *dropped], how="diagonal")
    if lost.height:
        sums = sums.group_by(by).agg(pl.col("score", "n", "n_presentations", "n_dropped").sum())
    sums = sums.with_columns(pl.col("n_dropped").fill_null(0))
    over_judges = (
        sums.group_by("study", "task_id", "tier", "judge_kind", "generator")
        .agg(pl.col("score", "n", "n_presentations", "n_dropped").sum())
        .with_columns(judge=pl.lit(None, dtype=sums.schema["judge"]))
    )
    columns = [*by, "score", "n", "n_presentations", "n_dropped"]
    return pl.concat([over_judges.select(columns), sums.select(columns)])
