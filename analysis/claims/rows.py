"""Ladders as rows of estimates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from recuse.analysis.claims.ladder import Rung
from recuse.analysis.claims.outcomes import Outcome
from recuse.analysis.claims.record import Claim
from recuse.analysis.estimates import Estimate, Unit, estimate_frame
from recuse.analysis.settings import Settings
from recuse.schema import EstimateFrame

__all__ = ["ladder_estimates"]


def ladder_estimates(outcomes: Iterable[Outcome], settings: Settings) -> EstimateFrame:
    """Write every rung, and every change to the rung before, as a row.

    ``claim_estimate``: the claim's quantity on a rung; ``claim_change``: that less the one before it.
    ``group`` holds ``claim=ID rung=NAME``; the row of the deciding rung carries ``p_adjusted`` (Holm within
    the family). ``n_dropped`` counts comparisons that the rung cannot use.
    """
    return estimate_frame(
        row for outcome in outcomes for rung in outcome.rungs for row in _rows(outcome, rung, settings)
    )


def _rows(outcome: Outcome, rung: Rung, settings: Settings) -> Iterator[Estimate]:
    row = _named(outcome.claim, rung)
    found = rung.evaluation
    if found is None or found.estimate is None:
        yield row.undefined(rung.why_not or "not identified")
        return
    is_decisive = outcome.decided_by is not None and outcome.decided_by.name == rung.name
    filled = replace(
        row,
        unit=found.unit,
        estimate=found.estimate,
        n_presentations=found.n_presentations,
        n_comparisons=found.n_comparisons,
        n_tasks=found.n_tasks,
        n_dropped=found.n_dropped,
    ).with_interval(found.interval, settings.conf_level)
    yield replace(
        filled,
        p_value=found.p_value,
        test=found.test,
        p_adjusted=outcome.p_adjusted if is_decisive else None,
        reason=found.reason,
    )
    if rung.change is None:
        return
    unit: Unit = "coefficient" if found.unit == "coefficient" else "difference"
    yield replace(
        row, estimand="claim_change", unit=unit, estimate=rung.change.estimate, n_tasks=found.n_tasks
    ).with_interval(rung.change.interval, settings.conf_level)


def _named(claim: Claim, rung: Rung) -> Estimate:
    choices = None if rung.evaluation is None else rung.evaluation.choices
    return Estimate(
        estimand="claim_estimate",
        unit="difference" if claim.is_difference else "proportion",
        study=claim.study[0] if len(claim.study) == 1 else None,
        judge=getattr(claim, "judge", None),
        judge_2=getattr(claim, "judge_2", None),
        generator=getattr(claim, "generator", None),
        tier=claim.tier,
        probe="length" if getattr(claim, "controlled", False) else getattr(claim, "probe", "main"),
        group=f"claim={claim.id} rung={rung.name}",
        baseline=None if choices is None else choices.baseline,
        scoring=None if choices is None else choices.scoring,
    )
