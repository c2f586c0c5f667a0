"""Agreement: Cohen's kappa of every pair of judges, as a map by tier."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from recuse.figures.assembly import assemble, order_of
from recuse.figures.names import plain, tier_order
from recuse.figures.quantities import Row, number, quantities, why_not
from recuse.figures.theme import GREY, INK
from recuse.figures.wording import method_text

if TYPE_CHECKING:
    import altair as alt

__all__ = ["kappa_heat_map"]

CELL: Final = (104, 58)
"""Width and height of a cell: room for kappa, its interval and its counts."""
_TOLD: Final = {
    "pair": "judges",
    "told": "kappa [interval]",
    "method": "interval",
    "counts": "tasks / comparisons",
}
"""What a cell tells when it is pointed at: field → its title."""


def kappa_heat_map(estimates: pl.DataFrame) -> alt.VConcatChart | None:
    """Cohen's kappa of each pair of judges by tier, with interval and counts in the cell."""
    rows = quantities(
        estimates, "cohen_kappa", where=pl.col("judge").is_not_null() & pl.col("judge_2").is_not_null()
    )
    question = "Do two judges agree more than chance would have them, and does it depend on the tier?"
    note = (
        "Cell: Cohen's kappa, its interval, tasks / comparisons. 0 is agreement by chance, 1 full agreement. "
        "A heavy frame: the interval lies wholly on one side of 0."
    )
    return assemble(rows, question, _draw, [note])


def _draw(part: pl.DataFrame, names: Mapping[str, str]) -> alt.VConcatChart:
    import altair as alt

    tiers: list[str | None] = [None] if part["tier"].null_count() else []
    tiers += tier_order(part["tier"].drop_nulls().to_list())
    headings = {tier: "All tiers" if tier is None else f"Tier {plain(tier)}" for tier in tiers}
    judges = order_of(pl.concat([part["judge"], part["judge_2"]]), names)
    columns = max(1, min(len(tiers), 8 // max(1, len(judges) - 1), 2 if len(judges) < 5 else 1))
    cells = [{"panel": headings[row["tier"]], **_cell(row, judges, names)} for row in part.to_dicts()]
    header = alt.Header(title=None, labelFontSize=12, labelFontWeight="bold", labelAnchor="start")
    facet = alt.Facet("panel:N", sort=list(headings.values()), header=header)
    # One panel repeated: drawing each tier's anew costs as much again.
    drawn = _map(judges, names).facet(
        facet=facet, columns=columns, spacing=24, data=alt.InlineData(values=tuple(cells))
    )
    return alt.VConcatChart(vconcat=[drawn.resolve_axis(x="independent", y="independent")])


def _map(judges: list[str], names: Mapping[str, str]) -> alt.LayerChart:
    import altair as alt

    across, down = [names[judge] for judge in judges[:-1]], [names[judge] for judge in judges[1:]]
    bare: dict[str, Any] = {"grid": False, "domain": False, "ticks": False}
    level = len(across) < 4
    across_axis = alt.Axis(labelAngle=0 if level else -35, labelLimit=CELL[0] - 4 if level else 200, **bare)
    base = alt.Chart().encode(
        x=alt.X("first:N", title=None, scale=alt.Scale(domain=across), axis=across_axis),
        y=alt.Y("second:N", title=None, scale=alt.Scale(domain=down), axis=alt.Axis(labelLimit=200, **bare)),
    )
    legend = alt.Legend(title="kappa", gradientLength=110)
    scale = alt.Scale(domain=[-0.2, 1], clamp=True, interpolate="rgb", range=["#ffffff", "#0b3c6f"])
    known = base.transform_filter("isValid(datum.kappa)")
    fill = known.mark_rect(stroke=GREY, strokeWidth=0.5).encode(
        color=alt.Color("kappa:Q", scale=scale, legend=legend)
    )
    unknown = base.transform_filter("!isValid(datum.kappa)").mark_rect(
        fill="#f2f2f2", stroke=GREY, strokeDash=[3, 3], strokeWidth=0.7
    )
    clear = base.transform_filter("datum.clear").mark_rect(filled=False, stroke=INK, strokeWidth=2.5)
    ink = alt.condition("datum.kappa > 0.55", alt.value("white"), alt.value(INK))
    styles: dict[str, dict[str, Any]] = {
        "value": {"dy": -15, "fontSize": 13, "fontWeight": "bold"},
        "bounds": {"dy": 2, "fontSize": 11},
        "counts": {"dy": 18, "fontSize": 10},
    }
    told = [alt.Tooltip(f"{name}:N", title=title) for name, title in _TOLD.items()]
    hover = base.mark_rect(opacity=0, aria=False).encode(tooltip=told)
    texts = [base.mark_text(**style).encode(text=f"{name}:N", color=ink) for name, style in styles.items()]
    return alt.LayerChart(
        layer=[fill, unknown, clear, *texts, hover],
        width=CELL[0] * max(1, len(across)),
        height=CELL[1] * max(1, len(down)),
    )


def _cell(row: Row, judges: list[str], names: Mapping[str, str]) -> dict[str, Any]:
    first, second = sorted((row["judge"], row["judge_2"]), key=judges.index)
    pair = {
        "first": names[first],
        "second": names[second],
        "pair": f"{names[first]}, {names[second]}",
        "told": why_not(row),
        "method": method_text(row["interval"]),
    }
    kappa, low, high = row["estimate"], row["conf_low"], row["conf_high"]
    if kappa is None:
        return {
            **pair,
            "kappa": None,
            "value": "not",
            "bounds": "estimable",
            "counts": "see below",
            "clear": False,
        }
    clear = low is not None and high is not None and (low > 0 or high < 0)
    bounded = low is not None and high is not None
    bounds = f"[{number(low, 2)}, {number(high, 2)}]" if bounded else "[no interval]"
    counts = [row["n_tasks"], row["n_comparisons"]]
    return {
        **pair,
        "kappa": round(kappa, 6),
        "value": number(kappa, 2),
        "told": f"{number(kappa, 2)} {bounds}",
        "bounds": bounds,
        "counts": " / ".join("–" if count is None else f"{count:,}" for count in counts),
        "clear": clear,
    }
