"""Comparisons in numbers: each task, kind of comparison and outcome is written once, rows say which.

A kind is everything of a comparison but its task, lengths and outcome. Kinds and outcomes are few beside the
comparisons, so that names are compared, sorted and given a family once and not once per row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from recuse.analysis.distinct import distinct
from recuse.analysis.reduction import FACTS, REDUCED, REDUCED_KEYS, REDUCED_LENGTHS
from recuse.schema import JUDGE_KINDS

__all__ = ["KIND", "Coded", "coded_comparisons", "places_of", "sorted_kinds", "with_places"]

KIND: Final = (*(name for name in REDUCED_KEYS if name != "task_id"), *FACTS)
"""What makes a kind of comparison."""
_SORTED_BY: Final = tuple(name for name in REDUCED_KEYS if name != "task_id")
_EXACT: Final = 2**63
_NAMES: Final = (("study",), ("probe",), ("judge", "first", "second"), ("first_variant", "second_variant"))


@dataclass(frozen=True, slots=True)
class Coded:
    """Comparisons sorted by their keys, one row each, in the numbers of what they are."""

    rows: pl.DataFrame
    """``task``, ``kind`` and ``outcome`` (numbers from 0), and the lengths of both answers."""
    tasks: pl.Series
    """Names of the tasks, as text, in the order of the alphabet."""
    kinds: pl.DataFrame
    """The columns ``KIND``, names as enums in the order of the alphabet; a kind may be there twice."""
    outcomes: pl.DataFrame
    """What the presentations said."""

    def counted(self, *columns: str) -> pl.DataFrame:
        """Give columns of each kind with each outcome that it had, and ``n``, in how many comparisons.

        What is there once or a few times is not brought together: the same values may be in several rows.
        """
        kind, outcome = self.rows["kind"], self.rows["outcome"]
        n: pl.Expr | pl.Series = pl.lit(1)
        if self.kinds.height < self.rows.height / 2:
            met = (kind.cast(pl.UInt64) * self.outcomes.height + outcome).value_counts(name="n")
            kind, outcome = met["kind"] // self.outcomes.height, met["kind"] % self.outcomes.height
            n = met["n"]
        of_kind = self.kinds.select(name for name in columns if name in self.kinds.columns)
        of_outcome = self.outcomes.select(name for name in columns if name in self.outcomes.columns)
        return (
            pl.concat([of_kind[kind], of_outcome[outcome]], how="horizontal")
            .with_columns(n=n)
            .cast({"n": pl.Int64})
        )

    def counted_outcomes(self) -> pl.DataFrame:
        """Give the outcomes, in their order, and ``n``, how many comparisons have each."""
        n = np.bincount(self.rows["outcome"].to_numpy(), minlength=self.outcomes.height)
        return self.outcomes.cast(pl.Int64).with_columns(n=pl.Series(n, dtype=pl.Int64))

    def described_tasks(self, *columns: str) -> pl.DataFrame:
        """Give the number of each ``task`` with the values that some columns of its kinds have, once each."""
        values = self.kinds.select(columns).unique().with_row_index("value")
        of_kind = self.kinds.join(values, on=columns, how="left", nulls_equal=True, maintain_order="left")
        rows = self.rows.select("task", value=of_kind["value"].gather(self.rows["kind"]))
        is_new = pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift()) for name in rows.columns)
        each = rows.filter(is_new).unique()
        return each.join(values, on="value", how="left").drop("value")

    def decoded(self, wanted: pl.Series) -> pl.DataFrame:
        """Write some of the comparisons out, in the columns of a reduced table."""
        rows = self.rows.filter(wanted)
        kinds = self.kinds.with_columns(pl.col(pl.Enum).cast(pl.String))[rows["kind"]]
        tasks = self.tasks.gather(rows["task"]).alias("task_id")
        lengths, outcomes = rows.select(REDUCED_LENGTHS), self.outcomes[rows["outcome"]]
        return pl.concat([kinds, lengths, outcomes], how="horizontal").with_columns(tasks).select(REDUCED)

    def only(self, wanted: pl.Series) -> Coded:
        """Keep some of the comparisons."""
        rows = self.rows.filter(wanted)
        if not self.has_own_kinds():
            return replace(self, rows=rows)
        own = pl.int_range(pl.len(), dtype=pl.UInt32)
        return replace(self, rows=rows.with_columns(kind=own), kinds=self.kinds.filter(wanted))

    def has_own_kinds(self) -> bool:
        """Whether each comparison has a kind of its own, in the order of the comparisons."""
        if self.kinds.height != self.rows.height:
            return False
        return self.rows.select((pl.col("kind") == pl.int_range(pl.len())).all()).item() is True


def coded_comparisons(comparisons: pl.DataFrame, said: Sequence[str]) -> Coded:
    """Write comparisons in numbers.

    Parameters
    ----------
    comparisons
        One row per comparison with the columns ``REDUCED_KEYS``, ``FACTS``, ``REDUCED_LENGTHS`` and `said`;
        names as text or as enums in the order of the alphabet.
    said
        Columns that make an outcome.
    """
    kinds, kind = distinct(comparisons.select(KIND))
    task = with_places(comparisons, (("task_id",),))["task_id"]
    outcomes, outcome = distinct(comparisons.select(said))
    kinds = with_places(kinds.with_columns(pl.col("judge_kind").cast(pl.Enum(JUDGE_KINDS))), _NAMES)
    rows = comparisons.select(
        task.to_physical().cast(pl.UInt32).alias("task"),
        kind.alias("kind"),
        outcome.alias("outcome"),
        *REDUCED_LENGTHS,
    )
    tasks = places_of(task)
    rows = rows[_keys(rows, kinds, len(tasks)).arg_sort()]
    if kinds.height == rows.height:
        kinds, rows = kinds[rows["kind"]], rows.with_columns(kind=pl.int_range(pl.len(), dtype=pl.UInt32))
    return Coded(rows, tasks, kinds, outcomes)


def sorted_kinds(kinds: pl.DataFrame) -> tuple[pl.DataFrame, npt.NDArray[np.int64]]:
    """Sort kinds by the keys, and say where each of them has gone."""
    placed = with_places(kinds.with_columns(pl.col("judge_kind").cast(pl.Enum(JUDGE_KINDS))), _NAMES)
    order = placed.select(pl.arg_sort_by(_SORTED_BY)).to_series()
    return placed[order], np.argsort(order.to_numpy())


def with_places(frame: pl.DataFrame, names: Sequence[tuple[str, ...]]) -> pl.DataFrame:
    """Give names their place in the alphabet: comparing and sorting them is then work on integers.

    Parameters
    ----------
    frame
        Names as text; a column of another type stays as it is.
    names
        Columns whose names are compared with each other stand together.
    """
    lazy = frame.lazy()
    for columns in names:
        there = {name: frame[name].unique() for name in columns if frame[name].dtype == pl.String}
        if not there:
            continue
        places = pl.Enum(pl.concat([values.drop_nulls() for values in there.values()]).unique().sort())
        lazy = lazy.with_columns(
            pl.lit(values.item(), dtype=places).alias(name) if len(values) == 1 else pl.col(name).cast(places)
            for name, values in there.items()
        )
    return lazy.collect()


def _places(order: pl.Series) -> pl.Series:
    """Give each number its place in an order of all numbers."""
    place = np.empty(len(order), dtype=np.uint32)
    place[order.to_numpy()] = np.arange(len(order), dtype=np.uint32)
    return pl.Series(place)


def places_of(column: pl.Series) -> pl.Series:
    """List the names that a column of places in the alphabet has places for."""
    if not isinstance(column.dtype, pl.Enum):
        raise TypeError(column.dtype)
    return column.dtype.categories


def _keys(rows: pl.DataFrame, kinds: pl.DataFrame, n_tasks: int) -> pl.Series:
    """Give each row one number; the numbers sort as the keys do."""
    task, kind = rows["task"].fill_null(0).to_numpy().astype(np.uint64), rows["kind"].to_numpy()
    (study, n_studies), *rest = [_numbered(kinds[name]) for name in _SORTED_BY]
    if n_studies * n_tasks * prod(n for _, n in rest) < _EXACT:
        key = study[kind] * np.uint64(n_tasks) + task
        of_kind = np.zeros(kinds.height, dtype=np.uint64)
        for numbers, n in rest:
            of_kind = of_kind * np.uint64(n) + numbers
        return pl.Series(key * np.uint64(prod(n for _, n in rest)) + of_kind[kind])
    order = kinds.select(pl.arg_sort_by(_SORTED_BY[1:])).to_series()
    place = _places(order).to_numpy().astype(np.uint64)
    return pl.Series((study[kind] * np.uint64(n_tasks) + task) * np.uint64(kinds.height) + place[kind])


def _numbered(column: pl.Series) -> tuple[npt.NDArray[np.uint64], int]:
    """Give the values of a key numbers from 1 in their order, null as 0; say how many there may be."""
    numbers = column.to_physical().cast(pl.Int64)
    lowest, highest = numbers.min(), numbers.max()
    if not isinstance(lowest, int) or not isinstance(highest, int):
        return np.zeros(len(column), dtype=np.uint64), 1
    return (numbers - lowest + 1).fill_null(0).to_numpy().astype(np.uint64), highest - lowest + 2
