"""Canonical JSON (RFC 8785): one text for one value, so that a hash of the text is one of the value."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

import rfc8785

from recuse.errors import CacheError

__all__ = ["CanonicalText", "canonical", "canonical_or_escaped", "sha256_of"]

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_NO_CHARACTER: Final = "half of a surrogate pair, which is no character"
_LARGEST: Final = 2**53


class CanonicalText(str):
    """Text that was written as canonical JSON here, and need not be checked for it again."""

    __slots__ = ()


def canonical(value: object, where: str = "") -> CanonicalText:
    """Write a value as canonical JSON.

    Parameters
    ----------
    value
        Mappings with text keys, lists, text, finite numbers, booleans and None.
    where
        Name of the value, for the message.

    Raises
    ------
    CacheError
        The value holds something that canonical JSON cannot: NaN or an infinity, an integer from 2⁵³, half of
        a surrogate pair, a key that is no text, another type (a time, bytes). The message names the place.
    """
    try:
        return CanonicalText(rfc8785.dumps(cast("Any", value)).decode())
    except RecursionError:
        raise CacheError(f"{where or 'the value'} is nested too deeply for canonical JSON") from None
    except ValueError as error:
        place, problem = next(_unwritable(value, where), (where, str(error)))
        raise CacheError(f"{place or 'the value'} {problem}") from None


def canonical_or_escaped(
    value: Mapping[str, object], where: str
) -> tuple[Mapping[str, object], CanonicalText, list[str]]:
    r"""Write an object as canonical JSON with its lone surrogates escaped.

    A text that holds half of a surrogate pair, as one that was cut in the middle of a character does, has no
    UTF-8. The half is written as the six characters ``\udXXX``, and every backslash of that text is doubled,
    so that no two texts become the same.

    Returns
    -------
    tuple
        The value that was written, its text, and the JSON pointers (RFC 6901) of the escaped texts in it.

    Raises
    ------
    CacheError
        The value holds anything else that canonical JSON cannot.
    """
    try:
        return value, canonical(value, where), []
    except CacheError:
        pointers: list[str] = []
        escaped = cast("Mapping[str, object]", _without_surrogates(value, "", pointers))
        if not pointers:
            raise
        return escaped, canonical(escaped, where), pointers


def sha256_of(text: str) -> str:
    """Hash a text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def _without_surrogates(value: object, pointer: str, pointers: list[str]) -> object:
    if isinstance(value, str) and _SURROGATE.search(value):
        pointers.append(pointer)
        return value.replace("\\", "\\\\").encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        members = cast("Mapping[object, object]", value)
        return {
            key: _without_surrogates(member, f"{pointer}/{_reference_token(key)}", pointers)
            for key, member in members.items()
        }
    if isinstance(value, list | tuple):
        elements = cast("list[object] | tuple[object, ...]", value)
        return [
            _without_surrogates(element, f"{pointer}/{place}", pointers)
            for place, element in enumerate(elements)
        ]
    return value


def _reference_token(key: object) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")


def _unwritable(value: object, where: str) -> Iterator[tuple[str, str]]:
    """Find what canonical JSON cannot hold, depth first: its place and what is wrong with it."""
    if isinstance(value, Mapping):
        for key, member in cast("Mapping[object, object]", value).items():
            place = f"{where}.{key}" if where else str(key)
            if not isinstance(key, str):
                yield place, "has a key that is no text"
            elif _SURROGATE.search(key):
                yield where, f"has a key with {_NO_CHARACTER}"
            yield from _unwritable(member, place)
    elif isinstance(value, list | tuple):
        for position, element in enumerate(cast("list[object] | tuple[object, ...]", value)):
            yield from _unwritable(element, f"{where}[{position}]")
    else:
        problem = _problem(value)
        if problem:
            yield where, problem


def _problem(value: object) -> str | None:
    if isinstance(value, float) and not math.isfinite(value):
        return f"is {value}, which JSON cannot hold; write null"
    if isinstance(value, int) and not -_LARGEST < value < _LARGEST:
        return "is an integer from 2^53 on, which readers of JSON round; take a smaller one or text"
    if isinstance(value, str) and _SURROGATE.search(value):
        return f"holds {_NO_CHARACTER}"
    if not isinstance(value, str | int | float | None):
        return f"is of type {type(value).__name__}, which JSON lacks; write times as ISO 8601 text"
    return None
