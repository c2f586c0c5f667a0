"""The ladders as small multiples: estimate and interval of every claim on every rung."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from recuse.analysis.claims.outcomes import Outcome
from recuse.figures.claim_words import RUNG_NAMES
from recuse.figures.names import plain
from recuse.figures.theme import COLOURS, GREY, INK, themed

if TYPE_CHECKING:
    import altair as alt

__all__ = ["ladder_chart"]

_COLUMNS: Final = 3
_LONGEST: Final = 30
_PRINTED: Final = "as printed"
_NAMES: Final = {**RUNG_NAMES, "published": "as usually read"}
_RUNGS: Final = (_PRINTED, *_NAMES.values())

_TOLD: Final = ("claim", "rung", "shown", "comparisons", "tasks")
_UNDERNEATH: Final = (
    "Estimate and 95 % interval on every rung, in percent or percentage points (coefficients × 100).",
    "Dashed: nothing to claim; shaded: the margin of an absence. Orange diamond: the rung that decides.",
    "No mark: the rung does not apply, or is not identifiable.",
)


def ladder_chart(outcomes: Sequence[Outcome]) -> alt.VConcatChart | None:
    """Draw each claim in a panel of its own: rungs downward, the null dashed, the deciding rung filled.

    The shaded range of an absence is its margin. A rung without an estimate is left empty.
    """
    import altair as alt

    records = [record for outcome in outcomes for record in _records(outcome)]
    if not records:
        return None
    order = [_panel(outcome) for outcome in outcomes]
    y = alt.Y("rung:N", sort=list(_RUNGS), axis=alt.Axis(title=None, labelLimit=160))
    x = alt.X("estimate:Q", axis=alt.Axis(title=None, tickCount=4), scale=alt.Scale(zero=False, nice=False))
    base = alt.Chart()
    decisive = alt.FieldEqualPredicate(field="decides", equal=True)
    mark = alt.condition(decisive, alt.value(COLOURS[1]), alt.value(COLOURS[0]))
    margin = base.mark_rect(color="#e9eef5")
    null = base.mark_rule(color=INK, strokeDash=[4, 3])
    interval = base.mark_rule(strokeWidth=2)
    point = base.mark_point(filled=True, opacity=1)
    layers: list[alt.Chart] = [
        margin.encode(x=alt.X("from:Q"), x2=alt.X2("to:Q")),
        null.encode(x=alt.X("null:Q")),
        interval.encode(y=y, x=alt.X("low:Q"), x2=alt.X2("high:Q"), color=mark),
        point.encode(
            y=y,
            x=x,
            color=mark,
            shape=alt.condition(decisive, alt.value("diamond"), alt.value("circle")),
            size=alt.condition(decisive, alt.value(110), alt.value(55)),
            tooltip=[alt.Tooltip(f"{name}:N", title=name) for name in _TOLD],
        ),
    ]
    panel = alt.LayerChart(layer=layers, width=200, height=130)
    header = alt.Header(title=None, labelFontSize=11.5, labelAnchor="start", labelLimit=330)
    facet = alt.Facet("panel:N", sort=order, header=header)
    faceted = panel.facet(facet=facet, columns=_COLUMNS, data=alt.InlineData(values=tuple(records)))
    drawn = faceted.resolve_scale(x="independent")
    drawn.title = alt.TitleParams(
        text=list(_UNDERNEATH),
        orient="bottom", anchor="start", fontSize=10.5, fontWeight="normal", color=GREY, lineHeight=14,
        frame="bounds", offset=14,
    )  # fmt: skip
    question = "Does each claim hold as more is asked of it?"
    return themed(alt.VConcatChart(vconcat=[drawn]), question)


def _panel(outcome: Outcome) -> str:
    name = plain(outcome.claim.id)
    short = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    return f"{short}: {outcome.verdict}"


def _records(outcome: Outcome) -> list[dict[str, Any]]:
    claim, printed = outcome.claim, outcome.claim.published
    shared: dict[str, Any] = {"panel": _panel(outcome), "claim": plain(claim.id), "null": 100 * claim.null}
    margin = claim.margin_or_usual if claim.is_equivalence else 0.0
    shared |= {"from": 100 * (claim.null - margin), "to": 100 * (claim.null + margin)}
    found: list[tuple[str, float, float | None, float | None, int | None, int | None]] = []
    if printed is not None:
        found.append((_PRINTED, printed.estimate, printed.low, printed.high, None, None))
    for rung in outcome.rungs:
        one = rung.evaluation
        if one is not None and one.estimate is not None:
            bounds = one.interval.low, one.interval.high
            found.append((_NAMES[rung.name], one.estimate, *bounds, one.n_comparisons, one.n_tasks))
    decisive = None if outcome.decided_by is None else _NAMES[outcome.decided_by.name]
    records: list[dict[str, Any]] = []
    for name, estimate, low, high, comparisons, tasks in found:
        # Without an interval its rule has no length: an empty field would keep an axis from its range.
        there = (estimate, estimate if low is None else low, estimate if high is None else high)
        numbers = [round(100 * value, 4) for value in there]
        shown = f"{numbers[0]:.1f}" + ("" if low is None else f" [{numbers[1]:.1f}, {numbers[2]:.1f}]")
        record = {"rung": name, "estimate": numbers[0], "low": numbers[1], "high": numbers[2], "shown": shown}
        counts = {"comparisons": comparisons, "tasks": tasks, "decides": name == decisive}
        records.append({**shared, **record, **counts})
    return records
