"""What commands print: wrapped and coloured for a person, whole lines for a pipe; a bar for long work."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Final

__all__ = ["counting", "say", "tabulate"]

_WHOLE: Final = 100_000
"""Columns that no line of a table in a pipe reaches."""


def say(*lines: str, error: bool = False) -> None:
    """Print lines, wrapped only on a terminal; ``error`` sends them to stderr."""
    from rich.console import Console
    from rich.text import Text

    from recuse.errors import printable

    console = Console(stderr=error)
    for line in lines:
        console.print(Text(printable(line)), soft_wrap=not console.is_terminal)


def tabulate(header: Sequence[str], rows: Sequence[Sequence[object]], *, n_names: int) -> None:
    """Print a table: the first ``n_names`` columns to the left, the others, numbers, to the right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from recuse.errors import printable

    console = Console() if sys.stdout.isatty() else Console(width=_WHOLE, file=io.StringIO())
    table = Table(box=box.SIMPLE_HEAD if console.is_terminal else None, pad_edge=False)
    for place, name in enumerate(header):
        table.add_column(name, justify="left" if place < n_names else "right", overflow="fold")
    for row in rows:
        cells = [f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row]
        table.add_row(*(Text(printable(cell)) for cell in cells))
    console.print(table)
    if isinstance(console.file, io.StringIO):
        sys.stdout.writelines(f"{line.rstrip()}\n" for line in console.file.getvalue().splitlines())


@contextmanager
def counting(doing: str, total: int | None) -> Generator[Callable[[int], object]]:
    """Show a bar on a terminal's stderr while something is counted, and nothing in a pipe.

    Parameters
    ----------
    doing
        What is being done, in a word or two.
    total
        What the count will reach.

    Yields
    ------
    Callable
        To be called with each further number of things done.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(doing, total=total)
        yield lambda n: progress.advance(task, n)
