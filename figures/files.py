"""The files of a run: estimates, comparisons and the manifest, each written whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, Final

import polars as pl

from recuse.schema import ComparisonFrame, Comparisons, EstimateFrame

__all__ = [
    "safe_for_spreadsheets",
    "write_comparison_parts",
    "write_comparisons",
    "write_estimates",
    "write_judgment_plan",
    "write_manifest",
    "write_specifications",
    "write_text",
]

MOST_LISTED: Final = 100_000
"""Judge calls up to which the whole list is written."""
_FORMULA_STARTS: Final = r"^[=+\-@\t\r]"


def write_estimates(estimates: EstimateFrame, out: Path) -> list[Path]:
    """Write ``estimates.parquet`` and ``estimates.csv`` into the folder; return both paths.

    The Parquet file holds the frame as it is. In the CSV file a text cell that a spreadsheet would run
    as a formula begins with an apostrophe; numbers are untouched.
    """
    parquet, csv = out / "estimates.parquet", out / "estimates.csv"
    _whole(parquet, lambda path: estimates.lazy().collect().write_parquet(path))
    _whole(csv, lambda path: safe_for_spreadsheets(estimates.lazy().collect()).write_csv(path))
    return [parquet, csv]


def write_comparisons(comparisons: ComparisonFrame, out: Path) -> Path:
    """Write ``comparisons.parquet``: every comparison, its verdicts as shown, its resolution and score."""
    path = out / "comparisons.parquet"
    _whole(path, lambda target: comparisons.lazy().collect().write_parquet(target))
    return path


def write_comparison_parts(parts: Iterator[ComparisonFrame], out: Path) -> tuple[Path, list[int]]:
    """Write ``comparisons.parquet`` part by part, each sorted by its keys; give each part's rows."""
    from polars.io.plugins import register_io_source

    heights: list[int] = []

    def frames(
        columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        _ = columns, predicate, n_rows, batch_size
        for part in parts:
            heights.append(part.height)
            yield part.lazy().collect()

    path = out / "comparisons.parquet"
    whole = register_io_source(
        frames, schema={name: column.dtype for name, column in Comparisons.columns().items()}
    )
    _whole(path, lambda target: whole.sink_parquet(target, compression_level=1, statistics=False))
    return path, heights


def write_specifications(specifications: pl.DataFrame, out: Path) -> list[Path]:
    """Write ``specifications.parquet`` and ``.csv``: every combination of choices, claim by claim."""
    parquet, csv = out / "specifications.parquet", out / "specifications.csv"
    frame = specifications.lazy().collect()
    _whole(parquet, frame.write_parquet)
    _whole(csv, safe_for_spreadsheets(frame).write_csv)
    return [parquet, csv]


def write_judgment_plan(plan: pl.DataFrame, out: Path) -> Path | None:
    """Write ``extra_judgments.csv``: the judge calls that would leave no claim without an uninvolved judge.

    Where nothing is missing there is no such file, nor one left from a run before. Of a long list only the
    smallest set that makes the claims identifiable is written.
    """
    path = out / "extra_judgments.csv"
    if plan.is_empty():
        path.unlink(missing_ok=True)
        return None
    short = plan if plan.height <= MOST_LISTED else plan.filter(pl.col("part") == "smallest")
    _whole(path, lambda target: safe_for_spreadsheets(short).write_csv(target))
    return path


def write_manifest(
    out: Path,
    *,
    inputs: Mapping[str, str],
    versions: Mapping[str, str],
    seed: int,
    settings: Mapping[str, Any],
    set_aside: Mapping[str, int],
    notes: Sequence[str] = (),
) -> Path:
    """Write ``manifest.json``: from what, with what, and how the estimates beside it were made.

    `inputs` maps the name of each file read to its SHA-256; folders are dropped from the names, but for those
    of partitions (``probe=main``), so that a manifest says nothing about the machine it was made on. Of an
    address, which is kept whole, it maps to what is known of the content instead.
    """
    manifest = {
        "inputs": [_input(name, digest) for name, digest in inputs.items()],
        "versions": dict(sorted(versions.items())),
        "seed": seed,
        "settings": dict(settings),
        "set_aside": dict(set_aside),
        "notes": list(notes),
    }
    text = json.dumps(manifest, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return write_text(out / "manifest.json", text)


def write_text(path: Path, text: str) -> Path:
    """Write a text file whole: a reader sees the old file or the new one, never half of one."""
    _whole(path, lambda target: target.write_text(text, encoding="utf-8"))
    return path


def _input(name: str, digest: str) -> dict[str, str | None]:
    if "://" in name:
        return {"name": name, "sha256": None, "known": digest}
    *folders, file = PurePath(name).parts
    keys = [folder for folder in folders if "=" in folder]
    return {"name": "/".join([*keys, file]), "sha256": digest}


def safe_for_spreadsheets(frame: pl.DataFrame) -> pl.DataFrame:
    """Put an apostrophe before text that a spreadsheet would take for a formula; leave numbers alone."""
    return frame.with_columns(_quoted(name) for name, dtype in frame.schema.items() if dtype == pl.String)


def _quoted(name: str) -> pl.Expr:
    text = pl.col(name)
    return pl.when(text.str.contains(_FORMULA_STARTS)).then("'" + text).otherwise(text).alias(name)


def _whole(path: Path, write: Callable[[Path], object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
