"""Export: a store's judgments as one file that others can read without this program."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recuse.cache.frame_files import write_frame
from recuse.cache.snapshot import addressed_judgments
from recuse.cache.store import Store

__all__ = ["Exported", "export"]


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
    frame = addressed_judgments(store).sort("address")
    sha256, n_escaped = write_frame(frame, path)
    return Exported(path, frame.height, sha256, n_escaped)
