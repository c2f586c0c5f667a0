"""The table of flips against the quality gap: how often each judge flips, by the gap that others see."""

from __future__ import annotations

from recuse.analysis.position_gap import GAPS
from recuse.figures.lookup import Lookup
from recuse.figures.table import Draft, Table
from recuse.figures.wording import NOTHING, Row, interval_text, p_text, value_text

__all__ = ["gap_table"]


def gap_table(lookup: Lookup) -> Table:
    """Lay out flip rates by bins of the gap, and the slope with its test, by judge and over all judges."""
    draft = Draft(
        lookup, "position_gap", "Does a verdict flip more often where other judges see two equals?",
        ("Judge",),
        *(f"Flips, %, at gap {name.replace('-', '–')}" for name in GAPS), "Slope, logits", "Interval", "p",
        "Comparisons", "Tasks",
    )  # fmt: skip
    for study in lookup.studies:
        for judge in (*lookup.values("judge", "flip_gap_slope", study=study), None):
            slope = lookup.one("flip_gap_slope", study=study, judge=judge)
            rates = [
                lookup.one("flip_rate_by_gap", study=study, judge=judge, group=f"gap={name}") for name in GAPS
            ]
            if slope is None or (slope["estimate"] is None and not any(rates)):
                continue
            cells = (
                *map(value_text, rates),
                value_text(slope),
                interval_text(slope),
                p_text(slope["p_value"], name=False),
                *(_count(slope, column) for column in ("n_comparisons", "n_tasks")),
            )
            draft.add(study, ("all judges" if judge is None else lookup.name(judge),), cells, slope)
    return draft.table(
        "Gap, in %: distance of the other judges' mean score from a draw; 0: they see two equals or "
        "contradict each other, 100: all name one answer. Slope: change in the log odds of a flip from gap 0 "
        "to 100; the last row has one slope for all judges, each with a level of its own."
    )


def _count(row: Row, column: str) -> str:
    return NOTHING if row[column] is None else f"{row[column]:,}"
