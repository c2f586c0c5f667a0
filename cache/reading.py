"""Reading a store: rows as they are, and the records in those that may be read."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from recuse.cache.canonical_json import canonical
from recuse.cache.database import open_database, plainly
from recuse.cache.disk import RecordDisk, StoredRow, read_address, read_text
from recuse.cache.records import Record, is_address, parse_record
from recuse.errors import CacheError

__all__ = ["REMEDY", "StoredRecords"]

REMEDY: Final = "do not use this cache; recuse cache verify lists all such rows"

_SELECT: Final = "SELECT rowid, key, raw, expire_time, mode, filename, value FROM Cache"
_SELECT_KEYS: Final = "SELECT rowid, key, raw, NULL, NULL, NULL, NULL FROM Cache"
_EXTENT: Final = "SELECT MAX(rowid), (SELECT value FROM Settings WHERE key = 'count') FROM Cache"
"""The triggers keep count; to count anew would take as long as to read a snapshot."""
_FIRST_ROWID: Final = -(2**63)
_LAST_ROWID: Final = 2**63 - 1
_ROWS_READ_AT_ONCE: Final = 100


class StoredRecords:
    """The records of a cache, opened so that nothing can be written.

    Parameters
    ----------
    path
        The cache's directory.

    Raises
    ------
    CacheError
        There is no cache, or what is there is none that may be used.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path: Final = Path(path).resolve()
        self._disk: Final = RecordDisk(str(self.path))
        self._lock: Final = threading.RLock()
        self._con = open_database(self.path)
        self._pid = os.getpid()
        self._parents: list[object] = []

    def close(self) -> None:
        """Close the database; nothing can be read afterwards."""
        with self._lock:
            self._con.close()

    def __len__(self) -> int:
        return self.extent()[1]

    def __contains__(self, address: object) -> bool:
        return is_address(address) and bool(self._select("WHERE key = ?", address))

    def get(self, address: str) -> Record | None:
        """Give the record under an address, or None.

        Raises
        ------
        CacheError
            The row may not be read.
        """
        rows = self._select("WHERE key = ?", address)
        return self.record(rows[0]) if rows else None

    def addresses(self) -> Iterator[str]:
        """Give every address, in the order in which the records were stored.

        Raises
        ------
        CacheError
            A key is pickled or no address.
        """
        for row in self._walk(_SELECT_KEYS, None, _LAST_ROWID):
            with self._named(row):
                address = read_address(self._disk, row)
            yield address

    def records(self) -> Iterator[Record]:
        """Give every record, in the order in which they were stored.

        Raises
        ------
        CacheError
            A row may not be read.
        """
        return map(self.record, self.rows())

    def records_of(self, kind: str) -> Iterator[Record]:
        """Give the records of one kind, in the order in which they were stored; the others are not parsed.

        Raises
        ------
        CacheError
            A row of the kind may not be read.
        """
        member = canonical({"kind": kind})[1:-1]
        for row in self._select("WHERE instr(value, ?) > 0 ORDER BY rowid", member):
            record = self.record(row)
            if record["kind"] == kind:
                yield record

    def record(self, row: StoredRow) -> Record:
        """Give the record of a row.

        Raises
        ------
        CacheError
            The row may not be read or holds no record of its address; the message names it.
        """
        with self._named(row):
            address, text = self.address_and_text(row)
            record = parse_record(text)
            if record["address"] != address:
                raise CacheError("the record is stored under another address than its own")
            return record

    def address_and_text(self, row: StoredRow) -> tuple[str, str]:
        """Give address and text of a row.

        Raises
        ------
        CacheError
            The row may not be read; the message says why and not where.
        """
        return read_address(self._disk, row), read_text(self._disk, row)

    def rows(self, after: int | None = None, upto: int = _LAST_ROWID) -> Iterator[StoredRow]:
        """Give the rows as they are, unchecked, from behind one ``rowid`` up to another."""
        return self._walk(_SELECT, after, upto)

    def row(self, rowid: int | None = None) -> StoredRow | None:
        """Give one row as it is, unchecked; by default the first."""
        rows = (
            self._select("ORDER BY rowid LIMIT 1")
            if rowid is None
            else self._select("WHERE rowid = ?", rowid)
        )
        return rows[0] if rows else None

    def extent(self) -> tuple[int | None, int]:
        """Give the last ``rowid`` and the number of rows, as of one moment."""
        last, count = self._fetch(_EXTENT)[0]
        return last, count

    def damage(self) -> list[str]:
        """Let SQLite look for damage in its file; an empty list means that it found none."""
        found = [message for (message,) in self._fetch("PRAGMA quick_check(10)")]
        return [] if found == ["ok"] else found

    @contextmanager
    def _named(self, row: StoredRow) -> Generator[None]:
        try:
            yield
        except CacheError as error:
            raise CacheError(f"{self.path}, row {row.rowid}: {error}", remedy=REMEDY) from None

    def _walk(self, select: str, after: int | None, upto: int) -> Iterator[StoredRow]:
        """Go through the rows in portions, so that neither a lock nor much memory is held on the way."""
        first = _FIRST_ROWID if after is None else after + 1
        portion = f"{select} WHERE rowid BETWEEN ? AND ? ORDER BY rowid LIMIT {_ROWS_READ_AT_ONCE}"
        while first <= upto:
            rows = [StoredRow(*row) for row in self._fetch(portion, first, upto)]
            yield from rows
            if len(rows) < _ROWS_READ_AT_ONCE:
                return
            first = rows[-1].rowid + 1

    def _select(self, clause: str, *values: object) -> Sequence[StoredRow]:
        return [StoredRow(*row) for row in self._fetch(f"{_SELECT} {clause}", *values)]

    def _fetch(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock, plainly(self.path):
            if os.getpid() != self._pid:
                # A connection does not survive a fork, and the child must not close its parent's.
                self._parents.append(self._con)
                self._con, self._pid = open_database(self.path), os.getpid()
            return self._con.execute(statement, values).fetchall()
