"""The forest panel: one line per quantity, with its point, interval, numbers and counts beside it."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from recuse.figures.quantities import Row, number, why_not
from recuse.figures.theme import COLOURS, GREY, INK, SHAPES
from recuse.figures.wording import method_text, p_text

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Axis", "Line", "Section", "forest"]

ROW_HEIGHT: Final = 19
NOTE_WIDTH: Final = 76
"""Characters of the reason printed beside a row; the whole reason stands underneath."""
_TOLD: Final = {
    "about": "row",
    "told": "estimate [interval]",
    "method": "interval",
    "test": "test",
    "tasks": "tasks",
    "comparisons": "comparisons",
}
"""What a row tells when it is pointed at: field → its title."""


@dataclass(frozen=True)
class Line:
    """One quantity to draw: what the reader sees at the left, its row, and its marker (from 0)."""

    label: str
    row: Row
    marker: int = 0


@dataclass(frozen=True)
class Section:
    """A heading and the lines under it."""

    heading: str
    lines: Sequence[Line]


@dataclass(frozen=True)
class Axis:
    """The horizontal axis: its title, its unit, the value of the null and the range shown, in that unit."""

    title: str
    unit: str
    null: float
    limits: tuple[float, float] | None = None
    width: int = 300
    factor: float = 100.0
    """From what a row holds to the axis' unit."""
    digits: int = 1


def forest(sections: Sequence[Section], axis: Axis) -> alt.LayerChart:
    """Draw sections of quantities against one axis, in its unit.

    A quantity without an estimate keeps its line and says why. The dashed line is the null.
    """
    import altair as alt

    records = _records(sections, axis)
    limits = axis.limits or _limits(records, axis)
    left = -max(_width(record) for record in records)
    base = alt.Chart()
    y = alt.Y("place:O", axis=None, scale=alt.Scale(domain=tuple(range(len(records)))))
    x_axis = alt.Axis(title=axis.title, tickCount=6, grid=True)
    x = alt.X("estimate:Q", axis=x_axis, scale=alt.Scale(domain=tuple(limits), nice=False, zero=False))
    marker = tuple(str(place) for place in range(len(SHAPES)))
    shape = alt.Shape("marker:N", legend=None, scale=alt.Scale(domain=marker, range=tuple(SHAPES)))
    colour = alt.Color("marker:N", legend=None, scale=alt.Scale(domain=marker, range=tuple(COLOURS)))
    drawn = base.transform_filter("isValid(datum.estimate)")
    interval = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
    null = alt.Chart(alt.InlineData(values=[{"null": axis.null}]))
    panel: alt.LayerChart = alt.LayerChart(
        data=alt.InlineData(values=tuple(records)),
        width=axis.width,
        height=ROW_HEIGHT * len(records),
        layer=[
            null.mark_rule(color=INK, strokeDash=[4, 3]).encode(x=alt.X("null:Q", axis=x_axis)),
            interval.mark_rule(strokeWidth=2, clip=True).encode(
                y=y, x=alt.X("low:Q"), x2=alt.X2("high:Q"), color=colour
            ),
            drawn.mark_point(filled=True, size=64, opacity=1).encode(y=y, x=x, shape=shape, color=colour),
            _text(base, "heading", left, "left", y, weight="bold"),
            _text(base, "label", left + 12, "left", y),
            _text(base, "value", axis.width + 14, "left", y),
            _text(base, "tasks", axis.width + 190, "right", y),
            _text(base, "comparisons", axis.width + 270, "right", y),
            _text(base, "reason", axis.width + 14, "left", y, color=GREY),
            _text(base, "column_value", axis.width + 14, "left", y, color=GREY),
            _text(base, "column_tasks", axis.width + 190, "right", y, color=GREY),
            _text(base, "column_comparisons", axis.width + 270, "right", y, color=GREY),
            _hover(base, left, axis.width + 270, y),
        ],
    )
    return panel


def _hover(base: alt.Chart, left: float, right: float, y: alt.Y) -> alt.Chart:
    """Lay an unseen band over each row, which tells on a page what the row says and how it was made."""
    import altair as alt

    told = [alt.Tooltip(f"{name}:N", title=title) for name, title in _TOLD.items()]
    rows = base.transform_filter("isValid(datum.marker)")
    x, x2 = alt.XValue(left), alt.X2Value(right)  # type: ignore[no-untyped-call]
    band: alt.Chart = rows.mark_bar(opacity=0, aria=False).encode(y=y, x=x, x2=x2, tooltip=told)
    return band


def _text(
    base: alt.Chart, name: str, x: float, align: str, y: alt.Y, *, weight: str = "normal", color: str = INK
) -> alt.Chart:
    import altair as alt

    style: dict[str, Any] = {"align": align, "baseline": "middle", "fontWeight": weight, "color": color}
    shown = base.transform_filter(f"isValid(datum.{name}) && datum.{name} !== ''")
    place = alt.XValue(x)  # type: ignore[no-untyped-call]
    text: alt.Chart = shown.mark_text(**style).encode(y=y, x=place, text=alt.Text(f"{name}:N"))
    return text


def _records(sections: Sequence[Section], axis: Axis) -> list[dict[str, Any]]:
    levels = {line.row["conf_level"] for section in sections for line in section.lines} - {None}
    level = f"{100 * max(levels):g} % interval" if len(levels) == 1 else "interval"
    columns = {
        "column_value": f"{axis.unit} [{level}]",
        "column_tasks": "tasks",
        "column_comparisons": "comparisons",
    }
    records: list[dict[str, Any]] = []
    for section in sections:
        first = {} if records else columns
        records.append({"heading": section.heading, "label": "", **first})
        records.extend(_record(line, section.heading, axis) for line in section.lines)
    return [{"place": place, **record} for place, record in enumerate(records)]


def _record(line: Line, heading: str, axis: Axis) -> dict[str, Any]:
    row = line.row
    estimate, low, high = (
        None if row[name] is None else axis.factor * row[name]
        for name in ("estimate", "conf_low", "conf_high")
    )
    tested = f"{method_text(row['test'])}: {p_text(row['p_value'])}" if row["p_value"] is not None else "–"
    shared = {
        "label": line.label,
        "marker": str(line.marker % len(SHAPES)),
        "about": f"{heading}: {line.label}",
        "told": why_not(row),
        "method": method_text(row["interval"]),
        "test": tested,
    }
    if estimate is None:
        reason = why_not(row)
        return {**shared, "reason": reason if len(reason) <= NOTE_WIDTH else reason[: NOTE_WIDTH - 1] + "…"}
    counts = {"tasks": row["n_tasks"], "comparisons": row["n_comparisons"]}
    bounded = low is not None and high is not None
    bounds = f"[{number(low, axis.digits)}, {number(high, axis.digits)}]" if bounded else "[no interval]"
    return {
        **shared,
        "estimate": round(estimate, 6),
        "low": round(low, 6) if low is not None and bounded else None,
        "high": round(high, 6) if high is not None and bounded else None,
        "value": f"{number(estimate, axis.digits)} {bounds}",
        "told": f"{number(estimate, axis.digits)} {axis.unit} {bounds}",
        **{name: "–" if count is None else f"{count:,}" for name, count in counts.items()},
    }


def _width(record: Mapping[str, Any]) -> float:
    """Pixels that a row's words at the left take at most."""
    return 24 + max(6.0 * len(record["label"]), 6.6 * len(record.get("heading", "")))


def _limits(records: Sequence[dict[str, Any]], axis: Axis) -> tuple[float, float]:
    named = [record.get(name) for record in records for name in ("estimate", "low", "high")]
    values = [value for value in named if value is not None]
    least = 0.05 * axis.factor
    low, high = min([axis.null - least, *values]), max([axis.null + least, *values])
    margin = 0.04 * (high - low)
    return low - margin, high + margin
