"""A cache as a source: its judgments as the raw table that every other source is, too."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from recuse.collectors.readers import ROW, RawTable
from recuse.errors import SourceError

__all__ = ["read_cache"]


def read_cache(folder: Path) -> RawTable:
    """Read the judgments of a cache, in the order in which they were stored.

    Parameters
    ----------
    folder
        The cache's directory. Its snapshot is brought up to date where it can be written.

    Returns
    -------
    RawTable
        ``sha256`` is the hash of what the cache holds, not of its files: two caches with the same judgments
        have the same.

    Raises
    ------
    CacheError
        The directory is no cache that may be used, or a row of it may not be read.
    SourceError
        It holds no judgments.
    """
    from recuse.cache.snapshot import content_hash, judgments
    from recuse.cache.store import Store

    with Store(folder) as store:
        frame = judgments(store)
        sha256 = content_hash(store)
    if frame.is_empty():
        raise SourceError(folder, "the cache holds no judgments", "recuse import or recuse collect fills it")
    words = pl.selectors.enum().cast(pl.String)
    return RawTable(frame.with_columns(words).with_row_index(ROW, offset=1), folder.name, "record", sha256)
