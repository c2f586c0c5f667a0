"""Verification: every address still the hash of its request, every record still what was hashed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from recuse.cache.disk import StoredRow
from recuse.cache.records import parse_record, written
from recuse.cache.rows import check_judgment
from recuse.cache.store import Store
from recuse.errors import CacheError

__all__ = ["Failure", "VerifyReport", "verify"]


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing in a cache that is not as it was put there."""

    rowid: int | None
    """Row of the database; None where the failure is not one row's."""
    address: str | None
    problem: str


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What was looked at, and what failed."""

    n_rows: int
    failures: tuple[Failure, ...]

    @property
    def ok(self) -> bool:
        """Tell whether nothing failed."""
        return not self.failures


def verify(store: Store, on_row: Callable[[], object] | None = None) -> VerifyReport:
    """Recompute address and hash of every record, and compare the snapshot with the rows.

    Rows that may not be read are listed with the rest, and do not stop it.

    Parameters
    ----------
    store
        The store.
    on_row
        Called after each row.
    """
    failures: list[Failure] = []
    n_rows = 0
    try:
        failures += [Failure(None, None, f"the database is damaged: {problem}") for problem in store.damage()]
        for row in store.rows():
            n_rows += 1
            address = row.key if isinstance(row.key, str) else None
            failures += [Failure(row.rowid, address, problem) for problem in _problems(store, row)]
            if on_row is not None:
                on_row()
        if not failures:
            failures += _failures_of_snapshot(store)
    except CacheError as error:
        failures.append(Failure(None, None, f"{error} (after {n_rows:,} rows)"))
    return VerifyReport(n_rows, tuple(failures))


def _problems(store: Store, row: StoredRow) -> Iterator[str]:
    try:
        address, text = store.address_and_text(row)
        record = parse_record(text)
        rewritten = written(record)
        if rewritten.text != text:
            yield "the text is not canonical JSON"
        if record["address"] != address:
            yield "the record is stored under another address than its own"
        if record["address"] != rewritten.address:
            yield "the address is not the hash of the request"
        if record["record_hash"] != rewritten.record_hash:
            yield "the record is not the one that was hashed"
        if "judgment" in record:
            check_judgment(record["judgment"])
    except CacheError as error:
        yield str(error)


def _failures_of_snapshot(store: Store) -> list[Failure]:
    from recuse.cache.snapshot import SNAPSHOT, differs_from_rows

    difference = differs_from_rows(store)
    return [Failure(None, None, f"{difference}: delete {SNAPSHOT}")] if difference else []
