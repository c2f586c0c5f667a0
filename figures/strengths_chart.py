"""Strengths of the generators in the joint model, ranked, with their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import polars as pl

from recuse.figures.assembly import assemble
from recuse.figures.forest import Axis, Line, Section, forest
from recuse.figures.names import baseline_name, plain, tier_order
from recuse.figures.quantities import quantities

if TYPE_CHECKING:
    import altair as alt

__all__ = ["strengths_in_the_joint_model"]

_NOTE: Final = (
    "Strength in logits about the mean of all generators, with slot, length, own-answer and own-family terms "
    "of every judge in the model. Intervals are of each strength about that mean, not of differences."
)


def strengths_in_the_joint_model(estimates: pl.DataFrame) -> alt.VConcatChart | None:
    """Rank the generators by strength, pooled, by tier and on uninvolved judges, as far as estimated."""
    rows = quantities(estimates, "bt_strength", where=pl.col("generator").is_not_null())
    if not rows["estimate"].is_not_null().any():
        return None
    axis = Axis("strength in logits (dashed: 0, the mean)", "logits", 0.0, factor=1.0, digits=2)

    def draw(part: pl.DataFrame, names: Mapping[str, str]) -> alt.LayerChart:
        tiers: list[str | None] = [None, *tier_order(part["tier"].drop_nulls().to_list())]
        sections: list[Section] = []
        for baseline in (None, "uninvolved"):
            for tier in tiers:
                of = part.filter(
                    pl.col("tier").eq_missing(pl.lit(tier, pl.String)),
                    pl.col("baseline").eq_missing(pl.lit(baseline, pl.String)),
                ).sort("estimate", "generator", descending=[True, False], nulls_last=True)
                judges = "all judges" if baseline is None else baseline_name(baseline)
                heading = judges.capitalize() + ("" if tier is None else f", tier {plain(tier)}")
                lines = [
                    Line(names[row["generator"]], row, int(baseline is not None)) for row in of.to_dicts()
                ]
                sections += [Section(heading, lines)] if lines else []
        return forest(sections, axis)

    question = "How strong is each generator once position, length and own answers are in the model?"
    return assemble(rows, question, draw, [_NOTE])
