"""The SQLite file of a cache, looked at before anything in it is obeyed.

diskcache takes whatever the table ``Settings`` holds for attributes of its own and for pragmas, and SQLite
runs the triggers that a file brings along. So a file is first opened read-only and refused unless its tables,
indexes, triggers and settings are exactly those that this program makes.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from diskcache.core import DBNAME, METADATA

from recuse.cache.disk import LARGER_THAN_ANY_RECORD
from recuse.errors import CacheError

__all__ = ["DATABASE", "LAYOUTS", "SETTINGS", "layout_of", "open_database", "plainly"]

DATABASE: Final[str] = DBNAME
"""Name of the SQLite file in the cache's directory."""

SETTINGS: Final[Mapping[str, int | str]] = {
    "statistics": 0,
    "tag_index": 0,
    "eviction_policy": "none",
    "size_limit": 2**62,
    "cull_limit": 0,
    "sqlite_auto_vacuum": 0,
    "sqlite_cache_size": 2**13,
    "sqlite_journal_mode": "wal",
    "sqlite_mmap_size": 2**26,
    "sqlite_synchronous": 2,
    "disk_min_file_size": LARGER_THAN_ANY_RECORD,
    "disk_pickle_protocol": 0,
}
"""No eviction; a commit is on the disk before it is acknowledged (write-ahead log, synchronous FULL)."""

LAYOUTS: Final = frozenset({"1a65464c8ffc8a817be2e74ffe791926357672bc2d5aaefa4bb773c131bb3a6d"})
"""SHA-256 of the tables, indexes and triggers that diskcache 5.6 makes."""

_LAYOUT_QUERY: Final = """
    SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_autoindex_%'
    ORDER BY type, name
"""


def open_database(directory: Path) -> sqlite3.Connection:
    """Open a cache's database to read, and only if it is one.

    Raises
    ------
    CacheError
        The directory is not there or holds no database; the database is damaged, is not laid out as a cache,
        or lies in a place where it cannot be read without writing.
    """
    file = directory / DATABASE
    if not directory.is_dir():
        raise CacheError(f"{directory} is not a cache: there is no such directory", remedy="check the path")
    if not file.is_file():
        raise CacheError(f"{directory} is not a cache: it holds no {DATABASE}", remedy="check the path")
    with plainly(directory):
        con = _connected(file)
        try:
            _refuse_other_layout(con, directory)
            _refuse_other_settings(con, directory)
        except BaseException:
            con.close()
            raise
    return con


@contextmanager
def plainly(directory: Path) -> Generator[None]:
    """Turn what SQLite raises into one line about the cache."""
    try:
        yield
    except sqlite3.Error as error:
        cause = _first_cause(error)
        raise CacheError(f"{directory}: {_in_words(cause)}", remedy=_remedy(cause)) from error
    except OverflowError:
        raise CacheError(f"{directory}: the database holds a number that no cache has") from None


def layout_of(con: sqlite3.Connection) -> str:
    """Hash the tables, indexes, triggers and views of a database."""
    return hashlib.sha256(repr(con.execute(_LAYOUT_QUERY).fetchall()).encode()).hexdigest()


def _connected(file: Path) -> sqlite3.Connection:
    """Connect to read, also where SQLite cannot put its shared memory beside the file.

    No statement may write. SQLite itself may, so that it can tidy up the log that a killed process has left.
    """
    uri = f"{file.absolute().as_uri()}?mode=rw"
    con = _connection(uri)
    try:
        con.execute("SELECT COUNT(*) FROM sqlite_master").fetchall()
    except sqlite3.OperationalError:
        con.close()
        log = file.with_name(f"{file.name}-wal")
        if os.access(file.parent, os.W_OK) or (log.exists() and log.stat().st_size):
            raise
        return _connection(f"{file.absolute().as_uri()}?mode=ro&immutable=1")
    return con


def _connection(uri: str) -> sqlite3.Connection:
    con = sqlite3.connect(uri, uri=True, timeout=60, isolation_level=None, check_same_thread=False)
    con.text_factory = _decoded
    # Functions and virtual tables in what the file brings along do nothing but what is harmless.
    con.execute("PRAGMA trusted_schema = OFF")
    con.execute("PRAGMA query_only = ON")
    return con


def _decoded(text: bytes) -> str | bytes:
    """Leave text that is no UTF-8 as bytes, which every reader of rows refuses."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text


def _refuse_other_layout(con: sqlite3.Connection, directory: Path) -> None:
    if layout_of(con) not in LAYOUTS:
        raise CacheError(
            f"{directory} is not a cache: the tables and triggers of its {DATABASE} are not those of one",
            remedy="name a directory that recuse import or recuse collect made",
        )


def _refuse_other_settings(con: sqlite3.Connection, directory: Path) -> None:
    found = dict(con.execute("SELECT key, value FROM Settings").fetchall())
    others = [
        f"{name}={value!r}"[:80]
        for name, value in found.items()
        if name not in METADATA and SETTINGS.get(name) != value
    ]
    others += [f"{name} missing" for name in SETTINGS if name not in found]
    others += [f"{name}={found[name]!r}"[:80] for name in METADATA if not _is_count(found.get(name))]
    if others:
        raise CacheError(
            f"{directory} has settings that this program does not give a cache",
            others,
            "name a directory that recuse import or recuse collect made",
        )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and value >= 0


def _first_cause(error: sqlite3.Error) -> sqlite3.Error:
    """Look behind a failed rollback for what made it necessary."""
    while isinstance(error.__context__, sqlite3.Error):
        error = error.__context__
    return error


def _in_words(error: sqlite3.Error) -> str:
    message = str(error)
    if "readonly" in message:
        return "the cache is read-only"
    if "unable to open" in message:
        return "the database cannot be opened (its directory may be read-only)"
    if isinstance(error, sqlite3.OperationalError | sqlite3.IntegrityError | sqlite3.DataError):
        return f"the database cannot be used ({message})"
    return f"the database is damaged ({message})"


def _remedy(error: sqlite3.Error) -> str:
    message = str(error)
    if "readonly" in message or "unable to open" in message:
        return "copy the cache to a place where it may be written"
    if "locked" in message or "busy" in message:
        return "wait until the other process has finished"
    if "full" in message:
        return "make room on the disk; everything acknowledged is kept"
    return "restore the cache from a copy"
