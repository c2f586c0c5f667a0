"""Integers beside the names that comparisons are grouped by, and sums over groups of rows.

Every estimand sums every comparison by task. On integers a group is one position of an array, so that a sum
over all groups is a single pass of additions, whatever the names are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from recuse.analysis.coded import Coded
from recuse.analysis.patterns import DECIMALS, N_TASKS, WHOLE
from recuse.schema import ComparisonFrame

__all__ = [
    "CODES",
    "FIRST",
    "GENERATOR",
    "IS_PAIR",
    "JUDGE",
    "OUTCOME",
    "PAIR",
    "SECOND",
    "SIDE_FIRST",
    "SIDE_SECOND",
    "STRATUM",
    "TASK",
    "Cells",
    "Codes",
    "cells_of",
    "coded",
    "codes_in",
    "distinct",
    "outcomes_of",
    "task_patterns",
    "with_codes_of",
    "without_codes",
]

Codes: TypeAlias = npt.NDArray[np.int64]
TASK: Final = "#task"
"""Column with the code of study, task and tier."""
STRATUM: Final = "#stratum"
"""Column with the code of study and tier."""
JUDGE: Final = "#judge"
FIRST: Final = "#first"
"""Column with the code of the first generator; generators of both sides share their codes."""
SECOND: Final = "#second"
SIDE_FIRST: Final = "#first_side"
"""Column with the code of the first generator and its variant; both sides share their codes."""
SIDE_SECOND: Final = "#second_side"
PAIR: Final = "#pair"
"""Column with the code of both sides."""
GENERATOR: Final = "#generator"
"""Column with the code of a generator, where a row is about one."""
OUTCOME: Final = "#outcome"
"""Column with the code of a comparison's resolution and verdicts."""
IS_PAIR: Final = "#is_pair"
"""Whether a comparison of probe ``main`` is between two generators."""
CODES: Final = (TASK, STRATUM, JUDGE, FIRST, SECOND, SIDE_FIRST, SIDE_SECOND, PAIR, OUTCOME, IS_PAIR)
_OUTCOME: Final = ("resolution", "verdict_first_in_a", "verdict_first_in_b", "n_slot_a", "n_slot_b", "n_ties")
_SPARSE: Final = 4
"""Codes are counted in an array as long as it has at most so many places for each row."""
_FEW: Final = 1 << 16
"""Places that are never too many."""
_MOST: Final = 1 << 62
_ROUNDING: Final = 1e-5
"""What rounding can add to a sum in units of 1 / ``WHOLE``."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Rows in groups, numbered from 0."""

    index: Codes  # (rows,) group of each row
    first: Codes  # (n,) first row of each group

    @property
    def n(self) -> int:
        """Number of groups."""
        return len(self.first)

    def count(self, where: npt.NDArray[np.bool_] | None = None) -> Codes:
        """Rows of each group, of those where the condition holds."""
        index = self.index if where is None else self.index[where]
        return np.bincount(index, minlength=self.n)

    def sum(self, values: npt.NDArray[np.number] | npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """Sum the values of each group's rows."""
        summed: npt.NDArray[np.float64] = np.bincount(self.index, values, self.n).astype(
            np.float64, copy=False
        )
        return summed

    def whole_sum(self, values: npt.NDArray[np.number] | npt.NDArray[np.bool_]) -> Codes:
        """Sum whole numbers, below 2⁵³ in all."""
        return self.sum(values).astype(np.int64)


def coded(frame: pl.DataFrame) -> pl.DataFrame:
    """Give each row the integers of its names, if it does not have them yet.

    Parameters
    ----------
    frame
        Comparisons, or rows with ``study, task_id, tier, judge`` and both sides with their variants. Texts
        may be categories.

    Returns
    -------
    pl.DataFrame
        The same rows with a column per code. They hold for this frame and its rows alone: frames that were
        coded apart give one name different integers.
    """
    if TASK in frame.columns:
        return frame
    generators, variants = (
        _codes(pl.concat([_names(frame[f"{side}{what}"]) for side in ("first", "second")], rechunk=False))
        for what in ("", "_variant")
    )
    first, second = np.split(generators, 2)
    sides = np.split(_packed([generators, variants]), 2)
    stratum = _packed([_codes(frame["study"]), _codes(frame["tier"])])
    found = {
        TASK: _packed([stratum, _codes(frame["task_id"])]),
        STRATUM: stratum,
        JUDGE: _packed([_codes(frame[name]) for name in ("judge", "judge_kind") if name in frame.columns]),
        FIRST: first,
        SECOND: second,
        SIDE_FIRST: sides[0],
        SIDE_SECOND: sides[1],
        PAIR: _packed(sides),
    }
    if set(_OUTCOME) <= set(frame.columns):
        found[OUTCOME] = codes_in(frame, _OUTCOME)
        found[IS_PAIR] = (first != second) & (frame["probe"] == "main").to_numpy()
    return frame.hstack([pl.Series(name, codes) for name, codes in found.items()])


def without_codes(frame: pl.DataFrame) -> pl.DataFrame:
    """Take the integers away, which no other frame shares."""
    return frame.drop(*CODES, GENERATOR, strict=False)


def codes_in(frame: pl.DataFrame, names: Sequence[str]) -> Codes:
    """Give each combination of these columns a number from 0; null is a value."""
    return _packed([_codes(frame[name]) for name in names])


def cells_of(*codes: Codes) -> Cells:
    """Group rows with the same codes."""
    key, size = _joined(codes)
    return distinct(key, size)


def distinct(key: Codes, size: int) -> Cells:
    """Group rows by a key in ``range(size)``."""
    index, n = _numbered(key, size)
    first = np.empty(n, dtype=np.int64)
    first[index[::-1]] = np.arange(len(key) - 1, -1, -1)
    return Cells(index, first)


def outcomes_of(frame: pl.DataFrame, *columns: str) -> tuple[Cells, pl.DataFrame]:
    """Group coded comparisons by outcome and columns of few values.

    Gives each kind of row once, with these columns and those of the outcome: for all that follows from them.
    """
    kinds = cells_of(frame[OUTCOME].to_numpy(), *(_codes(frame[name]) for name in columns))
    return kinds, pl.DataFrame([frame[name][kinds.first] for name in (*_OUTCOME, *columns)])


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
        What :func:`recuse.analysis.patterns.patterns` makes of one row per group, in no particular order.
    """
    floats = {name for name, values in sums.items() if values.dtype.kind == "f"}
    ranks = [
        _ranks(values) if name in floats else values - values.min(initial=0)
        for name, values in sums.items()
    ]
    alike = distinct(*_joined([*(code[cells.first] for code in codes), *ranks]))
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


def _names(column: pl.Series) -> pl.Series:
    return column.cast(pl.String) if isinstance(column.dtype, pl.Enum) else column


def _codes(column: pl.Series) -> Codes:
    """Give each value of a column a number; runs of one text are looked up once."""
    if column.dtype == pl.String:
        runs = column.rle_id().to_numpy()
        if not len(runs) or runs[-1] == 0:
            return np.zeros(len(runs), dtype=np.int64)
        if 2 * int(runs[-1]) < len(runs):
            starts = np.flatnonzero(np.r_[True, runs[1:] != runs[:-1]])
            of_runs: Codes = _codes(column[starts].cast(pl.Categorical))[runs]
            return of_runs
        column = column.cast(pl.Categorical)
    physical = column.to_physical()
    if physical.null_count():
        physical = (physical.cast(pl.Int64) + 1).fill_null(0)
    return _numbered(*_from_least(physical.to_numpy()))[0]


def _from_least(values: npt.NDArray[np.number]) -> tuple[Codes, int]:
    codes = values.astype(np.int64)
    codes -= codes.min(initial=0 if not len(codes) else codes[0])
    return codes, int(codes.max(initial=0)) + 1


def _ranks(values: npt.NDArray[np.number]) -> Codes:
    """Number the values so that only those that differ by rounding alone share a number."""
    scaled = values * WHOLE
    whole = np.rint(scaled)
    if np.abs(scaled - whole).max(initial=0.0) < _ROUNDING:
        return _from_least(whole)[0]
    ranks: Codes = np.unique(np.round(values, DECIMALS), return_inverse=True)[1].astype(np.int64)
    return ranks


def _packed(codes: Sequence[Codes]) -> Codes:
    return _numbered(*_joined(codes))[0]


def _numbered(key: Codes, size: int) -> tuple[Codes, int]:
    """Give the distinct values of a key in ``range(size)`` numbers from 0, and count them."""
    if size > max(_FEW, _SPARSE * len(key)):
        values, index = np.unique(key, return_inverse=True)
        return index, len(values)
    there = np.bincount(key, minlength=size) > 0
    n = int(there.sum())
    if n == size:
        return key, n
    place: Codes = np.cumsum(there) - 1
    return place[key], n


def _joined(codes: Sequence[Codes]) -> tuple[Codes, int]:
    """Write several codes as one, as digits of a number; give it and the number of its values."""
    key, size = np.zeros(0, dtype=np.int64), 1
    for code in codes:
        n = int(code.max(initial=0)) + 1
        if size * n >= _MOST:
            key, size = _numbered(key, size)
        if not len(key):
            key, size = code, n
        elif n > 1:
            key = key * n
            key += code
            size *= n
    return key, size


def with_codes_of(comparisons: ComparisonFrame, numbered: Coded) -> pl.DataFrame:
    """Give comparisons the codes of the same rows in numbers: what :func:`coded` finds, without a search.

    Parameters
    ----------
    comparisons
        From :func:`recuse.analysis.comparisons.compare_reduced`.
    numbered
        What they were made of.

    Returns
    -------
    pl.DataFrame
        The rows with a column per code; names as enums.
    """
    kinds = coded(numbered.kinds.with_columns(task_id=pl.lit(None, dtype=pl.String)))
    kind, task = numbered.rows["kind"].to_numpy(), numbered.rows["task"]
    of_kind = {name: kinds[name].to_numpy() for name in CODES if name in kinds.columns}
    of_kind[IS_PAIR] = (of_kind[FIRST] != of_kind[SECOND]) & (kinds["probe"] == "main").to_numpy()
    found = {name: codes[kind] for name, codes in of_kind.items()}
    found[TASK] = _packed([found[STRATUM], task.to_numpy().astype(np.int64)])
    found[OUTCOME] = numbered.rows["outcome"].to_numpy().astype(np.int64)
    names = [kinds[name][kind] for name, dtype in kinds.schema.items() if isinstance(dtype, pl.Enum)]
    return comparisons.with_columns(*names, task.cat.to(pl.Enum(numbered.tasks)).alias("task_id")).hstack(
        [pl.Series(name, found[name]) for name in CODES]
    )
