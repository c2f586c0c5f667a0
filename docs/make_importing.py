"""Write the table of formats in docs/importing.md from the formats' own declarations.

Usage: ``python docs/make_importing.py [--check]``; with ``--check`` nothing is written, a difference exits 1.
"""

from __future__ import annotations

import sys
from pathlib import Path

from recuse.collectors.importers.declaration import ImportFormat
from recuse.collectors.importers.registry import IMPORTERS, format_named

PAGE = Path(__file__).parent / "importing.md"
BEGIN, END = "<!-- formats: begin -->\n", "<!-- formats: end -->"


def importing() -> str:
    """Put the table of formats into the page."""
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}{table()}{END}{after}"


def table() -> str:
    """Describe each format in a row."""
    rows = ["| format | layouts | its winners | what is kept | looked up in |", "|---|---|---|---|---|"]
    rows += [_row(format_named(name)) for name in IMPORTERS]
    return "\n".join(rows) + "\n"


def _row(declared: ImportFormat) -> str:
    layouts = "; ".join(shape.name for shape in declared.shapes) or "as its mapping says"
    cells = (f"`{declared.name}`", layouts, declared.winners, declared.keeps, declared.source)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def main(words: list[str]) -> int:
    """Write the page, or compare it."""
    made = importing()
    if "--check" in words:
        return int(made != PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
