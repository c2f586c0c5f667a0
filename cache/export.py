"""Export: a store's judgments as one file that others can read without this program."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from recuse.cache.replacing import replacing
from recuse.cache.snapshot import addressed_judgments
from recuse.cache.store import Store
from recuse.errors import CacheError, UnknownNameError

__all__ = ["EXPORTED_SUFFIXES", "Exported", "export"]

_FORMULA: Final = r"^[=+\-@\t\r\n＝＋－＠]"
"""Beginnings of a text that a spreadsheet takes for a formula, as OWASP lists them."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A file that was written."""

    path: Path
    n_judgments: int
    sha256: str
    """Hash of the file's bytes."""
    n_escaped: int
    """Texts that got an apostrophe in front; 0 but for CSV."""


def export(store: Store, path: Path) -> Exported:
    """Write the judgments of a store, sorted by address, with the address and hash of their records.

    Parameters
    ----------
    store
        The store.
    path
        The file; its suffix says what is written: ``.parquet`` (exact and typed), ``.jsonl`` (exact) or
        ``.csv``. An existing file is replaced.

    Returns
    -------
    Exported
        Two stores with the same judgments give the same file, whatever their order.

    Raises
    ------
    UnknownNameError
        The suffix names no format.
    CacheError
        A row may not be read, or the file cannot be written.

    Notes
    -----
    A spreadsheet runs a cell that begins like a formula. In CSV such a text gets an apostrophe in front, by
    which spreadsheets know a text; it is then not the text that was stored, and the count of them is
    returned. CSV also cannot tell an empty text from a missing one. Parquet and JSONL change nothing.
    """
    write = EXPORTED_SUFFIXES.get(path.suffix.lower())
    if write is None:
        raise UnknownNameError("suffix of an export", path.suffix or path.name, EXPORTED_SUFFIXES)
    frame = addressed_judgments(store).sort("address")
    n_escaped = 0
    if write is _write_csv:
        frame, n_escaped = _without_formulas(frame)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as written:
            write(frame, written)
            sha256 = _hash_of_file(written)
    except OSError as error:
        raise CacheError(f"{path} cannot be written: {error.strerror}", remedy="name another file") from error
    return Exported(path, frame.height, sha256, n_escaped)


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
    return frame.with_columns(texts.str.replace(_FORMULA, "'$0")), n_escaped


def _hash_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
