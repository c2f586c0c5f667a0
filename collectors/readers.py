"""Files to raw tables: CSV, JSONL and Parquet, each read whole or refused with one line.

Nothing is interpreted here. A raw table keeps every value as the file writes it, beside the number under
which a person finds the row.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from recuse.collectors.stored_content import as_text, stored_content
from recuse.errors import SourceError, UnknownNameError, name_up_to_three

__all__ = ["FORMATS", "ROW", "RawTable", "format_of", "read_table", "stem_of"]

ROW: Final = "#row"
"""Column that numbers the rows: as a spreadsheet shows them (the header is row 1), or the lines of JSONL."""

_SUFFIXES: Final[Mapping[str, str]] = {
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class RawTable:
    """A file's rows before anything is asked of them."""

    frame: pl.DataFrame
    """The columns as written, and ``ROW``."""
    name: str
    """The file's name, for messages and for the manifest."""
    unit: str
    """What ``ROW`` counts: ``row``, ``line`` or ``presentation``."""
    sha256: str
    """Hash of the bytes on disk."""


def format_of(path: Path) -> str | None:
    """Tell the format from a file's suffix (``.gz`` set apart); None if the suffix is not known."""
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    return _SUFFIXES.get(suffix)


def stem_of(path: Path) -> str:
    """Give a file's name without its format: ``verdicts.csv.gz`` is ``verdicts``."""
    name = path.name.removesuffix(".gz")
    return Path(name).stem if format_of(path) else name


def read_table(path: Path, file_format: str | None = None) -> RawTable:
    """Read one file whole.

    Parameters
    ----------
    path
        A CSV, JSONL or Parquet file; the first two may be gzipped.
    file_format
        ``csv``, ``jsonl`` or ``parquet``, where the suffix does not say it.

    Raises
    ------
    SourceError
        The file is not there, empty, cut off, wrongly encoded or not what its suffix says; the message
        names the line where one can be named.
    """
    chosen = file_format or format_of(path)
    if chosen is None:
        raise SourceError(
            path, "its name does not say what it holds", "name it .csv, .jsonl or .parquet, or write csv:PATH"
        )
    if chosen not in FORMATS:
        raise UnknownNameError("file format", chosen, FORMATS)
    try:
        content, sha256 = stored_content(path, bounded_lines=chosen != "parquet")
        if not content.strip():
            raise SourceError(
                path, "the file is empty", "give a file with a header and at least one judgment"
            )
        frame = FORMATS[chosen](content, path)
    except MemoryError as error:
        remedy = "write it as Parquet, which recuse report reads in parts"
        raise SourceError(path, "it does not fit into memory", remedy) from error
    if frame.is_empty():
        raise SourceError(path, "the file has a header and no rows", "give a file with at least one row")
    unit = "line" if chosen == "jsonl" else "row"
    return RawTable(frame, path.name, unit, sha256)


def _numbered(frame: pl.DataFrame, numbers: pl.Series | int, path: Path) -> pl.DataFrame:
    """Put the numbers of the rows, or the first of them, beside a frame as it was read."""
    if frame.width == 0:
        raise SourceError(path, "its rows have no fields", "give a file of judgments")
    if ROW in frame.columns:
        raise SourceError(path, f"it has a column {ROW}, which is used for the numbers of rows", "rename it")
    if isinstance(numbers, int):
        return frame.with_row_index(ROW, offset=numbers)
    return frame.with_columns(numbers)


def _read_csv(content: bytes, path: Path) -> pl.DataFrame:
    whole_text = as_text(content, path)
    text = whole_text.lstrip("\r\n")
    header = 1 + whole_text[: len(whole_text) - len(text)].count("\n")
    try:
        frame = pl.read_csv(io.BytesIO(text.encode()), infer_schema=False)
    except pl.exceptions.PolarsError as error:
        _refuse_uneven_rows(text, header, path)
        raise SourceError(
            path, "a quoted field is never closed, or the file is cut off", "check its last lines"
        ) from error
    repeated = [name.rsplit("_duplicated_", 1)[0] for name in frame.columns if "_duplicated_" in name]
    if repeated:
        raise SourceError(
            path, f"the header names a column twice: {name_up_to_three(repeated)}", "rename or remove one"
        )
    if frame[:, -1].null_count():
        _refuse_uneven_rows(text, header, path)
    return _numbered(frame, header + 1, path)


def _refuse_uneven_rows(text: str, header: int, path: Path) -> None:
    """Refuse rows with more or fewer fields than the header; polars fills up the latter with nulls."""
    outside_quotes = re.sub(r'"[^"]*"', "", text)
    lines = pl.Series("line", outside_quotes.split("\n")).str.strip_chars_end("\r")
    fields = lines.str.count_matches(",", literal=True) + 1
    width = int(fields[0])
    numbered = pl.DataFrame([lines, fields.alias("fields")]).with_row_index(ROW, offset=header)
    uneven = numbered.filter((pl.col("fields") != width) & (pl.col("line") != ""))
    if uneven.is_empty():
        return
    rows = [f"row {row:,} ({n_fields})" for row, n_fields in uneven.select(ROW, "fields").iter_rows()]
    others = "1 row has" if len(rows) == 1 else f"{len(rows):,} rows have"
    raise SourceError(
        path,
        f"the header has {width} fields and {others} another number: {name_up_to_three(rows)}",
        "quote fields that hold a comma, and complete rows that are cut off",
    )


def _read_jsonl(content: bytes, path: Path) -> pl.DataFrame:
    text = as_text(content, path)
    if _SURROGATE.search(content):
        _first_bad_line(text, path)
    try:
        frame = pl.read_ndjson(io.BytesIO(text.encode()), infer_schema_length=None)
    except pl.exceptions.PolarsError as error:
        _first_bad_line(text, path)
        raise SourceError(
            path,
            "the lines hold values that do not fit one column",
            "give every key one kind of value, and write nested values as text",
        ) from error
    if text.rstrip().count("\n") + 1 == frame.height:
        return _numbered(frame, 1, path)
    lines = pl.DataFrame({"line": text.split("\n")}).with_row_index(ROW, offset=1)
    numbers = lines.filter(pl.col("line").str.strip_chars() != "")[ROW]
    if len(numbers) != frame.height:
        _first_bad_line(text, path)
        raise SourceError(path, "it is not one JSON object per line", "write each judgment on its own line")
    return _numbered(frame, numbers, path)


def _first_bad_line(text: str, path: Path) -> None:
    """Find the line that polars would not read and name it; only called when there is one to find."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record: object = json.loads(line, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            is_last = number == text.rstrip().count("\n") + 1
            state = "is cut off" if is_last and not line.rstrip().endswith("}") else "is not JSON"
            said = _in_words(error)
            raise SourceError(path, f"line {number:,} {state} ({said})", "repair or remove it") from error
        if not isinstance(record, dict):
            raise SourceError(
                path,
                f"line {number:,} is no JSON object",
                "write one object per line, {...}, one judgment each",
            )
        if "\\u" in line and _LONE_SURROGATE.search(json.dumps(record, ensure_ascii=False)):
            raise SourceError(
                path,
                f"line {number:,} holds half of a surrogate pair (\\ud800 to \\udfff), which is no character",
                "write the text again from its source",
            )


def _in_words(error: ValueError | RecursionError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg}, character {error.colno}"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def _refuse_constant(name: str) -> object:
    message = f"{name} is not a JSON number: write null"
    raise ValueError(message)


def _read_parquet(content: bytes, path: Path) -> pl.DataFrame:
    try:
        frame = pl.read_parquet(io.BytesIO(content))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise SourceError(path, "it is no Parquet file, or it is cut off", "write it again") from error
    return _numbered(frame, 1, path)


FORMATS: Final[Mapping[str, Callable[[bytes, Path], pl.DataFrame]]] = {
    "csv": _read_csv,
    "jsonl": _read_jsonl,
    "parquet": _read_parquet,
}
"""File format → its reader."""
