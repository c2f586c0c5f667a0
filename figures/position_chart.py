"""Position: how often a judge names slot A, and how often its winner changes with the order."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import polars as pl

from recuse.figures.assembly import assemble, order_of
from recuse.figures.forest import Axis, Line, Section, forest
from recuse.figures.names import plain, tier_order
from recuse.figures.quantities import quantities

if TYPE_CHECKING:
    import altair as alt

__all__ = ["slot_a_and_flip_rates"]

_AXES: Final = {
    "slot_a_rate": Axis(
        "slot-A rate among decided presentations, in % (dashed: 50 %, slot does not matter)",
        "%",
        50.0,
        (0, 100),
    ),
    "flip_rate": Axis(
        "flip rate among complete comparisons, in % (dashed: 0 %, order never matters)", "%", 0.0, (-1, 101)
    ),
}


def slot_a_and_flip_rates(estimates: pl.DataFrame) -> alt.VConcatChart | None:
    """Slot-A rate and flip rate of each judge in probe ``main``, over all tiers and by tier."""
    rows = quantities(estimates, *_AXES, where=pl.col("probe") == "main")
    question = "Does a judge's verdict depend on which answer it sees first?"
    note = "Flip: the judge names a different answer when the two swap slots; a flip rate cannot lie below 0."
    return assemble(rows, question, _draw, [note])


def _draw(part: pl.DataFrame, names: Mapping[str, str]) -> alt.VConcatChart:
    import altair as alt

    panels = [
        forest(_sections(part.filter(pl.col("estimand") == estimand), names), axis)
        for estimand, axis in _AXES.items()
        if (part["estimand"] == estimand).any()
    ]
    return alt.VConcatChart(vconcat=panels, spacing=30)


def _sections(rows: pl.DataFrame, names: Mapping[str, str]) -> list[Section]:
    tiers: list[str | None] = [None, *tier_order(rows["tier"].drop_nulls().to_list())]
    sections: list[Section] = []
    for tier in tiers:
        of = rows.filter(pl.col("tier").eq_missing(pl.lit(tier, dtype=pl.String)))
        lines = [Line("all judges", row, 2) for row in of.filter(pl.col("judge").is_null()).to_dicts()]
        for judge in order_of(of["judge"], names):
            lines += [Line(names[judge], row) for row in of.filter(pl.col("judge") == judge).to_dicts()]
        if lines:
            sections.append(Section("All tiers" if tier is None else f"Tier {plain(tier)}", lines))
    return sections
