"""Intervals read off the resampled estimates themselves: percentile and BCa."""

from __future__ import annotations

import numpy as np
from scipy import special

from recuse.analysis.inference.clusters import ZERO, FloatArray, TaskCounts
from recuse.analysis.inference.interval import Interval

__all__ = ["acceleration", "bca_interval", "percentile_interval"]


def percentile_interval(
    resampled: FloatArray, *, conf_level: float, null: float, method: str = "percentile"
) -> Interval:
    """Quantiles of the resampled estimates; p is twice the smaller share at or beyond the null.

    The standard error is the standard deviation of the resampled estimates.
    """
    tail = (1 - conf_level) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail])
    n_resamples = len(resampled)
    below, at = _below_and_at(resampled, null)
    beyond = 1 + min(below + at, n_resamples - below)
    p_value = min(1.0, 2 * beyond / (1 + n_resamples))
    spread = float(resampled.std(ddof=1))
    return Interval(float(low), float(high), spread, None, p_value, method, n_resamples=n_resamples)


def acceleration(*leave_one_out: tuple[FloatArray, TaskCounts]) -> float:
    """Acceleration of BCa from leave-one-task-out estimates and the tasks that share each.

    One pair of vectors per independent group of tasks.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, equations 14.15 and 15.36.
    """
    cubes = squares = 0.0
    for values, tasks in leave_one_out:
        n_tasks = float(tasks.sum())
        influence = (n_tasks - 1) * ((tasks * values).sum() / n_tasks - values)
        cubes += float((tasks * influence**3).sum()) / n_tasks**3
        squares += float((tasks * influence**2).sum()) / n_tasks**2
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0


def bca_interval(
    resampled: FloatArray, estimate: float, accelerated: float, *, conf_level: float, null: float
) -> Interval:
    """Bias-corrected and accelerated percentile interval; p inverts the interval at the null.

    Ties with the estimate count half, as in :func:`scipy.stats.bootstrap`.
    """
    shift = special.ndtri(_share_below(resampled, estimate))
    if not np.isfinite(shift):
        return Interval.missing(
            "bca", "BCa is undefined: every resampled estimate lies on one side of the observed"
        )
    tail = (1 - conf_level) / 2
    moved = shift + special.ndtri(np.array([tail, 1 - tail]))
    levels = special.ndtr(shift + moved / (1 - accelerated * moved))
    low, high = np.quantile(resampled, np.asarray(levels, dtype=np.float64)).tolist()
    at_null = special.ndtri(_share_below(resampled, null)) - shift
    unmoved = special.ndtr(at_null / (1 + accelerated * at_null) - shift) if np.isfinite(at_null) else 0.0
    floor = 1 / (1 + len(resampled))
    p_value = float(min(1.0, 2 * max(floor, min(unmoved, 1 - unmoved))))
    spread = float(resampled.std(ddof=1))
    return Interval(low, high, spread, None, p_value, "bca", n_resamples=len(resampled))


def _share_below(values: FloatArray, bound: float) -> float:
    below, at = _below_and_at(values, bound)
    return (below + at / 2) / len(values)


def _below_and_at(values: FloatArray, bound: float) -> tuple[int, int]:
    """Count values below a bound and at it, up to rounding."""
    slack = ZERO * (abs(bound) + float(np.abs(values).max()))
    return int((values < bound - slack).sum()), int((np.abs(values - bound) <= slack).sum())
