"""A claim evaluated under given choices: estimate, standard error, interval and p-value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from recuse.analysis.claims.choices import Choices
from recuse.analysis.claims.evidence import Evidence
from recuse.analysis.claims.forms import Form, How
from recuse.analysis.claims.reading import Reading
from recuse.analysis.claims.readings import read
from recuse.analysis.claims.record import Claim
from recuse.analysis.estimates import Unit, joined
from recuse.analysis.inference.interval import Interval
from recuse.analysis.inference.many_tasks import MANY_OF_A_TIER, MANY_TASKS
from recuse.analysis.inference.signflip import sign_flip
from recuse.analysis.settings import Settings

__all__ = ["Evaluation", "evaluate", "interval_at", "intervals_at"]

_USUAL: Final = Settings()
_STREAMS: Final = {
    "self_preference": "self_preference_delta",
    "self_preference_gradient": "self_preference_tier_gradient",
}
"""Kind → the estimand whose random numbers it shares, so that a report and a ladder print one interval."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a claim's quantity comes to under some choices.

    ``effect`` is (estimate - null) × claimed sign: above 0 the data side with a directional claim.
    """

    claim: Claim
    choices: Choices
    estimate: float | None
    unit: Unit
    interval: Interval
    """At the settings' level (95 %), with the two-sided p-value against the null."""
    inner: Interval | None
    """For an absence: the interval of the two one-sided tests (90 %)."""
    p_value: float | None
    """Of the claim: two-sided against the null, or, for an absence, the larger of two one-sided ones."""
    test: str | None
    n_presentations: int | None
    n_comparisons: int
    n_tasks: int
    n_dropped: int
    reason: str | None
    forms: tuple[Form, ...] = field(default=(), repr=False)
    link: int = 0
    """Of a ranking, the place of the closest pair of neighbours, whose numbers these are."""
    links: tuple[tuple[float, Interval], ...] = field(default=(), repr=False)
    """Of a ranking, each difference between neighbours and its interval."""

    @property
    def effect(self) -> float | None:
        """Distance from the null in the claimed direction."""
        return None if self.estimate is None else (self.estimate - self.claim.null) * self.claim.sign

    @property
    def is_identified(self) -> bool:
        """Whether there are both an estimate and an interval."""
        return self.estimate is not None and self.interval.low is not None

    @property
    def form(self) -> Form | None:
        """What the numbers were made from."""
        return self.forms[self.link] if self.forms else None


def evaluate(
    claim: Claim, evidence: Evidence, choices: Choices | None = None, settings: Settings = _USUAL
) -> Evaluation:
    """Evaluate a claim's quantity on the evidence under given choices.

    Parameters
    ----------
    claim
        What is claimed.
    evidence
        From :func:`recuse.analysis.claims.evidence.gather`, for the claim's studies.
    choices
        Scoring, baseline, cluster and the others; by default both orders resolved, all peers, by task.
    settings
        Level, resamples and seed; its scoring and interval are not looked at.

    Returns
    -------
    Evaluation
        Without an estimate, or without an interval, and with a reason where the data do not allow it.
    """
    choices = choices or Choices()
    reading = read(claim, evidence, choices)
    unit: Unit = "difference" if claim.is_difference else "proportion"
    if claim.kind == "agreement":
        unit = "coefficient"
    if reading.reason is not None:
        return _without_estimate(claim, choices, reading, unit)
    links = [_link(claim, form, choices, settings) for form in reading.forms]
    place = int(np.argmin([estimate for estimate, _ in links]))
    estimate, found = links[place]
    p_values = [interval.p_value for _, interval in links]
    p_value = None if None in p_values else max(p for p in p_values if p is not None)
    evaluation = Evaluation(
        claim=claim,
        choices=choices,
        estimate=estimate,
        unit=unit,
        interval=found,
        inner=None,
        p_value=p_value,
        test=None if p_value is None else f"dual_of_{found.method}",
        n_presentations=reading.n_presentations,
        n_comparisons=reading.n_comparisons,
        n_tasks=reading.n_tasks,
        n_dropped=reading.n_dropped,
        reason=found.reason,
        forms=reading.forms,
        link=place,
        links=tuple(links),
    )
    if claim.is_equivalence:
        return _with_two_tests(evaluation, settings)
    return _with_sign_flip(evaluation, reading, settings)


def interval_at(evaluation: Evaluation, conf_level: float, settings: Settings, null: float) -> Interval:
    """Make the evaluation's interval again at another level, tested against another null."""
    form = evaluation.form
    if form is None:
        return evaluation.interval
    return form.interval(_how(evaluation.claim, evaluation.choices, settings, conf_level), null)


def intervals_at(
    evaluation: Evaluation, conf_level: float, settings: Settings, null: float
) -> list[Interval]:
    """Make the interval of every form again at another level: of a ranking, each pair of neighbours."""
    how = _how(evaluation.claim, evaluation.choices, settings, conf_level)
    return [form.interval(how, null) for form in evaluation.forms]


def _how(claim: Claim, choices: Choices, settings: Settings, conf_level: float) -> How:
    return How(
        rng=settings.rng(_STREAMS.get(claim.kind, claim.kind)),
        cluster=choices.cluster,
        method=choices.interval,
        conf_level=conf_level,
        n_resamples=settings.n_resamples,
        many=MANY_TASKS if claim.tier is None else MANY_OF_A_TIER,
    )


def _link(claim: Claim, form: Form, choices: Choices, settings: Settings) -> tuple[float, Interval]:
    how = _how(claim, choices, settings, settings.conf_level)
    return form.estimate, form.interval(how, claim.null)


def _with_two_tests(evaluation: Evaluation, settings: Settings) -> Evaluation:
    """Two one-sided tests against the ends of the margin, and the interval that is their dual."""
    claim, estimate = evaluation.claim, evaluation.estimate
    if not evaluation.is_identified or estimate is None:
        return replace(evaluation, p_value=None, test=None)
    level = 2 * settings.conf_level - 1
    one_sided: list[float] = []
    inner = evaluation.interval
    for end in (claim.null - claim.margin_or_usual, claim.null + claim.margin_or_usual):
        if not claim.is_difference and claim.kind != "agreement" and not 0 < end < 1:
            continue
        inner = interval_at(evaluation, level, settings, end)
        if inner.p_value is None:
            return replace(evaluation, inner=inner, p_value=None, test=None)
        inside = (estimate > end) == (end < claim.null)
        one_sided.append(inner.p_value / 2 if inside else 1 - inner.p_value / 2)
    return replace(evaluation, inner=inner, p_value=max(one_sided, default=None), test="two_one_sided_tests")


def _with_sign_flip(evaluation: Evaluation, reading: Reading, settings: Settings) -> Evaluation:
    """Test a slot preference by the sign-flip over task sums of lean, where tasks are the clusters."""
    if reading.lean is None or evaluation.choices.cluster != "task" or evaluation.claim.null != 0.5:
        return evaluation
    flip = sign_flip(reading.lean, settings.rng("position"), settings.n_resamples)
    said = joined(evaluation.reason, flip.reason)
    p_value = 1.0 if flip.n_nonzero == 0 else flip.p_value
    return replace(evaluation, p_value=p_value, test="sign_flip_task_lean", reason=said)


def _without_estimate(claim: Claim, choices: Choices, reading: Reading, unit: Unit) -> Evaluation:
    return Evaluation(
        claim=claim,
        choices=choices,
        estimate=None,
        unit=unit,
        interval=Interval.missing("none", reading.reason or ""),
        inner=None,
        p_value=None,
        test=None,
        n_presentations=reading.n_presentations,
        n_comparisons=reading.n_comparisons,
        n_tasks=reading.n_tasks,
        n_dropped=reading.n_dropped,
        reason=reading.reason,
    )
