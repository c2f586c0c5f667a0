"""The columnar snapshot: a store's judgments as one Parquet file, to be read in place of its rows.

It is derived: brought up to date whenever it is read, made anew when it does not belong to the store as it
is, and safe to delete at any time.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import polars as pl
from dataframely.exc import ValidationError

from recuse.cache.disk import StoredRow
from recuse.cache.records import Record
from recuse.cache.replacing import replacing
from recuse.cache.rows import JUDGMENT_TYPES, judgment_frame
from recuse.cache.store import Store
from recuse.schema import JudgmentFrame, Judgments

__all__ = [
    "SNAPSHOT",
    "addressed_judgments",
    "content_hash",
    "differs_from_rows",
    "judgments",
    "rebuild",
    "refresh",
]

SNAPSHOT: Final = "snapshot.parquet"
"""Name of the file in the cache's directory."""

_ADDRESSES: Final = {"address": pl.String(), "record_hash": pl.String()}
_SCHEMA: Final = pl.Schema({**_ADDRESSES, **JUDGMENT_TYPES})
_METADATA_KEY: Final = "recuse.snapshot"
_VERSION: Final = 1
_ROWS_AT_ONCE: Final = 20_000
_ROWS_IN_A_GROUP: Final = 25_000
"""Groups are decompressed side by side; with lz4 and this size, long texts are read fastest."""


@dataclass(frozen=True, slots=True)
class _Extent:
    """Up to where a snapshot has followed its store, and how to see that it is still the same one."""

    version: int
    last_rowid: int
    n_rows: int
    """Rows of the store, judgments or not."""
    n_judgments: int
    first_address: str
    last_address: str


def judgments(store: Store) -> JudgmentFrame:
    """Give every judgment of a store, in the order in which they were stored.

    Reads the snapshot after bringing it up to date. Where the cache cannot be written, the rows that the
    snapshot lacks are read each time.

    Raises
    ------
    CacheError
        A row may not be read, or its judgment does not fit the schema.
    """
    frame = addressed_judgments(store, columns=Judgments.column_names())
    try:
        return Judgments.validate(frame)
    except ValidationError:
        return Judgments.validate(_made_anew(store).select(Judgments.column_names()))


def addressed_judgments(store: Store, *, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Give the judgments with the ``address`` and ``record_hash`` of their records before the columns.

    Parameters
    ----------
    store
        The store.
    columns
        Those wanted; all by default.
    """
    wanted = list(columns or _SCHEMA)
    path = store.path / SNAPSHOT
    extent = _extent_of(path)
    if extent is not None and _belongs(extent, store):
        if store.extent() == (extent.last_rowid, extent.n_rows):
            frame = _read(path, wanted)
            if frame is not None and frame.height == extent.n_judgments:
                return frame
        else:
            extended = _extended(store, path, extent)
            if extended is not None:
                return extended.select(wanted)
    return _made_anew(store).select(wanted)


def refresh(store: Store) -> int:
    """Bring the snapshot up to date and give the number of judgments in it."""
    return addressed_judgments(store, columns=["address"]).height


def rebuild(store: Store) -> int:
    """Make the snapshot anew from all rows and give the number of judgments in it."""
    return _made_anew(store).height


def content_hash(store: Store) -> str:
    """Hash what a store holds of judgments: equal for two stores with the same ones, in whatever order.

    SHA-256 of the sorted lines ``address record_hash``.
    """
    lines = addressed_judgments(store, columns=list(_ADDRESSES)).sort("address")
    text = lines.select(pl.concat_str("address", pl.lit(" "), "record_hash", pl.lit("\n"))).to_series()
    return hashlib.sha256("".join(text.to_list()).encode()).hexdigest()


def differs_from_rows(store: Store, on_row: Callable[[], object] | None = None) -> str | None:
    """Compare the snapshot with the rows it was made from; say in words how they differ, or None.

    A snapshot that is not there, or lacks the newest rows, does not differ.
    """
    path = store.path / SNAPSHOT
    if not path.exists():
        return None
    extent = _extent_of(path)
    if extent is None or not _belongs(extent, store):
        return "the snapshot does not belong to this store"
    held = _read(path, list(_SCHEMA))
    if held is None:
        return "the snapshot cannot be read"
    n_compared = 0
    for _, frame in _frames(store, None, extent.last_rowid, on_row):
        if not frame.equals(held.slice(n_compared, frame.height)):
            return "the snapshot holds other judgments than the rows"
        n_compared += frame.height
    return None if n_compared == held.height else "the snapshot holds more judgments than the rows"


def _belongs(extent: _Extent, store: Store) -> bool:
    first, last = store.row(), store.row(extent.last_rowid)
    return (
        first is not None
        and last is not None
        and (first.key, last.key) == (extent.first_address, extent.last_address)
    )


def _extended(store: Store, path: Path, extent: _Extent) -> pl.DataFrame | None:
    """Append the rows behind the snapshot's; None if its rows are not all those before them."""
    last_rowid, n_rows = store.extent()
    if last_rowid is None or last_rowid < extent.last_rowid:
        return None
    parts = list(_frames(store, extent.last_rowid, last_rowid))
    held = _read(path, list(_SCHEMA))
    if held is None or held.height != extent.n_judgments:
        return None
    if extent.n_rows + sum(n for n, _ in parts) != n_rows:
        return None
    frame = pl.concat([held, *(frame for _, frame in parts)])
    _write(frame, store, last_rowid, n_rows)
    return frame


def _made_anew(store: Store) -> pl.DataFrame:
    last_rowid, n_rows = store.extent()
    if last_rowid is None:
        return pl.DataFrame(schema=_SCHEMA)
    frame = pl.concat([pl.DataFrame(schema=_SCHEMA), *(part for _, part in _frames(store, None, last_rowid))])
    _write(frame, store, last_rowid, n_rows)
    return frame


def _frames(
    store: Store, after: int | None, upto: int, on_row: Callable[[], object] | None = None
) -> Iterator[tuple[int, pl.DataFrame]]:
    """Read rows in portions: the number of rows of each, and the judgments among them."""
    rows = store.rows(after, upto)
    while portion := list(itertools.islice(rows, _ROWS_AT_ONCE)):
        yield len(portion), _frame(store, portion, on_row)


def _frame(store: Store, rows: Sequence[StoredRow], on_row: Callable[[], object] | None) -> pl.DataFrame:
    records: list[Record] = []
    for row in rows:
        record = store.record(row)
        if "judgment" in record:
            records.append(record)
        if on_row is not None:
            on_row()
    addresses = {name: [record[name] for record in records] for name in ("address", "record_hash")}
    frame = judgment_frame(records)
    return pl.DataFrame(addresses, schema=_ADDRESSES).hstack(frame)


def _extent_of(path: Path) -> _Extent | None:
    """Read how far a snapshot goes; None if there is none, or none that this version understands."""
    try:
        metadata = pl.read_parquet_metadata(path)
        extent = _Extent(**json.loads(metadata[_METADATA_KEY]))
    except (
        OSError,
        KeyError,
        TypeError,
        ValueError,
        pl.exceptions.PolarsError,
        pl.exceptions.PanicException,
    ):
        return None
    return extent if extent.version == _VERSION else None


def _read(path: Path, columns: list[str]) -> pl.DataFrame | None:
    """Read columns of a snapshot; None if they are not there or not of their types."""
    try:
        frame = pl.read_parquet(path, columns=columns, glob=False)
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    return frame if frame.schema == pl.Schema({name: _SCHEMA[name] for name in columns}) else None


def _write(frame: pl.DataFrame, store: Store, last_rowid: int, n_rows: int) -> None:
    """Replace the snapshot, unless the cache lies where nothing can be written."""
    first, last = store.row(), store.row(last_rowid)
    if first is None or last is None:
        return
    extent = _Extent(_VERSION, last_rowid, n_rows, frame.height, str(first.key), str(last.key))
    try:
        with replacing(store.path / SNAPSHOT) as written:
            frame.write_parquet(
                written,
                compression="lz4",
                row_group_size=_ROWS_IN_A_GROUP,
                metadata={_METADATA_KEY: json.dumps(asdict(extent))},
            )
    except OSError:
        return
