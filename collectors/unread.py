"""Files of a folder that look like judgments and were not read: named, not left out in silence."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from recuse.collectors.importers.detection import detect, has_own_columns
from recuse.collectors.partitions import Partitions
from recuse.errors import RecuseError, name_up_to_three

__all__ = ["judgment_files", "unread_beside", "unread_notes"]


def judgment_files(folder: Path, *, deep: bool = False) -> list[Path]:
    """Find the files of a folder that look like judgments, told from their first record.

    Parameters
    ----------
    folder
        The folder. Files and folders whose names begin with a dot or an underscore are passed over, except
        files that a format names so.
    deep
        Look into its folders too.
    """
    return [
        path
        for path in sorted(folder.rglob("*") if deep else folder.iterdir())
        if path.is_file() and not _is_hidden(path.relative_to(folder)) and _is_judgments(path)
    ]


def unread_notes(folder: Path, read: Collection[Path], *, deep: bool = False) -> tuple[str, ...]:
    """Say which files of a folder look like judgments and were not read; no note if there are none.

    Parameters
    ----------
    folder
        The folder that was named as the source.
    read
        The files of it that were read.
    deep
        Whether its folders were looked into.
    """
    known = {path.resolve() for path in read}
    unread = [path for path in judgment_files(folder, deep=deep) if path.resolve() not in known]
    if not unread:
        return ()
    names = name_up_to_three(path.relative_to(folder).as_posix() for path in unread)
    look, other = ("looks", "it holds") if len(unread) == 1 else ("look", "they hold")
    what = f"not read of the folder {folder.resolve().name}: {names}, which {look} like judgments"
    return (f"{what}; name a file itself to read it, and beside the folder only if {other} other judgments",)


def unread_beside(partitions: Partitions) -> tuple[str, ...]:
    """Say which files that look like judgments lie unread in a folder of Parquet."""
    if partitions.folder is None:
        return ()
    return unread_notes(partitions.folder, [Path(file.address) for file in partitions.files], deep=True)


def _is_hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts[:-1]) or path.name.startswith(".")


def _is_judgments(path: Path) -> bool:
    try:
        return has_own_columns(path) or detect(path) is not None
    except RecuseError:  # A file that cannot be read as anything is not told to be judgments.
        return False
