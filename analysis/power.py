"""Power: what a design of so many tasks, judges and replicates would see, by simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import special

from recuse.analysis.inference.clusters import ClusterSums, FloatArray
from recuse.analysis.inference.means import why_no_spread
from recuse.analysis.inference.power import minimum_detectable_effect
from recuse.errors import ConfigurationError, UndefinedEstimateError

__all__ = [
    "Design",
    "Performance",
    "SelfPreferenceRates",
    "SlotRates",
    "fewest_tasks",
    "resampled_performance",
    "stated_performance",
]

MOST_TASKS: Final = 5_000
_DRAWS_AT_ONCE: Final = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How much is to be asked."""

    n_tasks: int
    comparisons: int = 2  # of each task
    judges: int = 1  # of the baseline
    replicates: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfPreferenceRates:
    """Scores of own answers by the judge and by the baseline's judges, stated instead of observed.

    Each score is 1, 0 or, with chance `undecided`, a half. Behind it stands a normal variable with these
    shares of its variance: one of the task, one of the comparison (both are seen by all judges), one of
    the judge's view of the comparison, which replicates repeat, and the rest anew in each replicate.
    """

    own: float
    baseline: float
    undecided: float = 0.3
    task_share: float = 0.1
    comparison_share: float = 0.2
    judge_share: float = 0.5

    @property
    def null(self) -> float:
        """Difference under the null hypothesis."""
        return 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRates:
    """Slot-A rate and the share of comparisons that reverse with the order, stated instead of observed.

    `task_share`: share of the variance, of what decides whether and where a comparison reverses, that
    its task accounts for.
    """

    slot_a: float
    flip_rate: float = 0.3
    task_share: float = 0.1

    @property
    def null(self) -> float:
        """Rate under the null hypothesis."""
        return 0.5


@dataclass(frozen=True, slots=True)
class Performance:
    """What simulated studies of one design gave."""

    design: Design
    power: float  # share with p at most 1 - conf_level
    width: float  # mean length of the interval
    detectable: float  # minimum detectable effect at power .8, from the root mean squared standard error


def resampled_performance(
    sums: ClusterSums,
    design: Design,
    *,
    effect: float,
    rng: np.random.Generator,
    n_data_sets: int = 2_000,
    conf_level: float = 0.95,
) -> Performance:
    """Simulate studies whose tasks are drawn from those of a study, moved to a true effect.

    Parameters
    ----------
    sums
        Sum and count of each task of the study at hand.
    design
        Its number of tasks; comparisons, judges and replicates are those of the study.
    effect
        True distance from the null; the study's own estimate is taken away first, so that what it
        happened to find plays no part.
    rng, n_data_sets, conf_level
        Source of randomness, simulated studies, level of their intervals.

    Raises
    ------
    UndefinedEstimateError
        The study's tasks do not differ, so that there is nothing to learn from them.
    """
    nothing = why_no_spread(sums)
    if nothing is not None:
        raise UndefinedEstimateError(f"no power from these tasks: {nothing}")
    _check(design, n_data_sets)
    spread = sums.residuals * np.sqrt(sums.n_clusters / (sums.n_clusters - 1))
    moved = spread + effect * sums.denominator
    task = np.repeat(np.arange(len(sums.tasks)), sums.tasks)
    drawn = task[rng.integers(0, sums.n_clusters, size=(n_data_sets, design.n_tasks))]
    return _performance(design, moved[drawn], sums.denominator[drawn], conf_level)


def stated_performance(
    rates: SelfPreferenceRates | SlotRates,
    design: Design,
    *,
    rng: np.random.Generator,
    n_data_sets: int = 2_000,
    conf_level: float = 0.95,
) -> Performance:
    """Simulate studies of a design from stated rates.

    Parameters
    ----------
    rates
        What is true; the effect is own less baseline, or the slot-A rate less a half.
    design
        Tasks, comparisons of each, judges of the baseline, replicates.
    rng, n_data_sets, conf_level
        Source of randomness, simulated studies, level of their intervals.

    Raises
    ------
    ConfigurationError
        Rates that no judge can have, or a design of nothing.
    """
    _check(design, n_data_sets)
    draw = _slot_sums if isinstance(rates, SlotRates) else _self_preference_sums
    cells = design.n_tasks * design.comparisons * (1 + design.judges) * design.replicates
    step = max(1, _DRAWS_AT_ONCE // cells)
    sizes = [min(step, n_data_sets - first) for first in range(0, n_data_sets, step)]
    totals = np.concatenate([draw(rates, design, size, rng) for size in sizes])  # type: ignore[arg-type]
    rows = np.full(totals.shape, float(design.comparisons))
    return _performance(design, totals - rates.null * rows, rows, conf_level)


def fewest_tasks(
    performance: Callable[[int], Performance], goal: Callable[[Performance], bool]
) -> int | None:
    """Find the fewest tasks that reach a goal, by doubling and halving; null beyond 5,000.

    Parameters
    ----------
    performance
        Simulates a number of tasks, with the same seed each time, so that more tasks are better.
    goal
        Whether a performance is good enough.
    """
    few, many = 1, 4
    while not goal(performance(many)):
        few, many = many, many * 2
        if few >= MOST_TASKS:
            return None
    while many - few > max(1, many // 50):
        middle = (few + many) // 2
        if goal(performance(middle)):
            many = middle
        else:
            few = middle
    return many


def _performance(design: Design, totals: FloatArray, rows: FloatArray, conf_level: float) -> Performance:
    """Test each row's mean against 0 and measure its interval: CR1 by task, Student's t(G - 1)."""
    n_tasks = design.n_tasks
    count = rows.sum(1)
    estimate = totals.sum(1) / count
    residual = totals - estimate[:, None] * rows
    error = np.sqrt((residual**2).sum(1) * n_tasks / (n_tasks - 1)) / count
    quantile = float(special.stdtrit(n_tasks - 1, (1 + conf_level) / 2))
    seen = (np.abs(estimate) > quantile * error) & (error > 0)
    typical = float(np.sqrt(np.square(error).mean()))
    detectable = minimum_detectable_effect(typical, n_tasks - 1.0, 1 - conf_level)
    return Performance(design, float(seen.mean()), 2 * quantile * float(error.mean()), detectable or 0.0)


def _self_preference_sums(
    rates: SelfPreferenceRates, design: Design, n: int, rng: np.random.Generator
) -> FloatArray:
    """Sum the differences of each task, shape (n, tasks)."""
    left = 1 - rates.task_share - rates.comparison_share - rates.judge_share
    shares = [rates.task_share, rates.comparison_share, rates.judge_share, left]
    ends = [rate + sign * rates.undecided / 2 for rate in (rates.own, rates.baseline) for sign in (1, -1)]
    if min(shares) < -1e-9 or not all(0 <= end <= 1 for end in ends):
        raise ConfigurationError(
            "own and baseline rates must lie half the undecided share within 0 and 1, and shares of variance "
            "add up to at most 1",
            "change --own, --baseline-rate, --undecided or the shares",
        )
    n_judges = 1 + design.judges
    shapes = [
        (n, design.n_tasks, 1, 1, 1),
        (n, design.n_tasks, design.comparisons, 1, 1),
        (n, design.n_tasks, design.comparisons, n_judges, 1),
        (n, design.n_tasks, design.comparisons, n_judges, design.replicates),
    ]
    liking = sum(
        np.sqrt(max(share, 0.0)) * rng.standard_normal(shape)
        for share, shape in zip(shares, shapes, strict=True)
    )
    rate = np.array([rates.own] + [rates.baseline] * design.judges)[:, None]
    above = special.ndtri(1 - rate + rates.undecided / 2), special.ndtri(1 - rate - rates.undecided / 2)
    score = 0.5 * ((liking > above[0]).astype(np.float64) + (liking > above[1])).mean(-1)
    delta = score[..., 0] - score[..., 1:].mean(-1)
    totals: FloatArray = delta.sum(-1)
    return totals


def _slot_sums(rates: SlotRates, design: Design, n: int, rng: np.random.Generator) -> FloatArray:
    """Sum the shares of slot A over both orders of each comparison, shape (n, tasks)."""
    toward_a = (rates.flip_rate + 2 * (rates.slot_a - 0.5)) / 2
    toward_b = rates.flip_rate - toward_a
    if min(toward_a, toward_b) < -1e-9 or rates.flip_rate > 1 or not 0 <= rates.task_share <= 1:
        raise ConfigurationError(
            "a slot-A rate differs from a half by at most half the flip rate",
            "state a larger --flip-rate or a smaller --effect",
        )
    shared, own = np.sqrt(rates.task_share), np.sqrt(1 - rates.task_share)
    liking = shared * rng.standard_normal((n, design.n_tasks, 1, 1)) + own * rng.standard_normal(
        (n, design.n_tasks, design.comparisons, design.replicates)
    )
    a = liking > special.ndtri(1 - max(toward_a, 0.0))
    b = liking < special.ndtri(max(toward_b, 0.0))
    totals: FloatArray = (0.5 + 0.5 * (a.astype(np.float64) - b)).mean(-1).sum(-1)
    return totals


def _check(design: Design, n_data_sets: int) -> None:
    if design.n_tasks < 2 or min(design.comparisons, design.judges, design.replicates, n_data_sets) < 1:
        raise ConfigurationError(
            "a design needs two tasks, and one comparison, judge and replicate at least", "ask for more"
        )
