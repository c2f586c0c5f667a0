"""A judge's card as a page: HTML, Markdown, LaTeX, and in the terminal. Text of the labels stays text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import jinja2
from rich.console import Console
from rich.text import Text

from recuse.errors import printable
from recuse.figures import latex
from recuse.figures.card_tables import WORST
from recuse.figures.judge_card import JudgeCard
from recuse.figures.table import Table
from recuse.figures.terminal import print_table

__all__ = ["card_html", "card_latex", "card_markdown", "print_card"]

_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]()#+!|<>~&^$-])")
_MARKS: Final = frozenset({"FAIL", "NOT SHOWN"})


def card_html(card: JudgeCard) -> str:
    """Render the card as one self-contained HTML page without scripts."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("recuse.figures", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("judge_card.html.j2").render(card=card, worst=WORST, marks=_MARKS)


def card_markdown(card: JudgeCard) -> str:
    """Render the card in Markdown with pipe tables; signs that Markdown or HTML would read are escaped."""
    lines = [f"# {_markdown(card.title)}", ""]
    lines += [f"- {name}: {_markdown(value)}" for name, value in card.setup]
    lines += ["", *(f"{_markdown(sentence)}\n" for sentence in card.findings)]
    for table in card.tables:
        aligned = ["---"] * table.n_names + ["---:"] * (len(table.header) - table.n_names)
        lines += [f"## {_markdown(table.caption)}", "", _pipes(table.header), f"|{'|'.join(aligned)}|"]
        lines += [_pipes(row, strong=_stands_out(row)) for row in table.body]
        lines += ["", *([f"{_markdown(table.note)}", ""] if table.note else [])]
    lines += ["## Limits", "", *(f"- {_markdown(limit)}" for limit in card.limits)]
    if card.notes:
        lines += ["", "## Notes", "", *(f"- {_markdown(note)}" for note in card.notes)]
    return "\n".join(lines).rstrip() + "\n"


def card_latex(card: JudgeCard) -> str:
    r"""Render the card as one LaTeX section with booktabs tables, to be read in with ``\input``.

    It needs the packages booktabs and graphicx, and compiles with pdflatex and lualatex.
    """
    escape = latex.escape
    lines = [rf"\section*{{{escape(card.title)}}}", r"\begin{description}\setlength{\itemsep}{0pt}"]
    lines += [rf"\item[{escape(name)}] {escape(value)}" for name, value in card.setup]
    lines += [r"\end{description}", *(f"{escape(sentence)}\n" for sentence in card.findings)]
    lines += [_latex_table(table) for table in card.tables]
    for heading, items in (("Limits", card.limits), ("Notes", card.notes)):
        if items:
            lines += [rf"\subsection*{{{heading}}}", r"\begin{itemize}\setlength{\itemsep}{0pt}"]
            lines += [*(rf"\item {escape(item)}" for item in items), r"\end{itemize}"]
    return "\n".join(lines) + "\n"


def print_card(card: JudgeCard, console: Console) -> None:
    """Print the card; where the console is no terminal, no line is wrapped or cut."""

    def say(text: str, style: str = "") -> None:
        console.print(Text(printable(text), style=style), soft_wrap=not console.is_terminal)

    say(card.title, "bold")
    for name, value in card.setup:
        say(f"{name}: {value}")
    for sentence in card.findings:
        say(f"• {sentence}")
    for table in card.tables:
        console.print()
        body = tuple(tuple(map(printable, row)) for row in table.body)
        print_table(replace(table, body=body), console, strong=_stands_out)
    console.print()
    for limit in card.limits:
        say(f"Limit: {limit}", "dim")
    for note in card.notes:
        say(f"Note: {note}")


def _stands_out(row: Sequence[str]) -> bool:
    return row[0].endswith(WORST) or any(cell in _MARKS for cell in row)


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def _pipes(cells: Sequence[str], *, strong: bool = False) -> str:
    written = [_markdown(cell) for cell in cells]
    return f"| {' | '.join(f'**{cell}**' if strong and cell else cell for cell in written)} |"


def _latex_table(table: Table) -> str:
    numbers = len(table.header) - table.n_names
    columns = "l" * table.n_names + "r" * numbers
    strong = r"\bfseries "
    lines = [
        rf"\par\medskip\noindent\textbf{{{latex.escape(table.caption)}}}\par\smallskip\noindent",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"\toprule",
        rf"{' & '.join(map(latex.escape, table.header))} \\",
        r"\midrule",
    ]
    for row in table.body:
        mark = strong if _stands_out(row) else ""
        lines.append(rf"{' & '.join(mark + latex.escape(cell) for cell in row)} \\")
    lines += [r"\bottomrule", r"\end{tabular}}"]
    if table.note:
        lines.append(rf"\par\smallskip{{\footnotesize {latex.escape(table.note)}\par}}")
    return "\n".join(lines)
