"""Wild cluster bootstrap with Webb's six-point weights and the null imposed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from recuse.analysis.inference.bootstrap import N_RESAMPLES, distinct_patterns, pieces
from recuse.analysis.inference.clusters import ZERO, ClusterSums, FloatArray
from recuse.analysis.inference.interval import Interval
from recuse.analysis.inference.sandwich import cr1_variance, cr2_variance, satterthwaite

__all__ = ["wild_interval"]

_WEBB: Final = np.sqrt(np.array([0.5, 1.0, 1.5])).repeat(2) * np.array([1, -1] * 3)
_BISECTIONS = 60
_DOUBLINGS = 40


@dataclass(frozen=True, slots=True)
class _Stratum:
    """Weighted totals of one set of tasks, from which the statistic follows under every null."""

    linear: FloatArray  # (B, 4) Σ w·[x, n, x·n, n²]
    squared: FloatArray  # (B, 3) Σ w²·[x², x·n, n²]
    total: float
    rows: float
    rows_squared: float
    factor: float  # G/(G − 1)

    def shift_and_variance(self, mean: float) -> tuple[FloatArray, FloatArray]:
        """Shift of the resampled mean from the mean under the null, and its CR1 variance."""
        x, n, x_n, n_n = self.linear.T
        shift = (x - mean * n) / self.rows
        crossed = x_n - mean * n_n
        own = self.squared @ np.array([1.0, -2 * mean, mean**2])
        squares = own - 2 * shift * crossed + shift**2 * self.rows_squared
        squares[squares <= ZERO * (own + shift**2 * self.rows_squared)] = 0.0
        return shift, squares / self.rows**2 * self.factor


def wild_interval(
    strata: Sequence[ClusterSums],
    *,
    rng: np.random.Generator,
    conf_level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    null: float = 0.0,
) -> Interval:
    """Interval of a mean, or of a difference of two, by inverting the wild cluster bootstrap test.

    For a tested value m the residuals under m of each task, as a whole, are multiplied by a weight of
    ±√½, ±1 or ±√(3/2); p(m) = (1 + #{|t*| ≥ |t(m)|}) / (1 + B), and the interval holds the values with
    p(m) > 1 − conf_level, found by bisection on either side of the estimate with the same weights. A
    draw without spread counts as |t*| = ∞ away from m, as 0 at m.

    Parameters
    ----------
    strata
        One set of task sums, or two for the difference first − second; each with at least two tasks.
    rng, conf_level, n_resamples, null
        As for :func:`~recuse.analysis.inference.means.mean_interval`.

    References
    ----------
    Webb (2023), Reworking wild bootstrap-based inference for clustered errors, Canadian Journal of
    Economics 56(3). Cameron, Gelbach and Miller (2008), Review of Economics and Statistics 90(3).
    """
    drawn = [_draw(sums, rng, n_resamples) for sums in strata]
    signs = (1.0, -1.0)[: len(strata)]
    means = [part.total / part.rows for part in drawn]
    estimate = sum(sign * mean for sign, mean in zip(signs, means, strict=True))
    std_error = float(np.sqrt(sum(cr1_variance(sums) for sums in strata)))

    def p_value(tested: float) -> float:
        shift, variance = np.zeros(n_resamples), np.zeros(n_resamples)
        for sign, part, mean in zip(signs, drawn, _means_under(tested, drawn), strict=True):
            moved, spread = part.shift_and_variance(mean)
            shift += sign * moved
            variance += spread
        observed = abs(estimate - tested) / std_error
        observed = observed if observed > ZERO else 0.0
        size = np.abs(shift)
        size[size <= ZERO * std_error] = 0.0
        beyond = size >= observed * (1 - ZERO) * np.sqrt(variance)
        beyond &= (variance > 0) | (size > 0) | (observed == 0)
        return (1 + int(beyond.sum())) / (1 + n_resamples)

    level = 1 - conf_level + ZERO
    low, high = (_end(p_value, estimate, side * std_error, level) for side in (-1, 1))
    df = satterthwaite(*(cr2_variance(sums) for sums in strata))
    if low is None or high is None:
        unbounded = (
            "the wild bootstrap never rejects on one side: too many draws without spread between tasks"
        )
        return Interval(None, None, std_error, df, p_value(null), "wild", unbounded, n_resamples)
    return Interval(low, high, std_error, df, p_value(null), "wild", n_resamples=n_resamples)


def _means_under(tested: float, drawn: Sequence[_Stratum]) -> list[float]:
    """Means of the strata closest to the data (least squares) whose difference is the tested value."""
    if len(drawn) == 1:
        return [tested]
    first, second = drawn
    rows = first.rows + second.rows
    pooled = (first.total + second.total) / rows
    return [pooled + tested * second.rows / rows, pooled - tested * first.rows / rows]


def _draw(sums: ClusterSums, rng: np.random.Generator, n_resamples: int) -> _Stratum:
    patterns, tasks = distinct_patterns(np.column_stack([sums.numerator, sums.denominator]), sums.tasks)
    x, n = patterns.T
    linear, squared = np.column_stack([x, n, x * n, n * n]), np.column_stack([x * x, x * n, n * n])
    totals = np.zeros((n_resamples, 4)), np.zeros((n_resamples, 3))
    one_by_one = int(tasks.sum()) <= 6 * len(tasks)
    if one_by_one:
        linear, squared = linear.repeat(tasks, axis=0), squared.repeat(tasks, axis=0)
    for start, stop in pieces(n_resamples, len(linear) if one_by_one else 6 * len(tasks)):
        if one_by_one:
            weight = _WEBB[rng.integers(0, 6, size=(stop - start, len(linear)))]
            weight_2 = weight**2
        else:
            counts = rng.multinomial(tasks, np.full(6, 1 / 6), size=(stop - start, len(tasks)))
            weight, weight_2 = counts @ _WEBB, counts @ _WEBB**2
        totals[0][start:stop] = weight @ linear
        totals[1][start:stop] = weight_2 @ squared
    factor = sums.n_clusters / (sums.n_clusters - 1)
    rows_squared = float((sums.tasks * np.square(sums.denominator)).sum())
    return _Stratum(*totals, sums.total, sums.rows, rows_squared, factor)


def _end(p_value: Callable[[float], float], estimate: float, step: float, level: float) -> float | None:
    """Farthest value on one side that the test does not reject, or null where it rejects none."""
    inside, outside = estimate, estimate + step
    for _ in range(_DOUBLINGS):
        if p_value(outside) <= level:
            break
        inside, outside = outside, estimate + 2 * (outside - estimate)
    else:
        return None
    for _ in range(_BISECTIONS):
        middle = (inside + outside) / 2
        if p_value(middle) <= level:
            outside = middle
        else:
            inside = middle
    return inside
