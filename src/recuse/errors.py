"""Errors that a person can act on: one line each, with the offenders kept on the exception.

Every class derives from :class:`RecuseError` beside the builtin that a caller would expect.
The command line prints ``str(error)`` and exits with status 2.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

__all__ = [
    "BlindingError",
    "CacheError",
    "CollectionError",
    "ConfigurationError",
    "JudgmentsError",
    "RecuseError",
    "SourceError",
    "TypesettingError",
    "UndefinedEstimateError",
    "UnknownNameError",
    "name_up_to_three",
    "printable",
]


def name_up_to_three(offenders: Iterable[object]) -> str:
    """Name the first three offenders and count the rest.

    >>> name_up_to_three(["a", "b", "c", "d"])
    'a, b, c and 1 more'
    """
    names = [str(offender) for offender in offenders]
    shown = ", ".join(names[:3])
    return f"{shown} and {len(names) - 3:,} more" if len(names) > 3 else shown


def printable(text: str) -> str:
    r"""Put a text on one line and escape what a terminal would obey instead of show.

    >>> printable("a name\nwith \x1b[2J in it")
    'a name with \\x1b[2J in it'
    """
    line = " ".join(text.split())
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in line)


class RecuseError(Exception):
    """Base of every error that this package raises on purpose."""


class SourceError(RecuseError, ValueError):
    """A source of judgments cannot be opened or read."""

    def __init__(self, source: object, problem: str, remedy: str = "") -> None:
        self.source = source
        self.problem = problem
        super().__init__(_line(f"cannot read {source}: {problem}", remedy))


class JudgmentsError(RecuseError, ValueError):
    """Rows that contradict the schema of judgments.

    Parameters
    ----------
    needed
        What the rule asks for, in words.
    offenders
        The failing rows, named (row numbers, keys); up to three are printed, all are kept.
    remedy
        What to do.
    where
        The source that holds the rows.
    """

    def __init__(self, needed: str, offenders: Sequence[object], remedy: str, where: object = "") -> None:
        self.offenders = list(offenders)
        place = f"{where}: " if where else ""
        rows = "row fails" if len(self.offenders) == 1 else "rows fail"
        super().__init__(
            _line(
                f"{place}{needed}; {len(self.offenders):,} {rows}: {name_up_to_three(self.offenders)}", remedy
            )
        )


class CacheError(RecuseError, ValueError):
    """A cache row that must not be read, written over or deleted, or a record that is not what it says."""

    def __init__(self, problem: str, offenders: Sequence[object] = (), remedy: str = "") -> None:
        self.offenders = list(offenders)
        named = f": {name_up_to_three(self.offenders)}" if self.offenders else ""
        super().__init__(_line(f"{problem}{named}", remedy))


class BlindingError(RecuseError, ValueError):
    """Prompts that would tell a judge who wrote what it judges; none of them was sent."""

    def __init__(self, needed: str, offenders: Sequence[object]) -> None:
        self.offenders = list(offenders)
        place = "1 place does" if len(self.offenders) == 1 else f"{len(self.offenders):,} places do"
        super().__init__(
            _line(
                f"{needed}; {place}: {name_up_to_three(self.offenders)}",
                'nothing was sent; change the text, or set blinding = "redact" or "flag" in the study file',
            )
        )


class CollectionError(RecuseError, RuntimeError):
    """A study that is not complete, or cannot go on, with what is missing named."""

    def __init__(self, problem: str, offenders: Sequence[object] = (), remedy: str = "") -> None:
        self.offenders = list(offenders)
        named = f": {name_up_to_three(self.offenders)}" if self.offenders else ""
        super().__init__(_line(f"{problem}{named}", remedy))


class ConfigurationError(RecuseError, ValueError):
    """A study file, claims file or option that cannot be followed."""

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(_line(problem, remedy))


class UnknownNameError(RecuseError, KeyError):
    """A name that is not among those it may be; the nearest valid one is offered.

    Parameters
    ----------
    kind
        What the name names.
    name
        The name as written.
    valid
        What it may be.
    where
        The place that holds it, where there could be several.
    """

    def __init__(self, kind: str, name: str, valid: Iterable[str], where: str = "") -> None:
        self.name = name
        self.valid = sorted(valid)
        near = difflib.get_close_matches(name, self.valid, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]!r}?" if near else f"one of: {', '.join(self.valid) or 'none there'}"
        place = f"{where}: " if where else ""
        self.message = printable(f"{place}unknown {kind} {name!r}; {hint}")
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


class TypesettingError(RecuseError, RuntimeError):
    """TeX stopped before there was a PDF."""

    def __init__(self, engine: str, complaint: str, folder: object) -> None:
        super().__init__(_line(f"{engine} stopped: {complaint}", f"paper.log in {folder} says more"))


class UndefinedEstimateError(RecuseError, ArithmeticError):
    """A quantity that the data do not define; the reason becomes the estimate's ``reason``."""


def _line(statement: str, remedy: str) -> str:
    line = f"{statement}; {remedy}" if remedy else statement
    return printable(line)
