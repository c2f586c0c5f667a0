r"""LaTeX: names and numbers escaped, and one booktabs table per table of the report.

The tables need the packages booktabs and graphicx, and compile with pdflatex and lualatex: everything
outside ASCII is written as a command or as mathematics.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from recuse.figures.table import Table
from recuse.figures.tables import tables as tables_of
from recuse.schema import EstimateFrame

__all__ = ["escape", "tables", "typeset"]

_SPECIAL: Final[Mapping[str, str]] = MappingProxyType(
    {
        "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
        "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\ensuremath{<}",
        ">": r"\ensuremath{>}", "|": r"\textbar{}", '"': r"{\ttfamily\char34}", "`": r"\textasciigrave{}",
        "'": "'", "[": "{[}", "]": "{]}", "-": "-", "−": r"\ensuremath{-}", "–": "--", "—": "---",
        "Δ": r"\ensuremath{\Delta}", "κ": r"\ensuremath{\kappa}", "α": r"\ensuremath{\alpha}",
        "τ": r"\ensuremath{\tau}", "β": r"\ensuremath{\beta}", "½": r"\ensuremath{\frac12}",
        "·": r"\ensuremath{\cdot}", "×": r"\ensuremath{\times}", "±": r"\ensuremath{\pm}",
        "▸": r"\ensuremath{\triangleright}", "≤": r"\ensuremath{\le}",
        "≥": r"\ensuremath{\ge}", "…": r"\dots{}", "’": "'", "‘": "`", "“": "``", "”": "''",
    }
)  # fmt: skip
_NOTE: Final = r"\par\smallskip\begin{{minipage}}{{\linewidth}}\footnotesize {}\end{{minipage}}"
_ROWS: Final = 45
"""Rows of one table on a page."""
_POWER: Final = re.compile(r"(·?)10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_PLAIN: Final = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def escape(text: str) -> str:
    r"""Make any text safe to typeset; control characters become spaces, unknown letters their name.

    >>> print(escape("a_b & 50 %"), escape("−2.0"), escape("3·10⁻⁵"))
    a\_b \& 50 \% \ensuremath{-}2.0 3\ensuremath{\cdot10^{-5}}
    """
    pieces: list[str] = []
    end = 0
    for match in _POWER.finditer(text):
        pieces.append(_escape(text[end : match.start()]))
        dot = r"\cdot" if match[1] else ""
        pieces.append(rf"\ensuremath{{{dot}10^{{{match[2].translate(_PLAIN)}}}}}")
        end = match.end()
    return "".join([*pieces, _escape(text[end:])])


def _escape(text: str) -> str:
    return "".join(_character(character) for character in text)


def _character(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    if character.isascii():
        return character if character.isprintable() else " "
    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    if plain:
        return _escape(plain)
    return f"{{[}}U+{ord(character):04X}{{]}}"


def tables(estimates: EstimateFrame) -> dict[str, str]:
    r"""Typeset each table of the report; the keys of the result also make its ``\label{tab:…}``."""
    return {table.key: typeset(table) for table in tables_of(estimates)}


def typeset(table: Table, *, wrapped: float | None = None) -> str:
    """Typeset one table with booktabs; it shrinks to the width of the line where it is wider.

    With ``wrapped`` the first column breaks its lines at that share of the width of the line. A table with
    more rows than a page has room for goes on in further ones; the first has the label, the last the note.
    """
    parts = [table.body[start : start + _ROWS] for start in range(0, len(table.body), _ROWS)] or [()]
    return "".join(
        _part(table, rows, wrapped, first=place == 0, last=place == len(parts) - 1)
        for place, rows in enumerate(parts)
    )


def _part(
    table: Table, rows: Sequence[tuple[str, ...]], wrapped: float | None, *, first: bool, last: bool
) -> str:
    names, numbers = table.n_names, len(table.header) - table.n_names
    columns = "l" * names + "r" * numbers
    if wrapped is not None:
        columns = rf"p{{{wrapped:g}\linewidth}}{columns[1:]}"
    start = "" if wrapped is None else r"\raggedright "
    lines = [
        r"\begin{table}[tbp]",
        r"\centering",
        rf"\caption{{{escape(table.caption if first else f'{table.caption} (continued)')}}}",
        *([rf"\label{{tab:{table.key.replace('_', '-')}}}"] if first else []),
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"\toprule",
        _line(table.header),
        r"\midrule",
        *(start + _line(row) for row in rows),
        r"\bottomrule",
        r"\end{tabular}}",
        *([_NOTE.format(escape(table.note))] if last else []),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _line(cells: tuple[str, ...]) -> str:
    return rf"{' & '.join(map(escape, cells))} \\"
