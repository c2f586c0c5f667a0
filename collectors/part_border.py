"""The border for one part of a source that is streamed: typed, checked and reduced to counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import narwhals as nw
import polars as pl

from recuse.analysis.coded import Coded, coded_comparisons
from recuse.analysis.reduction import COUNTS, FACTS, REDUCED, reduced
from recuse.collectors.border import REFUSALS, REQUIRED, refuse_two_facts, renamed, with_defaults
from recuse.collectors.chunks import Chunk, Part
from recuse.collectors.columns import refuse_rows, typed_columns
from recuse.collectors.counted_parts import Counted, counted_part, is_plain
from recuse.collectors.object_store import unreadable
from recuse.collectors.partitions import ParquetFile
from recuse.collectors.readers import ROW, RawTable
from recuse.collectors.reduced_tables import is_reduced, presentations
from recuse.collectors.second_tables import with_answers, with_tasks
from recuse.collectors.study import StudyFile
from recuse.errors import JudgmentsError
from recuse.schema import Judgments

__all__ = ["Noticed", "PartBorder"]

_NOT_READ: Final = {
    "judgment_id", "logprob_a", "logprob_b", "tokens_a", "tokens_b", "raw", "model_resolved",
    "params_requested", "params_effective", "prompt_hash", "rubric_version", "asked_at", "latency_s",
    "cost_usd", "source",
}  # fmt: skip
_OF_ANSWERS: Final = ("tokens_a", "tokens_b")
"""What a table of answers fills beside what the analysis reads."""
_WANTED: Final[Mapping[str, pl.DataType]] = {
    name: pl.String() if isinstance(column.dtype, pl.Enum) else column.dtype
    for name, column in Judgments.columns().items()
}
"""Column → type as it is checked: words first as text."""
_READ: Final = tuple(name for name in _WANTED if name not in _NOT_READ)
_TASK: Final = ("study", "task_id", "probe")


@dataclass(slots=True)
class Noticed:
    """What reading a part brings up beside its comparisons."""

    aliases: dict[str, int] = field(default_factory=dict[str, int])
    """Rows that name an alias."""
    remarks: list[str] = field(default_factory=list[str])
    """What typing the columns had to say."""


@dataclass(frozen=True, slots=True)
class PartBorder:
    """What is asked of every part."""

    study: str
    about: StudyFile
    where: str
    """What messages call the source."""
    answers: RawTable | None = None
    tasks: RawTable | None = None

    def check_columns(self, file: ParquetFile) -> list[str]:
        """Check that a file has the columns, before a row is read; say which columns are left out.

        Raises
        ------
        SourceError
            A column is missing, or holds a kind of value that it cannot hold.
        """
        empty = pl.DataFrame(schema={ROW: pl.UInt32(), **file.all_columns()})
        table, notes = presentations(RawTable(empty, file.name, "row", ""))
        if is_reduced(file.all_columns()):
            return notes[1:]
        return typed_columns(table, _WANTED, REQUIRED, ["verdict"])[1]

    def reduce(self, part: Part) -> tuple[Coded, Noticed]:
        """Read one part, check its rows, and count the presentations of each comparison.

        Raises
        ------
        SourceError, JudgmentsError
            What the border of a whole source raises, with the file and its row named.
        """
        quickly = self._reduce_plain(part)
        if quickly is not None:
            return quickly.comparisons, Noticed(dict(quickly.aliases))
        noticed = Noticed()
        reduced = self._reduce_rows(part, noticed)
        return coded_comparisons(reduced, ("n_presentations", *COUNTS)), noticed

    def _reduce_plain(self, part: Part) -> Counted | None:
        """Count what is as it is meant to be, without looking at each row."""
        there = part[0].file.all_columns()
        read = {name: dtype for name, dtype in there.items() if name in _READ}
        if (
            self.answers is not None
            or self.tasks is not None
            or is_reduced(there)
            or not is_plain(read)
            or any(chunk.file.all_columns() != there for chunk in part)
        ):
            return None
        rows = pl.concat([_read(chunk, list(read)) for chunk in part])
        return counted_part(rows, self.study, self.about.aliases)

    def _reduce_rows(self, part: Part, noticed: Noticed) -> pl.DataFrame:
        """Look at each row, and name those that are wrong."""
        rows = pl.concat([self._typed(chunk, noticed) for chunk in part], how="diagonal")
        rows, named = renamed(rows, self.about.aliases)
        noticed.aliases = named
        if self.answers is not None:
            rows, _ = with_answers(rows, self.answers, self.about.aliases)
        if self.tasks is not None:
            rows, _ = with_tasks(rows, self.tasks)
        self._check_facts(rows)
        counted: pl.LazyFrame = reduced(_lazily(rows.drop(ROW)), study=self.study).to_native()
        found = counted.collect()
        self._refuse_many(found)
        return found

    def _typed(self, chunk: Chunk, noticed: Noticed) -> pl.DataFrame:
        there = chunk.file.all_columns()
        read = [name for name in (REDUCED if is_reduced(there) else _READ) if name in there]
        numbered = _read(chunk, read).with_row_index(ROW, offset=chunk.offset + 1)
        table, _ = presentations(RawTable(numbered, chunk.file.name, "row", ""))
        wanted = {name: _WANTED[name] for name in _READ if name in table.frame.columns}
        if self.answers is not None or self.tasks is not None:
            wanted = {name: _WANTED[name] for name in (*_READ, *_OF_ANSWERS)}
        rows, remarks = typed_columns(table, wanted, REQUIRED, may_be_empty=["verdict"])
        noticed.remarks += remarks
        for refusal in REFUSALS:
            if set(refusal.failing.meta.root_names()) <= set(rows.columns):
                refuse_rows(rows, refusal.failing, refusal.needed, refusal.remedy, table, refusal.shown)
        return with_defaults(rows, self.study)

    def _check_facts(self, rows: pl.DataFrame) -> None:
        """Look at hashes first: a task with one description has one hash with and without it."""
        facts = [name for name in FACTS if name in rows.columns]
        task = [name for name in _TASK if name in rows.columns]
        if not facts:
            return
        n_described = rows.select(*task, *facts).hash_rows().n_unique()
        if n_described == rows.select(task).hash_rows().n_unique():
            return
        absent = [name for name in (*_TASK, *FACTS, "judge_kind") if name not in rows.columns]
        unsaid = {name: pl.lit(None, dtype=pl.String) for name in absent}
        refuse_two_facts(rows.with_columns(**unsaid), self.where)

    def _refuse_many(self, counted: pl.DataFrame) -> None:
        many = counted.filter(pl.sum_horizontal(*COUNTS) != pl.col("n_presentations"))
        if many.is_empty():
            return
        columns = ("judge", "task_id", "first", "second", "n_presentations")
        raise JudgmentsError(
            "a presentation may be there seven times at most",
            [
                f"{judge} on {task} ({first} against {second}, {n} rows)"
                for judge, task, first, second, n in many.select(columns).iter_rows()
            ],
            "number repetitions in the column replicate",
            self.where,
        )


def _read(chunk: Chunk, columns: Sequence[str]) -> pl.DataFrame:
    try:
        return chunk.scan().select(columns).collect()
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise unreadable(chunk.file.name, error) from error


def _lazily(rows: pl.DataFrame) -> nw.LazyFrame[Any]:
    return nw.from_native(rows.lazy())
