"""The table of the joint model: what slot, length, own answers and own family add, by judge."""

from __future__ import annotations

from typing import Final

from recuse.figures.lookup import Lookup
from recuse.figures.table import Draft, Table
from recuse.figures.wording import NOTHING, Row, interval_text, p_text, value_text

__all__ = ["joint_table"]

_TERMS: Final = ("joint_own", "joint_family", "joint_slot", "joint_length")


def joint_table(lookup: Lookup) -> Table:
    """Lay out the terms of each judge and of all judges together; left out where nothing was fitted."""
    draft = Draft(
        lookup, "joint_model", "Does self-preference remain beside strengths, position and length?",
        ("Judge",),
        "Own, logits", "Interval", "p", "Family", "Interval", "Slot A", "Interval", "Length", "Interval",
        "Verdicts", "Tasks",
    )  # fmt: skip
    for study in lookup.studies:
        for judge in (*lookup.values("judge", *_TERMS, study=study), None):
            own, family, slot, length = rows = [lookup.one(name, study=study, judge=judge) for name in _TERMS]
            if all(row is None or row["estimate"] is None for row in rows):
                continue
            cells = (
                value_text(own),
                interval_text(own),
                NOTHING if own is None else p_text(own["p_value"], name=False),
                *(text for row in (family, slot, length) for text in (value_text(row), interval_text(row))),
                *_counts(slot or own),
            )
            draft.add(study, ("all judges" if judge is None else lookup.name(judge),), cells, *rows)
    return draft.table(
        "One ordered logit of all verdicts with ties: a strength of each generator, and for each judge what "
        "being its own answer, one of its family, standing in slot A, and each logarithmic unit of length "
        "add. 0: nothing. Last row: one set of terms for all judges."
    )


def _counts(row: Row | None) -> tuple[str, str]:
    return _count(row, "n_presentations"), _count(row, "n_tasks")


def _count(row: Row | None, column: str) -> str:
    return NOTHING if row is None or row[column] is None else f"{row[column]:,}"
