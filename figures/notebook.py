"""Tables as a piece of HTML, for a notebook's output cell."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from recuse.figures.table import Table

__all__ = ["lines_html", "tables_html"]


def tables_html(tables: Sequence[Table]) -> str:
    """Lay tables out as HTML without style or script; every text is escaped."""
    return str(Markup("\n").join(_table(table) for table in tables))


def lines_html(lines: Sequence[str]) -> str:
    """Lay lines of text out as paragraphs; every text is escaped."""
    return str(Markup("\n").join(Markup("<p>{}</p>").format(line) for line in lines))


def _table(table: Table) -> Markup:
    head = Markup("").join(Markup('<th scope="col">{}</th>').format(name) for name in table.header)
    body = Markup("\n").join(_row(row, table.n_names) for row in table.body)
    return Markup(
        "<table><caption>{}</caption><thead><tr>{}</tr></thead><tbody>\n{}\n</tbody></table><p>{}</p>"
    ).format(table.caption, head, body, table.note)


def _row(row: Sequence[str], n_names: int) -> Markup:
    name, number = Markup('<th scope="row">{}</th>'), Markup("<td>{}</td>")
    cells = Markup("").join(
        (name if place < n_names else number).format(cell) for place, cell in enumerate(row)
    )
    return Markup("<tr>{}</tr>").format(cells)
