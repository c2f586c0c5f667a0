"""Score of one of two versions of an answer, in probes that show both versions of one generator's answer."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from recuse.analysis.cells import cluster_sums, each_cell, rate_of, total
from recuse.analysis.estimates import Estimate
from recuse.analysis.inference.clusters import ClusterSums
from recuse.analysis.inference.rates import rate_interval_by_rows
from recuse.analysis.settings import Settings
from recuse.schema import ComparisonFrame

__all__ = ["version_scores"]


def version_scores(
    comparisons: ComparisonFrame,
    settings: Settings,
    *,
    estimand: str,
    probe: str,
    first_is_it: pl.Expr,
    missing: str,
) -> list[Estimate]:
    """Mean score of one version against the other, by judge and over all judges, and by task.

    ``group`` is null (all tasks of the probe), ``rewards=…`` (what the task rewards) or ``task=…``. Where
    every task has the same mean (n of n, or 0 of n) the exact interval counts tasks; a second row then
    counts comparisons, and speaks of these tasks only.

    Parameters
    ----------
    comparisons
        From :func:`recuse.analysis.comparisons.compare`.
    settings
        The choices of the run.
    estimand, probe
        Name of the estimand and of the probe that it is read from.
    first_is_it
        True where the first side is the version that is scored, false where the second is, null where
        neither can be told.
    missing
        Why there is no estimate where nothing can be scored.
    """
    scored = comparisons.filter(
        (pl.col("probe") == probe) & (pl.col("first") == pl.col("second"))
    ).with_columns(
        score=pl.when(first_is_it).then("score_first").when(~first_is_it).then(1 - pl.col("score_first"))
    )
    sums = (
        scored.group_by("study", "judge", "rewards", "task_id")
        .agg(
            score=pl.col("score").sum(),
            n=pl.col("score").count().cast(pl.Int64),
            dropped=pl.col("score").is_null().sum().cast(pl.Int64),
        )
        .with_columns(probe=pl.lit(probe))
    )
    rng = settings.rng(estimand)
    rows: list[Estimate] = []
    for keys, cell in each_cell(_grouped(sums).sort("task_id"), ["study", "probe", "judge", "group"]):
        row = Estimate(
            estimand=estimand,
            unit="proportion",
            scoring=settings.scoring,
            n_comparisons=total(cell, "n"),
            n_dropped=total(cell, "dropped"),
            **keys,
        )
        if not total(cell, "n"):
            row = row.undefined(missing)
        counted = cluster_sums(cell, "score", "n")
        by_tasks = rate_of(row, counted, settings, rng)
        rows += [by_tasks, *_by_rows(row, by_tasks, counted, settings)]
    return rows


def _by_rows(row: Estimate, by_tasks: Estimate, sums: ClusterSums, settings: Settings) -> list[Estimate]:
    if by_tasks.interval != "clopper_pearson_tasks" or sums.n_clusters == sums.rows:
        return []
    interval = rate_interval_by_rows(sums, conf_level=settings.conf_level)
    told = replace(row, estimate=sums.estimate, n_tasks=sums.n_clusters)
    return [told.with_interval(interval, settings.conf_level)]


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
