"""The next part is made while the present one is used."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["ahead"]

_Part = TypeVar("_Part")
_NO_MORE = object()


def ahead(parts: Iterator[_Part]) -> Iterator[_Part]:
    """Give the parts in their order, making one in a thread before it is asked for.

    One part more than otherwise is in memory. What goes wrong in making a part is raised where it is taken.

    >>> list(ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, parts, _NO_MORE)
        while (part := coming.result()) is not _NO_MORE:
            coming = thread.submit(next, parts, _NO_MORE)
            yield part  # type: ignore[misc]
