"""The report in the terminal: the sentences that answer the question, then the tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table as RichTable
from rich.text import Text

from recuse.figures.diagnosis import diagnosis_lines
from recuse.figures.findings import findings
from recuse.figures.table import Table
from recuse.figures.tables import tables
from recuse.schema import EstimateFrame

__all__ = ["print_report", "print_table"]

_PIPE_WIDTH = 10_000


def print_report(
    estimates: EstimateFrame,
    *,
    set_aside_counts: Mapping[str, int],
    notes: Sequence[str],
    console: Console,
) -> None:
    """Print findings, the diagnosis, tables, what was set aside and notes.

    Parameters
    ----------
    estimates
        The estimates of the run.
    set_aside_counts
        Rows set aside per rule; a rule that set nothing aside may be left out.
    notes
        What a reader has to know about this run, one sentence each.
    console
        Where to print. When it is no terminal, no line is wrapped or cut.
    """
    piped = not console.is_terminal
    for sentence in findings(estimates):
        console.print(Text(f"• {sentence}"), soft_wrap=piped)
    if diagnosis := diagnosis_lines(estimates):
        console.print()
        console.print(Text("Diagnosis", style="bold"), soft_wrap=piped)
        for line in diagnosis:
            console.print(Text(f"• {line}"), soft_wrap=piped)
    for table in tables(estimates):
        console.print()
        print_table(table, console)
    console.print()
    console.print(Text(_set_aside(set_aside_counts)), soft_wrap=piped)
    for note in notes:
        console.print(Text(f"Note: {note}"), soft_wrap=piped)


def print_table(
    table: Table, console: Console, *, strong: Callable[[Sequence[str]], bool] = lambda _: False
) -> None:
    """Print one table with its caption and note.

    Parameters
    ----------
    table
        The table.
    console
        Where to print.
    strong
        Tells of a row's cells whether the row stands out.
    """
    piped = not console.is_terminal
    console.print(Text(table.caption, style="bold"), soft_wrap=piped)
    _print_whole(_rich(table, strong, piped=piped), console)
    if table.note:
        console.print(Text(table.note, style="dim"), soft_wrap=piped)


def _rich(table: Table, strong: Callable[[Sequence[str]], bool], *, piped: bool) -> RichTable:
    grid = RichTable(box=None, pad_edge=False, header_style="bold")
    for place, name in enumerate(table.header):
        whole = max(len(row[place]) for row in table.body)
        grid.add_column(
            Text(name),
            justify="left" if place < table.n_names else "right",
            no_wrap=piped,
            min_width=whole,
        )
    for row in table.body:
        grid.add_row(*map(Text, row), style="bold" if strong(row) else None)
    return grid


def _print_whole(grid: RichTable, console: Console) -> None:
    """Print a table with every cell whole, even where the terminal is narrower than the table."""
    least = Measurement.get(console, console.options.update(max_width=_PIPE_WIDTH), grid).minimum
    if console.is_terminal and least <= console.width:
        console.print(grid)
        return
    width = least if console.is_terminal else _PIPE_WIDTH
    Console(file=console.file, width=width, force_terminal=console.is_terminal).print(grid)


def _set_aside(counts: Mapping[str, int]) -> str:
    told = [f"{rule}: {count:,}" for rule, count in counts.items() if count]
    return f"Set aside: {'; '.join(told)}." if told else "Nothing was set aside."
