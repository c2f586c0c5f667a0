"""Rows of large Parquet in pieces that fit into memory, and the tasks whose rows are in several of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from recuse.collectors.partitions import ParquetFile

__all__ = ["PART", "Chunk", "Part", "Split", "parts_of", "split_tasks", "task_hash"]

PART: Final = 1_000_000
"""Rows that are in memory at a time."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Neighbouring rows of one file."""

    file: ParquetFile
    offset: int
    n_rows: int

    def scan(self) -> pl.LazyFrame:
        """Open these rows alone."""
        whole = self.file.scan()
        return whole if self.n_rows == self.file.n_rows else whole.slice(self.offset, self.n_rows)


Part: TypeAlias = tuple[Chunk, ...]
"""Chunks that are read together."""


@dataclass(frozen=True, slots=True)
class Split:
    """Tasks of which no part holds every row."""

    tasks: pl.Series
    """Hashes of study and task."""
    n_rows: int
    """Their rows in all parts."""


def parts_of(files: Sequence[ParquetFile], most: int = PART) -> list[Part]:
    """Cut large files and bring small ones together, in their order, to at most ``most`` rows a part."""
    chunks = [
        Chunk(file, offset, min(most, file.n_rows - offset))
        for file in files
        for offset in range(0, file.n_rows, most)
    ]
    parts: list[list[Chunk]] = []
    held = most
    for chunk in chunks:
        if held + chunk.n_rows > most:
            parts.append([])
            held = 0
        parts[-1].append(chunk)
        held += chunk.n_rows
    return [tuple(part) for part in parts]


def split_tasks(parts: Sequence[Part], study: str) -> Split:
    """Find the tasks that several parts hold rows of, by reading the column of tasks alone.

    Each task costs 12 bytes per part that it is in.

    Parameters
    ----------
    parts
        Parts of files that have a column ``task_id``.
    study
        Name of the study where the rows do not give one.
    """
    if len(parts) < 2:
        return Split(pl.Series("task", [], dtype=pl.UInt64), 0)
    hashes: list[npt.NDArray[np.uint64]] = []
    counts: list[npt.NDArray[np.uint32]] = []
    for part in parts:
        tasks = (
            pl.concat([_tasks_in(chunk, study) for chunk in part]).group_by("task").agg(pl.len()).collect()
        )
        hashes.append(tasks["task"].to_numpy())
        counts.append(tasks["len"].cast(pl.UInt32).to_numpy())
    task, n_rows = np.concatenate(hashes), np.concatenate(counts)
    order = np.argsort(task, kind="stable")
    task, n_rows = task[order], n_rows[order]
    again = task[1:] == task[:-1]
    several = np.r_[again, False] | np.r_[False, again]
    return Split(pl.Series("task", np.unique(task[several])), int(n_rows[several].sum()))


def task_hash(study: pl.Expr, task: pl.Expr) -> pl.Expr:
    """Hash a task with its study."""
    return (study.hash(1) ^ task.hash(2)).alias("task")


def _tasks_in(chunk: Chunk, study: str) -> pl.LazyFrame:
    named: pl.Expr = pl.lit(study)
    if "study" in chunk.file.all_columns():
        own = pl.col("study").cast(pl.String)
        named = pl.when(own != "").then(own).otherwise(pl.lit(study))
    return (
        chunk.scan()
        .select(named.alias("study"), pl.col("task_id").cast(pl.String))
        .select(task_hash(pl.col("study"), pl.col("task_id")))
    )
