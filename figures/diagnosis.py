"""The diagnosis in sentences: what was found in each judge, with its numbers, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from recuse.analysis.diagnosis import CHANCE_MARGIN, Finding, diagnose
from recuse.figures.crowd import crowd_of
from recuse.figures.diagnosis_words import REMEDIES, Remedy
from recuse.figures.lookup import Lookup
from recuse.figures.numbers import number_keys
from recuse.figures.wording import (
    Row,
    bare_number,
    estimate_text,
    interval_text,
    is_possible,
    method_text,
    n_text,
    number,
    p_text,
)
from recuse.schema import ESTIMATE_KEYS, EstimateFrame

__all__ = ["AT_CHANCE", "DIAGNOSIS_NOTE", "Diagnosis", "diagnoses", "diagnosis_lines"]

AT_CHANCE: Final = REMEDIES["agreement"].name
"""The one finding that is of a pair of judges."""
_AT_MOST: Final = 12
"""Judges or pairs that one line names."""
DIAGNOSIS_NOTE: Final = (
    "A symptom is an association in these judgments. Not finding one is not finding that there is none: the "
    "smallest effect that would have been found, with power .8, stands beside it. p-values are adjusted "
    "over the judges of a study (Benjamini–Hochberg); intervals are not."
)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One bias looked for in one judge or pair, in words."""

    subject: str
    bias: str
    """Its name, as in :data:`recuse.figures.diagnosis_words.REMEDIES`."""
    level: str
    symptom: str
    beside: tuple[str, ...]
    """What else a reader should see, one sentence each."""
    remedy: Remedy | None
    """What explains it and what to do, where it is shown or cannot be told apart from being there."""
    detectable: str
    """The smallest effect that would have been found, with its unit, or why none is given."""
    key: str
    """Key of the row that the level was read from, as in ``numbers.tex``."""
    reason: str | None
    """Why it cannot be told, where it cannot."""


def diagnoses(estimates: EstimateFrame) -> list[Diagnosis]:
    """Put every finding into words; several studies are told apart by name.

    Of many judges those are told of that :mod:`recuse.figures.crowd` chooses.
    """
    lookup = Lookup(estimates)
    rows = estimates.lazy().collect().to_dicts()
    keys = {_identity(row): key for row, key in zip(rows, number_keys(rows), strict=True)}
    several = len(lookup.studies) > 1
    shown = crowd_of(estimates).estimates
    return [_in_words(finding, lookup, keys, several=several) for finding in diagnose(shown)]


def diagnosis_lines(estimates: EstimateFrame) -> list[str]:
    """Tell the diagnosis briefly: each symptom with its remedy, then in a line each what is not shown."""
    told = diagnoses(estimates)
    pairs = [one for one in told if one.bias == AT_CHANCE and one.level == "shown"]
    lines = [
        f"{one.subject}: {one.remedy.name}. {one.symptom} Do: {one.remedy.mitigation} ({one.remedy.source})"
        for one in told
        if one.level == "shown" and one.remedy is not None and (one not in pairs or len(pairs) <= _AT_MOST)
    ]
    if len(pairs) > _AT_MOST:
        remedy = REMEDIES["agreement"]
        named = _some([one.subject for one in pairs])
        lines.append(
            f"{len(pairs):,} pairs of judges: {remedy.name}. {named}; each κ is in the table of agreement. "
            f"Do: {remedy.mitigation} ({remedy.source})"
        )
    if told and not lines:
        lines.append("No symptom of a bias is shown.")
    biases = [one for one in told if one.bias != AT_CHANCE]
    rest = {
        "Not shown (in brackets the smallest effect that would have been found with power .8)": [
            f"{one.subject} {one.bias} ({one.detectable})" for one in biases if one.level == "not shown"
        ],
        "Cannot be told": [
            f"{_named(bias, subjects)} ({reason})" for (bias, reason), subjects in _by_reason(biases).items()
        ],
        "Neither chance nor agreement beyond it can be told of": [
            one.subject for one in told if one.bias == AT_CHANCE and one.level == "cannot be told"
        ],
    }
    return lines + [f"{what}: {_some(subjects)}." for what, subjects in rest.items() if subjects]


def _named(bias: str, subjects: Sequence[str]) -> str:
    if len(subjects) == 1:
        return f"{subjects[0]} {bias}"
    more = f" and {len(subjects) - _AT_MOST:,} more" if len(subjects) > _AT_MOST else ""
    return f"{bias} of {', '.join(subjects[:_AT_MOST])}{more}"


def _by_reason(told: Sequence[Diagnosis]) -> dict[tuple[str, str | None], list[str]]:
    """Give the judges of whom a bias cannot be told, under the bias and the reason."""
    found: dict[tuple[str, str | None], list[str]] = {}
    for one in told:
        if one.level == "cannot be told":
            found.setdefault((one.bias, one.reason), []).append(one.subject)
    return found


def _some(subjects: Sequence[str]) -> str:
    shown = "; ".join(subjects[:_AT_MOST])
    return f"{shown}; and {len(subjects) - _AT_MOST:,} more" if len(subjects) > _AT_MOST else shown


def _identity(row: Row) -> tuple[object, ...]:
    return tuple(row[column] for column in (*ESTIMATE_KEYS, "interval", "test"))


def _in_words(
    finding: Finding, lookup: Lookup, keys: Mapping[tuple[object, ...], str], *, several: bool
) -> Diagnosis:
    models = [lookup.name(name) for name in (finding.judge, finding.judge_2) if name is not None]
    study = f"{finding.study or 'all studies pooled'}: " if several else ""
    say = {"position": _position, "length": _length, "self-preference": _own, "agreement": _agreement}
    symptom, beside = say[finding.bias](finding)
    if finding.level == "cannot be told":
        unknown = f"That there is {REMEDIES[finding.bias].name} cannot be told: {finding.reason}."
        symptom = unknown if finding.evidence[0]["estimate"] is None else f"{symptom} {unknown}"
    return Diagnosis(
        study + " and ".join(models),
        REMEDIES[finding.bias].name,
        finding.level,
        symptom,
        tuple(beside),
        REMEDIES[finding.bias] if finding.level == "shown" else None,
        _detectable(finding),
        keys[_identity(finding.evidence[0])],
        finding.reason,
    )


def _with_setup(row: Row) -> str:
    """Print the estimate with its interval, how that was made, and what was counted."""
    if row["estimate"] is None:
        return estimate_text(row)
    value = number(row["estimate"], row["unit"])
    if row["conf_low"] is None:
        return f"{value} (no interval; {n_text(row)})"
    return f"{value} {interval_text(row)} ({method_text(row['interval'])}; {n_text(row)})"


def _p(row: Row) -> str:
    if row["p_value"] is None:
        return "no test"
    told = f"{method_text(row['test'])} {p_text(row['p_value'])}"
    return told if row["p_adjusted"] is None else f"{told}, adjusted {p_text(row['p_adjusted'], name=False)}"


def _detectable(finding: Finding) -> str:
    unit = finding.evidence[0]["unit"]
    if finding.detectable is None:
        return "unknown, without a standard error"
    if not is_possible(finding.detectable, unit):
        return "none that is possible"
    if unit in {"proportion", "difference"}:
        by = " by its interval" if finding.bias == "position" else ""
        return f"{bare_number(finding.detectable, 'proportion')} pp{by}"
    return bare_number(finding.detectable, unit)


def _told(finding: Finding, what: str, numbers: str) -> str:
    """Put before the numbers, where nothing was found, what would have been."""
    if finding.level != "not shown":
        return numbers
    return (
        f"No {what} is shown; smallest effect that would have been found: {_detectable(finding)}. {numbers}"
    )


def _by(finding: Finding, estimand: str, group: str | None = None) -> Row | None:
    return next(
        (
            row
            for row in finding.evidence[1:]
            if row["estimand"] == estimand and row["group"] == group and row["tier"] is None
        ),
        None,
    )


def _position(finding: Finding) -> tuple[str, list[str]]:
    lean = finding.evidence[0]
    told = f"It names slot A in {_with_setup(lean)} of its decisions; {_p(lean)}."
    beside: list[str] = []
    share, flips = _by(finding, "reversal_a_share"), _by(finding, "flip_rate")
    if share is not None and share["estimate"] is not None:
        beside.append(
            f"Of its hard reversals {number(share['estimate'], share['unit'])} go to slot A "
            f"({n_text(share)}); {_p(share)}."
        )
    if flips is not None and flips["estimate"] is not None:
        beside.append(f"Its winner changes with the order in {_with_setup(flips)} of comparisons.")
    return _told(finding, "lean to a slot", told), beside


def _length(finding: Finding) -> tuple[str, list[str]]:
    first = _length_row(finding.evidence[0])
    beside = [_length_row(row) for row in finding.evidence[1:] if row["estimate"] is not None]
    row = finding.evidence[0]
    null = 0.5 if row["unit"] == "proportion" else 0.0
    if finding.level == "shown" and row["estimate"] < null:
        first += " The shorter one is favoured: the opposite of length bias."
    return _told(finding, "pull of length", first), beside


def _length_row(row: Row) -> str:
    value = _with_setup(row)
    if row["estimand"] == "long_wins_score":
        where = " where concision is rewarded" if row["group"] == "rewards=concision" else ""
        where = " where elaboration is rewarded" if row["group"] == "rewards=elaboration" else where
        return f"In the length probe the longer version scores {value}{where}."
    if row["estimand"] == "length_length_share":
        return f"Nothing held fixed, the model puts {value} of the longer answers' wins down to length."
    return f"Nothing held fixed, the longer answer wins {value} of decisions."


def _own(finding: Finding) -> tuple[str, list[str]]:
    delta = finding.evidence[0]
    told = f"Against uninvolved judges its own answers score {_with_setup(delta)}; {_p(delta)}."
    beside: list[str] = []
    equal, peers = (
        _by(finding, "self_preference_delta_length_adjusted"),
        _by(finding, "self_preference_delta"),
    )
    if equal is not None and equal["estimate"] is not None:
        beside.append(f"At equal length of both answers: {_with_setup(equal)}.")
    if peers is not None and peers["estimate"] is not None:
        beside.append(f"Against all peers, involved ones among them: {_with_setup(peers)}.")
    if delta["estimate"] is not None and delta["estimate"] < 0 and finding.level == "shown":
        told += " It is harder on its own answers than they are: the opposite of self-preference."
    return _told(finding, "preference for itself", told), beside


def _agreement(finding: Finding) -> tuple[str, list[str]]:
    kappa, *rest = finding.evidence
    told = f"κ is {_with_setup(kappa)}."
    beside: list[str] = []
    pair = [_by(finding, name) for name in ("raw_agreement", "expected_agreement")]
    known = [row for row in pair if row is not None and row["estimate"] is not None]
    if len(known) == 2:
        beside.append(
            f"They agree in {number(known[0]['estimate'], known[0]['unit'])} of comparisons, where chance "
            f"would have {number(known[1]['estimate'], known[1]['unit'])}."
        )
    tiers = [row for row in rest if row["tier"] is not None and row["estimate"] is not None]
    if tiers:
        parts = "; ".join(f"{row['tier']} {_with_setup(row)}" for row in tiers)
        beside.append(f"By tier: {parts}.")
    if finding.level == "shown":
        return f"{told} The interval lies within {CHANCE_MARGIN:.2f} of chance.", beside
    beyond = kappa["estimate"] is not None and kappa["estimate"] > 0
    if finding.level == "not shown":
        return f"They agree {'beyond' if beyond else 'less than'} chance: {told}", beside
    return told, beside
