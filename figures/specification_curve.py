"""The specification curve: a claim under every combination of choices, with the choices below."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from recuse.figures.names import display_names, plain
from recuse.figures.quantities import number
from recuse.figures.specification_dashboard import (
    EACH_TASK,
    FAILS,
    HOLDS,
    MARKS,
    WIDTH,
    choice_rows,
    dashboard,
    places,
)
from recuse.figures.theme import GREY, INK, themed

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Curve", "specification_curve"]

CURVE: Final = "specifications"
CURVE_HEIGHT: Final = 250
FOOTER: Final = 165
"""Characters of a line underneath."""
MOST_JUDGES: Final = 6
"""Judges that are left out in a row of their own; more are drawn as one range, like tasks."""
_GROUP: Final = ("scoring", "baseline", "cluster", "ties")


@dataclass(frozen=True)
class Curve:
    """What the figure says of its claim: the sentence, the null and its unit, and what was printed."""

    says: str
    null: float = 0.0
    unit: str = "difference"
    margin: float | None = None
    """Half-width of the range that an absence claims."""
    published: float | None = None
    quantity: str = "estimate"


def specification_curve(specifications: pl.DataFrame, curve: Curve) -> alt.VConcatChart | None:
    """Draw one claim's specifications in the order of their estimates; None where none is feasible.

    Above: each estimate (filled where the claim holds), its interval (thin) and the range of estimates when
    each task is left out in turn (thick). Below: which choices make it, and at the right the share of
    specifications with that choice in which the claim holds, tasks left out included.
    """
    import altair as alt

    names = display_names(
        specifications.filter(pl.col("left_out") == "judge")["left_out_name"].drop_nulls().to_list()
    )
    frame = specifications.with_columns(level=_left_out(names))
    drawn = _drawn(frame)
    if not drawn.height:
        return None
    rows = choice_rows(frame)
    below, marks = dashboard(drawn, rows)
    below.title = _footer(frame, drawn, curve)
    chart = alt.VConcatChart(vconcat=[_curve(drawn, curve), below], spacing=6)
    # By name: otherwise altair copies the rows with every layer that shows them.
    chart.datasets = {CURVE: _records(drawn, curve), MARKS: marks}
    return themed(chart, plain(curve.says))


def _left_out(names: Mapping[str, str]) -> pl.Expr:
    judge = pl.col("left_out_name").replace_strict(names, default=None, return_dtype=pl.String)
    each = pl.lit("each judge in turn") if len(names) > MOST_JUDGES else judge
    return (
        pl.when(pl.col("left_out") == "nothing")
        .then(pl.lit("nothing"))
        .when(pl.col("left_out") == "judge")
        .then(each)
        .otherwise(pl.lit(EACH_TASK))
    )


def _drawn(frame: pl.DataFrame) -> pl.DataFrame:
    """Give one row per specification to draw, with the range over what is left out in turn."""
    in_turn = pl.col("level").str.ends_with("in turn")
    feasible = frame.filter(pl.col("holds").is_not_null())
    ranges = (
        feasible.filter(in_turn)
        .group_by(*_GROUP, "level")
        .agg(
            pl.col("estimate").min().alias("least"),
            pl.col("estimate").max().alias("most"),
            pl.col("holds").all().alias("all_hold"),
        )
    )
    tasks = ranges.filter(pl.col("level") == EACH_TASK).drop("level")
    whole = feasible.filter(~in_turn)
    if not whole.height:
        return whole
    alone = whole.filter(pl.col("left_out") == "nothing").join(
        tasks, on=list(_GROUP), how="left", nulls_equal=True
    )
    others = whole.filter(pl.col("left_out") != "nothing")
    return (
        pl.concat([alone, others], how="diagonal")
        .sort("estimate", "conf_low", *_GROUP, "level", nulls_last=False)
        .with_row_index("place")
    )


def _factor(curve: Curve) -> float:
    return 1.0 if curve.unit == "coefficient" else 100.0


def _records(drawn: pl.DataFrame, curve: Curve) -> list[dict[str, Any]]:
    numbers = ("estimate", "conf_low", "conf_high", "least", "most")
    return [
        {
            "place": row["place"],
            "holds": row["holds"],
            "usual": row["is_usual"],
            **{name: None if row[name] is None else round(row[name] * _factor(curve), 4) for name in numbers},
        }
        for row in drawn.to_dicts()
    ]


def _curve(drawn: pl.DataFrame, curve: Curve) -> alt.LayerChart:
    import altair as alt

    factor = _factor(curve)
    unit = {"difference": "percentage points", "proportion": "%"}.get(curve.unit, "")
    title = f"{plain(curve.quantity)}{f', in {unit}' if unit else ''}"
    y_axis = alt.Axis(title=title, tickCount=6, grid=True)
    y = alt.Y("estimate:Q", axis=y_axis, scale=alt.Scale(zero=False))
    x = alt.X("place:Q", axis=None, scale=places(drawn))
    colour = alt.Color("holds:N", legend=None, scale=alt.Scale(domain=[True, False], range=[HOLDS, FAILS]))
    base = alt.Chart().encode(x=x)
    size = max(10.0, min(46.0, 4200 / drawn.height))
    thick = max(1.2, min(6.0, 0.55 * WIDTH / drawn.height))
    below_published = curve.published is not None and curve.published < curve.null
    layers: list[alt.Chart] = []
    if curve.margin is not None:
        band = [{"from": factor * (curve.null - curve.margin), "to": factor * (curve.null + curve.margin)}]
        layers.append(
            alt.Chart(alt.InlineData(values=tuple(band)))
            .mark_rect(color="#ececec")
            .encode(y=alt.Y("from:Q", axis=y_axis), y2=alt.Y2("to:Q"))
        )
    layers += [
        base.mark_rule(strokeWidth=0.8, opacity=0.55).encode(
            y=alt.Y("conf_low:Q", axis=y_axis), y2=alt.Y2("conf_high:Q"), color=colour
        ),
        base.transform_filter("isValid(datum.least)")
        .mark_rule(strokeWidth=thick, opacity=0.45)
        .encode(y=alt.Y("least:Q"), y2=alt.Y2("most:Q"), color=colour),
        *_reference([(factor * curve.null, "null", [4, 3])], y_axis, above=below_published),
        base.transform_filter("datum.holds")
        .mark_point(filled=True, size=size, opacity=1, shape="circle", color=HOLDS)
        .encode(y=y),
        base.transform_filter("!datum.holds")
        .mark_point(
            filled=True, size=size, opacity=1, shape="circle", fill="white", stroke=FAILS, strokeWidth=1.1
        )
        .encode(y=y),
        _usual(base, y_axis, "estimate"),
    ]
    if curve.published is not None:
        lines = [(factor * curve.published, "as published", [1, 2])]
        layers += _reference(lines, y_axis, above=not below_published)
    return alt.LayerChart(data=alt.NamedData(name=CURVE), layer=layers, width=WIDTH, height=CURVE_HEIGHT)


def _reference(
    lines: Sequence[tuple[float, str, list[int]]], axis: alt.Axis, *, above: bool
) -> list[alt.Chart]:
    import altair as alt

    layers: list[alt.Chart] = []
    for value, label, dash in lines:
        chart = alt.Chart(alt.InlineData(values=[{"value": round(value, 4), "label": label}]))
        y = alt.Y("value:Q", axis=axis)
        place = alt.XValue(WIDTH + 6)  # type: ignore[no-untyped-call]
        layers += [
            chart.mark_rule(color=INK, strokeDash=dash).encode(y=y),
            chart.mark_text(align="left", baseline="bottom" if above else "top", color=GREY).encode(
                y=y, x=place, text="label:N"
            ),
        ]
    return layers


def _usual(base: alt.Chart, axis: alt.Axis, name: str) -> alt.Chart:
    """Mark the usual specification by a ring."""
    import altair as alt

    ring: alt.Chart = (
        base.transform_filter("datum.usual")
        .mark_point(filled=False, size=190, shape="diamond", stroke=INK, strokeWidth=1.6, opacity=1)
        .encode(y=alt.Y(f"{name}:Q", axis=axis))
    )
    return ring


def _footer(frame: pl.DataFrame, drawn: pl.DataFrame, curve: Curve) -> alt.TitleParams:
    import altair as alt

    feasible = frame.filter(pl.col("holds").is_not_null())
    held = int(feasible["holds"].sum())
    share = number(100 * held / feasible.height, 0)
    rule = "p ≤ .05 on the claimed side" if curve.margin is None else "both one-sided tests reject at .05"
    counted = (
        f"The claim holds in {held:,} of {feasible.height:,} feasible specifications ({share} %); "
        f"{drawn.height:,} are drawn, by estimate, and those with a task left out are a range each."
    )
    marks = (
        f"Filled and tall: it holds ({rule}; not adjusted for the number of specifications). "
        "Thin: 95 % interval; thick: estimates with each task left out. Diamond: the usual specification."
    )
    told = [counted, marks, *_infeasible(frame)]
    return alt.TitleParams(
        text=[line for text in told for line in textwrap.wrap(text, FOOTER)], orient="bottom", anchor="start",
        fontSize=10.5, fontWeight="normal", color=GREY, lineHeight=14, frame="bounds", offset=14,
    )  # fmt: skip


def _infeasible(frame: pl.DataFrame) -> list[str]:
    counted = (
        frame.filter(pl.col("holds").is_null())
        .group_by("reason")
        .agg(pl.len().alias("n"))
        .sort("n", "reason")
    )
    parts = [f"{n:,} ({plain(reason)})" for reason, n in reversed(counted.rows())]
    return [f"Infeasible or undecided: {'; '.join(parts)}."] if parts else []
