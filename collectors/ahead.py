"""The next parts are made while the present one is used."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TypeVar

__all__ = ["made_ahead"]

_Thing = TypeVar("_Thing")
_Part = TypeVar("_Part")


def made_ahead(make: Callable[[_Thing], _Part], of: Iterable[_Thing], at_a_time: int = 2) -> Iterator[_Part]:
    """Give what is made of each thing, in their order, making some in threads before they are asked for.

    As many parts more than otherwise are in memory. What goes wrong in making a part is raised where it is
    taken, that of an earlier part first.

    >>> list(made_ahead(str.upper, "abc"))
    ['A', 'B', 'C']
    """
    with ThreadPoolExecutor(at_a_time) as threads:
        coming: deque[Future[_Part]] = deque()
        try:
            for thing in of:
                coming.append(threads.submit(partial(make, thing)))
                if len(coming) > at_a_time:
                    yield coming.popleft().result()
            while coming:
                yield coming.popleft().result()
        finally:
            for unwanted in coming:
                unwanted.cancel()
