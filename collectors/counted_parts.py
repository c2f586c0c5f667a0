"""Plain judgments of a part, checked and counted by what few things they say and not row by row.

What is in any doubt is not decided here: the part is then read by its rows, which names those that are wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import narwhals as nw
import numpy as np
import numpy.typing as npt
import polars as pl

from recuse.analysis.coded import KIND, Coded, places_of, sorted_kinds, with_places
from recuse.analysis.distinct import distinct, told_apart
from recuse.analysis.reduction import COUNTS, FACTS, READ_TEXTS, READ_WHOLE, REDUCED_LENGTHS, reduced
from recuse.collectors.border import REFUSALS, REQUIRED, renamed, with_defaults
from recuse.collectors.columns import refuse_rows, typed_columns
from recuse.collectors.readers import ROW, RawTable
from recuse.errors import RecuseError

__all__ = [
    "BITS",
    "MOST",
    "Counted",
    "counted_part",
    "is_described_twice",
    "is_plain",
    "largest_of",
    "outcomes_of",
]

_TEXTS: Final = (pl.String, pl.Enum, pl.Categorical)
_WHOLE: Final = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32)
_LENGTHS: Final = tuple(name for name in READ_WHOLE if name != "replicate")
BITS: Final = 3
"""Bits in which one count is held: up to seven."""
MOST: Final = 7
_Numbers: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Counted:
    """A part in numbers, and how many of its rows name each alias."""

    comparisons: Coded
    aliases: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Presentations:
    """What rows say: kinds of comparisons, and for each saying its kind and where its count stands."""

    kinds: pl.DataFrame
    kind: _Numbers
    place: _Numbers
    aliases: Mapping[str, int]


def is_plain(columns: Mapping[str, pl.DataType]) -> bool:
    """Tell by their types whether columns of judgments hold texts and whole numbers, as they are meant to."""
    return all(
        isinstance(dtype, _TEXTS if name in READ_TEXTS else _WHOLE)
        for name, dtype in columns.items()
        if name in {*READ_TEXTS, *READ_WHOLE}
    )


def counted_part(rows: pl.DataFrame, study: str, aliases: Mapping[str, str]) -> Counted | None:
    """Count the presentations of each comparison; None where a row may be wrong or rows repeat a lot.

    Parameters
    ----------
    rows
        Columns of judgments that :func:`is_plain` found to be so.
    study
        Name of the study where the rows do not give one.
    aliases
        Another name of a model → the name that counts.
    """
    lengths = [name for name in _LENGTHS if name in rows.columns]
    if any((rows[name] < 0).any() for name in lengths):
        return None
    said = [name for name in rows.columns if name not in {"task_id", *lengths}]
    values, number = distinct(rows.select(said))
    if values.height == rows.height:
        return None
    told = _told(values, np.bincount(number.to_numpy(), minlength=values.height), study, aliases)
    task = _tasks(rows["task_id"])
    if told is None or task is None:
        return None
    of_row = number.to_numpy()
    coded = _counted(rows, told.kinds, told.kind[of_row], told.place[of_row], task)
    return None if coded is None or is_described_twice(coded) else Counted(coded, told.aliases)


def _told(
    values: pl.DataFrame, n_rows: _Numbers, study: str, aliases: Mapping[str, str]
) -> _Presentations | None:
    """Send what rows say through the border and the reduction, each saying as a task of its own."""
    numbered = values.with_row_index(ROW).with_columns(task_id=pl.int_range(pl.len()).cast(pl.String))
    table = RawTable(numbered, "", "row", "")
    wanted = {name: pl.Int64() if name in READ_WHOLE else pl.String() for name in numbered.columns[1:]}
    try:
        rows, _ = typed_columns(table, wanted, REQUIRED, may_be_empty=["verdict"])
        for refusal in REFUSALS:
            if set(refusal.failing.meta.root_names()) <= set(rows.columns):
                refuse_rows(rows, refusal.failing, refusal.needed, refusal.remedy, table)
    except RecuseError:
        return None
    rows = with_defaults(rows, study)
    names = pl.col("judge", "slot_a", "slot_b")
    n = pl.Series(n_rows, dtype=pl.Int64)
    named = {
        alias: int(rows.select((pl.any_horizontal(names == alias) * n).sum()).item()) for alias in aliases
    }
    rows, _ = renamed(rows, aliases)
    counted: pl.LazyFrame = reduced(nw.from_native(rows.drop(ROW).lazy()), study=study).to_native()
    found = counted.collect().sort(pl.col("task_id").cast(pl.Int64))
    if found.height != values.height or not (found.select(pl.sum_horizontal(*COUNTS)).to_series() == 1).all():
        return None
    kinds, kind = told_apart(found.select(KIND))
    kinds, places = sorted_kinds(kinds)
    place = found.select(*COUNTS).to_numpy().argmax(axis=1)
    return _Presentations(kinds, places[kind.to_numpy()], place, named)


def _tasks(names: pl.Series) -> pl.Series | None:
    """Give tasks their place in the alphabet; None where one has no name. Tasks mostly stand together."""
    run = names.rle_id()
    starts = (run != run.shift(fill_value=1)).arg_true()
    heads = names.gather(starts).cast(pl.String)
    if heads.null_count() or (heads == "").any():
        return None
    places = with_places(heads.to_frame("task_id"), (("task_id",),))["task_id"]
    return places.gather(run)


def _counted(
    rows: pl.DataFrame, kinds: pl.DataFrame, kind: _Numbers, place: _Numbers, task: pl.Series
) -> Coded | None:
    """Bring the presentations of each comparison together."""
    tasks = places_of(task)
    study = kinds["study"].to_physical().cast(pl.Int64).to_numpy()[kind]
    key = (study * len(tasks) + task.to_physical().to_numpy()) * kinds.height + kind
    order = _order(key, task)
    key = key[order]
    starts = np.flatnonzero(np.r_[True, key[1:] != key[:-1]])
    if np.diff(starts, append=len(key)).max() > MOST:
        return None
    packed = np.add.reduceat((np.int64(1) << (BITS * place))[order], starts)
    swapped = place >= len(COUNTS) // 2
    largest: dict[str, pl.Series] = {}
    for name in REDUCED_LENGTHS:
        length, side = name.split("_")
        if not {f"{length}_a", f"{length}_b"} & set(rows.columns):
            largest[name] = pl.Series([None], dtype=pl.Int64).new_from_index(0, len(starts))
            continue
        shown = [_length(rows, f"{length}_{slot}") for slot in ("ab" if side == "first" else "ba")]
        largest[name] = largest_of(np.where(swapped, shown[1], shown[0])[order], starts)
    held = np.unique(packed)
    key = key[starts]
    found = pl.DataFrame(
        {
            "task": pl.Series(key // kinds.height % len(tasks), dtype=pl.UInt32),
            "kind": pl.Series(key % kinds.height, dtype=pl.UInt32),
            "outcome": pl.Series(np.searchsorted(held, packed), dtype=pl.UInt32),
            **largest,
        }
    )
    return Coded(found, tasks, kinds, outcomes_of(held))


def _order(key: _Numbers, task: pl.Series) -> _Numbers:
    """Sort; where most rows of a task stand together, by merging what is in order already."""
    n_runs = int((task != task.shift()).sum())
    if n_runs < len(key) / 8:
        return np.argsort(key, kind="stable")
    return pl.Series(key).arg_sort().to_numpy()


def _length(rows: pl.DataFrame, name: str) -> _Numbers:
    """Give lengths, -1 for none."""
    if name not in rows.columns:
        return np.full(rows.height, -1, dtype=np.int64)
    return rows[name].cast(pl.Int64).fill_null(-1).to_numpy()


def largest_of(lengths: _Numbers, starts: _Numbers) -> pl.Series:
    """Give the largest length of each run of rows, null where all are -1."""
    largest = pl.Series(np.maximum.reduceat(lengths, starts))
    return largest.set(largest < 0, None) if largest.min() == -1 else largest


def outcomes_of(held: _Numbers) -> pl.DataFrame:
    """Take packed counts apart."""
    counts = {name: (held >> (BITS * place)) & MOST for place, name in enumerate(COUNTS)}
    return pl.DataFrame(counts).select(pl.sum_horizontal(*COUNTS).alias("n_presentations"), *COUNTS)


def is_described_twice(coded: Coded) -> bool:
    """Tell whether a task has two tiers, categories or rewards in one probe."""
    place = ("study", "probe")
    if coded.kinds.n_unique(place) == coded.kinds.n_unique([*place, *FACTS]):
        return False
    described = coded.described_tasks(*place, *FACTS)
    return described.height > described.n_unique(["task", *place])
