"""One table under construction: its cells, and the rows of estimates they came from, for its note."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from recuse.figures.lookup import Lookup
from recuse.figures.wording import NOTHING, Row, method_text

__all__ = ["Draft", "Table"]


@dataclass(frozen=True, slots=True)
class Table:
    """One table: the question it answers, its cells as text, and how they were made."""

    key: str
    caption: str
    header: tuple[str, ...]
    body: tuple[tuple[str, ...], ...]  # each as long as the header; the first `n_names` cells name the row
    n_names: int
    note: str


class Draft:
    """Collects the cells of a table, and the rows they came from, for its note."""

    def __init__(self, lookup: Lookup, key: str, caption: str, names: tuple[str, ...], *columns: str) -> None:
        self.lookup = lookup
        self._key = key
        self._caption = caption
        self._several = len(lookup.studies) > 1
        self._names = ("Study", *names) if self._several else names
        self._columns = columns
        self._body: list[tuple[str, ...]] = []
        self._used: list[Row] = []

    def add(self, study: str | None, names: tuple[str, ...], cells: Iterable[str], *used: Row | None) -> None:
        """Add a row, unless nothing stands behind it."""
        rows = [row for row in used if row is not None]
        if not rows:
            return
        self._used += rows
        label = (study or "pooled",) if self._several else ()
        self._body.append((*label, *names, *cells))

    def table(self, remark: str) -> Table:
        """Close the table; its note says how the numbers were made, after the remark."""
        intervals = sorted(
            {method_text(row["interval"]) for row in self._used if row["interval"] is not None}
        )
        levels = sorted({row["conf_level"] for row in self._used if row["conf_level"] is not None})
        reasons = sorted({row["reason"] for row in self._used if row["estimate"] is None and row["reason"]})
        rules = sorted({row["scoring"] for row in self._used if row["scoring"] is not None})
        note = [remark]
        if intervals:
            shown = ", ".join(f"{100 * level:g} %" for level in levels)
            note.append(f"Intervals ({shown}): {'; '.join(intervals)}." if shown else "")
        if rules:
            note.append(f"Scoring: {', '.join(rules)}.")
        note.append(_range_of_n(self._used))
        note += [f"{NOTHING}: {reason}." for reason in reasons]
        remarks = sorted(
            {row["reason"] for row in self._used if row["estimate"] is not None and row["reason"]}
        )
        note += [f"Of some rows: {'; '.join(remarks[:3])}."] if remarks else []
        header = (*self._names, *self._columns)
        text = " ".join(part for part in note if part)
        return Table(self._key, self._caption, header, tuple(self._body), len(self._names), text)


def _range_of_n(rows: list[Row]) -> str:
    parts: list[str] = []
    for unit in ("presentations", "comparisons", "tasks"):
        counts = [row[f"n_{unit}"] for row in rows if row[f"n_{unit}"] is not None]
        if counts:
            low, high = min(counts), max(counts)
            parts.append(f"{low:,} {unit}" if low == high else f"{low:,} to {high:,} {unit}")
    return f"n = {', '.join(parts)} per estimate." if parts else ""
