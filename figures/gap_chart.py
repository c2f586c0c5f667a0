"""Position against the quality gap: flips of each judge, by how far apart other judges see the answers."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from recuse.figures.assembly import assemble, order_of
from recuse.figures.quantities import number, quantities
from recuse.figures.theme import COLOURS, GREY
from recuse.figures.wording import p_text

if TYPE_CHECKING:
    import altair as alt

__all__ = ["flip_rate_by_gap"]

_COLUMNS: Final = 3
_WIDTH: Final = 190
_HEIGHT: Final = 150
_NOTE: Final = (
    "Gap: distance of the other judges' mean score from a draw; 0 %: they see two equals or contradict each "
    "other, 100 %: all name one answer. Slope: change in the log odds of a flip from gap 0 to gap 1, with "
    "its interval and test by task jackknife."
)


def flip_rate_by_gap(estimates: pl.DataFrame) -> alt.VConcatChart | None:
    """Flip rate of each judge by bins of the gap that the other judges see, with the slope's test."""
    rows = quantities(estimates, "flip_rate_by_gap", "flip_gap_slope", where=pl.col("judge").is_not_null())
    if not (rows["estimand"] == "flip_rate_by_gap").any():
        return None
    question = "Does a verdict flip more often where other judges see two equals?"
    return assemble(rows, question, _draw, [_NOTE])


def _draw(part: pl.DataFrame, names: Mapping[str, str]) -> alt.ConcatChart:
    import altair as alt

    rates = part.filter(pl.col("estimand") == "flip_rate_by_gap")
    slopes = {row["judge"]: row for row in part.filter(pl.col("estimand") == "flip_gap_slope").to_dicts()}
    panels = [
        _panel(rates.filter(pl.col("judge") == judge).to_dicts(), names[judge], slopes.get(judge))
        for judge in order_of(rates["judge"], names)
    ]
    return alt.ConcatChart(concat=panels, columns=_COLUMNS, spacing=26)


def _panel(rows: list[dict[str, Any]], name: str, slope: Mapping[str, Any] | None) -> alt.LayerChart:
    import altair as alt

    records = [
        {
            "gap": row["group"].removeprefix("gap=").replace("-", "–"),
            **{
                shown: None if row[column] is None else round(100 * row[column], 6)
                for shown, column in (("rate", "estimate"), ("low", "conf_low"), ("high", "conf_high"))
            },
            "n": f"n = {row['n_comparisons']:,}",
        }
        for row in rows
    ]
    base = alt.Chart(alt.InlineData(values=tuple(records)))
    x = alt.X("gap:O", axis=alt.Axis(title="gap seen by the other judges, in %", labelAngle=0), sort=None)
    scale = alt.Scale(domain=[0, 100], nice=False)
    y = alt.Y("rate:Q", axis=alt.Axis(title="flip rate, in %", tickCount=5), scale=scale)
    title = alt.TitleParams(text=name, subtitle=_slope_text(slope), fontSize=12, subtitleFontSize=10.5)
    panel: alt.LayerChart = alt.LayerChart(
        width=_WIDTH,
        height=_HEIGHT,
        title=title,
        layer=[
            base.mark_rule(strokeWidth=2, color=COLOURS[0]).encode(
                x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q")
            ),
            base.mark_line(color=COLOURS[0], strokeWidth=1, strokeDash=[3, 3]).encode(x=x, y=y),
            base.mark_point(filled=True, size=60, opacity=1, color=COLOURS[0]).encode(x=x, y=y),
            base.mark_text(color=GREY, fontSize=10, baseline="bottom").encode(
                x=x,
                y=alt.YValue(-3),  # type: ignore[no-untyped-call]
                text=alt.Text("n:N"),
            ),
        ],
    )
    return panel


def _slope_text(slope: Mapping[str, Any] | None) -> str:
    if slope is None or slope["estimate"] is None:
        return f"slope not estimable: {slope['reason']}" if slope else ""
    text = f"slope {number(slope['estimate'], 2)}"
    if slope["conf_low"] is None:
        return text
    limits = f"[{number(slope['conf_low'], 2)}, {number(slope['conf_high'], 2)}]"
    p_value = "p < .001" if slope["p_value"] < 0.001 else p_text(slope["p_value"])
    return f"{text} {limits}, {p_value}"
