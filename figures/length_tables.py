"""Tables about length: what the raw rate says, and what the probes show."""

from __future__ import annotations

from recuse.figures.lookup import Lookup
from recuse.figures.table import Draft, Table
from recuse.figures.wording import NOTHING, Row, interval_text, is_sampled, value_text

__all__ = ["length_probe_table", "longer_wins_table", "repetition_probe_table"]


def longer_wins_table(lookup: Lookup) -> Table:
    """Lay out the rate at which the longer answer wins, and what its distance from a half is put down to."""
    parts = ("length_quality_share", "length_length_share", "length_slot_share", "length_remainder_share")
    parts_of_sample = False
    draft = Draft(
        lookup, "longer_wins", "Does the longer answer win?", ("Judge",),
        "Longer wins, %", "Interval", "Quality, pp", "Length, pp", "Slot, pp", "Rest, pp",
        "Comparisons", "Tasks",
    )  # fmt: skip
    for study in lookup.studies:
        for judge in lookup.values("judge", "longer_wins_rate", study=study):
            rate = lookup.one("longer_wins_rate", study=study, judge=judge)
            shares = [lookup.one(name, study=study, judge=judge) for name in parts]
            cells = (value_text(rate), interval_text(rate), *map(value_text, shares), *_counts(rate))
            draft.add(study, (lookup.name(judge),), cells, rate, *shares)
            parts_of_sample |= any(row is not None and is_sampled(row) for row in shares)
    distance = "its distance from 50 %"
    if parts_of_sample:
        distance += " in the sample of tasks that they are fitted to"
    return draft.table(
        "Share of decided presentations of unequal length that the longer answer wins; the four parts add "
        f"up to {distance}."
    )


def length_probe_table(lookup: Lookup) -> Table:
    """Lay out the length probe: the longer version against the shorter, by what the task rewards."""
    draft = Draft(
        lookup, "length_probe", "Does the longer version of one answer win?", ("Judge", "Tasks"),
        "Long wins, %", "Interval", "Flips, %", "Comparisons", "Tasks",
    )  # fmt: skip
    for study in lookup.studies:
        for judge in (*lookup.values("judge", "long_wins_score", study=study), None):
            for group in (None, *lookup.values("group", "long_wins_score", study=study)):
                keys = {"study": study, "judge": judge, "probe": "length"}
                row = lookup.one("long_wins_score", group=group, **keys)
                flips = lookup.one("flip_rate", **keys) if group is None and judge else None
                name = "all judges" if judge is None else lookup.name(judge)
                cells = (value_text(row), interval_text(row), value_text(flips), *_counts(row))
                draft.add(study, (name, _group(group)), cells, row)
    return draft.table("Long wins: mean score of the longer version; 50 % is no preference for length.")


def repetition_probe_table(lookup: Lookup) -> Table:
    """Lay out the repetition probe: an answer padded by repetition against itself."""
    draft = Draft(
        lookup, "repetition_probe", "Does an answer beat itself once it is padded?", ("Judge",),
        "Padded wins, %", "Interval", "Comparisons", "Tasks",
    )  # fmt: skip
    for study in lookup.studies:
        for judge in (*lookup.values("judge", "padded_wins_score", study=study), None):
            row = lookup.one("padded_wins_score", study=study, judge=judge, probe="repetition")
            name = "all judges" if judge is None else lookup.name(judge)
            draft.add(study, (name,), (value_text(row), interval_text(row), *_counts(row)), row)
    return draft.table(
        "Padded wins: mean score of an answer padded by repetition against itself; 50 % is no preference."
    )


def _group(group: str | None) -> str:
    if group is None:
        return "all"
    kind, _, value = group.partition("=")
    return {"rewards": f"reward {value}", "task": value}.get(kind, group)


def _counts(row: Row | None) -> tuple[str, str]:
    counts = [None if row is None else row[column] for column in ("n_comparisons", "n_tasks")]
    comparisons, tasks = (NOTHING if count is None else f"{count:,}" for count in counts)
    return comparisons, tasks
