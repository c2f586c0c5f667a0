"""Caches shared through a folder or an object store: a union by address, in which nothing is overwritten.

The shared place holds Parquet files, each named by the hash of what is in it. A file of judgments has their
columns, so that it is a source by itself, and beside them the whole record as canonical JSON, by which each
hash can be recomputed on the other side.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from recuse.cache.records import Record, parse_record, sealed_text
from recuse.cache.replacing import replacing
from recuse.cache.rows import check_judgment, judgment_frame
from recuse.cache.snapshot import addressed_judgments
from recuse.cache.store import Store
from recuse.errors import CacheError

__all__ = ["Pulled", "Pushed", "pull", "push", "shared_files"]

_JUDGMENTS: Final = "judgments"
_OTHERS: Final = "others"
_RECORD: Final = {
    "address": pl.String(),
    "record_hash": pl.String(),
    "kind": pl.String(),
    "record": pl.String(),
}
_ROWS_AT_ONCE: Final = 20_000
_NOTHING_THERE: Final = ("expanded paths were empty", "no such file", "not found")
"""How polars says that no file of that name is in an object store."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """What became of a store's records on their way to a shared place."""

    n_pushed: int
    n_present: int
    conflicts: tuple[str, ...]
    """Addresses under which the place holds another record; neither was changed."""
    files: tuple[str, ...]
    """Files that were written."""


@dataclass(frozen=True, slots=True)
class Pulled:
    """What became of a shared place's records on their way into a store."""

    n_added: int
    n_present: int
    conflicts: tuple[str, ...]
    """Addresses under which the store holds another record; it was kept."""
    refused: tuple[str, ...]
    """Records whose hashes are not their own, each with the reason."""


def push(store: Store, place: str, on_row: Callable[[], object] | None = None) -> Pushed:
    """Put the records that a shared place lacks into new files there.

    Parameters
    ----------
    store
        The store.
    place
        A folder, which is made, or the URL of an object store that polars can write to (``s3://…``).
    on_row
        Called after each record.

    Raises
    ------
    CacheError
        A record may not be read or its hashes are not its own; the place cannot be read or written.
    """
    there = _hashes_at(place)
    mine = addressed_judgments(store, columns=["address", "record_hash"])
    known: dict[str, str] = dict(mine.iter_rows())
    lacking: dict[str, list[Record]] = {_JUDGMENTS: [], _OTHERS: []}
    n_present = 0
    conflicts: list[str] = []
    for row in store.rows():
        address, text = store.address_and_text(row)
        record_hash = known.get(address) or parse_record(text)["record_hash"]
        if address not in there:
            record = store.record(row)
            lacking[_JUDGMENTS if "judgment" in record else _OTHERS].append(record)
        elif there[address] == record_hash:
            n_present += 1
        else:
            conflicts.append(address)
        if on_row is not None:
            on_row()
    files = [_write(kind, records, place) for kind, records in lacking.items() if records]
    return Pushed(sum(map(len, lacking.values())), n_present, tuple(conflicts), tuple(files))


def pull(store: Store, place: str, on_row: Callable[[], object] | None = None) -> Pulled:
    """Take the records that a store lacks from a shared place.

    Every record is checked before it is stored: its address has to be the hash of its request, and its
    ``record_hash`` that of the rest.

    Parameters
    ----------
    store
        The store, which may be empty.
    place
        A folder or the URL of an object store.
    on_row
        Called after each record.

    Raises
    ------
    CacheError
        The place holds no shared records, or cannot be read.
    """
    files = shared_files(place)
    refused: list[str] = []

    def checked() -> Iterator[Record]:
        for address, text in _records_in(files):
            try:
                record = parse_record(text)
                sealed_text(record)
                if "judgment" in record:
                    check_judgment(record["judgment"])
            except CacheError as error:
                refused.append(f"{address}: {error}")
                continue
            finally:
                if on_row is not None:
                    on_row()
            yield record

    report = store.put_many(checked())
    return Pulled(report.n_added, report.n_present, tuple(dict.fromkeys(report.conflicts)), tuple(refused))


def shared_files(place: str) -> list[str]:
    """List the files of records in a shared place.

    Raises
    ------
    CacheError
        There is none, or the place cannot be read.
    """
    files = _files_at(place)
    if not files:
        raise CacheError(f"{place} holds no shared records", remedy="recuse cache push puts them there")
    return files


def _write(kind: str, records: list[Record], place: str) -> str:
    records = sorted(records, key=lambda record: record["address"])
    columns = {
        "address": [record["address"] for record in records],
        "record_hash": [record["record_hash"] for record in records],
        "kind": [record["kind"] for record in records],
        "record": [sealed_text(record) for record in records],
    }
    frame = pl.DataFrame(columns, schema=_RECORD)
    if kind == _JUDGMENTS:
        frame = judgment_frame(records).hstack(frame)
    lines = "".join(f"{record['address']} {record['record_hash']}\n" for record in records)
    name = f"{kind}-{hashlib.sha256(lines.encode()).hexdigest()}.parquet"
    if _is_url(place):
        file = f"{place.rstrip('/')}/{name}"
        with _plainly(place):
            frame.write_parquet(file)
        return file
    folder = Path(place)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(folder / name) as written:
            frame.write_parquet(written)
    except OSError as error:
        raise CacheError(
            f"{place} cannot be written: {error.strerror}", remedy="name another place"
        ) from error
    return str(folder / name)


def _hashes_at(place: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for file in _files_at(place):
        with _plainly(file):
            frame = pl.scan_parquet(file, glob=False).select("address", "record_hash").collect()
        found |= dict(frame.iter_rows())
    return found


def _records_in(files: Sequence[str]) -> Iterator[tuple[str, str]]:
    for file in files:
        with _plainly(file):
            texts = pl.scan_parquet(file, glob=False).select("address", "record")
            n_rows = texts.select(pl.len()).collect().item()
        for start in range(0, n_rows, _ROWS_AT_ONCE):
            with _plainly(file):
                portion = texts.slice(start, _ROWS_AT_ONCE).collect()
            yield from portion.iter_rows()


def _files_at(place: str) -> list[str]:
    """List the files of records, in the order of their names."""
    names = (f"{_JUDGMENTS}-*.parquet", f"{_OTHERS}-*.parquet")
    if not _is_url(place):
        folder = Path(place)
        if folder.exists() and not folder.is_dir():
            raise CacheError(f"{place} is a file", remedy="name the folder that is shared")
        return sorted(str(file) for name in names for file in folder.glob(name))
    return sorted(file for name in names for file in _listed(f"{place.rstrip('/')}/{name}"))


def _listed(pattern: str) -> list[str]:
    path = "file of the record"
    try:
        with _plainly(pattern):
            scanned = pl.scan_parquet(pattern, include_file_paths=path).select(path).unique()
            return scanned.collect()[path].to_list()
    except CacheError as error:
        if any(words in str(error).lower() for words in _NOTHING_THERE):
            return []
        raise


def _is_url(place: str) -> bool:
    return "://" in place


@contextmanager
def _plainly(place: str) -> Generator[None]:
    """Turn what polars raises on files and object stores into one line about the place."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise CacheError(
            f"{place} cannot be used ({first})", remedy="check the place and your access to it"
        ) from error
