"""The answer in a few lines, with how it was set up: what stands at the head of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from recuse.figures.lookup import Lookup
from recuse.figures.wording import Row, detectable_text, interval_text, method_text, number, p_text
from recuse.schema import EstimateFrame

__all__ = ["short_answer", "study_setup"]

_AT_MOST: Final = 6
"""Judges that a sentence names; more are counted, and stand in the tables."""
_SCORING: Final[Mapping[str, str]] = MappingProxyType(
    {
        "resolved": "resolved: a win counts 1, a loss 0; a tie, a flip and an unstable pair count ½",
        "averaged": "averaged: the mean over the two presentations; a tie counts ½",
        "consistent": "consistent: flips and unstable pairs are left out, which selects on the outcome",
    }
)


def short_answer(estimates: EstimateFrame) -> list[str]:
    """Count, in at most three sentences a study, what was found and what was not.

    Self-preference against uninvolved judges first: how many judges' intervals exclude 0, how many include
    it, for how many there is no answer; then how many judges' verdicts follow the slot.
    """
    lookup = Lookup(estimates)
    several = len(lookup.studies) > 1
    said: list[str] = []
    for study in lookup.studies:
        label = f"{study or 'All studies pooled'}: " if several else ""
        said += [label + sentence for sentence in (*_own(lookup, study), *_slots(lookup, study))]
    if not said and estimates["estimate"].is_not_null().any():
        return ["Neither self-preference nor a lean toward a slot can be estimated from these judgments."]
    return said or ["No quantity could be estimated from these judgments."]


def _own(lookup: Lookup, study: str | None) -> list[str]:
    judges = lookup.values("judge", "self_preference_delta", study=study)
    rows = {
        judge: lookup.one("self_preference_delta", study=study, judge=judge, baseline="uninvolved")
        for judge in judges
    }
    bounded = {judge: row for judge, row in rows.items() if row is not None and row["conf_low"] is not None}
    above = {judge: row for judge, row in bounded.items() if row["conf_low"] > 0}
    below = {judge: row for judge, row in bounded.items() if row["conf_high"] < 0}
    wide = {judge: row for judge, row in bounded.items() if judge not in above and judge not in below}
    sentences: list[str] = []
    if bounded:
        told = f": {_deltas(lookup, above)}" if above else ""
        scores = "scores its" if len(above) == 1 else "score their"
        sentences.append(
            f"With involved judges recused, {_of(above, judges)} {scores} own answers higher than the "
            f"judges that are left, by more than the interval allows for chance{told}."
        )
    if below:
        sentences.append(f"{_of(below, judges)} lower, in the same sense: {_deltas(lookup, below)}.")
    if wide:
        sentences.append(
            f"For {_of(wide, judges)} the interval includes 0, which is no evidence of no bias: "
            f"{_deltas(lookup, wide, detectable=True)}."
        )
    if lost := [lookup.name(judge) for judge in judges if judge not in bounded]:
        sentences.append(f"For {_of(lost, judges)} there is no answer: {_first(lost, ', ')}.")
    return sentences


def _deltas(lookup: Lookup, rows: Mapping[str, Row], *, detectable: bool = False) -> str:
    return _first([_delta(lookup, judge, row, detectable=detectable) for judge, row in rows.items()], "; ")


def _delta(lookup: Lookup, judge: str, row: Row, *, detectable: bool) -> str:
    told = f"{lookup.name(judge)} {number(row['estimate'], row['unit'])} {interval_text(row)}"
    if row["mde"] is None or not detectable:
        return told
    effect = detectable_text(row["mde"], row["unit"])
    return f"{told}, smallest effect this design could have seen {effect}"


def _slots(lookup: Lookup, study: str | None) -> list[str]:
    judges = lookup.values("judge", "slot_a_rate", study=study)
    tests = {
        judge: lookup.test("slot_a_rate", "sign_flip_task_lean", study=study, judge=judge) for judge in judges
    }
    found = {
        judge: row
        for judge, row in tests.items()
        if row is not None and row["p_value"] is not None and (row["p_adjusted"] or row["p_value"]) <= 0.05
    }
    tested = [judge for judge, row in tests.items() if row is not None and row["p_value"] is not None]
    if not tested:
        return []
    if not found:
        return [f"A lean toward a slot is shown for none of {len(tested)} judges (sign-flip over tasks)."]
    parts = [
        f"{lookup.name(judge)} {number(row['estimate'], row['unit'])} slot A, {p_text(row['p_value'])}"
        for judge, row in found.items()
    ]
    told = _first(parts, "; ")
    return [f"A lean toward a slot is shown for {_of(found, tested)} (sign-flip over tasks): {told}."]


def _first(parts: Sequence[str], between: str) -> str:
    """Put the first parts in a row, and say how many more there are."""
    more = f"{between}and {len(parts) - _AT_MOST:,} more" if len(parts) > _AT_MOST else ""
    return between.join(parts[:_AT_MOST]) + more


def _of(some: Sequence[str] | Mapping[str, Any], judges: Sequence[str]) -> str:
    return f"{len(some) or 'none'} of {len(judges)} judge{'' if len(judges) == 1 else 's'}"


def study_setup(estimates: EstimateFrame, manifest: Mapping[str, Any] | None = None) -> list[tuple[str, str]]:
    """Say in words whom and what the estimates are about, and how they were made.

    Parameters
    ----------
    estimates
        The estimates of the run.
    manifest
        As in ``manifest.json``; its settings and its seed are told where it is given.
    """
    lookup = Lookup(estimates)
    frame = estimates.lazy().collect()
    rows = frame.to_dicts()
    judges = lookup.values("judge", "win_rate", "slot_a_rate", "self_preference_delta")
    generators = lookup.values("generator", "win_rate")
    counted = [row for row in rows if row["estimand"] == "win_rate" and row["judge"] is None]
    tasks = max((row["n_tasks"] or 0 for row in counted if row["tier"] is None), default=0)
    rules = sorted({row["scoring"] for row in rows if row["scoring"] is not None})
    methods = sorted({method_text(row["interval"]) for row in rows if row["conf_low"] is not None})
    levels = sorted({row["conf_level"] for row in rows if row["conf_level"] is not None})
    told = {
        "Judges": _names(lookup, judges),
        "Generators": _names(lookup, generators),
        "Tasks": f"{tasks:,}; a task is the unit of resampling" if tasks else "",
        "Tiers": ", ".join(lookup.values("tier", "win_rate", "self_preference_delta", "slot_a_rate")),
        "Probes": ", ".join(sorted({row["probe"] for row in rows if row["probe"] is not None})),
        "Scoring": "; ".join(_SCORING.get(rule, rule) for rule in rules),
        "Intervals": f"{' and '.join(f'{100 * level:g} %' for level in levels)}, in square brackets: "
        f"{'; '.join(methods)}; beside each number stands which"
        if methods
        else "",
        **_choices(manifest or {}),
    }
    return [(term, text) for term, text in told.items() if text]


def _names(lookup: Lookup, models: Sequence[str]) -> str:
    named = [
        lookup.name(model) if lookup.name(model) == model else f"{lookup.name(model)} ({model})"
        for model in models
    ]
    return f"{len(named)}: {', '.join(named)}" if named else ""


def _choices(manifest: Mapping[str, Any]) -> dict[str, str]:
    settings: Mapping[str, Any] = manifest.get("settings", {})
    article = settings.get("convention") == "article"
    resamples = settings.get("n_resamples")
    return {
        "Convention": "the source article's own intervals and tests" if article else "",
        "Resamples": f"{resamples:,}, seed {manifest.get('seed')}" if resamples else "",
    }
