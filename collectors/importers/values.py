"""Values in nested records: found by path, written as text, measured, and understood as verdicts."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

from recuse.collectors.importers.declaration import Column, Presentation, Record
from recuse.schema import VERDICTS

__all__ = ["first_value", "hash_of", "measured", "text_of", "value_reader", "verdict_of", "word_of"]

_ERROR_TEXTS: Final = frozenset({"$ERROR$", "ERROR"})
"""Texts that a program wrote in place of a judge's answer."""
_UNREADABLE: Final = "parse_failed"


def first_value(record: Record, paths: Sequence[str], *, present: bool = False) -> object:
    """Give the first value that one of the paths leads to, or else an empty text, or else None.

    Parameters
    ----------
    record
        A record.
    paths
        Keys joined by dots; a number is a place in a list. A key may itself hold dots.
    present
        Give True for a key whose value is null.
    """
    empty: object = None
    for path in paths:
        if path not in record and "." not in path:
            continue
        found, value = (True, record[path]) if path in record else _walk(record, path)
        if found and present:
            return True if value is None else value
        if value == "":
            empty = value
        elif value is not None:
            return value
    return empty


def _walk(value: object, path: str) -> tuple[bool, object]:
    if not path:
        return False, None
    # Most are dicts, and asking an abstract class is slow.
    if isinstance(value, dict | Mapping):
        members = cast("Mapping[str, object]", value)
        if path in members:
            return True, members[path]
        head, _, rest = path.partition(".")
        return _walk(members[head], rest) if rest and head in members else (False, None)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        elements = cast("Sequence[object]", value)
        head, _, rest = path.partition(".")
        if not head.isdecimal() or int(head) >= len(elements):
            return False, None
        element = elements[int(head)]
        return _walk(element, rest) if rest else (True, element)
    return False, None


def value_reader(column: Column) -> Callable[[Record], object]:
    """Give the function that reads a column's value from a record.

    An empty text is no value, except of an answer, which may be empty.
    """
    paths, constant, words = column.paths, column.constant, column.words
    keeps_empty = column.name.startswith("answer_")
    if column.hashed:
        return lambda record: hash_of(*(text_of(first_value(record, (path,))) for path in paths))
    if paths in {(), ("",)}:
        return lambda _: constant

    def read(record: Record) -> object:
        value = first_value(record, paths)
        if value is None or (value == "" and not keeps_empty):
            return constant
        return words.get(word_of(value), value) if words else value

    return read


def hash_of(*texts: object) -> str:
    """Name a content by twelve hexadecimal digits of its SHA-256."""
    joined = "\x1f".join("" if text is None else str(text) for text in texts)
    return hashlib.sha256(joined.encode("utf-8", "backslashreplace")).hexdigest()[:12]


def text_of(value: object) -> str | None:
    """Write a value as text; nested ones as JSON, nothing and the empty text as None."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        # Half of a surrogate pair has no UTF-8 and would stop every writer behind this one.
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, Mapping | Sequence):
        return json.dumps(value, ensure_ascii=True, sort_keys=True, default=str)
    return str(value)


def word_of(value: object) -> str:
    """Write a winner as it is compared: without blanks around it, in lower case, ``1.0`` as ``1``."""
    return (text_of(value) or "").strip().lower()


def measured(value: object) -> tuple[int, int] | None:
    """Count the words and characters of an answer: a text, turns, or the assistant's messages of a talk."""
    texts = _texts(value)
    if texts is None:
        return None
    return sum(len(text.split()) for text in texts), sum(map(len, texts))


def _texts(value: object) -> list[str] | None:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        message = cast("Mapping[str, object]", value)
        if message.get("role") in {"user", "system"}:
            return []
        inner = next((message[key] for key in ("content", "text", "answer") if key in message), None)
        return _texts(inner)
    if isinstance(value, Sequence):
        parts = [_texts(part) for part in cast("Sequence[object]", value)]
        return [text for part in parts if part is not None for text in part]
    return None


def verdict_of(
    record: Record,
    presentation: Presentation,
    row: Mapping[str, object],
    tolerance: float,
    unknown: Counter[str],
) -> tuple[str | None, str]:
    """Turn the winner of one order into a verdict as shown and a status.

    Parameters
    ----------
    record, presentation
        The record and its order.
    row
        The columns of the order so far: ``raw``, and the scores where they decide.
    tolerance
        Scores that differ by no more are a tie.
    unknown
        Counts winners that are not among the presentation's words.
    """
    if isinstance(row.get("raw"), str) and str(row["raw"]).strip() in _ERROR_TEXTS:
        return None, "error"
    if not presentation.verdict:
        return _by_score(row.get("score_a"), row.get("score_b"), tolerance)
    paths = (presentation.verdict,) if isinstance(presentation.verdict, str) else presentation.verdict
    value = first_value(record, paths)
    if value is None or value == "":
        return None, presentation.words.get("", _UNREADABLE)
    word = word_of(value)
    meant = presentation.words.get(word)
    if meant is None and word in {"error", "$error$"}:
        meant = "error"
    if meant is not None:
        return (meant, "ok") if meant in VERDICTS else (None, meant)
    unknown[word[:40]] += 1
    return None, _UNREADABLE


def _by_score(one: object, other: object, tolerance: float) -> tuple[str | None, str]:
    """Compare two scores; a negative one stands for a score that could not be read."""
    try:
        a, b = float(str(one)), float(str(other))
    except ValueError:
        return None, _UNREADABLE
    if not (a >= 0 and b >= 0):
        return None, _UNREADABLE
    if abs(a - b) <= tolerance:
        return "tie", "ok"
    return ("a" if a > b else "b"), "ok"
