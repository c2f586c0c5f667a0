"""polars: streams files through this machine; always there."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from recuse.collectors.engines.files import Files, failure_of, with_folder_keys

__all__ = ["opened"]


@contextmanager
def opened(files: Files, scratch: Path) -> Generator[nw.LazyFrame[Any]]:
    """Open files; nothing is put down in ``scratch``.

    Raises
    ------
    SourceError
        polars cannot read them.
    """
    del scratch

    def scanned(paths: tuple[str, ...]) -> nw.LazyFrame[Any]:
        frame = _scan(files.file_format, paths).select(*files.texts, *files.whole)
        return nw.from_native(frame)

    try:
        yield with_folder_keys(files, scanned)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise failure_of("polars", files, error) from error


def _scan(file_format: str, paths: tuple[str, ...]) -> pl.LazyFrame:
    sources = list(paths)
    if file_format == "csv":
        return pl.scan_csv(sources, infer_schema=False, glob=False)
    if file_format == "jsonl":
        return pl.scan_ndjson(sources, infer_schema_length=None)
    return pl.scan_parquet(sources, glob=False, hive_partitioning=False)
