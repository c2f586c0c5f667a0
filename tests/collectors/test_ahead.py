"""Parts that are made in threads come in order, no more of them ahead than said, and with their errors."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from recuse.collectors.ahead import made_ahead


def test_two_are_made_at_a_time_and_come_in_order() -> None:
    both = threading.Barrier(2, timeout=5)

    def make(number: int) -> int:
        if number < 2:
            both.wait()
        return number * 10

    assert list(made_ahead(make, range(5), at_a_time=2)) == [0, 10, 20, 30, 40]
    assert list(made_ahead(make, [])) == []


def test_no_more_are_made_than_are_said_to_be_ahead() -> None:
    asked: list[int] = []

    def numbers() -> Iterator[int]:
        for number in range(9):
            asked.append(number)
            yield number

    taken = made_ahead(str, numbers(), at_a_time=2)
    assert next(taken) == "0"
    assert asked == [0, 1, 2]
    taken.close()  # type: ignore[attr-defined]
    assert asked == [0, 1, 2]


def test_the_earliest_of_several_errors_is_raised() -> None:
    def make(number: int) -> int:
        if number:
            time.sleep(0.05 if number == 1 else 0)
            message = f"part {number}"
            raise ValueError(message)
        return number

    taken = made_ahead(make, range(4))
    assert next(taken) == 0
    with pytest.raises(ValueError, match="part 1"):
        next(taken)
