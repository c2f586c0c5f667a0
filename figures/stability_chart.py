"""Stability: whether a judge repeats itself, what its verdicts vary with, and what a perturbation adds."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from recuse.figures.assembly import assemble, order_of
from recuse.figures.forest import Axis, Line, Section, forest
from recuse.figures.names import plain
from recuse.figures.quantities import Row, number, quantities, why_not
from recuse.figures.theme import COLOURS, GREY, INK, SHAPES
from recuse.figures.wording import interval_text, p_text, value_text

if TYPE_CHECKING:
    import altair as alt

__all__ = ["robustness_beside_second_askings", "stability_and_variance"]

_SAME: Final = ("test_retest_agreement", "modal_share")
_COMPONENTS: Final = {
    "task": "from the task",
    "judge": "from the judge",
    "order": "from the order",
    "replicate": "from asking again",
}
_WIDTH: Final = 128
_ROW: Final = 21
_SIZE: Final = 62
_LABEL: Final = 6.2
"""Pixels of a character of a row's name, at most."""
_NOTE: Final = (
    "Same verdict: circle, equal verdicts among pairs of askings of one presentation (dashed: 100 %, always "
    "the same); hollow diamond, share of the commonest verdict. Shares of the variance of verdicts about a "
    "draw add up to 100 % in each row (dashed: 0 %); one near 0 can come out negative. From the judge: of "
    "all judges together only; of one judge its own taste is part of the task."
)
_KEPT: Final = (
    "Kept: the verdict is that without the perturbation; of an answer against its own perturbed version, "
    "that the perturbed one does not win. Asked again: equal verdicts among askings of the unperturbed "
    "answers, all that can be expected to be kept. Net: kept less that, on presentations that have both."
)


def stability_and_variance(estimates: pl.DataFrame) -> alt.VConcatChart | None:
    """Test–retest agreement and modal share by judge, beside the split of the variance of its verdicts.

    None where no presentation was asked again.
    """
    rows = quantities(estimates, *_SAME, "variance_share", where=pl.col("tier").is_null())
    there = rows.filter(pl.col("estimate").is_not_null() & (pl.col("estimand") == _SAME[0]))
    if not there.height:
        return None
    asked = there.select("study", "probe").unique()
    rows = rows.join(asked, on=["study", "probe"], how="semi", nulls_equal=True)
    question = "Does a judge that is asked again say the same, and what do its verdicts vary with?"
    return assemble(rows, question, _draw, [_NOTE])


def _draw(part: pl.DataFrame, names: Mapping[str, str]) -> alt.HConcatChart:
    import altair as alt

    lines = list(_lines(part, names))
    labels = [line["label"] for line in lines]
    shares = {title: _points(lines, [component]) for component, title in _COMPONENTS.items()}
    least = min([0.0, *(point.get("low", 0.0) for points in shares.values() for point in points)])
    same = ["same verdict", "when asked again, in %"]
    panels = [_panel(_points(lines, _SAME), labels, same, (0.0, 100.0), null=100.0, named=True)]
    panels += [
        _panel(points, labels, ["share of variance", f"{title}, in %"], (least, 100.0), null=0.0)
        for title, points in shares.items()
        if any("estimate" in point for point in points)
    ]
    return alt.HConcatChart(hconcat=[*panels, _counts(lines, labels)], spacing=16)


def _lines(part: pl.DataFrame, names: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """One line of the figure per probe and judge, all judges first, with its rows by what they are of."""
    probes = sorted(set(part["probe"].drop_nulls().to_list()))
    for probe in probes:
        for judge in (None, *order_of(part["judge"], names)):
            of = part.filter(
                pl.col("probe") == probe, pl.col("judge").eq_missing(pl.lit(judge, pl.String))
            ).to_dicts()
            rows = {(row["group"] or row["estimand"]).removeprefix("component="): row for row in of}
            if all(row["estimate"] is None for row in rows.values()):
                continue
            name = "all judges" if judge is None else names[judge]
            yield {"label": name if len(probes) == 1 else f"{name} ({plain(probe)})", "rows": rows}


def _points(lines: Sequence[Mapping[str, Any]], of: Sequence[str]) -> list[dict[str, Any]]:
    points: list[dict[str, Any]] = []
    for line in lines:
        for place, name in enumerate(of):
            row = line["rows"].get(name)
            if row is None:
                continue
            point = {"label": line["label"], "kind": str(place), "told": why_not(row)}
            if row["estimate"] is not None:
                told = f"{value_text(row)} {interval_text(row)}"
                point |= {"told": told, "estimate": round(100 * row["estimate"], 6)}
            if row["conf_low"] is not None:
                point |= {"low": round(100 * row["conf_low"], 6), "high": round(100 * row["conf_high"], 6)}
            points.append(point)
    return points


def _panel(
    points: Sequence[Mapping[str, Any]],
    labels: Sequence[str],
    title: Sequence[str],
    limits: tuple[float, float],
    *,
    null: float,
    named: bool = False,
) -> alt.LayerChart:
    import altair as alt

    base = alt.Chart(alt.InlineData(values=tuple(points)))
    limit = 12 + _LABEL * max(map(len, labels))
    shown = alt.Axis(title=None, labelLimit=limit, ticks=False, domain=False) if named else None
    y = alt.Y("label:N", sort=list(labels), axis=shown, scale=alt.Scale(domain=list(labels)))
    scale = alt.Scale(domain=list(limits), nice=False)
    axis = alt.Axis(title=list(title), values=[0, 50, 100], grid=True)
    x = alt.X("estimate:Q", axis=axis, scale=scale)
    told = [alt.Tooltip("label:N", title="judge"), alt.Tooltip("told:N", title="estimate [interval]")]
    first, second = (base.transform_filter(f"datum.kind === '{kind}'") for kind in "01")
    nought = alt.Chart(alt.InlineData(values=[{"null": null}]))
    hollow: dict[str, Any] = {"shape": SHAPES[1], "filled": False, "strokeWidth": 1.6, "color": COLOURS[1]}
    full: dict[str, Any] = {"shape": SHAPES[0], "filled": True, "color": COLOURS[0]}
    layers = [
        nought.mark_rule(color=INK, strokeDash=[4, 3]).encode(x=alt.X("null:Q", axis=axis, scale=scale)),
        first.mark_rule(strokeWidth=2, color=COLOURS[0]).encode(y=y, x=alt.X("low:Q"), x2=alt.X2("high:Q")),
        second.mark_point(size=_SIZE, opacity=1, **hollow).encode(y=y, x=x, tooltip=told),
        first.mark_point(size=_SIZE, opacity=1, **full).encode(y=y, x=x, tooltip=told),
    ]
    panel: alt.LayerChart = alt.LayerChart(layer=layers, width=_WIDTH, height=_ROW * len(labels))
    return panel


def _counts(lines: Sequence[Mapping[str, Any]], labels: Sequence[str]) -> alt.LayerChart:
    """Tasks and comparisons at the right of each row."""
    import altair as alt

    columns = {"tasks": 36, "comparisons": 112}
    records: list[dict[str, str]] = []
    for line in lines:
        row = next(iter(line["rows"].values()))
        counts = {name: row[f"n_{name}"] for name in columns}
        texts = {name: "–" if count is None else f"{count:,}" for name, count in counts.items()}
        records.append({"label": line["label"], **texts})
    base = alt.Chart(alt.InlineData(values=tuple(records)))
    head = alt.Chart(alt.InlineData(values=[{name: name for name in columns}]))
    y = alt.Y("label:N", sort=list(labels), axis=None, scale=alt.Scale(domain=list(labels)))
    above = alt.YValue(-4)  # type: ignore[no-untyped-call]
    layers: list[alt.Chart] = []
    for name, right in columns.items():
        x, text = alt.XValue(right), alt.Text(f"{name}:N")  # type: ignore[no-untyped-call]
        layers += [
            base.mark_text(align="right", baseline="middle", color=INK).encode(y=y, x=x, text=text),
            head.mark_text(align="right", baseline="bottom", color=GREY).encode(y=above, x=x, text=text),
        ]
    panel: alt.LayerChart = alt.LayerChart(
        layer=layers, width=max(columns.values()), height=_ROW * len(labels)
    )
    return panel


def robustness_beside_second_askings(estimates: pl.DataFrame) -> alt.VConcatChart | None:
    """Verdicts kept under each probe's perturbation, beside those kept when merely asked again."""
    rows = quantities(estimates, "robustness_rate", "consistency_rate", where=pl.col("tier").is_null())
    if not rows["estimate"].is_not_null().any():
        return None
    axis = Axis("verdicts kept, in % (dashed: 100 %, every verdict stands)", "%", 100.0, (0.0, 100.0))

    def draw(part: pl.DataFrame, names: Mapping[str, str]) -> alt.LayerChart:
        sections = [
            Section(f"{names[judge]}, {plain(probe)}: {_net(rows.get('net'))}", list(_kept(rows)))
            for judge in order_of(part["judge"], names)
            for probe, rows in _by_probe(part.filter(pl.col("judge") == judge))
        ]
        return forest(sections, axis)

    question = "Does a verdict stand when an answer is perturbed, as it stands when asked again?"
    return assemble(rows, question, draw, [_KEPT])


def _by_probe(of_judge: pl.DataFrame) -> Iterator[tuple[str, dict[str, Row]]]:
    for probe in sorted(set(of_judge["probe"].drop_nulls().to_list())):
        rows = of_judge.filter(pl.col("probe") == probe).to_dicts()
        yield (
            probe,
            {"net" if row["baseline"] is not None else row["estimand"]: row for row in rows},
        )


def _kept(rows: Mapping[str, Row]) -> Iterator[Line]:
    if "robustness_rate" in rows:
        yield Line("kept under the perturbation", rows["robustness_rate"])
    if "consistency_rate" in rows:
        yield Line("kept when asked again", rows["consistency_rate"], 2)


def _net(row: Row | None) -> str:
    if row is None or row["estimate"] is None:
        return "net not estimable"
    told = f"net {number(100 * row['estimate'])} pp {interval_text(row)}"
    return told if row["p_value"] is None else f"{told}, {p_text(row['p_value'])}"
