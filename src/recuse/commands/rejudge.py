"""``recuse rejudge``: stored texts read again with another parser, without a call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import polars as pl

    from recuse.schema import JudgmentFrame

__all__ = ["app"]

app = typer.Typer(add_completion=False)


@app.command()
def rejudge(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A cache, or any judgments with raw texts.")
    ],
    parser: Annotated[
        str, typer.Option(metavar="NAME", help="protocol, strict, json, first-letter or last-letter.")
    ] = "strict",
) -> None:
    """Show which verdicts another parser would change, and what that does to the slot-A rate.

    Nothing is written and nobody is asked. Exit status 0 when no verdict changes, 1 when any does.
    """
    from recuse.collectors.live.rejudging import rejudged
    from recuse.collectors.sources import load
    from recuse.commands.terminal import say, tabulate

    again = rejudged(load(source).judgments, parser)
    n_changed = int(again.changes["n"].sum())
    n_read = again.before.height - again.n_without_text
    say(f"parser {parser}: {n_changed:,} of {n_read:,} verdicts change")
    if again.n_without_text:
        say(f"{again.n_without_text:,} judgments have no text to be read again, or were refused")
    if n_changed:
        tabulate(("judge", "before", "after", "judgments"), again.changes.rows(), n_names=3)
    tabulate(
        ("judge", "probe", "slot-A rate", f"with {parser}", "decided", f"with {parser}"),
        _slot_a_rates(again.before, again.after),
        n_names=2,
    )
    if n_changed:
        raise typer.Exit(1)


def _slot_a_rates(before: JudgmentFrame, after: JudgmentFrame) -> list[tuple[object, ...]]:
    import polars as pl

    both = _rates(before).join(_rates(after), on=["study", "judge", "probe"], suffix="_after")
    return [
        (
            row["judge"],
            row["probe"],
            _told(row, ""),
            _told(row, "_after"),
            _decided(row, ""),
            _decided(row, "_after"),
        )
        for row in both.sort(pl.col("study", "judge", "probe")).iter_rows(named=True)
    ]


def _rates(judgments: JudgmentFrame) -> pl.DataFrame:
    """Estimate the slot-A rate of each judge and probe over all tiers."""
    import polars as pl

    from recuse.analysis.comparisons import compare
    from recuse.analysis.position import position
    from recuse.analysis.settings import Settings

    rows = position(compare(judgments), Settings()).filter(
        pl.col("estimand") == "slot_a_rate", pl.col("tier").is_null()
    )
    wanted = ("study", "judge", "probe", "estimate", "conf_low", "conf_high", "n_presentations", "reason")
    return rows.unique(["study", "judge", "probe"], keep="first", maintain_order=True).select(wanted)


def _told(row: Mapping[str, Any], suffix: str) -> str:
    estimate, low, high = (row[f"{name}{suffix}"] for name in ("estimate", "conf_low", "conf_high"))
    if estimate is None:
        return str(row[f"reason{suffix}"])
    interval = "" if low is None else f" [{100 * low:.1f}, {100 * high:.1f}]"
    return f"{100 * estimate:.1f} %{interval}"


def _decided(row: Mapping[str, Any], suffix: str) -> object:
    count = row[f"n_presentations{suffix}"]
    return "" if count is None else count
