"""``recuse export``: judgments in the tables that other programs read."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import polars as pl

    from recuse.collectors.sources import Source

__all__ = ["app"]

app = typer.Typer(add_completion=False)


class Table(StrEnum):
    """Which table."""

    long = "long"
    ratings = "ratings"
    arena = "arena"


@app.command()
def export(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SOURCE]...",
            help="A bundled study, a cache, a study folder, a file of judgments or FORMAT:PATH.",
            show_default=False,
        ),
    ] = None,
    table: Annotated[
        Table,
        typer.Option(
            "--as",
            help="long: one row per presentation. ratings: one row per comparison, one column per judge, for "
            "irr and irrCAC. arena: battles.",
        ),
    ] = Table.long,
    out: Annotated[
        Path | None, typer.Option(help="A .csv, .parquet or .jsonl file (default: TABLE.csv).")
    ] = None,
    study: Annotated[Path | None, typer.Option(help="A study.toml with aliases and families.")] = None,
) -> None:
    """Write judgments as a table that other programs read, so that a result can be checked there.

    In CSV, a text that a spreadsheet would run as a formula gets an apostrophe in front.
    """
    from recuse.cache.frame_files import write_frame
    from recuse.collectors.sources import load_all
    from recuse.commands.terminal import say

    source = load_all(sources or ["three-judges"], study_file=study)
    frame, left_out = _table(source, table)
    path = out or Path(f"{table.value}.csv")
    _, n_escaped = write_frame(frame, path)
    say(f"{frame.height:,} rows and {frame.width:,} columns written to {path}", *left_out)
    if n_escaped:
        say(f"{n_escaped:,} texts that begin like a formula have an apostrophe in front")


def _table(source: Source, table: Table) -> tuple[pl.DataFrame, list[str]]:
    from recuse.analysis.comparisons import compare
    from recuse.analysis.exchange_tables import RATING_KEYS, battles_table, long_table, ratings_table

    judgments = source.judgments
    if table is Table.long:
        return long_table(judgments), []
    if table is Table.arena:
        battles = battles_table(judgments)
        n_left = judgments.height - battles.height
        why = "without a verdict, of another probe than main, or of two answers of one generator"
        return battles, [f"{n_left:,} presentations are no battles: {why}"] if n_left else []
    comparisons = compare(judgments, families=source.families)
    ratings = ratings_table(comparisons)
    judges = ratings.drop(RATING_KEYS)
    n_ratings = ratings.height * judges.width - sum(judges.null_count().row(0))
    n_left = comparisons.height - n_ratings
    told = [f"The first {len(RATING_KEYS)} columns name the item, the other {judges.width} are raters"]
    if n_left:
        told.append(f"{n_left:,} comparisons have no rating: incomplete, or of another probe than main")
    return ratings, told
