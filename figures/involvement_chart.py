"""Involvement: what is left of each judge's own comparisons once the involved judges are recused."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from recuse.figures.assembly import assemble, order_of
from recuse.figures.names import plain, tier_order
from recuse.figures.quantities import Row, number, quantities
from recuse.figures.theme import INK

if TYPE_CHECKING:
    import altair as alt

__all__ = ["involvement_map"]

CELL: Final = (92, 40)
"""Width and height of a cell: room for a share and its two counts."""
ALL: Final = "all tiers"
PANELS: Final = {"uninvolved": "Contestants recused", "uninvolved_family": "Contestants' families recused"}


_CELL: Final = (
    "Cell: share of the comparisons in which the judge's own answer takes part that a judge without a stake "
    "has scored too; below it, how many of how many. A dashed cell has none: no self-preference is "
    "identifiable there."
)


def involvement_map(estimates: pl.DataFrame) -> alt.VConcatChart | None:
    """Share of each judge's own comparisons that an uninvolved judge scored too, by tier and recusal."""
    rows = quantities(estimates, "uninvolved_share", where=pl.col("baseline").is_in(list(PANELS)))
    plans = quantities(
        estimates, "judgments_to_identify", where=pl.col("judge").is_null() & pl.col("estimate").is_not_null()
    )

    def notes(part: pl.DataFrame) -> list[str]:
        study = part["study"][0]
        return [
            _CELL,
            *_wanted(plans.filter(pl.col("study").eq_missing(pl.lit(study, dtype=pl.String))).to_dicts()),
        ]

    question = "How many of a judge's own comparisons have a judge left once the involved are recused?"
    return assemble(rows, question, _draw, notes, of_design=True)


def _wanted(plans: Sequence[Row]) -> list[str]:
    told: list[str] = []
    for baseline, title in PANELS.items():
        found = {row["group"]: row for row in plans if row["baseline"] == baseline}
        every, least = found.get("every comparison"), found.get("smallest")
        if every is None or not every["estimate"]:
            continue
        fewest = ""
        if least is not None and least["estimate"]:
            fewest = f"{least['estimate']:,.0f} further judgments make every claim identifiable, "
        whole = f"{every['estimate']:,.0f} leave no comparison without an uninvolved judge"
        told.append(f"{title}: {fewest}{whole} (both orders of each comparison).")
    return told


def _draw(part: pl.DataFrame, names: Mapping[str, str]) -> alt.HConcatChart:
    import altair as alt

    judges = [names[judge] for judge in order_of(part["judge"], names)]
    tiers = [plain(tier) for tier in tier_order(part["tier"].drop_nulls().to_list())]
    there = [baseline for baseline in PANELS if part.filter(pl.col("baseline") == baseline).height]
    panels = [
        _map(
            [_cell(row, names) for row in part.filter(pl.col("baseline") == baseline).to_dicts()],
            [ALL, *tiers],
            judges,
            PANELS[baseline],
            named=place == 0,
        )
        for place, baseline in enumerate(there)
    ]
    return alt.HConcatChart(hconcat=panels, spacing=26)


def _map(
    cells: list[dict[str, Any]], tiers: list[str], judges: list[str], title: str, *, named: bool
) -> alt.LayerChart:
    import altair as alt

    bare: dict[str, Any] = {"grid": False, "domain": False, "ticks": False}
    across = alt.Axis(labelAngle=0, orient="top", labelLimit=CELL[0] - 4, **bare)
    down = alt.Axis(labelLimit=260, labels=named, **bare)
    base = alt.Chart().encode(
        x=alt.X("tier:N", title=None, scale=alt.Scale(domain=tiers), axis=across),
        y=alt.Y("judge:N", title=None, scale=alt.Scale(domain=judges), axis=down),
    )
    scale = alt.Scale(domain=[0, 100], interpolate="rgb", range=["#ffffff", "#0b3c6f"])
    some = base.transform_filter("datum.share > 0").mark_rect(stroke="white", strokeWidth=2)
    none = base.transform_filter("datum.share === 0").mark_rect(
        fill="white", stroke=INK, strokeDash=[3, 3], strokeWidth=1, width={"band": 0.94}, height={"band": 0.9}
    )
    ink = alt.condition("datum.share > 55", alt.value("white"), alt.value(INK))
    return alt.LayerChart(
        data=alt.InlineData(values=tuple(cells)),
        layer=[
            some.encode(color=alt.Color("share:Q", scale=scale, legend=None)),
            none,
            base.mark_text(dy=-6, fontSize=12, fontWeight="bold").encode(text="value:N", color=ink),
            base.mark_text(dy=9, fontSize=10).encode(text="counts:N", color=ink),
        ],
        title=alt.TitleParams(text=title, fontSize=12, frame="group", offset=6, color=INK),
        width=CELL[0] * len(tiers),
        height=CELL[1] * len(judges),
    )


def _cell(row: Row, names: Mapping[str, str]) -> dict[str, Any]:
    n, lost = row["n_comparisons"], row["n_dropped"] or 0
    share = 100 * row["estimate"]
    return {
        "judge": names[row["judge"]],
        "tier": ALL if row["tier"] is None else plain(row["tier"]),
        "share": round(share, 4),
        "value": "none" if not share else f"{number(share, 0 if share in {0, 100} else 1)} %",
        "counts": f"{n - lost:,} of {n:,}",
        "why": plain(row["reason"] or ""),
    }
