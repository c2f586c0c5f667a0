"""The one routine that reads every format: records to judgments as shown, with all that was noticed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import polars as pl

from recuse.collectors.importers.declaration import (
    EXTRA_COLUMNS,
    Column,
    ImportFormat,
    Presentation,
    Record,
    Shape,
)
from recuse.collectors.importers.documents import Document, open_documents
from recuse.collectors.importers.paired_labels import paired_labels
from recuse.collectors.importers.reparsing import reparsed_notes
from recuse.collectors.importers.values import first_value, measured, text_of, value_reader, verdict_of
from recuse.collectors.importers.wording import counted
from recuse.collectors.readers import ROW, RawTable
from recuse.collectors.set_aside import listed
from recuse.errors import SourceError, name_up_to_three
from recuse.schema import Judgments

__all__ = ["Imported", "read_format", "shape_of"]

_NOT_UNDERSTOOD: Final = (
    "winner was not understood and is no verdict",
    "winners were not understood and are no verdicts",
)
_NEEDED: Final = ("task_id", "judge", "slot_a", "slot_b")
_LENGTHS: Final = ("words", "chars")
_WHOLE: Final = frozenset(name for name, column in Judgments.columns().items() if column.dtype == pl.Int64)
_NUMBERS: Final = frozenset(
    name for name, column in Judgments.columns().items() if column.dtype == pl.Float64
)


@dataclass(frozen=True, slots=True)
class Imported:
    """What a file of a published format holds."""

    format: ImportFormat
    shape: Shape
    judgments: RawTable | None
    """One row per presentation; None where the file holds labels of single answers."""
    set_aside: pl.DataFrame
    notes: tuple[str, ...]
    inputs: Mapping[str, str]
    """File → SHA-256 of its bytes."""
    labels: pl.DataFrame | None = None
    """Labels for ``recuse calibrate``; of pairs where a human is among the judges."""
    scores: pl.DataFrame | None = None
    """The judge's numbers for both answers, where it gave any."""


@dataclass(slots=True)
class _Gathered:
    """Values column by column, and what was met on the way."""

    values: dict[str, list[object]]
    numbers: list[int] = field(default_factory=list[int])
    first: list[str] = field(default_factory=list[str])
    unknown: Counter[str] = field(default_factory=Counter[str])
    incomplete: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    lacking: Counter[str] = field(default_factory=Counter[str])


def read_format(declared: ImportFormat, path: Path) -> Imported:
    """Read a file, or the files of a folder, of a published format.

    Parameters
    ----------
    declared
        The format's declaration.
    path
        A file or a folder.

    Returns
    -------
    Imported
        Verdicts are as shown; a winner that is missing, an error or not understood is no verdict and has a
        status. A record without a task, a judge or both answers is set aside.

    Raises
    ------
    SourceError
        The path cannot be read, is of another format, or holds no record that can be used.
    """
    if declared.for_file is not None:
        declared = declared.for_file(path)
    documents = open_documents(path, declared.files)
    shape = _shape_of_all(declared, documents, path)
    notes: list[str] = []
    inputs = {_name(document.path, path): document.sha256 for document in documents}
    single_labels = shape.labels(documents, notes) if shape.labels is not None else None
    gathered = _gather(shape, documents, notes)
    gone = listed(
        pl.DataFrame(gathered.incomplete, schema=_INCOMPLETE, orient="row"),
        "incomplete_record",
        "the record lacks its task, its judge or an answer's name",
    )
    if not gathered.numbers:
        if single_labels is None:
            raise SourceError(
                path,
                f"no record of it holds a judgment of {declared.title}",
                f"records lack {name_up_to_three(gathered.lacking) or 'what names a judgment'}",
            )
        return Imported(declared, shape, None, gone, tuple(notes), inputs, single_labels)
    frame = _framed(gathered)
    single = len(documents) == 1 and len(set(gathered.numbers)) == len(gathered.numbers)
    numbers = gathered.numbers if single else range(1, len(gathered.numbers) + 1)
    frame = frame.with_columns(pl.Series(ROW, numbers, dtype=pl.UInt32), source=pl.lit(declared.name))
    unit = documents[0].unit if single else "presentation"
    notes += reparsed_notes(frame, shape.presentations)
    notes += _unknown_notes(gathered.unknown)
    scores = _scores(frame)
    labels = paired_labels(frame, gathered.first) if single_labels is None else single_labels
    table = RawTable(
        frame.drop(EXTRA_COLUMNS, strict=False), _name(path, path), unit, next(iter(inputs.values()))
    )
    return Imported(declared, shape, table, gone, tuple(notes), inputs, labels, scores)


def shape_of(declared: ImportFormat, record: Record | None) -> Shape | None:
    """Tell which layout a record is of; None if of none."""
    if record is None:
        return None
    fitting = [
        shape
        for shape in declared.shapes
        if shape.keys and all(first_value(record, (key,), present=True) is not None for key in shape.keys)
    ]
    return max(fitting, key=lambda shape: len(shape.keys)) if fitting else None


_INCOMPLETE: Final = {ROW: pl.Int64, **dict.fromkeys((*_NEEDED, "study", "verdict"), pl.String)}


def _shape_of_all(declared: ImportFormat, documents: Sequence[Document], path: Path) -> Shape:
    for document in documents:
        for _, record in document.records():
            shape = shape_of(declared, record)
            if shape is not None:
                return shape
            break
    header = documents[0].header
    has = name_up_to_three(header) if header else "no record"
    needed = " or ".join(", ".join(shape.keys) for shape in declared.shapes if shape.keys)
    raise SourceError(
        path,
        f"it is no file of {declared.title}: it has {has}",
        f"such a file has {needed}; recuse import --list names the formats",
    )


def _name(file: Path, given: Path) -> str:
    return file.relative_to(given).as_posix() if given.is_dir() and file != given else file.name


def _gather(shape: Shape, documents: Sequence[Document], notes: list[str]) -> _Gathered:
    names = {"verdict", "status", *_NEEDED, *(column.name for column in _columns_of(shape))}
    gathered = _Gathered({name: [] for name in sorted(names)})
    if shape.prepare is not None:
        records: Iterable[tuple[int, Record]] = shape.prepare(documents, notes)
    else:
        wanted = _top_level_keys(shape)
        records = (located for document in documents for located in document.records(wanted))
    common = [(column.name, value_reader(column)) for column in shape.columns]
    orders = [(presentation, _own_readers(presentation)) for presentation in shape.presentations]
    for number, record in records:
        shared = {name: read(record) for name, read in common}
        for presentation, own in orders:
            if presentation.needs and first_value(record, (presentation.needs,), present=True) is None:
                continue
            row = shared | {name: read(record) for name, read in own}
            row["verdict"], row["status"] = verdict_of(
                record, presentation, row, shape.tolerance, gathered.unknown
            )
            _keep(gathered, row, number, presentation.first)
    return gathered


def _own_readers(presentation: Presentation) -> list[tuple[str, Callable[[Record], object]]]:
    slots = (
        declared if isinstance(declared, Column) else Column(name, declared)
        for name, declared in (("slot_a", presentation.slot_a), ("slot_b", presentation.slot_b))
    )
    return [(column.name, value_reader(column)) for column in (*presentation.columns, *slots)]


def _keep(gathered: _Gathered, row: dict[str, object], number: int, first: str) -> None:
    lacking = [name for name in _NEEDED if row.get(name) in {None, ""}]
    if lacking:
        gathered.lacking.update(lacking)
        shown = {name: text_of(row.get(name)) for name in (*_NEEDED, "study", "verdict")}
        gathered.incomplete.append({ROW: number, **shown})
        return
    for name, values in gathered.values.items():
        values.append(row.get(name))
    gathered.numbers.append(number)
    gathered.first.append(first)


def _columns_of(shape: Shape) -> list[Column]:
    own = [column for presentation in shape.presentations for column in presentation.columns]
    return [*shape.columns, *own]


def _top_level_keys(shape: Shape) -> list[str]:
    paths = [path for column in _columns_of(shape) for path in column.paths]
    for one in shape.presentations:
        for slot in (one.slot_a, one.slot_b):
            paths += slot.paths if isinstance(slot, Column) else (slot,)
        paths += (one.verdict,) if isinstance(one.verdict, str) else one.verdict
        paths += (one.needs,) if one.needs else ()
    return sorted({path.split(".", 1)[0] for path in paths if path})


def _framed(gathered: _Gathered) -> pl.DataFrame:
    columns: dict[str, pl.Series] = {}
    for name, values in gathered.values.items():
        if name in {"answer_a", "answer_b"}:
            slot = name[-1]
            lengths = [measured(value) for value in values]
            for place, length in enumerate(_LENGTHS):
                counted = [None if pair is None else pair[place] for pair in lengths]
                columns[f"{length}_{slot}"] = pl.Series(counted, dtype=pl.Int64)
        elif name in _WHOLE:
            columns[name] = _texts(values)
        elif name in _NUMBERS or name in {"score_a", "score_b"}:
            columns[name] = pl.Series([_number(value) for value in values], dtype=pl.Float64)
        else:
            columns[name] = _texts(values)
    return pl.DataFrame(columns)


def _texts(values: list[object]) -> pl.Series:
    try:
        # A column that is text already; other values and half surrogate pairs raise.
        texts = pl.Series(values, dtype=pl.String, strict=True)
    except (TypeError, UnicodeError, pl.exceptions.PolarsError):
        return pl.Series([text_of(value) for value in values], dtype=pl.String)
    return texts.set(texts == "", None)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _unknown_notes(unknown: Counter[str]) -> list[str]:
    if not unknown:
        return []
    spoken = ", ".join(f"{word!r} {n:,}" for word, n in unknown.most_common(3))
    more = f" and {len(unknown) - 3:,} other words" if len(unknown) > 3 else ""
    return [f"{counted(unknown.total(), *_NOT_UNDERSTOOD)}: {spoken}{more}"]


def _scores(frame: pl.DataFrame) -> pl.DataFrame | None:
    if "score_a" not in frame.columns or frame["score_a"].null_count() == frame.height:
        return None
    wanted = ("study", *_NEEDED, "variant_a", "variant_b", "score_a", "score_b")
    return frame.select(name for name in wanted if name in frame.columns)
