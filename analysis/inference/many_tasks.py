"""Resampled totals of very many tasks, drawn from the normal distribution that they have then."""

from __future__ import annotations

from typing import Final

import numpy as np

from recuse.analysis.inference.clusters import FloatArray, TaskCounts

__all__ = [
    "MANY_OF_A_TIER",
    "MANY_TASKS",
    "NORMAL",
    "deviations",
    "half_step",
    "is_normal",
    "n_beyond",
    "normal_totals",
]

MANY_TASKS: Final = 8_000
"""Tasks from which totals are drawn as normal."""
MANY_OF_A_TIER: Final = MANY_TASKS // 2
"""Tasks from which those of one tier are, alone and where two tiers are compared."""
NORMAL: Final = "resampled totals drawn from the normal distribution that they have over this many tasks"
_MOST_SKEW: Final = 0.015
_MOST_KURTOSIS: Final = 0.002
_MOST_CONCENTRATED: Final = 0.001
"""Chance that two rows are of one task: as of a thousand tasks of equal size."""
_SAME: Final = 1e-9
_ON_GRID: Final = 1e-6


def is_normal(
    residual: FloatArray, rows: FloatArray, tasks: TaskCounts, *, share: float = 1.0, symmetric: bool = False
) -> bool:
    """Whether the total of residuals over a resample is normal up to less than the draws' own noise.

    Parameters
    ----------
    residual
        Shape (K,). Sum of each task less what its rows would sum to at the mean.
    rows
        Shape (K,). Rows of each task.
    tasks
        Shape (K,). Tasks that share each pair.
    share
        Share of the tasks that a resample holds.
    symmetric
        Whether signs are drawn, so that the total has no skewness.

    Returns
    -------
    bool
        Skewness of the total at most 0.015, kurtosis at most 0.002, and no few tasks with most of the rows.
        Of single verdicts of 0 or 1 that takes up to 4,400 of the rarer one; of values of ±1 among zeros, 500
        of them.

    Notes
    -----
    The total of as many draws as there are tasks has the skewness Σr³ / (Σr²)^(3/2); Σr⁴ / (Σr²)² is the
    part of its kurtosis that falls with the number of tasks, sums over all of them.
    """
    squares = share * float(tasks @ residual**2)
    if squares == 0:
        return False
    skew = share * abs(float(tasks @ residual**3)) / squares**1.5
    kurtosis = share * float(tasks @ residual**4) / squares**2
    concentration = float(tasks @ rows**2) / float(tasks @ rows) ** 2 / share
    return (
        concentration <= _MOST_CONCENTRATED
        and kurtosis <= _MOST_KURTOSIS
        and (symmetric or skew <= _MOST_SKEW)
    )


def normal_totals(
    patterns: FloatArray, tasks: TaskCounts, *, rng: np.random.Generator, n_resamples: int
) -> FloatArray:
    """Totals over resamples of tasks, with the mean and covariance of the multinomial draw.

    Parameters
    ----------
    patterns
        Shape (K, S). Sums of each pattern.
    tasks
        Shape (K,). Tasks that share it.
    rng, n_resamples
        Source of randomness, number of resamples B.

    Returns
    -------
    numpy.ndarray
        Shape (B, S).
    """
    return tasks @ patterns + deviations(patterns, tasks, rng=rng, n_resamples=n_resamples)


def deviations(
    patterns: FloatArray, tasks: TaskCounts, *, rng: np.random.Generator, n_resamples: int
) -> FloatArray:
    """Give the distances of :func:`normal_totals` from the totals over all tasks, shape (B, S)."""
    spread = np.sqrt(tasks)[:, None] * (patterns - tasks @ patterns / tasks.sum())
    root = np.linalg.qr(spread, mode="r")  # rootᵀ root is the covariance of the totals
    drawn: FloatArray = rng.standard_normal((n_resamples, len(root))) @ root
    return drawn


def n_beyond(drawn: FloatArray, distance: float, half: float) -> int:
    """Count drawn distances from the expected total that are at least as large as an observed one.

    Parameters
    ----------
    drawn
        Shape (B,). Distances, drawn as normal.
    distance
        The observed distance, 0 or more.
    half
        Half of what lies between neighbouring totals (:func:`half_step`). A total that far counts, hence all
        normal draws from half a step less; on the other side the grid may lie otherwise. 0: no grid.
    """
    if half == 0:
        return int((np.abs(drawn) >= distance).sum())
    opposite = 2 * half * np.ceil(distance / half - _ON_GRID) - distance
    return int(((drawn >= distance - half) | (drawn <= half - opposite)).sum())


def half_step(values: FloatArray) -> float:
    """Half of the distance between neighbouring totals of values on a grid; 0 where they are on none."""
    gaps = np.diff(np.unique(values))
    gaps = gaps[gaps > _SAME * np.abs(values).max(initial=0.0)]
    if not len(gaps):
        return 0.0
    steps = gaps / gaps.min()
    return float(gaps.min()) / 2 if (np.abs(steps - np.rint(steps)) <= _ON_GRID).all() else 0.0
