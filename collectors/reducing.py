"""From a source to a reduced table on disk: an engine counts, the counts are checked, and sorted by keys."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import narwhals as nw
import polars as pl

from recuse.analysis.reduction import COUNTS, REDUCED, REDUCED_KEYS, REDUCED_LENGTHS, reduced, said
from recuse.cache.replacing import replacing
from recuse.collectors.engines.finding import Found, find
from recuse.collectors.engines.registry import engine_named
from recuse.collectors.reduced_tables import REDUCED_TYPES
from recuse.collectors.reduction_faults import refuse_faults
from recuse.errors import ConfigurationError

__all__ = ["Reduction", "reduce_source"]

_ROWS_PER_GROUP: Final = 250_000
"""Set, so that a file does not depend on how many threads wrote it."""
_TEXTS: Final = [name for name, dtype in REDUCED_TYPES.items() if dtype == pl.String()]


@dataclass(frozen=True, slots=True)
class Reduction:
    """What a reduction came to."""

    n_judgments: int
    n_comparisons: int
    n_bytes: int
    """Size of the reduced table's file."""
    notes: tuple[str, ...]


def reduce_source(
    source: str, out: Path, *, engine: str = "polars", study_file: Path | None = None
) -> Reduction:
    """Reduce a source to one row of counts per comparison and write it as Parquet.

    Parameters
    ----------
    source
        What ``recuse.collectors.engines.finding.find`` finds.
    out
        The Parquet file. It is the same, whatever engine counted.
    engine
        ``polars``, ``duckdb``, ``dask`` or ``spark``.
    study_file
        A ``study.toml`` with aliases and a name.

    Raises
    ------
    SourceError
        The source cannot be found or read, or rows of it are no judgments, or are there twice.
    ConfigurationError
        The engine is not installed, or the file cannot be written.
    UnknownNameError
        There is no engine of that name.
    """
    opened = engine_named(engine)
    if out.suffix.lower() not in {".parquet", ".pq"}:
        raise ConfigurationError(
            f"a reduced table is written as Parquet, and {out.name} is not", "name it .parquet"
        )
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".recuse-reduce-", dir=out.parent.resolve()) as folder:
        scratch = Path(folder)
        found = find(source, engine=engine, study_file=study_file, scratch=scratch)
        if any(Path(path).resolve() == out.resolve() for _, paths in found.files.groups for path in paths):
            raise ConfigurationError(f"{out} is the source", "give --out another name")
        with opened(found.files, scratch) as judgments:
            counted = _counted(judgments, found, scratch)
            refuse_faults(counted, lambda: _words(judgments, scratch), found.files.name)
        n_judgments, n_comparisons = (
            counted.select(pl.col("n_presentations").sum(), pl.len()).collect().row(0)
        )
        with replacing(out) as written:
            _sorted(counted).sink_parquet(written, row_group_size=_ROWS_PER_GROUP)
    return Reduction(n_judgments, n_comparisons, out.stat().st_size, found.notes)


def _counted(judgments: nw.LazyFrame[Any], found: Found, scratch: Path) -> pl.LazyFrame:
    """Have the engine count and put the counts down, in as many files as it likes."""
    counts = scratch / "counted.parquet"
    reduced(judgments, study=found.study, aliases=found.aliases).sink_parquet(str(counts))
    files = sorted(counts.glob("*.parquet")) if counts.is_dir() else [counts]
    # pandas has no integers for a column of nulls.
    return pl.concat(
        (pl.scan_parquet(file, glob=False).select(REDUCED).cast(REDUCED_TYPES) for file in files),
        how="vertical",
    )


def _words(judgments: nw.LazyFrame[Any], scratch: Path) -> pl.DataFrame:
    words = scratch / "said.parquet"
    said(judgments).sink_parquet(str(words))
    return pl.read_parquet(words / "*.parquet" if words.is_dir() else words)


def _sorted(counted: pl.LazyFrame) -> pl.LazyFrame:
    """Sort by the keys, as places in the alphabet and beside narrow counts: it takes less memory."""
    narrow = counted.with_columns(
        pl.col("n_presentations", *COUNTS).cast(pl.UInt8), pl.col(REDUCED_LENGTHS).cast(pl.Int32)
    )
    for name in _TEXTS:
        there = counted.select(pl.col(name).unique()).collect(engine="streaming")[name].drop_nulls().sort()
        narrow = narrow.with_columns(pl.col(name).cast(pl.Enum(there)))
    return narrow.sort(REDUCED_KEYS).cast(REDUCED_TYPES)
