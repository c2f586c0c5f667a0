"""Files of a format, opened with a bound on what they may cost: records, one after the other."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import polars as pl

from recuse.collectors.importers.declaration import Record
from recuse.collectors.readers import FORMATS, ROW, format_of
from recuse.collectors.stored_content import as_text, stored_content
from recuse.errors import SourceError

__all__ = [
    "LARGEST_DOCUMENT",
    "Document",
    "list_of",
    "open_document",
    "open_documents",
    "records_of",
]

LARGEST_DOCUMENT: Final = 512 * 2**20
"""Bytes of a JSON document (one value, not a list of lines), which has to be held in memory whole."""
_LARGEST_FIELD: Final = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Document:
    """One file as it was opened."""

    path: Path
    sha256: str
    """Hash of the bytes on disk."""
    unit: str
    """What the numbers of its records count: ``row``, ``line`` or ``record``."""
    value: object
    """A JSON value, a frame, or the lines of JSONL as parsed."""
    first_number: int = 1

    def records(self, columns: Sequence[str] | None = None) -> Iterator[tuple[int, Record]]:
        """Give each record with its number; what is no object is left out.

        Parameters
        ----------
        columns
            Top-level keys that are wanted, where the file is a table; all by default.
        """
        if isinstance(self.value, pl.DataFrame):
            frame = self.value
            if columns is not None:
                frame = frame.select(name for name in frame.columns if name in columns)
            yield from enumerate(frame.iter_rows(named=True), start=self.first_number)
            return
        for number, record in enumerate(list_of(self.value) or [self.value], start=1):
            if isinstance(record, Mapping):
                yield number, cast("Record", record)

    @property
    def header(self) -> Record | None:
        """The first record, or None."""
        return next((record for _, record in self.records()), None)


def open_documents(path: Path, names: Sequence[str]) -> list[Document]:
    """Open a file, or the files of a folder whose names fit, in the order of their paths.

    Raises
    ------
    SourceError
        There is no such file, or no file of these names in the folder; or one cannot be read.
    """
    if not path.is_dir():
        return [open_document(path)]
    found = sorted({file for name in names for file in path.rglob(name) if file.is_file()})
    if not found:
        spoken = ", ".join(names) or "a file, not a folder"
        raise SourceError(path, "the directory holds no file of this format", f"it is looked for as {spoken}")
    return [open_document(file) for file in found]


def open_document(path: Path) -> Document:
    """Open one file: CSV, TSV, JSONL, JSON or Parquet, the text ones also gzipped.

    Raises
    ------
    SourceError
        The file is not there, a directory, empty, cut off, wrongly encoded, or larger than may be read.
    """
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    if suffix == ".eval":
        from recuse.collectors.importers.inspect_logs import read_log

        return Document(path, stored_content(path)[1], "record", read_log(path))
    kind = {".tsv": "tsv", ".json": "json"}.get(suffix) or format_of(path)
    limit = LARGEST_DOCUMENT if kind in {None, "json"} else None
    content, sha256 = stored_content(path, bounded_lines=kind in {"csv", "tsv", "jsonl"}, limit=limit)
    if not content.strip():
        raise SourceError(path, "the file is empty", "fetch it again")
    if kind == "tsv":
        return Document(path, sha256, "row", _tsv(as_text(content, path), path), 2)
    if kind in {"csv", "parquet"}:
        frame = FORMATS[kind](content, path)
        return Document(path, sha256, "row", frame.drop(ROW), 2)
    if kind == "jsonl":
        return Document(path, sha256, "line", _lines(as_text(content, path), path))
    return _json(as_text(content, path), path, sha256)


def _json(text: str, path: Path, sha256: str) -> Document:
    """Read a JSON document; files that are named so and hold one object a line are read as that."""
    try:
        return Document(path, sha256, "record", json.loads(text))
    except RecursionError:
        raise SourceError(path, "its JSON is nested too deeply", "it is no file of judgments") from None
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            return Document(path, sha256, "line", _lines(text, path))
        at_end = error.pos >= len(text.rstrip()) - 1
        state = "the JSON is cut off" if at_end or "Unterminated" in error.msg else "it is not JSON"
        raise SourceError(
            path, f"{state} ({error.msg}, line {error.lineno:,} column {error.colno:,})", "fetch it again"
        ) from None


def _lines(text: str, path: Path) -> list[object]:
    records: list[object] = []
    lines = text.rstrip().split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            records.append(None)
            continue
        try:
            records.append(json.loads(line))
        except RecursionError:
            raise SourceError(path, f"line {number:,} is nested too deeply", "remove it") from None
        except json.JSONDecodeError as error:
            state = "is cut off" if number == len(lines) else "is not JSON"
            raise SourceError(
                path,
                f"line {number:,} {state} ({error.msg}, character {error.colno:,})",
                "repair or remove it",
            ) from None
    return records


def _tsv(text: str, path: Path) -> pl.DataFrame:
    """Read tab-separated text with quoted fields that may hold line breaks."""
    csv.field_size_limit(_LARGEST_FIELD)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter="\t", strict=False)
    try:
        header = next(rows)
        body: list[list[Any]] = [row for row in rows if row]
    except csv.Error as error:
        raise SourceError(path, f"it is not tab-separated text ({error})", "fetch it again") from error
    uneven = [number for number, row in enumerate(body, start=2) if len(row) != len(header)]
    if uneven:
        raise SourceError(
            path,
            f"the header has {len(header)} fields and row {uneven[0]:,} another number "
            f"({len(uneven):,} such rows)",
            "the file may be cut off: fetch it again",
        )
    return pl.DataFrame(body, schema=dict.fromkeys(header, pl.String), orient="row")


def list_of(value: object) -> list[object]:
    """Give a JSON list; what is none is an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def records_of(value: object) -> list[Record]:
    """Give the objects of a JSON list."""
    return [cast("Record", record) for record in list_of(value) if isinstance(record, Mapping)]
