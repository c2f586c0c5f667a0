"""Bootstrap-t: resampled estimates in units of their own cluster-robust standard errors."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from recuse.analysis.inference.bootstrap import distinct_patterns, pattern_totals
from recuse.analysis.inference.clusters import ZERO, ClusterSums, FloatArray, residual_sums
from recuse.analysis.inference.interval import Interval
from recuse.analysis.inference.many_tasks import MANY_TASKS, NORMAL, is_normal, normal_totals

__all__ = ["Draws", "difference_of_draws", "draw_means", "studentized_interval"]


@dataclass(frozen=True, slots=True)
class Draws:
    """Resampled means, as distances from the observed one, with their CR1 variances."""

    shift: FloatArray  # (B,) resampled estimate − estimate
    variance: FloatArray  # (B,) exactly 0 where a resample has no spread
    note: str | None = None  # what a reader must know of how they were drawn

    @property
    def t(self) -> FloatArray:
        """Studentized shifts, shape (B,): ±∞ or, at the estimate itself, 0 where there is no spread."""
        spread = self.variance > 0
        t = np.where(self.shift == 0, 0.0, np.copysign(np.inf, self.shift))
        t[spread] = self.shift[spread] / np.sqrt(self.variance[spread])
        return t


def draw_means(
    sums: ClusterSums, *, rng: np.random.Generator, n_resamples: int, many: int = MANY_TASKS
) -> Draws:
    """Resample tasks and take the mean and its variance from five totals.

    The totals are those of the residual sum S, the count n, S², S·n and n²: the resampled shift is
    d = ΣS/Σn and the variance (ΣS² − 2d ΣSn + d² Σn²)/(Σn)² · G/(G − 1). From `many` tasks on the totals
    are drawn as normal where they are.
    """
    keys, tasks = distinct_patterns(np.column_stack([sums.numerator, sums.denominator]), sums.tasks)
    estimate = sums.total / sums.rows
    rows = keys[:, 1]
    residual = residual_sums(keys[:, 0], rows, estimate)
    moments = np.column_stack([residual, rows, residual**2, residual * rows, rows**2])
    normal = sums.n_clusters >= many and is_normal(residual, rows, tasks)
    draw_totals = normal_totals if normal else pattern_totals
    total = draw_totals(moments, tasks, rng=rng, n_resamples=n_resamples).T
    residuals, n_rows, residuals_2, residuals_rows, rows_2 = total
    shift = residuals / n_rows
    squares = residuals_2 - 2 * shift * residuals_rows + shift**2 * rows_2
    squares[squares <= ZERO * (residuals_2 + shift**2 * rows_2)] = 0.0
    shift[np.abs(residuals) <= ZERO * np.sqrt(residuals_2 * sums.n_clusters)] = 0.0
    variance = squares / n_rows**2 * sums.n_clusters / (sums.n_clusters - 1)
    return Draws(shift, variance, NORMAL if normal else None)


def difference_of_draws(first: Draws, second: Draws) -> Draws:
    """Draws of first − second, where the two were resampled independently."""
    shift = first.shift - second.shift
    shift[np.abs(shift) <= ZERO * (np.abs(first.shift) + np.abs(second.shift))] = 0.0
    return Draws(shift, first.variance + second.variance, first.note or second.note)


def studentized_interval(
    estimate: float,
    std_error: float,
    draws: Draws,
    *,
    conf_level: float,
    null: float,
    method: str,
    symmetric: bool,
    df: float,
    fallback: Interval,
) -> Interval:
    """Interval from studentized draws, with the p-value that is its exact dual.

    Symmetric: estimate ± q · SE, q the ⌈conf_level · (B + 1)⌉-th smallest |t*|, and
    p = (1 + #{|t*| ≥ |t|}) / (1 + B). Equal-tailed: either side from its own quantile, p twice the
    smaller tail. The interval excludes the null exactly where p ≤ 1 − conf_level.

    A resample without spread is not left out: it counts as infinitely far where its estimate differs
    from the observed one, as 0 where it is equal. Where that makes a needed quantile infinite, `fallback`
    is returned with the reason.
    """
    t = draws.t
    n_differing = int(np.isinf(t).sum())
    quantiles = _symmetric if symmetric else _equal_tailed
    upper, lower, p_value = quantiles(t, (estimate - null) / std_error, 1 - conf_level)
    if np.isfinite(upper) and np.isfinite(lower):
        low, high = estimate - upper * std_error, estimate - lower * std_error
        found = Interval(low, high, std_error, df, p_value, method, draws.note)
    else:
        said = (
            f"bootstrap-t has no finite quantile ({n_differing:,} of {len(t):,} resamples have no spread "
            f"between tasks and another estimate): {fallback.method} instead"
        )
        found = replace(fallback, reason=said)
    return replace(
        found,
        n_resamples=len(t),
        n_zero_se_differing=n_differing,
        n_zero_se_equal=int(((draws.variance == 0) & (draws.shift == 0)).sum()),
    )


def _symmetric(t: FloatArray, observed: float, level: float) -> tuple[float, float, float]:
    size = np.abs(t)
    quantile = _largest_but(size, level)
    p_value = (1 + int((size >= abs(observed) - ZERO * (1 + abs(observed))).sum())) / (1 + len(t))
    return quantile, -quantile, p_value


def _equal_tailed(t: FloatArray, observed: float, level: float) -> tuple[float, float, float]:
    slack = ZERO * (1 + abs(observed))
    above = 1 + int((t >= observed - slack).sum())
    below = 1 + int((t <= observed + slack).sum())
    p_value = min(1.0, 2 * min(above, below) / (1 + len(t)))
    return _largest_but(t, level / 2), -_largest_but(-t, level / 2), p_value


def _largest_but(values: FloatArray, tail: float) -> float:
    """Quantile such that a share `tail` of the values and the observed one together lies at or above it."""
    above = int(np.floor(tail * (len(values) + 1) + 1e-9))
    if above == 0:
        return np.inf
    rank = len(values) - above
    return float(np.partition(values, rank)[rank])
