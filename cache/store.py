# pyright: reportUnknownMemberType=false, reportArgumentType=false
"""The store: records under their addresses, put once and kept."""

from __future__ import annotations

import itertools
import os
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import diskcache

from recuse.cache.canonical_json import CanonicalText
from recuse.cache.creation import create_cache
from recuse.cache.database import DATABASE, SETTINGS, plainly
from recuse.cache.disk import RecordDisk
from recuse.cache.reading import REMEDY, StoredRecords
from recuse.cache.records import Record, sealed_text
from recuse.errors import CacheError

if TYPE_CHECKING:
    from recuse.cache.verification import VerifyReport

__all__ = ["PutReport", "Store", "StoreStats"]


@dataclass(frozen=True, slots=True)
class PutReport:
    """What became of records that were put together."""

    n_added: int
    n_present: int
    """Records that were in the store already, word for word."""
    conflicts: tuple[str, ...]
    """Addresses under which the store holds another record; that one was kept."""


@dataclass(frozen=True, slots=True)
class StoreStats:
    """What a store holds."""

    n_records: int
    n_by_kind: dict[str, int]
    n_imported: int
    n_unreadable: int
    """Rows that are refused; ``verify`` says why."""
    n_bytes: int
    """Size of the database with its log."""


class Store(StoredRecords):
    """Records on disk, each under the hash of what was asked.

    Nothing is ever overwritten or deleted, and a record is on disk when ``put`` returns. Any number of
    processes and threads may read and write at once.

    Parameters
    ----------
    path
        The cache's directory.
    create
        Make the cache if there is none. Without it, opening and reading never write into the database.
    timeout
        Seconds to wait for another process that is writing.

    Raises
    ------
    CacheError
        There is no cache, or what is there is none that may be used.

    Examples
    --------
    >>> import tempfile
    >>> from recuse.cache.records import make_record
    >>> answer = make_record("answer", {"model": "m", "messages": []}, response={"text": "Yes."})
    >>> with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/cache", create=True) as store:
    ...     address = store.put(answer)
    ...     store.get(address)["response"]["text"], len(store)
    ('Yes.', 1)
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = False, timeout: float = 60) -> None:
        if create:
            create_cache(Path(path).resolve())
        super().__init__(path)
        self._timeout: Final = timeout
        self._owner: Final = threading.get_ident()
        self._cache: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; the store cannot be used afterwards."""
        with self._lock:
            if self._cache is not None:
                self._cache.close()
        super().close()

    def put(self, record: Record) -> str:
        """Store a record unless it is there, and give its address; when this returns, it is on disk.

        Raises
        ------
        CacheError
            The record's hashes are wrong, its judgment does not fit the schema, or its address holds
            another record, which is kept.
        """
        report = self.put_many([record])
        if report.conflicts:
            raise CacheError(
                f"{self.path} holds another record under the same address, which was kept",
                report.conflicts,
                "the same request had two outcomes: give repetitions their own replicate",
            )
        return record["address"]

    def put_many(
        self,
        records: Iterable[Record],
        *,
        batch: int = 1000,
        on_batch: Callable[[int], object] | None = None,
    ) -> PutReport:
        """Store many records, ``batch`` of them in one transaction.

        Parameters
        ----------
        records
            Records of :func:`recuse.cache.records.make_record`.
        batch
            Records that reach the disk together; after an interruption, whole batches are there.
        on_batch
            Called with the number of records of each batch once it is on disk.

        Raises
        ------
        CacheError
            As for :meth:`put`, but conflicts are reported and the other records stored.
        """
        counts: Counter[bool] = Counter()
        conflicts: list[str] = []
        remaining = iter(records)
        while chosen := list(itertools.islice(remaining, batch)):
            texts = [(record["address"], _checked_text(record)) for record in chosen]
            with self._writing() as cache:
                outcomes = [(address, _add(cache, address, text)) for address, text in texts]
            counts.update(outcome for _, outcome in outcomes if outcome is not None)
            conflicts += [address for address, outcome in outcomes if outcome is None]
            if on_batch is not None:
                on_batch(len(texts))
        return PutReport(counts[True], counts[False], tuple(conflicts))

    def verify(self, on_row: Callable[[], object] | None = None) -> VerifyReport:
        """Recompute every hash; see :func:`recuse.cache.verification.verify`."""
        from recuse.cache.verification import verify

        return verify(self, on_row)

    def stats(self, on_row: Callable[[], object] | None = None) -> StoreStats:
        """Count what the store holds; every record is read, and ``on_row`` called after each."""
        kinds: Counter[str] = Counter()
        n_imported = n_unreadable = 0
        for row in self.rows():
            try:
                record = self.record(row)
            except CacheError:
                n_unreadable += 1
            else:
                kinds[record["kind"]] += 1
                n_imported += record["imported"]
            if on_row is not None:
                on_row()
        files = (self.path / f"{DATABASE}{suffix}" for suffix in ("", "-wal"))
        n_bytes = sum(file.stat().st_size for file in files if file.exists())
        return StoreStats(kinds.total() + n_unreadable, dict(kinds), n_imported, n_unreadable, n_bytes)

    @contextmanager
    def _writing(self) -> Generator[Any]:
        """Hold one transaction: all that is added in it reaches the disk at its end, or nothing does."""
        try:
            with self._lock, plainly(self.path):
                if self._cache is None:
                    self._cache = self._writer()
                with self._cache.transact():
                    yield self._cache
                if threading.get_ident() != self._owner:
                    # diskcache keeps a connection for each thread, and nobody would close this one.
                    self._cache.close()
        except diskcache.Timeout:
            raise CacheError(
                f"{self.path}: another process has been writing for {self._timeout:g} seconds",
                remedy="try again when it has finished; nothing acknowledged is lost",
            ) from None

    def _writer(self) -> Any:  # noqa: ANN401
        """Open diskcache, which would hide or overwrite rows that have expired: there must be none."""
        expiring = self._select("WHERE expire_time IS NOT NULL LIMIT 4")
        if expiring:
            raise CacheError(
                f"{self.path} holds rows that expire and would be overwritten",
                [f"row {row.rowid}" for row in expiring],
                REMEDY,
            )
        return diskcache.Cache(str(self.path), timeout=self._timeout, disk=RecordDisk, **SETTINGS)


def _checked_text(record: Record) -> CanonicalText:
    if "judgment" in record:
        from recuse.cache.rows import check_judgment

        check_judgment(record["judgment"])
    return sealed_text(record)


def _add(cache: Any, address: str, text: CanonicalText) -> bool | None:  # noqa: ANN401
    """Add a record: True if it was not there, False if it was, None if its address holds another."""
    if cache.add(address, text):
        return True
    return False if cache.get(address) == text else None
