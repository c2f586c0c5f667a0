"""Coverage of the default intervals and level of the tests, as measured on simulated judges."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import polars as pl

from recuse.figures.theme import COLOURS, GREY, GRID, INK, SHAPES, themed

if TYPE_CHECKING:
    import altair as alt

__all__ = ["TESTS", "validation_chart"]

TESTS: Final = {
    "dual": "dual of the interval",
    "sign_flip": "sign-flip",
    "sign_flip_task_lean": "sign-flip over task sums of lean",
    "sign_test_reversals": "sign test on reversals",
    "binomial_pooled": "pooled binomial",
    "permutation_of_tiers": "permutation of tiers",
}
"""Tests as readers know them."""

_AS_WRITTEN: Final = {
    "self preference": "self-preference",
    "slot a": "slot-A",
    "cohen kappa": "Cohen's κ",
    "gwet ac1": "Gwet's AC1",
    "krippendorff": "Krippendorff's",
    "alpha": "α",
    "bt strength": "Bradley–Terry strength",
    "joint own": "joint model: own answer",
    "joint slot": "joint model: slot",
    "joint length": "joint model: length",
    "length controlled": "length-controlled",
}
_PANEL: Final = 190
_ROW: Final = 17
_COVERED: Final = (80.0, 100.0)
_REJECTED: Final = (0.0, 12.0)


def validation_chart(measured: pl.DataFrame) -> alt.VConcatChart:
    """Draw coverage by estimand and level by test, a panel per number of tasks.

    Parameters
    ----------
    measured
        Rows of :func:`recuse.analysis.validation.coverage` and
        :func:`~recuse.analysis.validation.type_one_error`.
    """
    import altair as alt

    covered = measured.filter(pl.col("measure") == "coverage").with_columns(label=_words("estimand"))
    tested = measured.filter(pl.col("measure") == "type I error").with_columns(
        label=pl.format("{}: {}", _words("estimand"), pl.col("method").replace(TESTS))
    )
    # Planted logits are measured on the balanced panel, less what the model does not have.
    planted = measured.filter(pl.col("measure") == "recovery").with_columns(
        label=_words("estimand"), shape=pl.lit("balanced")
    )
    panels = [
        _panels(part, title, limits, nominal)
        for part, title, limits, nominal in (
            (covered, "data sets whose interval holds the true value, %", _COVERED, 95.0),
            (planted, "data sets whose interval holds the planted logit, %", _COVERED, 95.0),
            (tested, "data sets with p ≤ .05 although the null is true, %", _REJECTED, 5.0),
        )
        if part.height
    ]
    n = sorted(set(measured["n_data_sets"].to_list()))
    span = f"{n[0]:,}" if len(n) == 1 else f"{n[0]:,} to {n[-1]:,}"
    lines = [
        f"{span} simulated data sets per point; whiskers: ± 2 Monte Carlo standard errors.",
        "Dashed: the nominal 95 % and 5 %; grey: 92 to 98 % and up to 6.5 %.",
        "A triangle at an edge stands for a value beyond it.",
    ]
    footer = alt.TitleParams(
        text=lines, orient="bottom", anchor="start", fontSize=10.5, fontWeight="normal", color=GREY,
        lineHeight=14, frame="bounds", offset=14,
    )  # fmt: skip
    inner = alt.VConcatChart(vconcat=panels, title=footer)
    return themed(alt.VConcatChart(vconcat=[inner]), "Do the default intervals hold what was planted?")


def _words(name: str) -> pl.Expr:
    plain = pl.col(name).str.replace_all("_", " ")
    return plain.str.replace_many(list(_AS_WRITTEN), list(_AS_WRITTEN.values()))


def _panels(part: pl.DataFrame, title: str, limits: tuple[float, float], nominal: float) -> alt.HConcatChart:
    import altair as alt

    labels = part["label"].unique(maintain_order=True).to_list()
    shapes = part["shape"].unique(maintain_order=True).to_list()
    tasks = sorted(set(part["tasks"].to_list()))
    panels = [
        _panel(
            _records(part.filter(pl.col("tasks") == number), labels, shapes, limits),
            f"{number} tasks",
            labels,
            shapes,
            limits,
            nominal,
            title if place == len(tasks) // 2 else "",
            with_labels=place == 0,
        )
        for place, number in enumerate(tasks)
    ]
    return alt.HConcatChart(hconcat=panels, spacing=16)


def _records(
    part: pl.DataFrame, labels: list[str], shapes: list[str], limits: tuple[float, float]
) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = []
    for row in part.filter(pl.col("rate").is_not_null()).to_dicts():
        rate, error = 100 * row["rate"], 200 * (row["rate_se"] or 0.0)
        offset = (shapes.index(row["shape"]) - (len(shapes) - 1) / 2) * 0.26
        records.append(
            {
                "y": labels.index(row["label"]) + offset,
                "rate": min(max(rate, limits[0]), limits[1]),
                "beyond": not limits[0] <= rate <= limits[1],
                "low": max(rate - error, limits[0]),
                "high": max(min(rate + error, limits[1]), limits[0]),
                "shape": row["shape"],
            }
        )
    return records


def _panel(
    records: list[dict[str, Any]],
    heading: str,
    labels: list[str],
    shapes: list[str],
    limits: tuple[float, float],
    nominal: float,
    title: str,
    *,
    with_labels: bool,
) -> alt.LayerChart:
    import altair as alt

    y_scale = alt.Scale(domain=[-0.6, len(labels) - 0.4], reverse=True, nice=False, zero=False)
    y = alt.Y("y:Q", axis=None, scale=y_scale)
    x_scale = alt.Scale(domain=list(limits), nice=False, zero=False)
    x = alt.X("rate:Q", scale=x_scale, axis=alt.Axis(title=title or None, tickCount=5))
    colour = alt.Color(
        "shape:N", scale=alt.Scale(domain=shapes, range=list(COLOURS[: len(shapes)])), legend=_legend()
    )
    shape = alt.Shape(
        "shape:N", scale=alt.Scale(domain=shapes, range=list(SHAPES[: len(shapes)])), legend=_legend()
    )
    beyond = "triangle-left" if nominal > 50 else "triangle-right"
    good = (92.0, 98.0) if nominal > 50 else (0.0, 6.5)
    band = alt.Chart(alt.InlineData(values=[{"from": good[0], "to": good[1]}])).mark_rect(
        color=GRID, opacity=0.55
    )
    rule = alt.Chart(alt.InlineData(values=[{"rate": nominal}])).mark_rule(color=INK, strokeDash=[4, 3])
    base = alt.Chart(alt.InlineData(values=tuple(records)))
    inside = base.transform_filter("!datum.beyond")
    layers = [
        band.encode(x=alt.X("from:Q", scale=x_scale), x2=alt.X2("to:Q")),
        rule.encode(x=x),
        base.mark_rule(strokeWidth=1.2).encode(y=y, x=alt.X("low:Q"), x2=alt.X2("high:Q"), color=colour),
        inside.mark_point(filled=True, size=34, opacity=1).encode(y=y, x=x, shape=shape, color=colour),
        base.transform_filter("datum.beyond")
        .mark_point(filled=True, size=44, opacity=1, shape=beyond)
        .encode(y=y, x=x, color=colour),
    ]
    if with_labels:
        names = [{"y": place, "label": label} for place, label in enumerate(labels)]
        layers.append(
            alt.Chart(alt.InlineData(values=tuple(names)))
            .mark_text(align="right", baseline="middle", fontSize=10.5)
            .encode(y=y, x=alt.XValue(-8), text=alt.Text("label:N"))  # type: ignore[no-untyped-call]
        )
    return alt.LayerChart(
        layer=layers,
        width=_PANEL,
        height=_ROW * len(labels),
        title=alt.TitleParams(text=heading, fontSize=12, anchor="middle", frame="group", offset=6),
    )


def _legend() -> alt.Legend:
    import altair as alt

    return alt.Legend(title=None, orient="top", direction="horizontal", symbolSize=60)
