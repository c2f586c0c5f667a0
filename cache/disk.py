# pyright: reportUnknownMemberType=false, reportIncompatibleMethodOverride=false
"""What diskcache may write into a cache and read from it: text rows inside the database, nothing else.

diskcache pickles what it has no column for and puts large values into files whose names stand in the rows.
A cache made by somebody else could so run code when it is read, or delete any file when a row of it is
overwritten or removed. Here every such row is refused.
"""

from __future__ import annotations

from typing import Final, NamedTuple, NoReturn

import diskcache
from diskcache.core import MODE_RAW, UNKNOWN

from recuse.cache.canonical_json import CanonicalText, canonical
from recuse.cache.records import is_address, parse_record
from recuse.errors import CacheError

__all__ = ["LARGER_THAN_ANY_RECORD", "RecordDisk", "StoredRow", "read_address", "read_text"]

LARGER_THAN_ANY_RECORD: Final = 2**31 - 1
"""Bytes from which diskcache would write a file; SQLite itself refuses a value of half of this."""


class StoredRow(NamedTuple):
    """A row of the table ``Cache`` as SQLite gives it."""

    rowid: int
    key: object
    raw: object
    expire_time: object
    mode: object
    filename: object
    value: object


class RecordDisk(diskcache.Disk):  # type: ignore[misc]
    """Addresses as keys and canonical JSON text as values; no pickle, no file."""

    def put(self, key: object) -> tuple[str, bool]:
        """Admit an address as a key."""
        if not is_address(key):
            raise CacheError("a key of the cache is the hexadecimal SHA-256 of a request", [repr(key)])
        return str(key), True

    def get(self, key: object, raw: object) -> str:
        """Read a key of the database; a pickled one, or one that is no address, is refused."""
        if raw != 1:
            raise CacheError("the key is pickled, and reading it could run code")
        if not isinstance(key, str) or not is_address(key):
            raise CacheError("the key is no address", [repr(key)[:80]])
        return key

    def store(self, value: object, read: object, key: object = UNKNOWN) -> tuple[int, int, None, str]:
        """Admit canonical JSON text as a value, to be kept in the row."""
        del key
        if read or not isinstance(value, str):
            raise CacheError("only the canonical JSON text of a record is stored")
        if not isinstance(value, CanonicalText) and canonical(parse_record(value)) != value:
            raise CacheError("the text of the record is not canonical JSON")
        return 0, MODE_RAW, None, str(value)

    def fetch(self, mode: object, filename: object, value: object, read: object) -> str:
        """Read a value of the database; a pickled one, a file or anything but text is refused."""
        if filename is not None:
            _refuse_file(filename)
        if mode != MODE_RAW:
            raise CacheError("the value is pickled or in a file, and reading it could run code")
        if read or not isinstance(value, str):
            raise CacheError("the value is no text")
        return value

    def filename(self, key: object = UNKNOWN, value: object = UNKNOWN) -> NoReturn:
        """Refuse to name a file: no record is kept in one."""
        del key, value
        raise CacheError("a record is never kept in a file")

    def remove(self, file_path: object) -> NoReturn:
        """Refuse to delete the file that a row names: it was not written by this program."""
        _refuse_file(file_path)


def read_address(disk: RecordDisk, row: StoredRow) -> str:
    """Give the address of a row.

    Raises
    ------
    CacheError
        The key is pickled or no address.
    """
    return disk.get(row.key, row.raw)


def read_text(disk: RecordDisk, row: StoredRow) -> str:
    """Give the record's text of a row.

    Raises
    ------
    CacheError
        The row is pickled, names a file, holds no text or has a time at which diskcache would delete it.
    """
    if row.expire_time is not None:
        raise CacheError("the row expires, and records are kept")
    return disk.fetch(row.mode, row.filename, row.value, read=False)


def _refuse_file(filename: object) -> NoReturn:
    raise CacheError("the row names a file, which could be any file", [repr(filename)[:80]])
