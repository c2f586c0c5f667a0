"""Panels of studies put together under one question, each with its set-up underneath."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from recuse.figures.names import display_names, plain
from recuse.figures.quantities import LINE, setup_lines, studies
from recuse.figures.theme import GREY, themed

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Panel", "assemble", "names_of", "order_of", "with_remarks"]

Drawing: TypeAlias = "alt.LayerChart | alt.VConcatChart | alt.HConcatChart | alt.ConcatChart"
Panel: TypeAlias = "Callable[[pl.DataFrame, Mapping[str, str]], Drawing]"
"""Draws one study's rows, given the display names of its models."""


def names_of(rows: pl.DataFrame) -> dict[str, str]:
    """Display names of every judge and generator in these rows."""
    columns = ("judge", "judge_2", "generator")
    return display_names(name for column in columns for name in rows[column].drop_nulls().to_list())


def order_of(models: pl.Series, names: Mapping[str, str]) -> list[str]:
    """Models of a column in the order of their display names."""
    return sorted(set(models.drop_nulls().to_list()), key=lambda model: (names[model].casefold(), model))


def assemble(
    rows: pl.DataFrame,
    question: str,
    draw: Panel,
    notes: Callable[[pl.DataFrame], Sequence[str]] | Sequence[str] = (),
    *,
    of_design: bool = False,
) -> alt.VConcatChart | None:
    """One panel per study under the question, with the set-up underneath; None without rows.

    Rows ``of_design`` are counts of what was judged: they have no interval, and nothing is said of one.
    """
    import altair as alt

    if not rows.height:
        return None
    parts = studies(rows)
    panels: list[Drawing] = []
    for study, part in parts:
        names = names_of(part)
        judges = pl.concat([part["judge"], part["judge_2"]])
        told = [*(notes(part) if callable(notes) else notes), *([] if of_design else _reasons(part, names))]
        shown = [names[judge] for judge in order_of(judges, names)]
        lines = setup_lines(study, part, shown, told, of_design=of_design)
        footer = alt.TitleParams(
            text=lines, orient="bottom", anchor="start", fontSize=10.5, fontWeight="normal", color=GREY,
            lineHeight=14, frame="bounds", offset=14,
        )  # fmt: skip
        panel = draw(part, names)
        panel.title = footer
        panels.append(panel if len(parts) == 1 else alt.VConcatChart(vconcat=[panel], title=_heading(study)))
    return themed(alt.VConcatChart(vconcat=panels), question)


def with_remarks(chart: alt.VConcatChart, remarks: Sequence[str]) -> alt.VConcatChart:
    """Add lines underneath the last panel of a figure."""
    if not remarks:
        return chart
    panel = chart.vconcat[-1]
    while not isinstance(panel.title.text, list):
        panel = panel.vconcat[-1]
    lines = [line for remark in remarks for line in textwrap.wrap(remark, LINE)]
    panel.title.text = [*panel.title.text, *lines]
    return chart


def _heading(study: str) -> alt.TitleParams:
    import altair as alt

    return alt.TitleParams(text=study, fontSize=13)


def _reasons(rows: pl.DataFrame, names: Mapping[str, str]) -> list[str]:
    """Why rows lack their estimate or their interval, each reason once with the judges it concerns."""
    told = rows.filter(pl.col("estimate").is_null() | pl.col("conf_low").is_null())
    reasons: dict[tuple[str, str], set[str]] = {}
    for estimate, reason, judge in told.select("estimate", "reason", "judge").iter_rows():
        lack = "Not estimable" if estimate is None else "No interval"
        who = "all judges" if judge is None else names[judge]
        reasons.setdefault((lack, plain(reason or "no reason given")), set()).add(who)
    return [f"{lack} ({', '.join(sorted(who))}): {why}." for (lack, why), who in sorted(reasons.items())]
