"""Rows of estimates made ready to draw: which to show, how to print them, what stands underneath."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import polars as pl

from recuse.figures.names import plain
from recuse.figures.wording import method_text
from recuse.schema import ESTIMATE_KEYS

__all__ = ["LINE", "Row", "number", "one_per_quantity", "quantities", "setup_lines", "studies", "why_not"]

Row = Mapping[str, Any]
"""One row of the estimates by column name."""

LINE: Final = 118
"""Characters of a line underneath a figure."""


def one_per_quantity(estimates: pl.DataFrame) -> pl.DataFrame:
    """One row per quantity, in the order of the table.

    A quantity with several tests has a row for each. Kept is its first row with an interval, or its
    first row if none has one.
    """
    return (
        estimates.with_row_index("_position")
        .sort(pl.col("conf_low").is_null(), "_position")
        .unique(subset=list(ESTIMATE_KEYS), keep="first", maintain_order=True)
        .sort("_position")
        .drop("_position")
    )


def quantities(estimates: pl.DataFrame, *estimands: str, where: pl.Expr | None = None) -> pl.DataFrame:
    """One row per quantity of these estimands, of those rows for which ``where`` holds."""
    rows = estimates.filter(pl.col("estimand").is_in(list(estimands)))
    return one_per_quantity(rows if where is None else rows.filter(where))


def studies(rows: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """Each study's name and rows, by name; rows without a study come last, as "all studies"."""
    names = sorted({name for name in rows["study"].to_list() if name is not None})
    parts = [(plain(name), rows.filter(pl.col("study") == name)) for name in names]
    pooled = rows.filter(pl.col("study").is_null())
    return [*parts, ("all studies", pooled)] if pooled.height else parts


def number(value: float | None, digits: int = 1) -> str:
    """Print with a true minus sign; nothing is a dash, and what rounds to nought has no sign."""
    if value is None:
        return "–"
    text = f"{value:.{digits}f}"
    return text.replace("-", "−") if float(text) else text.lstrip("-")


def why_not(row: Row) -> str:
    """Say that a quantity is not estimable, and why."""
    return f"not estimable: {plain(row['reason'] or 'no reason given')}"


def setup_lines(
    study: str,
    rows: pl.DataFrame,
    judges: Iterable[str],
    notes: Sequence[str] = (),
    *,
    of_design: bool = False,
) -> list[str]:
    """Lines underneath a figure: study, judges, tasks, comparisons, interval and notes.

    Tasks and comparisons are those of one row, as a range where rows differ. Rows ``of_design`` are counts
    of what was judged, to which no interval belongs.
    """
    names = list(judges)
    shown = ", ".join(names[:9]) + (f" and {len(names) - 9} more" if len(names) > 9 else "")
    drawn = rows.filter(pl.col("estimate").is_not_null())
    told = [
        f"Study {study}."
        + (f" {len(names)} judge{'s' if len(names) != 1 else ''}: {shown}." if names else ""),
        f"Per row: {_span(drawn['n_tasks'], 'task')}, {_span(drawn['n_comparisons'], 'comparison')}. "
        + ("Counts of the design: no interval." if of_design else _interval(rows)),
        *notes,
    ]
    return [line for text in told for line in textwrap.wrap(text, LINE)]


def _span(counts: pl.Series, noun: str) -> str:
    present = sorted(set(counts.drop_nulls().to_list()))
    if not present:
        return f"number of {noun}s not recorded"
    low, high = present[0], present[-1]
    return f"{low:,} {noun}{'' if low == 1 else 's'}" if low == high else f"{low:,} to {high:,} {noun}s"


def _interval(rows: pl.DataFrame) -> str:
    drawn = rows.filter(pl.col("conf_low").is_not_null())
    methods = sorted({method_text(method) for method in drawn["interval"].drop_nulls().to_list()})
    levels = sorted(set(drawn["conf_level"].drop_nulls().to_list()))
    if not drawn.height:
        return "No row has an interval."
    level = " and ".join(f"{100 * level:g} %" for level in levels) or "Unstated level"
    return f"{level} intervals: {'; '.join(methods) or 'method not recorded'}."
