"""Patterns: the distinct sums of tasks, each with the number of tasks that share it.

What a mean, a rate or a table of counts needs of a task is a few sums. Tasks with the same sums are
exchangeable, so that a frame of patterns says all that the tasks do, in a size that does not grow with
them, and the patterns of two sets of tasks add up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from recuse.analysis.grouping import Cells, Codes, distinct, from_least, joined

__all__ = ["DECIMALS", "N_TASKS", "WHOLE", "PatternSums", "patterns", "task_patterns"]

WHOLE: Final = 55_440
"""Sums of halves and of means over up to 12 judges are mostly whole in this unit; others get ranks."""
N_TASKS: Final = "n_tasks"
"""Column that counts the tasks of a pattern."""
DECIMALS: Final = 9
"""Sums of thirds taken in another order differ far behind this decimal, different sums before it."""
_ROUNDING: Final = 1e-5
"""What rounding can add to a sum in units of 1 / ``WHOLE``."""
_FEW: Final = 200_000
"""Rows that are not worth adding up."""


def patterns(*sums: pl.DataFrame) -> pl.DataFrame:
    """Gather tasks with the same keys and sums.

    Parameters
    ----------
    sums
        Keys and sums; a column that a frame lacks is null there. Each row stands for one task, named in
        ``task_id``; or for ``n_tasks`` of them, where that column is there.

    Returns
    -------
    pl.DataFrame
        One row per distinct row but for ``task_id``, sorted by all columns, with ``n_tasks``. Of sums that
        differ by rounding alone the smallest stands for all, so that the order of tasks changes nothing.
    """
    counted = [
        frame if N_TASKS in frame.columns else frame.with_columns(pl.lit(1, dtype=pl.Int64).alias(N_TASKS))
        for frame in sums
    ]
    stacked = pl.concat([_as_text(frame) for frame in counted], how="diagonal")
    columns = [name for name in stacked.columns if name not in {"task_id", N_TASKS}]
    fractions = [name for name in columns if stacked.schema[name].is_float()]
    exact = [name for name in columns if name not in fractions]
    rounded = [pl.col(name).round(DECIMALS).alias(f"#{name}") for name in fractions]
    return (
        stacked.group_by(*exact, *rounded)
        .agg(pl.col(fractions).min(), pl.col(N_TASKS).sum())
        .select(*columns, N_TASKS)
        .sort(columns)
    )


@dataclass(slots=True)
class PatternSums:
    """Patterns of the parts of a source, added up now and then: seldom, but often enough to stay few."""

    _frames: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])
    _added_up: int = 0
    """Rows when they were last added up."""

    def add(self, *more: pl.DataFrame) -> None:
        """Take in the patterns of further tasks."""
        self._frames += more
        if sum(frame.height for frame in self._frames) > max(_FEW, 2 * self._added_up):
            self._added_up = self.total().height

    def total(self) -> pl.DataFrame:
        """Give the patterns of all tasks."""
        self._frames = [patterns(*self._frames)]
        return self._frames[0]


def _as_text(frame: pl.DataFrame) -> pl.DataFrame:
    """Categories of different frames have different codes; only names can be compared."""
    coded = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.Categorical | pl.Enum)]
    return frame.with_columns(pl.col(coded).cast(pl.String)) if coded else frame


def task_patterns(
    names: Mapping[str, pl.Series | str | None],
    cells: Cells,
    codes: Sequence[Codes],
    sums: Mapping[str, npt.NDArray[np.number]],
) -> pl.DataFrame:
    """Gather groups with the same names and sums, each of them one task.

    Parameters
    ----------
    names
        Column of the result → name of each row, shape (rows,), or the name of all.
    cells
        Groups of rows, each within one task.
    codes
        What tells the names of the rows apart, each of shape (rows,).
    sums
        Column → sums of each group, shape (n,).

    Returns
    -------
    pl.DataFrame
        What :func:`patterns` makes of one row per group, in no particular order.
    """
    floats = {name for name, values in sums.items() if values.dtype.kind == "f"}
    ranks = [
        _ranks(values) if name in floats else values - values.min(initial=0) for name, values in sums.items()
    ]
    alike = distinct(*joined([*(code[cells.first] for code in codes), *ranks]))
    row = cells.first[alike.first]
    columns: dict[str, pl.Series] = {}
    for name, named in names.items():
        if isinstance(named, pl.Series):
            columns[name] = named[row].cast(pl.String).alias(name)
        else:
            columns[name] = pl.Series(name, [named], dtype=pl.String).new_from_index(0, len(row))
    for name, values in sums.items():
        least = values[alike.first]
        if name in floats:
            np.minimum.at(least, alike.index, values)
        columns[name] = pl.Series(name, least)
    columns[N_TASKS] = pl.Series(N_TASKS, alike.count())
    return pl.DataFrame(columns)


def _ranks(values: npt.NDArray[np.number]) -> Codes:
    """Give values numbers, and those that differ by rounding alone the same one."""
    scaled = values * WHOLE
    whole = np.rint(scaled)
    if np.abs(scaled - whole).max(initial=0.0) < _ROUNDING:
        return from_least(whole)[0]
    ranks: Codes = np.unique(np.round(values, DECIMALS), return_inverse=True)[1].astype(np.int64)
    return ranks
