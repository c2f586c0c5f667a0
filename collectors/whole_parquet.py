"""Several Parquet files, or one at an address, read whole into one table."""

from __future__ import annotations

import hashlib
from pathlib import Path

import polars as pl

from recuse.collectors.object_store import is_address, known_of, unreadable
from recuse.collectors.partitions import ParquetFile, Partitions
from recuse.collectors.readers import ROW, RawTable
from recuse.errors import SourceError

__all__ = ["identity_of", "read_whole"]


def read_whole(partitions: Partitions) -> tuple[RawTable, dict[str, str]]:
    """Read all files into one table; give what is known of each file's content beside it.

    Rows are numbered as in their file where there is one, else through the files in their order.

    Raises
    ------
    SourceError
        A file cannot be read, or a column is of kinds that do not go together.
    """
    files = partitions.files
    name = files[0].name if len(files) == 1 else partitions.name
    try:
        frames = [file.scan().collect() for file in files]
        frame = pl.concat(frames, how="diagonal_relaxed")
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise unreadable(name, error) from error
    if frame.is_empty():
        raise SourceError(name, "the files have no rows", "give Parquet with at least one row")
    table = RawTable(frame.with_row_index(ROW, offset=1), name, "row", "")
    return table, {file.name: identity_of(file) for file in files}


def identity_of(file: ParquetFile) -> str:
    """Hash the bytes of a file; of an address say what its server knows."""
    if is_address(file.address):
        return known_of(file.address)
    with Path(file.address).open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
