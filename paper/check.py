r"""Hold a paper's text to its estimates: numbers that were typed, macros and statements without an estimate.

A number of the text is a run of digits, or one of the words from *three* to *twenty*, outside macros, labels,
citations, addresses and lengths. One that is no result (a name, a constant) is declared in a comment
``% recuse: allow CR2 .8``, for the file that declares it. A file that opens with ``% Generated`` or
``% recuse: layout only`` has no text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, TypeAlias

__all__ = ["STATEMENTS", "Entries", "check_text", "entries_of"]

Row: TypeAlias = Mapping[str, Any]
Entries: TypeAlias = dict[tuple[str, str], str]
"""(field, key) → text, as in ``numbers.tex``."""


def _interval(row: Row, holds: Callable[[float, float], bool]) -> bool:
    low, high = row["conf_low"], row["conf_high"]
    return low is not None and high is not None and holds(low, high)


STATEMENTS: Final[Mapping[str, Callable[[Row], bool]]] = MappingProxyType(
    {
        "interval above zero": lambda row: _interval(row, lambda low, _: low > 0),
        "interval below zero": lambda row: _interval(row, lambda _, high: high < 0),
        "interval includes zero": lambda row: _interval(row, lambda low, high: low <= 0 <= high),
        "interval above one half": lambda row: _interval(row, lambda low, _: low > 0.5),
        "interval below one half": lambda row: _interval(row, lambda _, high: high < 0.5),
        "interval includes one half": lambda row: _interval(row, lambda low, high: low <= 0.5 <= high),
        "estimate is one": lambda row: row["estimate"] == 1,
        "below what is detectable": lambda row: row["mde"] is not None and abs(row["estimate"]) < row["mde"],
        "shown": lambda row: row["p_value"] is not None and row["p_value"] <= 0.05,
        "not shown": lambda row: row["p_value"] is not None and row["p_value"] > 0.05,
    }
)
r"""What ``\RecuseSays{KEY}{…}`` may state of a row of the estimates."""

_FIELD_OF: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({"Estimate": ("Number", "Interval")})
_LOOKED_UP: Final = re.compile(
    r"\\Recuse(Number|Low|High|Interval|Estimate|P|N|Tasks|Presentations|Mde|Name|Count)\s*\{([^{}]*)\}"
)
_SAYS: Final = re.compile(r"\\RecuseSays\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_COMMENT: Final = re.compile(r"(?<!\\)%.*")
_ALLOW: Final = re.compile(r"^%\s*recuse: allow (.+)$", re.MULTILINE)
_NO_TEXT: Final = ("% Generated", "% recuse: layout only")
_NO_PROSE: Final = re.compile(
    r"\\(?:label|ref|eqref|pageref|cite|input|include|bibitem|arxiv|url|documentclass|usepackage|vspace|hspace"
    r"|RecuseTable|RecuseWords|includegraphics|begin\{thebibliography\}|begin|end)\*?(?:\[[^\]]*\])?\{[^{}]*\}"
    r"|\\RecuseFigure\{[^{}]*\}|\\\\\[[^\]]*\]|\\(?:setlength|href)\{[^{}]*\}(?:\{[^{}]*\})?"
    r"|[-+]?\d*\.?\d+\s*(?:\\linewidth|\\textwidth|\\textheight|pt|em|ex|cm|mm)\b"
)
_NUMBER: Final = re.compile(
    r"[A-Za-z]*\d[\d.,]*\d|[A-Za-z]*\d|\.\d+|\b(?:three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen"
    r"|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)\b",
    re.IGNORECASE,
)
_SET: Final = re.compile(r"^\\recuse@set\{(\w+)\}\{([^{}]*)\}\{(.*)\}$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Source:
    name: str
    text: str

    def at(self, place: int) -> str:
        return f"{self.name}:{self.text.count(chr(10), 0, place) + 1}"


def entries_of(numbers: str) -> Entries:
    """Read the entries of a ``numbers.tex``."""
    return {(field, key): text for field, key, text in _SET.findall(numbers)}


def check_text(sources: Mapping[str, str], entries: Entries, rows: Mapping[str, Row]) -> list[str]:
    """Say what in the text is not held by an estimate; one line each, with file and line.

    Parameters
    ----------
    sources
        Name of a TeX file → its text.
    entries
        Of the ``numbers.tex`` beside them.
    rows
        Key → the row of the estimates, for statements.
    """
    problems: list[str] = []
    for name, raw in sources.items():
        if raw.startswith(_NO_TEXT):
            continue
        source = _Source(name, _blank(_COMMENT, _document(raw)))
        problems += _without_entry(source, entries)
        problems += _untrue(source, rows)
        problems += _typed(source, {token for line in _ALLOW.findall(raw) for token in line.split()})
    return problems


def _document(text: str) -> str:
    """Blank what stands before the document, where there is such a part."""
    start = text.find(r"\begin{document}")
    title = re.search(r"^\\title\{.*\}$", text[: max(start, 0)], re.MULTILINE)
    if start < 0:
        return text
    head = re.sub(r"[^\n]", " ", text[:start])
    if title is not None:
        head = head[: title.start()] + title[0] + head[title.end() :]
    return head + text[start:]


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def _without_entry(source: _Source, entries: Entries) -> list[str]:
    return [
        f"{source.at(match.start())}: numbers.tex has no {field} for {match[2]}"
        for match in _LOOKED_UP.finditer(source.text)
        for field in _FIELD_OF.get(match[1], (match[1],))
        if (field, match[2]) not in entries
    ]


def _untrue(source: _Source, rows: Mapping[str, Row]) -> list[str]:
    problems: list[str] = []
    for match in _SAYS.finditer(source.text):
        key, statement = match[1], match[2]
        if key not in rows:
            problems.append(f"{source.at(match.start())}: no estimate for {key}")
        elif statement not in STATEMENTS:
            known = ", ".join(STATEMENTS)
            problems.append(f"{source.at(match.start())}: no statement {statement!r}; one of: {known}")
        elif not STATEMENTS[statement](rows[key]):
            problems.append(f"{source.at(match.start())}: the estimates do not say {statement!r} of {key}")
    return problems


def _typed(source: _Source, allowed: set[str]) -> list[str]:
    bare = source
    for pattern in (_LOOKED_UP, _SAYS, _NO_PROSE):
        bare = _Source(source.name, _blank(pattern, bare.text))
    return [
        f"{bare.at(match.start())}: {match[0]} is typed, not looked up"
        for match in _NUMBER.finditer(bare.text)
        if match[0] not in allowed
    ]
