"""Claims, rungs and verdicts in words that a reader needs no manual for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from recuse.analysis.claims.ladder import Rung
from recuse.analysis.claims.outcomes import Outcome
from recuse.analysis.claims.record import (
    Agreement,
    Beats,
    Claim,
    LongerWins,
    Ranking,
    Rate,
    SelfPreference,
    SelfPreferenceGradient,
    SlotPreference,
    SlotPreferenceGradient,
)
from recuse.analysis.claims.verdicts import VERDICTS
from recuse.figures.names import display_names, plain
from recuse.figures.wording import bare_number, number, p_text

__all__ = [
    "MEANINGS",
    "RUNG_NAMES",
    "answer",
    "bounds_text",
    "estimate_with_bounds",
    "models_of",
    "points",
    "reasoning",
    "rung_name",
    "statement",
    "survivors",
]

RUNG_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "published": "as published",
        "resolved": "both orders resolved",
        "clustered": "tasks as clusters",
        "uninvolved": "uninvolved judges",
        "uninvolved_family": "uninvolved families",
        "length_adjusted": "at equal length",
        "human": "human judges",
    }
)
MEANINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "survives": "shown on the deciding rung, and at least half of what was published is left; "
        "an absence: shown to be within the margin",
        "weakens": "shown or half left, not both; an absence: the estimate fits but does not show it",
        "falls": "neither shown nor half left; an absence: the estimate is outside the margin",
        "reverses": "shown to be the other way round; an absence: shown to be outside the margin",
        "not identifiable": "these judgments cannot say: no uninvolved judge, or no spread between tasks",
    }
)
_RATES: Final = {
    "slot_a_rate": "slot-A rate",
    "tie_rate": "tie rate",
    "flip_rate": "flip rate",
    "flip_rate_decided": "flip rate of decided pairs",
    "unstable_rate": "unstable rate",
    "position_consistency": "position consistency",
    "win_rate": "win rate",
}
_STATISTICS: Final = {
    "cohen_kappa": "κ",
    "gwet_ac1": "AC1",
    "raw_agreement": "raw agreement",
    "krippendorff_alpha": "α",
}
_NUMERALS: Final = {True: "is", False: "are"}


def models_of(claims: Iterable[Claim]) -> dict[str, str]:
    """Give display names to every judge and generator that the claims name."""
    named: set[str] = set()
    for claim in claims:
        single = (getattr(claim, field, None) for field in ("judge", "judge_2", "generator", "opponent"))
        named |= {name for name in single if name is not None}
        named |= set(claim.order) if isinstance(claim, Ranking) else set()
    return display_names(named)


def statement(claim: Claim, names: Mapping[str, str]) -> str:
    """Say in a few words what the record claims.

    Parameters
    ----------
    claim
        The record.
    names
        Display names, from :func:`models_of`.
    """
    said = _subject(claim, names)
    if claim.tier is not None:
        said += f", {plain(claim.tier)} tasks"
    if claim.is_equivalence:
        said += f" (within ±{points(claim.margin_or_usual, _unit(claim))})"
    return f"{said} ({' and '.join(map(plain, claim.study))})" if claim.study else said


def answer(outcomes: Sequence[Outcome]) -> str:
    """Count the verdicts in one sentence, the survivors first."""
    counts = Counter(outcome.verdict for outcome in outcomes)
    survive = counts["survives"]
    verb = "survives" if 1 in {survive, len(outcomes)} else "survive"
    noun = "claim" if len(outcomes) == 1 else "claims"
    others = [
        f"{counts[verdict]} {verdict if counts[verdict] == 1 else _plural(verdict)}"
        for verdict in VERDICTS[1:-1]
        if counts[verdict]
    ]
    unidentified = counts["not identifiable"]
    if unidentified:
        others.append(f"{unidentified} {_NUMERALS[unidentified == 1]} not identifiable")
    told = f"{survive} of {len(outcomes)} {noun} {verb}"
    return f"{told}; {', '.join(others)}." if others else f"{told}."


def survivors(outcomes: Sequence[Outcome]) -> str:
    """Name what survives, each statement once; nothing where nothing does."""
    names = models_of(outcome.claim for outcome in outcomes)
    said = dict.fromkeys(statement(one.claim, names) for one in outcomes if one.verdict == "survives")
    return f"What survives: {'; '.join(said)}." if said else ""


def rung_name(rung: Rung) -> str:
    """Name a rung; that of equal length says against whom."""
    name = RUNG_NAMES[rung.name]
    if rung.name != "length_adjusted" or rung.evaluation is None:
        return name
    baseline = rung.evaluation.choices.baseline
    return name if baseline == "all_peers" else f"{name}, {RUNG_NAMES[baseline]}"


def points(value: float, unit: str) -> str:
    """Print the size of a difference between two values of a unit.

    >>> points(0.037, "proportion"), points(0.2, "coefficient")
    ('3.7 pp', '0.20')
    """
    if unit == "coefficient":
        return bare_number(value, unit)
    return f"{bare_number(value, 'proportion')} pp"


def bounds_text(low: float | None, high: float | None, unit: str) -> str:
    """Print an interval, or a dash."""
    if low is None or high is None:
        return "–"
    return f"[{bare_number(low, unit)}, {bare_number(high, unit)}]"


def estimate_with_bounds(estimate: float | None, low: float | None, high: float | None, unit: str) -> str:
    """Print an estimate with its unit and its interval, where there is one."""
    if estimate is None:
        return "–"
    value = number(estimate, unit)
    return value if low is None or high is None else f"{value} {bounds_text(low, high, unit)}"


def reasoning(outcome: Outcome) -> str:
    """Say why the verdict is what it is, in one or two sentences."""
    rung = outcome.decided_by
    found = None if rung is None else rung.evaluation
    if rung is None or found is None or found.estimate is None:
        return f"Not identifiable: {plain(outcome.reason or 'no interval')}."
    there = estimate_with_bounds(found.estimate, found.interval.low, found.interval.high, found.unit)
    told = [f"{outcome.verdict.capitalize()}: on the rung “{rung_name(rung)}” it comes to {there}"]
    if outcome.claim.is_equivalence:
        told.append(_absence(outcome))
    else:
        told.append(_direction(outcome))
    sentence = "; ".join(told) + "."
    if outcome.bias_to_overturn is not None:
        sentence += (
            f" An unmodelled bias of {points(outcome.bias_to_overturn, found.unit)} would be enough to "
            "overturn that."
        )
    if outcome.is_supported is False:
        printed = outcome.claim.published
        has_interval = printed is not None and printed.low is not None
        source = "The printed interval does" if has_interval else "As usually read, these judgments do"
        sentence += f" {source} not show it."
    return sentence


def _absence(outcome: Outcome) -> str:
    found = None if outcome.decided_by is None else outcome.decided_by.evaluation
    inner = None if found is None else found.inner
    claim = outcome.claim
    unit = _unit(claim)
    margin = bounds_text(claim.null - claim.margin_or_usual, claim.null + claim.margin_or_usual, unit)
    whose = "stated" if claim.margin is not None else "usual"
    low, high = (None, None) if inner is None else (inner.low, inner.high)
    holm = f"; {_p(outcome)}" if outcome.p_value is not None else ""
    return (
        f"its 90 % interval {bounds_text(low, high, unit)} is set against the {whose} margin {margin}{holm}"
    )


def _direction(outcome: Outcome) -> str:
    found = None if outcome.decided_by is None else outcome.decided_by.evaluation
    effect, published = None if found is None else found.effect, outcome.published_effect
    parts = [_p(outcome)] if outcome.p_value is not None else ["no p-value"]
    if effect is not None and published is not None and published <= 0:
        parts.append("what was published does not point that way")
    elif effect is not None and published is not None:
        kept = "at least half" if effect >= published / 2 - 1e-12 else "less than half"
        value = points(abs(published), _unit(outcome.claim))
        whose = "published" if outcome.claim.published is not None else "naive"
        parts.append(f"{kept} of the {whose} distance of {value} is left")
    return "; ".join(parts)


def _p(outcome: Outcome) -> str:
    if outcome.n_family <= 1:
        return f"{p_text(outcome.p_value)}, alone in its family"
    return (
        f"{p_text(outcome.p_value)}, {p_text(outcome.p_adjusted, name=False)} after Holm over "
        f"{outcome.n_family} claims"
    )


def _subject(claim: Claim, names: Mapping[str, str]) -> str:
    match claim:
        case SelfPreference():
            verb = {"above": "prefers", "below": "disfavours", "absent": "does not prefer"}[claim.direction]
            said = f"{names[claim.judge]} {verb} its own answers"
        case SelfPreferenceGradient():
            said = f"{names[claim.judge]}'s self-preference {_moves(claim)} subjectivity"
        case Beats():
            verb = {"above": "beats", "below": "loses to", "absent": "ties with"}[claim.direction]
            said = f"{names[claim.generator]} {verb} {names[claim.opponent]}{_by(claim.judge, names)}"
        case Ranking():
            said = f"{' > '.join(names[name] for name in claim.order)}{_by(claim.judge, names)}"
        case SlotPreference():
            slot = {"above": "prefers slot A", "below": "prefers slot B", "absent": "has no slot preference"}
            said = f"{names[claim.judge]} {slot[claim.direction]}{_in_probe(claim.probe)}"
        case SlotPreferenceGradient():
            said = f"{names[claim.judge]}'s preference for slot A {_moves(claim)} subjectivity"
        case LongerWins():
            said = _longer(claim, names)
        case Agreement():
            said = _agreement(claim, names)
        case Rate():
            who = names[claim.judge] if claim.judge else "all judges"
            whose = f"{names[claim.generator]}'s" if claim.generator else f"{who}'s"
            by = _by(claim.judge, names) if claim.generator else ""
            said = f"{whose} {_RATES[claim.rate]} is {_against(claim)} {number(claim.bar, 'proportion')}{by}"
    return said


def _moves(claim: Claim) -> str:
    return {"above": "grows with", "below": "shrinks with", "absent": "does not change with"}[claim.direction]


def _against(claim: Claim) -> str:
    return {"above": "above", "below": "below", "absent": "at"}[claim.direction]


def _by(judge: str | None, names: Mapping[str, str]) -> str:
    return ", over all judges" if judge is None else f", by {names[judge]}"


def _in_probe(probe: str) -> str:
    return "" if probe == "main" else f" in probe {plain(probe)}"


def _longer(claim: LongerWins, names: Mapping[str, str]) -> str:
    answer = "version" if claim.controlled else "answer"
    verb = {"above": "wins", "below": "loses", "absent": "wins as often as the shorter"}[claim.direction]
    said = f"the longer {answer} {verb}"
    if claim.rewards:
        said += f" where {plain(claim.rewards)} is rewarded"
    if claim.task:
        said += f" on {plain(claim.task)}"
    return said + _by(claim.judge, names)


def _agreement(claim: Agreement, names: Mapping[str, str]) -> str:
    who = "the judges"
    if claim.judge is not None and claim.judge_2 is not None:
        who = f"{names[claim.judge]} and {names[claim.judge_2]}"
    chance = claim.bar == 0 and claim.statistic != "raw_agreement"
    unit = _unit(claim)
    bar = "chance" if chance else number(claim.bar, unit)
    return f"{who} agree {_against(claim)} {bar} ({_STATISTICS[claim.statistic]})"


def _unit(claim: Claim) -> str:
    if isinstance(claim, Agreement):
        return "coefficient"
    return "difference" if claim.is_difference else "proportion"


def _plural(verdict: str) -> str:
    return verdict.removesuffix("s") if verdict != "reverses" else "reverse"
