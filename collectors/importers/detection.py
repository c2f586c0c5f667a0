"""Which format a file is in, told from what it holds."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Final, cast

import polars as pl

from recuse.collectors.border import REQUIRED
from recuse.collectors.importers.declaration import ImportFormat, Record, Shape
from recuse.collectors.importers.documents import open_document
from recuse.collectors.importers.reading import shape_of
from recuse.collectors.importers.registry import IMPORTERS, format_named
from recuse.collectors.readers import format_of
from recuse.collectors.reduced_tables import is_reduced
from recuse.collectors.stored_content import LONGEST_LINE, stored_head
from recuse.errors import SourceError

__all__ = ["detect", "first_record", "has_own_columns"]

_HEADER: Final = 2**20


def detect(path: Path) -> tuple[ImportFormat, Shape] | None:
    """Guess the format of a file, or of a folder by the first of its files that is of any.

    Parameters
    ----------
    path
        A file or folder.

    Returns
    -------
    tuple or None
        The format whose layout shares the most keys with the first record, and that layout.

    Raises
    ------
    SourceError
        A JSON document cannot be read, or a folder holds files of several formats.
    """
    if path.is_dir():
        return _detect_in(path)
    record = first_record(path)
    guesses = [
        (declared, shape)
        for declared in map(format_named, IMPORTERS)
        if (shape := shape_of(declared, record)) is not None
    ]
    return max(guesses, key=lambda guess: len(guess[1].keys)) if guesses else None


def has_own_columns(path: Path) -> bool:
    """Tell judgments or a reduced table in the columns of this package from any other file."""
    columns = set(first_record(path) or ()) if format_of(path) else set[str]()
    return set(REQUIRED) <= columns or is_reduced(columns)


def first_record(path: Path) -> Record | None:
    """Read as little of a file as shows its keys; None if they cannot be seen.

    Raises
    ------
    SourceError
        A JSON document, which has to be read whole, cannot be read.
    """
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    kind = format_of(path) or suffix
    if kind == "parquet":
        return _schema(path)
    if kind in {"csv", ".tsv"}:
        head = stored_head(path, _HEADER).decode("utf-8-sig", "replace")
        return _header(head, "\t" if kind == ".tsv" else ",")
    if kind == "jsonl":
        return _first_object(stored_head(path, LONGEST_LINE, upto_line=True))
    return open_document(path).header if kind in {".json", ".eval"} else None


def _header(head: str, separator: str) -> Record | None:
    names: list[str] = []
    try:
        names = next(csv.reader(io.StringIO(head), delimiter=separator), names)
    except csv.Error:
        return None
    return dict.fromkeys(names)


def _schema(path: Path) -> Record | None:
    try:
        return dict.fromkeys(pl.read_parquet_schema(path))
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None


def _first_object(line: bytes) -> Record | None:
    try:
        record: object = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    return cast("Record", record) if isinstance(record, dict) else None


def _detect_in(folder: Path) -> tuple[ImportFormat, Shape] | None:
    found: dict[str, tuple[Path, tuple[ImportFormat, Shape]]] = {}
    for declared in map(format_named, IMPORTERS):
        for name in declared.files:
            file = min((file for file in folder.rglob(name) if file.is_file()), default=None)
            shape = shape_of(declared, first_record(file)) if file else None
            if file is not None and shape is not None:
                found.setdefault(declared.name, (file, (declared, shape)))
    if len({file for file, _ in found.values()}) > 1:
        raise SourceError(
            folder,
            f"the directory holds files of several formats: {', '.join(found)}",
            f"write which are meant, as {next(iter(found))}:{folder}, or name a folder in it",
        )
    return next((guess for _, guess in found.values()), None)
