"""Small stores, and rows that no honest program writes."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from recuse.cache.store import Store


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def store(directory: Path) -> Iterator[Store]:
    with Store(directory, create=True) as opened:
        yield opened


@pytest.fixture
def execute(directory: Path) -> Callable[..., None]:
    """Write into the database of the cache past everything that guards it."""

    def run(statement: str, *values: object) -> None:
        with closing(sqlite3.connect(directory / "cache.db")) as con, con:
            con.execute(statement, values)

    return run
