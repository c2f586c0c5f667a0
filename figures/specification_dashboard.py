"""Below a specification curve: the choices behind each specification, and the share that each leaves."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from recuse.analysis.multiverse.grid import SAME_JUDGES
from recuse.figures.names import baseline_name
from recuse.figures.quantities import number

if TYPE_CHECKING:
    import altair as alt

__all__ = ["EACH_TASK", "FAILS", "HOLDS", "MARKS", "WIDTH", "choice_rows", "dashboard", "places"]

WIDTH: Final = 640
ROW: Final = 14
HOLDS: Final = "#0b3c6f"
FAILS: Final = "#d88a1c"
"""Dark and light, so that they are apart in grey too."""
MARKS: Final = "choices"
EACH_TASK: Final = "each task in turn"
_HEADINGS: Final = {
    "scoring": "Score of flips and unstable pairs",
    "baseline": "Compared with",
    "cluster": "Taken as independent",
    "ties": "Ties",
    "left_out": "Left out",
}
_LEVELS: Final[Mapping[str, Mapping[str, str]]] = {
    "scoring": {
        "resolved": "half each (resolved)",
        "averaged": "mean of both orders",
        "consistent": "left out (consistent)",
    },
    "baseline": {},
    "cluster": {"task": "tasks", "comparison": "comparisons", "row": "presentations"},
    "ties": {"kept": "kept", "dropped": "left out"},
}


def choice_rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Rows of the dashboard: a heading per choice, then its levels with their shares."""
    rows: list[dict[str, Any]] = []
    for choice, heading in _HEADINGS.items():
        column = "level" if choice == "left_out" else choice
        counted = (
            frame.filter(pl.col(column).is_not_null())
            .group_by(column, maintain_order=True)
            .agg(
                feasible=pl.col("holds").is_not_null().sum(),
                held=pl.col("holds").sum(),
                again=pl.col("reason").eq_missing(SAME_JUDGES).any(),
            )
        )
        if counted.height < 2:
            continue
        rows.append({"heading": heading})
        for level, feasible, held, again in counted.rows():
            label = (
                baseline_name(level) if choice == "baseline" else _LEVELS.get(choice, {}).get(level, level)
            )
            nothing = "the same judges" if again else "infeasible"
            share = f"{number(100 * held / feasible, 0)} % of {feasible:,}" if feasible else nothing
            rows.append({"label": label, "share": share, "choice": column, "level": level})
    return [{"row": place, **row} for place, row in enumerate(rows)]


def dashboard(drawn: pl.DataFrame, rows: list[dict[str, Any]]) -> tuple[alt.LayerChart, list[dict[str, Any]]]:
    """Draw a tick per specification and choice, and shares at the right; the ticks come as data beside."""
    import altair as alt

    place_of = {(row["choice"], row["level"]): row["row"] for row in rows if "choice" in row}
    in_turn = place_of.get(("level", EACH_TASK))
    marks: list[dict[str, Any]] = []
    for row in drawn.to_dicts():
        for (choice, level), place in place_of.items():
            if row[choice] == level:
                marks.append({"place": row["place"], "row": place, "holds": row["holds"]})
        if in_turn is not None and row["all_hold"] is not None:
            marks.append({"place": row["place"], "row": in_turn, "holds": row["all_hold"]})
    y = alt.Y("row:O", axis=None, scale=alt.Scale(domain=[row["row"] for row in rows]))
    x = alt.X("place:Q", axis=None, scale=places(drawn))
    colour = alt.Color("holds:N", legend=None, scale=alt.Scale(domain=[True, False], range=[HOLDS, FAILS]))
    ticks = alt.Chart(alt.NamedData(name=MARKS))
    thickness = max(0.9, min(5.0, 0.72 * WIDTH / drawn.height))
    held = ticks.transform_filter("datum.holds").mark_tick(
        thickness=thickness, size=ROW - 4, orient="vertical", opacity=1
    )
    failed = ticks.transform_filter("!datum.holds").mark_tick(
        thickness=thickness, size=(ROW - 4) / 2, orient="vertical", opacity=1
    )
    words = alt.Chart(alt.InlineData(values=tuple(rows)))
    lines = words.transform_filter("isValid(datum.label)").mark_rule(color="#ededed", strokeWidth=1)
    first = [{"row": 0, "text": "claim holds in"}]
    left, right = -8, WIDTH + 6
    below = alt.LayerChart(
        layer=[
            lines.encode(y=y, x=alt.XValue(0), x2=alt.X2Value(WIDTH)),  # type: ignore[no-untyped-call]
            held.encode(x=x, y=y, color=colour),
            failed.encode(x=x, y=y, color=colour),
            _words(words, "heading", left, "right", y, weight="bold"),
            _words(words, "label", left, "right", y),
            _words(words, "share", right, "left", y),
            _words(alt.Chart(alt.InlineData(values=tuple(first))), "text", right, "left", y, weight="bold"),
        ],
        width=WIDTH,
        height=ROW * len(rows),
    )
    return below, marks


def places(drawn: pl.DataFrame) -> alt.Scale:
    """Scale that gives each specification its place from left to right."""
    import altair as alt

    return alt.Scale(domain=[-0.8, drawn.height - 0.2], nice=False, zero=False)


def _words(
    base: alt.Chart, name: str, x: float, align: str, y: alt.Y, *, weight: str = "normal"
) -> alt.Chart:
    import altair as alt

    style: dict[str, Any] = {"align": align, "baseline": "middle", "fontWeight": weight, "fontSize": 10.5}
    shown = base.transform_filter(f"isValid(datum.{name})")
    place = alt.XValue(x)  # type: ignore[no-untyped-call]
    words: alt.Chart = shown.mark_text(**style).encode(y=y, x=place, text=alt.Text(f"{name}:N"))
    return words
