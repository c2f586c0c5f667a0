"""Sums of each task behind the two quantities whose power is asked for."""

from __future__ import annotations

import polars as pl

from recuse.analysis.cells import cluster_sums, each_cell
from recuse.analysis.inference.clusters import ClusterSums
from recuse.analysis.self_preference import against_baselines
from recuse.schema import ComparisonFrame

__all__ = ["self_preference_sums", "slot_sums"]


def self_preference_sums(comparisons: ComparisonFrame, baseline: str) -> dict[tuple[str, str], ClusterSums]:
    """Sum the differences of each task, by study and judge: own score less that of the baseline.

    A judge without a comparison that has both is left out.
    """
    found = against_baselines(comparisons, (baseline,)).filter(pl.col("delta").is_not_null())
    sums = (
        found.group_by("study", "judge", "task_id")
        .agg(pl.col("delta").sum(), pl.len().alias("n"))
        .sort("task_id")
    )
    return {
        (keys["study"], keys["judge"]): cluster_sums(cell, "delta", "n")
        for keys, cell in each_cell(sums, ["study", "judge"])
    }


def slot_sums(comparisons: ComparisonFrame) -> dict[tuple[str, str], ClusterSums]:
    """Sum slot A over the decided presentations of each task of probe ``main``, by study and judge.

    Comparisons asked in one order are left out, as slot and generator cannot be told apart in them.
    """
    sums = (
        comparisons.filter((pl.col("probe") == "main") & (pl.col("resolution") != "single"))
        .group_by("study", "judge", "task_id")
        .agg(
            a=pl.col("n_slot_a").cast(pl.Int64).sum(),
            n=(pl.col("n_slot_a") + pl.col("n_slot_b")).cast(pl.Int64).sum(),
        )
        .filter(pl.col("n") > 0)
        .sort("task_id")
    )
    return {
        (keys["study"], keys["judge"]): cluster_sums(cell, "a", "n")
        for keys, cell in each_cell(sums, ["study", "judge"])
    }
