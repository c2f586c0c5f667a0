"""What a claim's quantity rests on under given choices: its form, its counts, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from recuse.analysis.claims.forms import Form, Mean, Tasks
from recuse.analysis.inference.clusters import FloatArray

if TYPE_CHECKING:
    from recuse.analysis.claims.evidence import Evidence

__all__ = ["Reading", "column", "mean_of_rows", "of_panel", "task_codes", "unread"]


@dataclass(frozen=True, slots=True)
class Reading:
    """A quantity before its interval.

    ``forms`` holds one form, for a ranking one per pair of neighbours; none where ``reason`` says why.
    """

    forms: tuple[Form, ...]
    n_comparisons: int
    n_dropped: int
    n_presentations: int | None = None
    n_tasks: int = 0
    reason: str | None = None
    lean: FloatArray | None = field(default=None, repr=False)
    """Twice the lean of each task toward slot A, for the sign-flip test of a slot preference."""


def unread(reason: str, n_dropped: int = 0) -> Reading:
    """Give no form, and say why."""
    return Reading((), 0, n_dropped, reason=reason)


def task_codes(rows: pl.DataFrame) -> Tasks:
    """Places of the rows' tasks among all tasks."""
    codes: Tasks = rows["task_id"].to_physical().cast(pl.Int64).to_numpy()
    return codes


def column(rows: pl.DataFrame, name: str) -> FloatArray:
    """One column as numbers."""
    values: FloatArray = rows[name].cast(pl.Float64).to_numpy()
    return values


def mean_of_rows(
    rows: pl.DataFrame, value: str, weight: str | None, evidence: Evidence, *, is_rate: bool
) -> Mean:
    """Give the mean of a column, each row weighing the same or by another column."""
    weights = np.ones(rows.height) if weight is None else column(rows, weight)
    return Mean(column(rows, value), weights, task_codes(rows), evidence.n_tasks, is_rate)


def of_panel(rows: pl.DataFrame, judge: str | None, baseline: str) -> pl.DataFrame:
    """Keep the rows of one judge, or of the judges whom a claim over all judges asks under a baseline.

    All judges are the models, or the humans where there are no models.
    """
    if judge is not None:
        return rows.filter(pl.col("judge") == judge)
    model = pl.col("judge_kind") == "model"
    if baseline == "human":
        return rows.filter(~model)
    if not (rows["judge_kind"] == "model").any():
        return rows
    members = {
        "all_peers": model,
        "uninvolved": model & ~pl.col("judge_is_first") & ~pl.col("judge_is_second"),
        "uninvolved_family": model & ~pl.col("judge_in_family"),
    }
    return rows.filter(members[baseline])
