"""``recuse reduce``: judgments to one row of counts per comparison, in the engine that can hold them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["app"]

app = typer.Typer(add_completion=False)


class EngineName(StrEnum):
    """What counts."""

    polars = "polars"
    duckdb = "duckdb"
    dask = "dask"
    spark = "spark"


@app.command()
def reduce(
    source: Annotated[
        str,
        typer.Argument(
            metavar="[SOURCE]",
            help="A Parquet, CSV or JSONL file, a folder of Parquet (also with hive partitions), a study's "
            "folder or a bundled study.",
        ),
    ] = "three-judges",
    engine: Annotated[
        EngineName, typer.Option(help="What counts. All but polars are extras: recuse[duckdb], …")
    ] = EngineName.polars,
    out: Annotated[Path, typer.Option(help="The Parquet file to write.")] = Path("reduced.parquet"),
    study: Annotated[Path | None, typer.Option(help="A study.toml with a name and aliases.")] = None,
) -> None:
    """Reduce judgments to one row of counts per comparison.

    The table holds keys and whole numbers only, is the same from every engine, and is itself a SOURCE of
    every command. It keeps no raw text.
    """
    from recuse.collectors.reducing import reduce_source
    from recuse.commands.terminal import say

    done = reduce_source(source, out, engine=engine.value, study_file=study)
    say(
        *done.notes,
        f"{done.n_judgments:,} judgments reduced by {engine.value} to {done.n_comparisons:,} comparisons: "
        f"{out} ({done.n_bytes:,} bytes)",
    )
