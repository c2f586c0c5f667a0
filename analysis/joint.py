"""Joint model: whether self-preference remains once strengths, position and length are in one model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import polars as pl

from recuse.analysis.cells import each_cell
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.inference.clusters import FloatArray
from recuse.analysis.inference.interval import DEFAULT, Interval, method_named
from recuse.analysis.inference.jackknife import jackknife_interval
from recuse.analysis.inference.ordered_jackknife import one_step_without_each
from recuse.analysis.inference.ordered_logit import (
    OrderedFit,
    bootstrap_fits,
    fit_ordered,
)
from recuse.analysis.inference.percentile import percentile_interval
from recuse.analysis.inference.sandwich import t_interval
from recuse.analysis.joint_design import EFFECTS, Model, Term, joint_model
from recuse.analysis.joint_presentations import shown_in
from recuse.analysis.settings import Settings
from recuse.errors import UndefinedEstimateError
from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = ["MOST_BY_DEFAULT", "joint"]

MOST_BY_DEFAULT: Final = 100_000
"""Judgments of a study up to which the model is fitted without being asked for."""
_ON_REQUEST: Final = f"fitted on request only above {MOST_BY_DEFAULT:,} judgments: ask with --joint"
_MOST_RESAMPLES: Final = 999
_MOST_LOST: Final = 0.05
_SEPARATED: Final = "separation: some verdicts are predicted without error, so that it has no finite value"
_RESAMPLED: Final = ("bootstrap_t", "bootstrap_t_equal_tailed", "percentile", "bca", "wild")


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A fit, and the parameters on which its intervals rest."""

    model: Model
    fit: OrderedFit
    replicates: FloatArray  # (G, q) without each task, or (B, q) on resamples
    resampled: bool


def joint(comparisons: ComparisonFrame, settings: Settings) -> EstimateFrame:
    """Ordered-logit Bradley–Terry model of every presentation with a verdict, probe ``main``.

    logit P(A wins) rises with the strength of A less that of B, and with what does not lie in the answers:

    - ``bt_strength``: strength of a generator in logits, the mean of all being 0, over all judges;
    - ``joint_slot``: what standing in slot A adds, by judge. 0: slot does not matter;
    - ``joint_length``: what a logarithmic unit of length adds: log(length of A / length of B), by judge;
    - ``joint_own``: what being the judge's own answer adds, by judge. 0: with strengths, position and length
      in the model it scores its own answers as the other judges do; positive: higher;
    - ``joint_family``: what being an answer of another model of its family adds, by judge.

    Ties lie in a band around a draw, as wide as each judge makes it. Rows of a null judge are of a second
    model, in which all judges share one slot, length, own-answer and own-family term. Strengths come from the
    first. All are in logits and hold given the others; they show association.

    ``settings.joint`` fits the model above ``MOST_BY_DEFAULT`` judgments too, ``joint_by_tier`` gives
    strengths by tier, ``joint_uninvolved`` strengths on uninvolved judges' verdicts
    alone (baseline ``uninvolved``).
    ``n_presentations`` counts verdicts, ``n_dropped`` verdicts without the lengths of both answers.

    Notes
    -----
    Intervals are robust to clustering by task: estimate ± t(G - 1) times the jackknife error over tasks, each
    replicate one Newton step away (CR3); G is a tier's own tasks for its strengths. With a bootstrap
    interval in ``settings`` it is the percentile bootstrap over tasks, refitted, with at most 999 resamples.
    A term that the others explain, that never varies, or that separates keeps its row and the reason; so
    does everything where the comparison graph falls apart.

    References
    ----------
    Bradley and Terry (1952), Biometrika 39; Rao and Kupper (1967), Journal of the American Statistical
    Association 62 (ties); Agresti (1992), Applied Statistics 41 (ordinal paired comparisons).
    """
    main = comparisons.filter((pl.col("probe") == "main") & (pl.col("first") != pl.col("second")))
    rows: list[Estimate] = []
    for keys, cell in each_cell(main, ["study"]):
        base = Estimate(estimand="bt_strength", unit="logit", study=keys["study"])
        n_verdicts = int((cell["n_slot_a"].cast(pl.Int64) + cell["n_slot_b"] + cell["n_ties"]).sum())
        if n_verdicts > MOST_BY_DEFAULT and not settings.joint:
            rows += _undefined(replace(base, n_presentations=n_verdicts), _ON_REQUEST)
            continue
        rows += _study_rows(base, cell, settings)
    return estimate_frame(rows)


def _study_rows(base: Estimate, cell: pl.DataFrame, settings: Settings) -> Iterator[Estimate]:
    try:
        shown = shown_in(cell, by_tier=False)
        own = _fitted(joint_model(shown, by_judge=True), settings)
    except UndefinedEstimateError as error:
        yield from _undefined(base, str(error))
        return
    yield from _strengths(base, own, settings)
    yield from _effects(base, own, settings)
    if len(own.model.judges) > 1:
        try:
            shared = _fitted(joint_model(shown, by_judge=False), settings)
            yield from _effects(base, shared, settings)
        except UndefinedEstimateError as error:
            yield from [row for row in _undefined(base, str(error)) if row.estimand != "bt_strength"]
    requested = [
        (settings.joint_by_tier, base, cell, True),
        (
            settings.joint_uninvolved,
            replace(base, baseline="uninvolved"),
            cell.filter(~pl.col("judge_is_first") & ~pl.col("judge_is_second")),
            False,
        ),
    ]
    for wanted, row, of, by_tier in requested:
        if not wanted:
            continue
        try:
            model = joint_model(shown_in(of, by_tier=by_tier), by_judge=True)
            yield from _strengths(row, _fitted(model, settings), settings)
        except UndefinedEstimateError as error:
            yield replace(row, group="by tier" if by_tier else None).undefined(str(error))


def _undefined(base: Estimate, reason: str) -> Iterator[Estimate]:
    for name in ("bt_strength", *(f"joint_{effect}" for effect in EFFECTS)):
        yield replace(base, estimand=name).undefined(reason)


def _fitted(model: Model, settings: Settings) -> _Fitted:
    fit = fit_ordered(model.counts)
    method = DEFAULT if settings.interval == "rows" else method_named(settings.interval)
    if method not in _RESAMPLED:
        return _Fitted(model, fit, one_step_without_each(fit, model.counts), resampled=False)
    n_resamples = min(settings.n_resamples, _MOST_RESAMPLES)
    drawn = bootstrap_fits(fit, model.counts, rng=settings.rng("joint"), n_resamples=n_resamples)
    return _Fitted(model, fit, drawn, resampled=True)


def _strengths(base: Estimate, fitted: _Fitted, settings: Settings) -> Iterator[Estimate]:
    """Strengths about their mean, the first generator of each tier being the model's 0."""
    model = fitted.model
    for tier, met in model.met.items():
        places = {
            term.name: place
            for place, term in enumerate(model.terms)
            if term.effect == "strength" and term.tier == tier
        }
        named = [name for name in met if name in places]
        weights = {
            name: np.array([(name == other) - 1 / len(met) for other in named], dtype=np.float64)
            for name in met
        }
        columns = [places[name] for name in named]
        infinite = [name for name in named if places[name] in fitted.fit.separated]
        n_verdicts, n_comparisons, n_tasks = model.of_tier[tier]
        for generator in met:
            row = replace(
                base,
                generator=generator,
                tier=tier,
                n_presentations=n_verdicts,
                n_comparisons=n_comparisons,
                n_dropped=model.n_without_lengths,
                n_tasks=n_tasks,
                reason=model.at_nought,
            )
            if infinite:
                yield row.undefined(_SEPARATED)
                continue
            yield _row(row, fitted, columns, weights[generator], settings)


def _effects(base: Estimate, fitted: _Fitted, settings: Settings) -> Iterator[Estimate]:
    model = fitted.model
    for place, term in enumerate(model.terms):
        if term.effect == "strength":
            continue
        row = _of_term(base, term, model)
        if place in fitted.fit.separated:
            yield row.undefined(_SEPARATED)
        else:
            yield _row(row, fitted, [place], np.ones(1), settings)
    for term, reason in model.left_out.items():
        if term.effect != "strength":
            yield _of_term(base, term, model).undefined(reason)


def _of_term(base: Estimate, term: Term, model: Model) -> Estimate:
    judges = [term.name] if term.name is not None else list(model.judges)
    return replace(
        base,
        estimand=f"joint_{term.effect}",
        judge=term.name,
        n_presentations=sum(model.verdicts_of[judge] for judge in judges),
        n_comparisons=sum(model.comparisons_of[judge] for judge in judges),
        n_dropped=model.n_without_lengths,
        n_tasks=model.counts.n_tasks if term.name is None else model.tasks_of[term.name],
    )


def _jackknifed(estimate: float, without: FloatArray, n_tasks: int, conf_level: float) -> Interval:
    """Jackknife over all tasks, with the degrees of freedom of those that a tier or judge has."""
    found = jackknife_interval(estimate, without, bounds=None, conf_level=conf_level)
    if found.std_error is None or n_tasks == len(without):
        return found
    if n_tasks < 2:
        return Interval.missing("jackknife", "fewer than two tasks")
    return t_interval(estimate, found.std_error**2, n_tasks - 1.0, method="jackknife", conf_level=conf_level)


def _row(
    row: Estimate, fitted: _Fitted, places: list[int], weights: FloatArray, settings: Settings
) -> Estimate:
    """Fill in a weighted sum of parameters, its interval and the test of 0."""
    estimate = float(fitted.fit.parameters[places] @ weights)
    values: FloatArray = fitted.replicates[:, places] @ weights
    filled = replace(row, estimate=estimate)
    if not fitted.resampled:
        found = _jackknifed(estimate, values, row.n_tasks or 0, settings.conf_level)
        return filled.with_interval(found, settings.conf_level, test=True)
    known = values[np.isfinite(values)]
    lost = len(values) - len(known)
    if lost > _MOST_LOST * len(values):
        said = f"{lost:,} of {len(values):,} resamples of tasks do not identify the model"
        return filled.with_interval(Interval.missing("percentile", said), settings.conf_level, test=True)
    found = percentile_interval(known, conf_level=settings.conf_level, null=0.0)
    if lost:
        found = replace(found, reason=f"{lost:,} of {len(values):,} resamples do not identify the model")
    return filled.with_interval(found, settings.conf_level, test=True)
