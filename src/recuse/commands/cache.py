"""``recuse cache``: what is in a cache, is it what was put there, and a file of it for others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from recuse.cache.store import Store
    from recuse.cache.verification import Failure

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Look into a cache, check it, write it out.",
)

_SHOWN = 100
"""Failures printed one by one; the count is of all."""

_Cache = Annotated[Path, typer.Argument(metavar="CACHE", help="The cache's directory.")]


@app.command()
def stats(cache: _Cache) -> None:
    """Count records by kind, and judgments by study and judge."""
    from recuse.cache.store import Store
    from recuse.commands.terminal import counting, say

    with Store(cache) as store:
        with counting("reading", len(store)) as count:
            held = store.stats(on_row=lambda: count(1))
        kinds = ", ".join(f"{kind}: {n:,}" for kind, n in sorted(held.n_by_kind.items()))
        say(
            f"{cache}: {held.n_records:,} records ({kinds or 'none'}), "
            f"{held.n_imported:,} of them imported, {held.n_bytes / 2**20:,.1f} MiB"
        )
        if held.n_unreadable:
            say(f"{held.n_unreadable:,} rows may not be read; recuse cache verify {cache} says why")
        elif "judgment" in held.n_by_kind:
            _print_judgments(store)


@app.command()
def verify(cache: _Cache) -> None:
    """Recompute every hash, and list what does not match.

    Is each address still that of its request, each record what was stored, the snapshot what the rows say?
    Exit status 0 when all is well, 1 when anything is not, 2 when the cache could not be opened.
    """
    from recuse.cache.store import Store
    from recuse.commands.terminal import counting, say

    with Store(cache) as store, counting("verifying", len(store)) as count:
        report = store.verify(on_row=lambda: count(1))
    if report.ok:
        say(f"{cache}: {report.n_rows:,} records, and every hash is that of its content")
        return
    say(*(_told(failure) for failure in report.failures[:_SHOWN]))
    if len(report.failures) > _SHOWN:
        say(f"and {len(report.failures) - _SHOWN:,} more")
    say(f"{cache}: {len(report.failures):,} failures in {report.n_rows:,} rows")
    raise typer.Exit(1)


@app.command()
def export(
    cache: _Cache,
    out: Annotated[Path, typer.Option(help="The file: .parquet or .jsonl (exact), .csv (for spreadsheets).")],
) -> None:
    """Write the judgments to one file for others.

    They are sorted by address and come with the hash of each record: the same judgments give the same file.
    In CSV, a text that a spreadsheet would run as a formula gets an apostrophe in front.
    """
    from recuse.cache.export import export as write
    from recuse.cache.store import Store
    from recuse.commands.terminal import say

    with Store(cache) as store:
        n_records = len(store)
        exported = write(store, out)
    say(f"{exported.n_judgments:,} judgments written to {exported.path} (SHA-256 {exported.sha256})")
    if exported.n_escaped:
        say(f"{exported.n_escaped:,} texts that begin like a formula have an apostrophe in front")
    if n_records > exported.n_judgments:
        say(f"{n_records - exported.n_judgments:,} records are no judgments and stay in the cache")


@app.command()
def push(
    cache: _Cache,
    place: Annotated[str, typer.Argument(metavar="PLACE", help="A folder, or the URL of an object store.")],
) -> None:
    """Share the records: put those that PLACE lacks into new Parquet files there; nothing is overwritten.

    Exit status 1 when PLACE holds another record under the same address; all others are there then.
    """
    from recuse.cache.sharing import push as share
    from recuse.cache.store import Store
    from recuse.commands.terminal import counting, say

    with Store(cache) as store, counting("sharing", len(store)) as count:
        pushed = share(store, place, on_row=lambda: count(1))
    say(f"{place}: {pushed.n_pushed:,} records added, {pushed.n_present:,} already there")
    say(*(f"Written: {file}" for file in pushed.files))
    _complain_of_conflicts(pushed.conflicts, place)


@app.command()
def pull(
    cache: Annotated[Path, typer.Argument(metavar="CACHE", help="The cache, made if there is none.")],
    place: Annotated[str, typer.Argument(metavar="PLACE", help="A folder, or the URL of an object store.")],
) -> None:
    """Take shared records into a cache: those that it lacks; nothing is overwritten.

    Every hash is recomputed first. Exit status 1 when a record was refused, or when the cache holds another
    one under the same address; all others are in then.
    """
    from recuse.cache.sharing import pull as take
    from recuse.cache.sharing import shared_files
    from recuse.cache.store import Store
    from recuse.commands.terminal import counting, say

    shared_files(place)
    with Store(cache, create=True) as store, counting("taking", None) as count:
        pulled = take(store, place, on_row=lambda: count(1))
    say(f"{cache}: {pulled.n_added:,} records added, {pulled.n_present:,} already there")
    say(*(f"refused: {reason}" for reason in pulled.refused[:_SHOWN]), error=True)
    if len(pulled.refused) > _SHOWN:
        say(f"and {len(pulled.refused) - _SHOWN:,} more", error=True)
    _complain_of_conflicts(pulled.conflicts, str(cache))
    if pulled.refused:
        raise typer.Exit(1)


def _complain_of_conflicts(conflicts: Sequence[str], holder: str) -> None:
    from recuse.commands.terminal import say
    from recuse.errors import name_up_to_three

    if conflicts:
        say(
            f"recuse: {len(conflicts):,} records left where they were: {holder} has another outcome under "
            f"their addresses ({name_up_to_three(conflicts)})",
            error=True,
        )
        raise typer.Exit(1)


def _print_judgments(store: Store) -> None:
    import polars as pl

    from recuse.cache.snapshot import judgments
    from recuse.commands.terminal import tabulate

    counts = (
        judgments(store)
        .group_by("study", "judge", maintain_order=True)
        .agg(
            pl.len(),
            (pl.col("status") != "ok").sum().alias("without verdict"),
            pl.col("task_id").n_unique(),
            pl.concat_list("slot_a", "slot_b").explode().n_unique().alias("generators"),
        )
    )
    header = ("study", "judge", "judgments", "without verdict", "tasks", "generators")
    tabulate(header, counts.rows(), n_names=2)


def _told(failure: Failure) -> str:
    place = "" if failure.rowid is None else f"row {failure.rowid}"
    named = " ".join(part for part in (place, failure.address or "") if part)
    return f"{named}: {failure.problem}" if named else failure.problem
