"""Integers beside the names of comparisons, by which rows are grouped.

Every estimand sums every comparison by task. On integers a group is one position of an array, so that a sum
over all groups is a single pass of additions, whatever the names are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl

from recuse.analysis.coded import Coded
from recuse.analysis.grouping import Cells, Codes, cells_of, from_least, numbered, packed
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
    "coded",
    "codes_in",
    "outcomes_of",
    "with_codes_of",
    "without_codes",
]

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
    sides = np.split(packed([generators, variants]), 2)
    stratum = packed([_codes(frame["study"]), _codes(frame["tier"])])
    found = {
        TASK: packed([stratum, _codes(frame["task_id"])]),
        STRATUM: stratum,
        JUDGE: packed([_codes(frame[name]) for name in ("judge", "judge_kind") if name in frame.columns]),
        FIRST: first,
        SECOND: second,
        SIDE_FIRST: sides[0],
        SIDE_SECOND: sides[1],
        PAIR: packed(sides),
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
    return packed([_codes(frame[name]) for name in names])


def outcomes_of(frame: pl.DataFrame, *columns: str) -> tuple[Cells, pl.DataFrame]:
    """Group coded comparisons by outcome and columns of few values.

    Gives each kind of row once, with these columns and those of the outcome: for all that follows from them.
    """
    kinds = cells_of(frame[OUTCOME].to_numpy(), *(_codes(frame[name]) for name in columns))
    return kinds, pl.DataFrame([frame[name][kinds.first] for name in (*_OUTCOME, *columns)])


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
    return numbered(*from_least(physical.to_numpy()))[0]


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
    found[TASK] = packed([found[STRATUM], task.to_numpy().astype(np.int64)])
    # What one presentation says is a resolution only where one order was asked by design.
    resolution = comparisons["resolution"].to_physical()
    found[OUTCOME] = packed(
        [codes.to_numpy().astype(np.int64) for codes in (numbered.rows["outcome"], resolution)]
    )
    names = [kinds[name][kind] for name, dtype in kinds.schema.items() if isinstance(dtype, pl.Enum)]
    return comparisons.with_columns(*names, task.cat.to(pl.Enum(numbered.tasks)).alias("task_id")).hstack(
        [pl.Series(name, found[name]) for name in CODES]
    )
