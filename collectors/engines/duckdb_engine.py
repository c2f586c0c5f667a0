"""DuckDB: one machine, and files larger than its memory, for it moves what does not fit to disk."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw

from recuse.collectors.engines.files import Files, failure_of, with_folder_keys

if TYPE_CHECKING:
    import duckdb

__all__ = ["opened"]

_PATTERN: Final = re.compile(r"([\[*?])")
"""Signs by which DuckDB takes a path for a pattern."""


@contextmanager
def opened(files: Files, scratch: Path) -> Generator[nw.LazyFrame[Any]]:
    """Open files in a database in memory that lasts as long as the context.

    Raises
    ------
    SourceError
        DuckDB cannot read them.
    """
    import duckdb

    with duckdb.connect(config={"temp_directory": str(scratch / "duckdb")}) as database:
        # Otherwise a bar appears on stdout after two seconds.
        database.execute("SET enable_progress_bar = false")

        def read(paths: tuple[str, ...]) -> nw.LazyFrame[Any]:
            relation = _read(database, files.file_format, paths)
            return nw.from_native(relation).select(*files.texts, *files.whole)

        try:
            yield with_folder_keys(files, read)
        except duckdb.Error as error:
            raise failure_of("DuckDB", files, error) from error


def _read(
    database: duckdb.DuckDBPyConnection, file_format: str, paths: tuple[str, ...]
) -> duckdb.DuckDBPyRelation:
    sources = [_PATTERN.sub(r"[\1]", path) for path in paths]
    if file_format == "csv":
        return database.read_csv(sources, header=True, all_varchar=True, na_values="")
    if file_format == "jsonl":
        return database.read_json(sources, format="newline_delimited", sample_size=-1)
    return database.read_parquet(sources, hive_partitioning=False)
