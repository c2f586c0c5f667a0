"""Draw docs/figures/scaling.svg from docs/scaling.csv, which ``benchmarks/scale.py --table`` writes.

Usage: ``python docs/make_scaling.py``.
"""

# pyright: reportUnknownMemberType=false
from __future__ import annotations

from pathlib import Path

import altair as alt
import polars as pl

from recuse.figures.save import to_svg
from recuse.figures.theme import COLOURS, GREY, SHAPES, themed

FOLDER = Path(__file__).parent
TABLE, FIGURE = FOLDER / "scaling.csv", FOLDER / "figures" / "scaling.svg"
TASKS = {"report": "report, without figures", "reduce": "reducing alone", "scan": "bare scan and group-by"}
GOAL = 2.5
DECADES = [10**power for power in range(4, 9)]
SECONDS = [0.01, 0.1, 1, 10, 100, 1_000]
WIDTH = 560


def scaling(measured: pl.DataFrame) -> alt.VConcatChart:
    """Draw seconds and peak memory over the number of judgments."""
    seconds = measured.unpivot(
        list(TASKS), index="judgments", variable_name="task", value_name="seconds"
    ).drop_nulls()
    seconds = seconds.with_columns(pl.col("task").replace_strict(TASKS))
    judgments = (
        alt.X("judgments:Q", title="Judgments")
        .scale(type="log")
        .axis(format="~s", grid=False, values=DECADES)
    )
    key = {"title": None, "orient": "top", "columnPadding": 24, "labelLimit": 240}
    lines = (
        alt.Chart(seconds)
        .mark_line(point={"size": 60, "filled": True})
        .encode(
            x=judgments,
            y=alt.Y("seconds:Q", title="Seconds").scale(type="log").axis(format="~g", values=SECONDS),
            color=alt.Color("task:N", legend=alt.Legend(**key)).scale(
                domain=list(TASKS.values()), range=list(COLOURS[:3])
            ),
            shape=alt.Shape("task:N", legend=alt.Legend(**key)).scale(
                domain=list(TASKS.values()), range=list(SHAPES[:3])
            ),
        )
        .properties(width=WIDTH, height=220)
    )
    peak = (
        alt.Chart(measured)
        .mark_line(point={"size": 60, "filled": True, "color": COLOURS[0]}, color=COLOURS[0])
        .encode(x=judgments, y=alt.Y("gibibytes:Q", title="Peak memory, GiB").scale(domain=[0, GOAL * 1.1]))
        .properties(width=WIDTH, height=160)
    )
    goal = alt.Chart(pl.DataFrame({"gibibytes": [GOAL]})).mark_rule(color=GREY, strokeDash=[4, 3])
    said = alt.Chart(pl.DataFrame({"gibibytes": [GOAL], "said": [f"goal at 10⁷: {GOAL} GiB"]})).mark_text(
        align="left", baseline="bottom", dx=4, dy=-2, color=GREY
    )
    limits = [goal.encode(y="gibibytes:Q"), said.encode(y="gibibytes:Q", x=alt.value(0), text="said:N")]
    return themed(
        alt.vconcat(lines, alt.layer(peak, *limits)), "How do time and memory grow with the judgments?"
    )


if __name__ == "__main__":
    FIGURE.write_text(to_svg(scaling(pl.read_csv(TABLE)).to_dict()) + "\n", encoding="utf-8")
