"""A sample of whole tasks from judgments that come in parts, in a size that does not grow with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import polars as pl
import polars_hash as plh

from recuse.analysis.grouping import cells_of
from recuse.analysis.row_codes import TASK, coded, without_codes
from recuse.schema import Comparisons

__all__ = ["MOST_COMPARISONS", "TaskSample"]

MOST_COMPARISONS: Final = 50_000
"""Comparisons kept; both orders of each are as many verdicts as the joint model takes by default."""
_HASHES: Final = 2**64


@dataclass(slots=True)
class TaskSample:
    """Tasks whose hashed name lies below a bound; the bound is halved whenever too many are kept.

    Which tasks are kept depends on their names alone, not on the order in which they come, nor on any
    verdict. As long as nothing had to be dropped, the sample is everything.
    """

    most: int = MOST_COMPARISONS
    """Comparisons kept at most; a single task is kept whole however many it has."""
    kept: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])
    bound: int = _HASHES
    n_tasks: int = 0
    """Tasks seen."""

    def add(self, comparisons: pl.DataFrame) -> None:
        """Take in the comparisons of further tasks, each of them whole."""
        if comparisons.is_empty():
            return
        frame = coded(comparisons)
        cells = cells_of(frame[TASK].to_numpy())
        name = plh.concat_str(pl.col("study", "task_id").cast(pl.String), separator="\x1f")
        named = pl.DataFrame([frame[column][cells.first] for column in ("study", "task_id")])
        hashes = named.select(name.nchash.wyhash().alias("#hash")).to_series()
        tasks = (
            pl.DataFrame([hashes, pl.Series("#n", cells.count())])
            .group_by("#hash", maintain_order=True)
            .agg(pl.col("#n").sum())
        )
        self.n_tasks += tasks.height
        self._halve(tasks)
        chosen = self._below(pl.DataFrame([hashes]).with_row_index("#cell"))
        is_chosen = np.zeros(cells.n, dtype=bool)
        is_chosen[chosen["#cell"].to_numpy()] = True
        rows = np.flatnonzero(is_chosen[cells.index])
        found = without_codes(frame)[rows].hstack([hashes[cells.index[rows]]])
        self.kept.append(_alone(found.cast(dict.fromkeys(_texts(found), pl.String))))

    def _halve(self, more: pl.DataFrame) -> None:
        """Lower the bound until what is kept and the tasks that come in fit together."""
        there = [frame.group_by("#hash").agg(pl.len().cast(pl.Int64).alias("#n")) for frame in self.kept]
        tasks = pl.concat([*there, more])
        before = self.bound
        tasks = self._below(tasks)
        while self.bound > 1 and tasks["#n"].sum() > self.most and tasks.height > 1:
            self.bound //= 2
            tasks = self._below(tasks)
        if self.bound < before:
            self.kept = [self._below(frame) for frame in self.kept]

    @property
    def is_whole(self) -> bool:
        """Whether no task had to be left out."""
        return self.bound == _HASHES

    @property
    def n_kept(self) -> int:
        """Tasks in the sample."""
        return pl.concat([frame["#hash"] for frame in self.kept]).n_unique() if self.kept else 0

    def comparisons(self) -> pl.DataFrame | None:
        """Give the comparisons of the sampled tasks; null before anything came in."""
        return pl.concat(self.kept).drop("#hash") if self.kept else None

    def _below(self, hashed: pl.DataFrame) -> pl.DataFrame:
        return hashed if self.is_whole else hashed.filter(pl.col("#hash") < self.bound)


def _texts(frame: pl.DataFrame) -> list[str]:
    """Name the columns whose names are texts in comparisons, whatever they are written as here."""
    return [
        name
        for name, column in Comparisons.columns().items()
        if isinstance(column.dtype, pl.String) and name in frame.columns
    ]


def _alone(frame: pl.DataFrame) -> pl.DataFrame:
    """Copy the rows: filtered texts would keep those of the whole part in memory."""
    return pl.read_ipc(frame.write_ipc(None).getvalue())
