"""Intervals of many variants of one mean at once: tasks left out, and what is taken as independent.

Everything comes from six sums per task, so that a variant costs a row of a matrix and no pass over rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from recuse.analysis.inference.clusters import ZERO, FloatArray

__all__ = [
    "Spread",
    "TaskSums",
    "Unit",
    "contrast",
    "from_replicates",
    "spread_of_mean",
    "spread_of_ratio_difference",
]

Unit: TypeAlias = Literal["task", "comparison", "row"]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
_FEWEST: Final = 2


@dataclass(frozen=True, slots=True)
class TaskSums:
    """Per task, each of shape (G,): sums over its rows of the value v and the weight w, and of products.

    The mean is Σv / Σw.
    """

    value: FloatArray  # Σ v
    weight: FloatArray  # Σ w
    squares: FloatArray  # Σ v²
    crossed: FloatArray  # Σ v·w
    weights: FloatArray  # Σ w²
    rows: FloatArray  # rows with w > 0
    is_rate: bool
    one_each: bool
    """Every row of weight above 0 is a single 0 or 1: of independent rows the exact interval is due."""

    @classmethod
    def of(
        cls,
        value: FloatArray,
        weight: FloatArray,
        task: npt.NDArray[np.int64],
        n_tasks: int,
        *,
        is_rate: bool,
    ) -> TaskSums:
        """Sum rows by task; codes from 0 to ``n_tasks`` - 1."""
        parts = (
            value,
            weight,
            value * value,
            value * weight,
            weight * weight,
            (weight > 0).astype(np.float64),
        )
        sums = (np.bincount(task, part, n_tasks).astype(np.float64) for part in parts)
        of_value, of_weight, squares, crossed, weights, rows = sums
        single = bool(np.isin(value[weight > 0], (0.0, 1.0)).all() and (weight[weight > 0] == 1).all())
        return cls(of_value, of_weight, squares, crossed, weights, rows, is_rate, single)


@dataclass(frozen=True, slots=True)
class Spread:
    """Estimates and their spread, each of shape (K,): one entry per variant."""

    estimate: FloatArray  # NaN where nothing is left
    std_error: FloatArray  # NaN where there are fewer than two clusters; 0 where no spread can be seen
    df: FloatArray
    clusters: FloatArray
    is_rate: bool
    exact: BoolArray  # rates of independent 0 and 1: the exact interval although there is a spread
    limit: float = 1.0  # largest absolute value of what is no rate

    def p_value(self, null: float) -> FloatArray:
        """Two-sided p-value against ``null``; NaN where there is none."""
        from scipy import special

        with np.errstate(all="ignore"):
            if not self.is_rate:
                distance = np.abs(self.estimate - null) / self.std_error
                p_value = 2 * special.stdtr(self.df, -distance)
                return np.where(self._has_spread, np.minimum(1.0, p_value), np.nan)
            centre, on_logit = self._logit()
            distance = np.abs(centre - special.logit(null)) / on_logit
            smooth = np.minimum(1.0, 2 * special.stdtr(self.df, -distance))
            hits = self.estimate * self.clusters
            at_least = np.where(hits <= 0, 1.0, special.betainc(hits, self.clusters - hits + 1, null))
            at_most = np.where(
                hits >= self.clusters, 1.0, special.betaincc(hits + 1, self.clusters - hits, null)
            )
            binomial = np.minimum(1.0, 2 * np.minimum(at_least, at_most))
        return np.where(self._is_exact, np.where(self.clusters > 0, binomial, np.nan), smooth)

    def bounds(self, conf_level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Confidence limits; NaN where there are none."""
        from scipy import special

        upper = (1 + conf_level) / 2
        with np.errstate(all="ignore"):
            quantile = special.stdtrit(np.where(self.df > 0, self.df, 1.0), upper)
            if not self.is_rate:
                half = np.where(self._has_spread, quantile * self.std_error, np.nan)
                return (
                    np.maximum(self.estimate - half, -self.limit),
                    np.minimum(self.estimate + half, self.limit),
                )
            centre, on_logit = self._logit()
            low, high = (special.expit(centre + side * quantile * on_logit) for side in (-1, 1))
            hits = np.where(self.clusters > 0, self.estimate * self.clusters, np.nan)
            misses = self.clusters - hits
            exact_low = np.where(hits <= 0, 0.0, special.betaincinv(hits, misses + 1, 1 - upper))
            exact_high = np.where(misses <= 0, 1.0, special.betaincinv(hits + 1, misses, upper))
        exact = self._is_exact
        nothing = np.isnan(self.estimate)
        return (
            np.where(nothing, np.nan, np.where(exact, exact_low, low)),
            np.where(nothing, np.nan, np.where(exact, exact_high, high)),
        )

    @property
    def _has_spread(self) -> BoolArray:
        return np.nan_to_num(self.std_error) > 0

    @property
    def _is_exact(self) -> BoolArray:
        return self.exact | ~self._has_spread

    def _logit(self) -> tuple[FloatArray, FloatArray]:
        from scipy import special

        centre: FloatArray = special.logit(self.estimate)
        return centre, self.std_error / (self.estimate * (1 - self.estimate))


def spread_of_mean(sums: TaskSums, keep: BoolArray, unit: Unit, *, tallies: bool = False) -> Spread:
    """Mean and standard error of every variant.

    Parameters
    ----------
    sums
        Sums per task.
    keep
        Shape (K, G). Which tasks each variant keeps.
    unit
        What is taken as independent. ``task``: CR2 with Satterthwaite degrees of freedom for means, CR3 with
        G - 1 for rates. ``comparison``: each row its own cluster, CR1 with rows - 1. ``row``: as
        ``comparison``, or, with ``tallies``, each counted 0 or 1 inside the rows.
    tallies
        Whether rows are tallies of zeros and ones (v of w).

    Notes
    -----
    CR1 and CR2 are the same where rows weigh alike, as in a self-preference delta.
    """
    kept = keep.astype(np.float64)
    with np.errstate(all="ignore"):
        value, weight = kept @ sums.value, kept @ sums.weight
        estimate = value / weight
        tasks = kept @ (sums.weight > 0).astype(np.float64)
        if unit == "task":
            variance, df = _by_task(sums, kept, estimate, weight, tasks)
            clusters = tasks
        elif unit == "row" and tallies:
            variance, df, clusters = estimate * (1 - estimate) / (weight - 1), weight - 1, weight
        else:
            squares = kept @ sums.squares - 2 * estimate * (kept @ sums.crossed)
            squares += np.square(estimate) * (kept @ sums.weights)
            clusters = kept @ sums.rows
            df = clusters - 1
            variance = _cleaned(squares, kept @ sums.squares) / np.square(weight) * clusters / df
        std_error = np.sqrt(np.where(clusters >= _FEWEST, variance, np.nan))
    single = sums.one_each and bool((sums.weight <= 1).all() or unit != "task")
    exact = np.full(len(kept), fill_value=sums.is_rate and (single or (tallies and unit == "row")))
    return Spread(estimate, std_error, df, clusters, sums.is_rate, exact)


def contrast(high: Spread, low: Spread) -> Spread:
    """One mean less another over other tasks, with Welch–Satterthwaite degrees of freedom."""
    with np.errstate(all="ignore"):
        parts = [(np.square(part.std_error), part.df) for part in (high, low)]
        variance = parts[0][0] + parts[1][0]
        df = np.square(variance) / sum(np.square(own) / degrees for own, degrees in parts)
        std_error = np.sqrt(variance)
    none = np.zeros_like(high.exact)
    clusters = high.clusters + low.clusters
    estimate = high.estimate - low.estimate
    return Spread(estimate, std_error, df, clusters, is_rate=False, exact=none, limit=np.inf)


def spread_of_ratio_difference(
    first: tuple[FloatArray, FloatArray],
    second: tuple[FloatArray, FloatArray],
    task: npt.NDArray[np.int64],
    keep: BoolArray,
    unit: Unit,
) -> Spread:
    """One ratio of sums less another over the same rows, such as two win rates, linearised: CR1.

    Parameters
    ----------
    first, second
        Value and weight of each row, each of shape (n,).
    task
        Shape (n,). Task of each row, codes below G.
    keep
        Shape (K, G). Which tasks each variant keeps.
    unit
        What is taken as independent: tasks, or rows.
    """
    rows = np.stack([*first, *second], axis=1)  # (n, 4)
    used = (rows[:, 1] > 0) | (rows[:, 3] > 0)
    rows, task = rows[used], task[used]
    n_tasks, kept = keep.shape[1], keep.astype(np.float64)
    sums = np.stack([np.bincount(task, column, n_tasks) for column in rows.T], axis=1)
    products = np.einsum("ni,nj->nij", rows, rows).reshape(len(rows), -1)
    by_row = np.stack([np.bincount(task, column, n_tasks) for column in products.T], axis=1)
    there = np.bincount(task, minlength=n_tasks)
    by_task = np.einsum("gi,gj->gij", sums, sums).reshape(n_tasks, -1)
    with np.errstate(all="ignore"):
        whole = kept @ sums
        ratios = whole[:, 0] / whole[:, 1], whole[:, 2] / whole[:, 3]
        weights = np.stack(
            [1 / whole[:, 1], -ratios[0] / whole[:, 1], -1 / whole[:, 3], ratios[1] / whole[:, 3]], axis=1
        )
        moments = (kept @ (by_task if unit == "task" else by_row)).reshape(-1, 4, 4)
        squares = _cleaned(np.einsum("ki,kij,kj->k", weights, moments, weights), np.zeros(len(kept)))
        clusters = kept @ (there > 0 if unit == "task" else there).astype(np.float64)
        variance = np.where(clusters >= _FEWEST, squares * clusters / (clusters - 1), np.nan)
    none = np.zeros(len(kept), dtype=np.bool_)
    return Spread(ratios[0] - ratios[1], np.sqrt(variance), clusters - 1, clusters, is_rate=False, exact=none)


def from_replicates(estimate: FloatArray, replicates: FloatArray, counts: FloatArray) -> Spread:
    """Spread of a coefficient by leaving each cluster out: t(n - 1), centred at the estimate.

    Parameters
    ----------
    estimate
        Shape (K,).
    replicates
        Shape (K, n). The coefficient without one cluster of each kind.
    counts
        Shape (K, n). Clusters of each kind in the variant.
    """
    clusters = counts.sum(1)
    with np.errstate(all="ignore"):
        change = np.where(counts > 0, replicates - estimate[:, None], 0.0)
        squares = _cleaned((counts * np.square(change)).sum(1), np.ones(len(estimate)))
        variance = np.where(clusters >= _FEWEST, squares * (clusters - 1) / clusters, np.nan)
    none = np.zeros(len(estimate), dtype=np.bool_)
    return Spread(estimate, np.sqrt(variance), clusters - 1, clusters, is_rate=False, exact=none)


def _by_task(
    sums: TaskSums, kept: FloatArray, estimate: FloatArray, weight: FloatArray, tasks: FloatArray
) -> tuple[FloatArray, FloatArray]:
    if sums.is_rate:
        without = (estimate * weight)[:, None] - sums.value
        change = kept * np.nan_to_num(without / (weight[:, None] - sums.weight) - estimate[:, None])
        change *= sums.weight > 0
        return _cleaned(np.square(change).sum(1), np.ones(len(kept))) * (tasks - 1) / tasks, tasks - 1
    share = kept * sums.weight / weight[:, None]
    residual = kept * (sums.value - estimate[:, None] * sums.weight)
    inflation = 1 / (1 - share)
    squares = (inflation * np.square(residual)).sum(1)
    shares = inflation * np.square(share)
    crossed = np.square(shares.sum(1)) - np.square(shares).sum(1)
    df = 1 / (np.square(share).sum(1) + crossed)
    return _cleaned(squares, kept @ np.square(sums.value)) / np.square(weight), df


def _cleaned(squares: FloatArray, scale: FloatArray) -> FloatArray:
    """Set to 0 what is rounding; what is unknown stays NaN."""
    return np.where(squares <= ZERO * np.maximum(1e-3, scale), 0.0, squares)
