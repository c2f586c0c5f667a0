"""Parquet that may be too large to load, found and not read: files, folders, hive partitions, addresses."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import polars as pl

from recuse.cache.database import DATABASE
from recuse.collectors.object_store import is_address, shown_address, unreadable
from recuse.collectors.readers import ROW, format_of, stem_of
from recuse.errors import ConfigurationError, SourceError
from recuse.schema import Judgments

__all__ = ["LARGE", "ParquetFile", "Partitions", "parquet_at", "parquet_in", "parquet_of", "to_stream"]

LARGE: Final = 2_000_000
"""Rows from which a source of Parquet is streamed unless told otherwise."""
_KEY: Final = re.compile(r"^([^=/]+)=(.*)$")
_HIVE_NULL: Final = "__HIVE_DEFAULT_PARTITION__"
_PATH: Final = "#path"


@dataclass(frozen=True, slots=True)
class ParquetFile:
    """One file, of which only the metadata has been read."""

    address: str
    """Where polars opens it."""
    name: str
    """What messages and the manifest call it: no query, no credentials."""
    n_rows: int
    columns: Mapping[str, pl.DataType]
    """The columns in the file."""
    keys: Mapping[str, str | None]
    """Columns of the schema that the folders' names give, ``study=…/probe=…``."""

    def scan(self) -> pl.LazyFrame:
        """Open it with the columns that its folders give beside its own."""
        return _scan(self.address).with_columns(
            pl.lit(value, dtype=pl.String).alias(name) for name, value in self.keys.items()
        )

    def all_columns(self) -> dict[str, pl.DataType]:
        """Give every column, those of the folders' names included."""
        return {**self.columns, **dict.fromkeys(self.keys, pl.String())}


@dataclass(frozen=True, slots=True)
class Partitions:
    """The files of one source."""

    name: str
    """Name of the study where neither rows nor ``study.toml`` give one."""
    files: tuple[ParquetFile, ...]
    folder: Path | None = None
    """Where ``study.toml`` and the tables of answers and tasks may lie."""

    @property
    def n_rows(self) -> int:
        """Judgments, or reduced comparisons, in all files."""
        return sum(file.n_rows for file in self.files)


def parquet_of(source: str) -> Partitions | None:
    """Find the Parquet files that SOURCE names; None if it names something else.

    Parameters
    ----------
    source
        A Parquet file, a folder with Parquet files at any depth, a study's folder whose judgments are Parquet
        (one file, or a folder ``judgments``), or an address ``s3://``, ``gs://``, ``az://``, ``https://``.

    Raises
    ------
    SourceError
        A file cannot be opened or is no Parquet, or an address leads nowhere.
    """
    if is_address(source):
        return parquet_at(source)
    path = Path(source.removeprefix("parquet:"))
    if path.is_dir():
        return parquet_in(path)
    if not path.is_file() or not (_is_parquet(path) or source.startswith("parquet:")):
        return None
    return Partitions(stem_of(path), (_opened(str(path), path.name, {}),))


def to_stream(sources: Sequence[str], *, wanted: bool | None) -> Partitions | None:
    """Decide whether a report reads its sources in parts.

    Parameters
    ----------
    sources
        What the command line names.
    wanted
        True or False where a person said so; None leaves it to the size: from ``LARGE`` rows on.

    Returns
    -------
    Partitions or None
        The files to stream; None to load the sources whole.

    Raises
    ------
    ConfigurationError
        Parts are asked for and there are several sources, or one that is no Parquet.
    """
    if wanted is False:
        return None
    if len(sources) != 1:
        if wanted:
            raise ConfigurationError("--stream reads one source", "name a file, folder or address of Parquet")
        return None
    found = parquet_of(sources[0])
    if wanted and found is None:
        raise ConfigurationError(
            f"{sources[0]} cannot be read in parts: it is no Parquet",
            "write it as Parquet or leave out --stream",
        )
    return found if found is not None and (wanted or found.n_rows >= LARGE) else None


def parquet_in(folder: Path) -> Partitions | None:
    """Find the Parquet files of judgments in a folder; None for a cache, a study of another format, or none.

    Files and folders whose names begin with a dot or an underscore, and tables of answers and tasks, are
    passed over.
    """
    if (folder / DATABASE).exists():
        return None
    name = folder.resolve().name
    own = [path for path in sorted(folder.iterdir()) if stem_of(path) == "judgments"]
    files = [path for path in own if path.is_file() and format_of(path)]
    if len(files) > 1 or any(not _is_parquet(path) for path in files):
        return None
    paths = files or [path for one in own if one.is_dir() for path in _below(one)] or _below(folder)
    if not paths:
        return None
    opened = [_opened(str(path), f"{name}/{path.relative_to(folder)}", _keys(path, folder)) for path in paths]
    return Partitions(name, tuple(opened), folder)


def _is_parquet(path: Path) -> bool:
    return format_of(path) == "parquet" and path.suffix != ".gz"


def _below(folder: Path) -> list[Path]:
    return [
        path
        for path in sorted(folder.rglob("*"))
        if _is_parquet(path)
        and path.is_file()
        and not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
        and not (path.parent == folder and stem_of(path) in {"answers", "tasks"})
    ]


def _keys(path: Path, folder: Path) -> dict[str, str | None]:
    return _keys_of(path.relative_to(folder).parts[:-1])


def _keys_of(parts: Sequence[str]) -> dict[str, str | None]:
    known = Judgments.columns()
    pairs = [found.groups() for part in parts if (found := _KEY.match(part))]
    return {name: None if value == _HIVE_NULL else unquote(value) for name, value in pairs if name in known}


def parquet_at(address: str) -> Partitions:
    """Find the Parquet files at or below an address.

    Raises
    ------
    SourceError
        It leads nowhere, or to something else.
    """
    # polars finds the region of a bucket out by itself, and says so at each scan.
    warnings.filterwarnings("ignore", r"'\(default_\)region' not set", UserWarning)
    shown = shown_address(address)
    path = urlsplit(address).path
    single = format_of(Path(path)) == "parquet" or address.lower().startswith("http")
    if single and "*" not in path:
        parts = path.split("/")
        return Partitions(stem_of(Path(path)) or shown, (_opened(address, shown, _keys_of(parts[:-1])),))
    below = address if "*" in path else address.rstrip("/") + "/**/*.parquet"
    try:
        there = (
            pl.scan_parquet(below, include_file_paths=_PATH, hive_partitioning=False)
            .select(_PATH)
            .unique()
            .collect()
        )
    except (OSError, pl.exceptions.PolarsError) as error:
        raise unreadable(shown, error) from error
    files = [
        _opened(one, shown_address(one), _keys_of(urlsplit(one).path.split("/")[:-1]))
        for one in map(str, there[_PATH].sort())
    ]
    if not files:
        raise SourceError(shown, "there is no Parquet file below it", "check the address")
    named = [part for part in path.split("/") if part and "*" not in part]
    name = named[-1] if named else urlsplit(address).netloc
    return Partitions(name, tuple(files))


def _opened(address: str, name: str, keys: Mapping[str, str | None]) -> ParquetFile:
    try:
        scanned = _scan(address)
        columns = dict(scanned.collect_schema())
        n_rows = int(scanned.select(pl.len()).collect().item())
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise unreadable(name, error) from error
    if ROW in columns:
        raise SourceError(name, f"it has a column {ROW}, which is used for the numbers of rows", "rename it")
    own = {key: value for key, value in keys.items() if key not in columns}
    return ParquetFile(address, name, n_rows, columns, own)


def _scan(address: str) -> pl.LazyFrame:
    return pl.scan_parquet(address, glob=False, hive_partitioning=False)
