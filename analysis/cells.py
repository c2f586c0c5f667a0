"""Cells: one estimate each. Frames of per-task sums are cut into them here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from recuse.analysis.estimates import Estimate
from recuse.analysis.inference.clusters import ClusterSums, TaskCounts
from recuse.analysis.inference.interval import Interval
from recuse.analysis.inference.many_tasks import MANY_OF_A_TIER, MANY_TASKS
from recuse.analysis.inference.means import mean_interval
from recuse.analysis.inference.rates import rate_interval, rate_interval_by_rows
from recuse.analysis.patterns import N_TASKS
from recuse.analysis.settings import Settings

__all__ = [
    "cluster_sums",
    "each_cell",
    "many_tasks",
    "mean_of",
    "pooled_and_by",
    "rate_of",
    "task_codes",
    "tasks_of",
    "total",
]


def pooled_and_by(task_sums: pl.DataFrame, column: str = "tier") -> pl.DataFrame:
    """Stack the sums pooled over ``column`` (there null) on the sums by it.

    Rows in which ``column`` is null already belong to the pooled cells only.
    """
    pooled = task_sums.with_columns(pl.lit(None, dtype=task_sums.schema[column]).alias(column))
    return pl.concat([pooled, task_sums.filter(pl.col(column).is_not_null())])


def each_cell(frame: pl.DataFrame, keys: Sequence[str]) -> Iterator[tuple[dict[str, Any], pl.DataFrame]]:
    """Go through the groups of ``keys`` in sorted order, pooled (null) cells first."""
    cells = frame.sort(keys, nulls_last=False, maintain_order=True).partition_by(
        keys, as_dict=True, maintain_order=True
    )
    for values, cell in cells.items():
        yield dict(zip(keys, (None if value is None else str(value) for value in values), strict=True)), cell


def cluster_sums(cell: pl.DataFrame, numerator: str, denominator: str) -> ClusterSums:
    """Take one numerator and one denominator per task, or pattern of tasks, from a cell."""
    outcome, count = (cell[name].cast(pl.Float64).to_numpy() for name in (numerator, denominator))
    return ClusterSums(outcome, count, tasks_of(cell))


def tasks_of(cell: pl.DataFrame) -> TaskCounts:
    """Tasks that each row of a cell stands for: 1 each in a frame of tasks."""
    if N_TASKS not in cell.columns:
        return np.ones(max(1, cell.height), dtype=np.int64)
    counts: TaskCounts = cell[N_TASKS].cast(pl.Int64).to_numpy()
    return counts if len(counts) else np.ones(1, dtype=np.int64)


def total(cell: pl.DataFrame, column: str) -> int:
    """Sum a column of counts over all tasks."""
    if N_TASKS not in cell.columns:
        return int(cell[column].sum() or 0)
    return int((cell[column].cast(pl.Int64) * cell[N_TASKS].cast(pl.Int64)).sum() or 0)


def rate_of(row: Estimate, sums: ClusterSums, settings: Settings, rng: np.random.Generator) -> Estimate:
    """Give a row the estimate and interval of a rate, or the reason why it has none."""
    if sums.estimate is None:
        return row.undefined(row.reason or "nothing in the denominator")
    filled = _with_estimate(row, sums)
    if settings.interval == "rows" or (settings.convention == "article" and settings.interval == "default"):
        interval = rate_interval_by_rows(sums, conf_level=settings.conf_level)
    else:
        interval = rate_interval(
            sums,
            conf_level=settings.conf_level,
            method=settings.interval,
            rng=rng,
            n_resamples=settings.n_resamples,
            many=many_tasks(row),
        )
    return filled.with_interval(interval, settings.conf_level)


def mean_of(
    row: Estimate,
    sums: ClusterSums,
    settings: Settings,
    rng: np.random.Generator,
    *,
    bounds: tuple[float, float] | None = None,
    test: bool = False,
) -> Estimate:
    """Give a row the estimate and interval of a mean; with ``test`` also the test of 0 dual to it."""
    if sums.estimate is None:
        return row.undefined(row.reason or "nothing in the denominator")
    method = "default" if settings.interval == "rows" else settings.interval
    interval: Interval = mean_interval(
        sums,
        method=method,
        conf_level=settings.conf_level,
        n_resamples=settings.n_resamples,
        rng=rng,
        bounds=bounds,
        many=many_tasks(row),
    )
    return _with_estimate(row, sums).with_interval(interval, settings.conf_level, test=test)


def many_tasks(row: Estimate) -> int:
    """Tasks from which the resamples of a row are drawn from the normal distribution of their totals."""
    return MANY_TASKS if row.tier is None else MANY_OF_A_TIER


def _with_estimate(row: Estimate, sums: ClusterSums) -> Estimate:
    return replace(row, estimate=sums.estimate, n_tasks=sums.n_clusters)


def task_codes(names: pl.Series) -> npt.NDArray[np.int64]:
    """Give names numbers from 0 in alphabetical order, whatever order they come in."""
    texts = names.cast(pl.String)
    return texts.cast(pl.Enum(texts.unique().sort())).to_physical().to_numpy().astype(np.int64)
