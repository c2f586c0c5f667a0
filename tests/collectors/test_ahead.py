"""Parts that are made in a thread come in order, one ahead, and with their errors."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from recuse.collectors.ahead import ahead


def test_one_part_is_made_while_another_is_used() -> None:
    made: list[int] = []
    second = threading.Event()

    def parts() -> Iterator[int]:
        for number in range(4):
            made.append(number)
            if number == 1:
                second.set()
            yield number

    taken = ahead(parts())
    assert next(taken) == 0
    assert second.wait(5)
    time.sleep(0.05)
    assert made == [0, 1]
    assert list(taken) == [1, 2, 3]


def test_what_goes_wrong_is_raised_where_the_part_is_taken() -> None:
    def parts() -> Iterator[int]:
        yield 0
        message = "the second part"
        raise ValueError(message)

    taken = ahead(parts())
    assert next(taken) == 0
    with pytest.raises(ValueError, match="the second part"):
        next(taken)
