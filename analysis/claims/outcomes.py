"""What becomes of the claims of a file: ladder, multiplicity, verdict, and what would overturn it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from recuse.analysis.claims.choices import has_baseline
from recuse.analysis.claims.evaluation import Evaluation, intervals_at
from recuse.analysis.claims.evidence import Evidence, gather
from recuse.analysis.claims.ladder import Rung, climb, deciding
from recuse.analysis.claims.parsing import check_names
from recuse.analysis.claims.record import Claim
from recuse.analysis.claims.verdicts import SIGNIFICANT, Verdict, directional_verdict, equivalence_verdict
from recuse.analysis.inference.interval import Interval
from recuse.analysis.inference.multiplicity import holm
from recuse.analysis.settings import Settings
from recuse.schema import TIERS, ComparisonFrame

__all__ = ["Outcome", "judge_claims"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One claim, its ladder and its verdict."""

    claim: Claim
    rungs: tuple[Rung, ...]
    decided_by: Rung | None
    """The deciding rung; None where the claim is not identifiable."""
    verdict: Verdict
    """With Holm's correction within the claim's family."""
    verdict_over_file: Verdict
    """With Holm's correction over all claims of the file."""
    p_value: float | None
    p_adjusted: float | None
    p_over_file: float | None
    n_family: int
    """Claims of the family that have a p-value."""
    published_effect: float | None
    """(estimate - null) × claimed sign, as published, or else as read naively."""
    is_supported: bool | None
    """Whether the published numbers themselves support the claim; None where that cannot be told."""
    bias_to_overturn: float | None
    """Unmodelled bias, in the estimate's unit, from which on a surviving claim no longer survives."""
    reason: str | None
    """Why it is not identifiable."""


def judge_claims(
    claims: Sequence[Claim],
    comparisons: ComparisonFrame,
    settings: Settings,
    *,
    tiers: tuple[str, ...] = TIERS,
    study: Sequence[str] = (),
) -> list[Outcome]:
    """Put every claim on the ladder and give it a verdict.

    Parameters
    ----------
    claims
        In the order in which they are to be reported.
    comparisons
        From :func:`recuse.analysis.comparisons.compare`, under any scoring rule.
    settings
        Level, resamples and seed.
    tiers
        Tiers in ascending order of subjectivity.
    study
        Studies of the claims that name none; none means all, pooled.

    Raises
    ------
    UnknownNameError
        A claim names a study, judge, generator, tier, probe or task that is not there.
    """
    check_names(claims, comparisons, study)
    evidence: dict[tuple[str, ...], Evidence] = {}
    climbed: list[Outcome] = []
    for claim in claims:
        studies = claim.study or tuple(study)
        if studies not in evidence:
            evidence[studies] = gather(comparisons, studies, tiers)
        climbed.append(_climbed(claim, climb(claim, evidence[studies], settings)))
    families = [claim.family_or_kind for claim in claims]
    within = _holm_within(families, [outcome.p_value for outcome in climbed])
    over_file = holm(outcome.p_value for outcome in climbed)
    return [
        _decided(
            replace(
                outcome,
                p_adjusted=within[place],
                p_over_file=over_file[place],
                n_family=sum(
                    family == families[place] and other.p_value is not None
                    for family, other in zip(families, climbed, strict=True)
                ),
            ),
            settings,
        )
        for place, outcome in enumerate(climbed)
    ]


def _climbed(claim: Claim, rungs: tuple[Rung, ...]) -> Outcome:
    rung = deciding(claim, rungs)
    found = None if rung is None else rung.evaluation
    naive = rungs[0].evaluation
    return Outcome(
        claim=claim,
        rungs=rungs,
        decided_by=rung,
        verdict="not identifiable",
        verdict_over_file="not identifiable",
        p_value=None if found is None else found.p_value,
        p_adjusted=None,
        p_over_file=None,
        n_family=0,
        published_effect=_published_effect(claim, naive),
        is_supported=_is_supported(claim, naive),
        bias_to_overturn=None,
        reason=None if rung is not None else _why_not(claim, rungs),
    )


def _decided(outcome: Outcome, settings: Settings) -> Outcome:
    found = None if outcome.decided_by is None else outcome.decided_by.evaluation
    if found is None:
        return outcome
    outcome = replace(
        outcome,
        verdict=_verdict(outcome, found, outcome.p_adjusted),
        verdict_over_file=_verdict(outcome, found, outcome.p_over_file),
    )
    if outcome.verdict != "survives":
        return outcome
    return replace(outcome, bias_to_overturn=_bias_to_overturn(outcome, found, settings))


def _verdict(outcome: Outcome, found: Evaluation, p_adjusted: float | None) -> Verdict:
    claim = outcome.claim
    if found.estimate is None or found.effect is None:
        return "not identifiable"
    if claim.is_equivalence:
        verdict = equivalence_verdict(
            estimate=found.estimate,
            outer=_bounds(found.interval),
            inner=_bounds(found.inner or found.interval),
            null=claim.null,
            margin=claim.margin_or_usual,
        )
        lost = verdict == "survives" and (p_adjusted is None or p_adjusted > SIGNIFICANT)
        return "weakens" if lost else verdict
    neighbours = found.links if len(found.links) > 1 else ()
    if any(estimate < 0 and _bounds(interval)[1] < 0 for estimate, interval in neighbours):
        return "reverses"
    return directional_verdict(
        effect=found.effect,
        effect_high=_signed(claim, found.interval)[1],
        p_adjusted=p_adjusted,
        published_effect=outcome.published_effect,
    )


def _bias_to_overturn(outcome: Outcome, found: Evaluation, settings: Settings) -> float:
    """Smallest shift of the estimate after which the claim would no longer survive."""
    claim = outcome.claim
    if claim.is_equivalence:
        low, high = _bounds(found.inner or found.interval)
        return max(
            0.0,
            min(low - (claim.null - claim.margin_or_usual), claim.null + claim.margin_or_usual - high),
        )
    corrected = (outcome.p_adjusted or 0.0) / outcome.p_value if outcome.p_value else 1.0
    level = 1 - (1 - settings.conf_level) / max(1.0, corrected)
    to_null = min(
        _signed(claim, interval)[0] for interval in intervals_at(found, level, settings, claim.null)
    )
    to_half = (found.effect or 0.0) - (outcome.published_effect or 0.0) / 2
    return max(0.0, min(to_null, to_half))


def _published_effect(claim: Claim, naive: Evaluation | None) -> float | None:
    if claim.published is not None:
        return (claim.published.estimate - claim.null) * claim.sign
    return None if naive is None else naive.effect


def _is_supported(claim: Claim, naive: Evaluation | None) -> bool | None:
    """Tell whether the published interval, or else the naive reading, supports the claim."""
    printed = claim.published
    if claim.is_equivalence:
        inner = None if naive is None or naive.inner is None else naive.inner
        if printed is not None and printed.low is not None and printed.high is not None:
            inner = Interval(printed.low, printed.high, None, None, None, "printed")
        if inner is None or inner.low is None or inner.high is None:
            return None
        return max(abs(inner.low - claim.null), abs(inner.high - claim.null)) <= claim.margin_or_usual
    if printed is not None and printed.low is not None and printed.high is not None:
        return (printed.low if claim.sign > 0 else -printed.high) > claim.null * claim.sign
    if naive is None or naive.effect is None or naive.p_value is None:
        return None
    return naive.effect > 0 and naive.p_value <= SIGNIFICANT


def _why_not(claim: Claim, rungs: tuple[Rung, ...]) -> str:
    names = {rung.name: rung for rung in rungs}
    asked = [names["uninvolved"], names["clustered"]] if has_baseline(claim) else [names["clustered"]]
    reasons = [rung.why_not for rung in asked if rung.why_not is not None]
    return reasons[0] if reasons else "no interval"


def _holm_within(families: Sequence[str], p_values: Iterable[float | None]) -> list[float | None]:
    given = list(p_values)
    adjusted: list[float | None] = [None] * len(given)
    for family in set(families):
        places = [place for place, name in enumerate(families) if name == family]
        for place, p_value in zip(places, holm(given[place] for place in places), strict=True):
            adjusted[place] = p_value
    return adjusted


def _bounds(interval: Interval) -> tuple[float, float]:
    low, high = interval.low, interval.high
    return (float("-inf") if low is None else low, float("inf") if high is None else high)


def _signed(claim: Claim, interval: Interval) -> tuple[float, float]:
    """Bounds of the effect: distances from the null in the claimed direction, the lower one first."""
    low, high = (bound - claim.null for bound in _bounds(interval))
    return (low, high) if claim.sign > 0 else (-high, -low)
