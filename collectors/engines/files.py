"""What an engine is given to open: files of one kind with the same columns, found and not read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import narwhals as nw

from recuse.analysis.reduction import READ_TEXTS, READ_WHOLE
from recuse.errors import SourceError

__all__ = ["FORMATS", "Files", "Groups", "Opener", "Opening", "failure_of", "with_folder_keys"]

FORMATS: Final = ("parquet", "csv", "jsonl")


Groups: TypeAlias = tuple[tuple[Mapping[str, str | None], tuple[str, ...]], ...]
"""Columns that folders give → paths below these folders."""


@dataclass(frozen=True, slots=True)
class Files:
    """Files whose rows have one set of columns, by what the names of their folders say."""

    name: str
    """What messages call the source."""
    file_format: str
    """One of ``FORMATS``."""
    columns: frozenset[str]
    """The columns in the files that a reduction reads."""
    groups: Groups
    """Columns that folders give (``probe=main/``) and the paths below these folders."""

    @property
    def texts(self) -> list[str]:
        """Columns in the files that hold texts."""
        return [name for name in READ_TEXTS if name in self.columns]

    @property
    def whole(self) -> list[str]:
        """Columns in the files that hold whole numbers."""
        return [name for name in READ_WHOLE if name in self.columns]


Opener: TypeAlias = Callable[[tuple[str, ...]], nw.LazyFrame[Any]]
"""Paths of one group → their rows, with the columns ``Files.columns``."""
Opening: TypeAlias = Callable[[Files, Path], AbstractContextManager[nw.LazyFrame[Any]]]
"""Files and a folder for what an engine puts down → their rows, while the engine runs."""


def with_folder_keys(files: Files, opener: Opener) -> nw.LazyFrame[Any]:
    """Open each group, write the columns of its folders beside its own, and put all below each other."""
    parts: list[nw.LazyFrame[Any]] = []
    for keys, paths in files.groups:
        # An empty text is null to the reduction; a null literal would have another type in each engine.
        said = {name: nw.lit(value or "") for name, value in keys.items()}
        part = opener(paths)
        parts.append(part.with_columns(**said) if said else part)
    return parts[0] if len(parts) == 1 else nw.concat(parts)


def failure_of(engine: str, files: Files, error: Exception) -> SourceError:
    """Say in one line what an engine said in many."""
    # Dask reports first where it was, and then what there was.
    text = str(error).replace("\\n", "\n").rpartition("Original Message: ")[2]
    lines = [line for line in text.splitlines() if line.strip()] or [type(error).__name__]
    said = lines[0] if len(lines[0]) <= 200 else f"{lines[0][:199]}…"
    return SourceError(files.name, f"{engine} stopped: {said}", "correct the files, or try another --engine")
