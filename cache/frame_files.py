"""Frames as files for others: Parquet and JSONL exactly, CSV so that no spreadsheet runs a cell."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import polars as pl

from recuse.cache.replacing import replacing
from recuse.errors import CacheError, UnknownNameError

__all__ = ["EXPORTED_SUFFIXES", "write_frame"]

_FORMULA: Final = r"^[=+\-@\t\r\n＝＋－＠]"
"""Beginnings of a text that a spreadsheet takes for a formula, as OWASP lists them."""


def write_frame(frame: pl.DataFrame, path: Path) -> tuple[str, int]:
    """Write a frame to one file, whole or not at all.

    Parameters
    ----------
    frame
        Any frame without nested columns.
    path
        The file; its suffix says what is written. An existing file is replaced.

    Returns
    -------
    tuple
        The SHA-256 of the file's bytes, and how many texts and column names got an apostrophe in front,
        which is done in CSV only.

    Raises
    ------
    UnknownNameError
        The suffix names no format.
    CacheError
        The file cannot be written.
    """
    write = EXPORTED_SUFFIXES.get(path.suffix.lower())
    if write is None:
        raise UnknownNameError("suffix of an export", path.suffix or path.name, EXPORTED_SUFFIXES)
    n_escaped = 0
    if write is _write_csv:
        frame, n_escaped = _without_formulas(frame)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as written:
            write(frame, written)
            with written.open("rb") as file:
                sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise CacheError(f"{path} cannot be written: {error.strerror}", remedy="name another file") from error
    return sha256, n_escaped


def _write_parquet(frame: pl.DataFrame, path: Path) -> None:
    frame.write_parquet(path)


def _write_csv(frame: pl.DataFrame, path: Path) -> None:
    frame.write_csv(path)


def _write_jsonl(frame: pl.DataFrame, path: Path) -> None:
    frame.write_ndjson(path)


EXPORTED_SUFFIXES: Final[Mapping[str, Callable[[pl.DataFrame, Path], None]]] = {
    ".parquet": _write_parquet,
    ".pq": _write_parquet,
    ".jsonl": _write_jsonl,
    ".ndjson": _write_jsonl,
    ".csv": _write_csv,
}
"""Suffix → how the file is written."""


def _without_formulas(frame: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    texts = pl.selectors.string()
    starts_as_formula = texts.str.contains(_FORMULA)
    n_escaped = int(frame.select(starts_as_formula.sum()).sum_horizontal().sum())
    names = pl.Series(frame.columns, dtype=pl.String)
    safe_names = names.str.replace(_FORMULA, "'$0")
    n_escaped += int((names != safe_names).sum())
    frame = frame.with_columns(texts.str.replace(_FORMULA, "'$0"))
    return frame.rename(dict(zip(names, safe_names, strict=True))), n_escaped
