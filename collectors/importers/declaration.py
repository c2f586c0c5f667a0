"""What a module of a format declares: columns, ordered pairs, and how its files are told from others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    import polars as pl

    from recuse.collectors.importers.documents import Document

__all__ = [
    "EXTRA_COLUMNS",
    "Column",
    "ImportFormat",
    "Prepared",
    "Presentation",
    "Record",
    "Shape",
]

Record: TypeAlias = Mapping[str, object]
"""One object or row of a file, nested as it is there."""

EXTRA_COLUMNS: Final = ("answer_a", "answer_b", "score_a", "score_b", "case_id")
"""Columns beside those of judgments: texts that are measured and not kept, the judge's numbers, the name of
the case in a frame of labels."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of judgments and where a record holds it."""

    name: str
    """A column of ``recuse.schema.Judgments`` or one of ``EXTRA_COLUMNS``."""
    path: str | tuple[str, ...] = ()
    """Keys joined by dots, list positions as numbers; of several paths the first with a value counts."""
    constant: str | int | None = None
    """The value where no path holds one."""
    hashed: bool = False
    """The values at all paths are hashed together: the name of what the format does not name."""
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    """Value of the format → value here. A value that is not among them stays."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths, also where there is one."""
        return (self.path,) if isinstance(self.path, str) else self.path


@dataclass(frozen=True, slots=True)
class Presentation:
    """One ordered pair that a record holds: which answer stood in which slot, and the verdict on it.

    This is the one place where the winner of a format becomes a verdict as shown.
    """

    slot_a: str | Column
    slot_b: str | Column
    verdict: str | tuple[str, ...] = ()
    """Paths of the winner; none if the verdict follows from ``score_a`` and ``score_b``."""
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    """Winner of the format, in lower case → ``a``, ``b`` or ``tie`` as shown, or a status instead of one."""
    columns: tuple[Column, ...] = ()
    """Columns that this order has of its own."""
    needs: str | None = None
    """A path that a record holds only if it holds this order; None: every record does."""
    first: str = "a"
    """The slot of the answer that the record names first."""
    reparsed: Mapping[str, str] | None = None
    """Token → verdict as shown, to parse the judge's text again; None: it is not parsed again."""


Prepared: TypeAlias = Iterable[tuple[int, Record]]
"""Records with the number under which a person finds them."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One of the layouts that a format comes in."""

    name: str
    keys: tuple[str, ...]
    """Paths that the first record of such a file holds, and by which it is recognised."""
    columns: tuple[Column, ...] = ()
    presentations: tuple[Presentation, ...] = ()
    prepare: Callable[[Sequence[Document], list[str]], Prepared] | None = None
    """Makes records of documents that are no plain lists of them; may add notes to the list."""
    labels: Callable[[Sequence[Document], list[str]], pl.DataFrame | None] | None = None
    """Reads labels of single answers, where the layout may hold such."""
    tolerance: float = 0.0
    """Scores that differ by no more than this are a tie."""


@dataclass(frozen=True, slots=True)
class ImportFormat:
    """A published format of judgments."""

    name: str
    title: str
    """What it is, in a line."""
    source: str
    """Where it is published, and in which version its layout was looked up."""
    winners: str
    """How its winners are to be understood."""
    shapes: tuple[Shape, ...]
    example: str
    """What stands behind ``recuse import NAME`` in the example of ``recuse import --list``."""
    keeps: str
    """What is kept beside the verdicts."""
    files: tuple[str, ...] = ()
    """Names of its files (globs) where a folder is given."""
    for_file: Callable[[Path], ImportFormat] | None = None
    """Gives the declaration for one file, where something beside the file completes it."""
