"""The length probe: whether the longer of two answers by one generator to one task wins."""

from __future__ import annotations

import polars as pl

from recuse.analysis.cells import cluster_sums, each_cell, rate_of, total
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.settings import Settings
from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = ["long_wins_score"]

_WORDS = ("long", "short")


def long_wins_score(comparisons: ComparisonFrame, settings: Settings) -> EstimateFrame:
    """Mean score of the long answer against the short one by the same generator, probe ``length``.

    0: the short answer wins every comparison; 1: the long one does; ½: no preference on average, ties
    and flips included. By judge, and with a null judge over all judges; ``group`` is null (all probe
    tasks), ``rewards=…`` (what the task rewards) or ``task=…``.

    Which side is long says its variant (``long``, ``short``), or else the word counts. ``n_dropped``
    counts comparisons without a score, or without a longer side.
    """
    probe = comparisons.filter((pl.col("probe") == "length") & (pl.col("first") == pl.col("second")))
    first_is_long = pl.coalesce(
        pl.when(pl.col("first_variant") == _WORDS[0]).then(statement=True),
        pl.when(pl.col("second_variant") == _WORDS[0]).then(statement=False),
        pl.when(pl.col("words_first") != pl.col("words_second")).then(
            pl.col("words_first") > pl.col("words_second")
        ),
    )
    scored = probe.with_columns(
        score=pl.when(first_is_long).then("score_first").when(~first_is_long).then(1 - pl.col("score_first"))
    )
    task_sums = (
        scored.group_by("study", "judge", "rewards", "task_id")
        .agg(
            score=pl.col("score").sum(),
            n=pl.col("score").count().cast(pl.Int64),
            dropped=pl.col("score").is_null().sum().cast(pl.Int64),
        )
        .with_columns(probe=pl.lit("length"))
    )
    rng = settings.rng("long_wins_score")
    rows: list[Estimate] = []
    for keys, cell in each_cell(_grouped(task_sums).sort("task_id"), ["study", "probe", "judge", "group"]):
        row = Estimate(
            estimand="long_wins_score",
            unit="proportion",
            scoring=settings.scoring,
            n_comparisons=total(cell, "n"),
            n_dropped=total(cell, "dropped"),
            **keys,
        )
        if not total(cell, "n"):
            row = row.undefined("no comparison with a score and a longer side")
        rows.append(rate_of(row, cluster_sums(cell, "score", "n"), settings, rng))
    return estimate_frame(rows)


def _grouped(task_sums: pl.DataFrame) -> pl.DataFrame:
    over_judges = (
        task_sums.group_by("study", "probe", "rewards", "task_id")
        .agg(pl.col("score", "n", "dropped").sum())
        .with_columns(judge=pl.lit(None, dtype=task_sums.schema["judge"]))
    )
    columns = ["study", "probe", "judge", "rewards", "task_id", "score", "n", "dropped"]
    sums = pl.concat([task_sums.select(columns), over_judges.select(columns)])
    return pl.concat(
        [
            sums.with_columns(group=pl.lit(None, dtype=pl.String)),
            sums.filter(pl.col("rewards").is_not_null()).with_columns(
                group=pl.lit("rewards=") + pl.col("rewards").cast(pl.String)
            ),
            sums.with_columns(group=pl.lit("task=") + pl.col("task_id").cast(pl.String)),
        ]
    )
