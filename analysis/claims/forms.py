"""What a claim's quantity is made of: rows with their tasks, an estimate, an interval, and replicates.

Every form keeps the task of each row, so that two readings of one claim can be compared task by task.
Tasks are codes from 0 to ``n_tasks`` − 1 that mean the same task in every form of one body of evidence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import special

from recuse.analysis.inference import nominal
from recuse.analysis.inference.clusters import ClusterSums, FloatArray
from recuse.analysis.inference.differences import difference_interval
from recuse.analysis.inference.interval import Interval
from recuse.analysis.inference.jackknife import jackknife_interval
from recuse.analysis.inference.many_tasks import MANY_TASKS
from recuse.analysis.inference.means import cut, mean_interval
from recuse.analysis.inference.rates import rate_interval, rate_interval_by_rows
from recuse.analysis.inference.regression import coefficient_interval

__all__ = ["Coefficient", "Contrast", "Form", "How", "Mean", "RatioDifference", "Regression", "Tasks"]

Tasks: TypeAlias = npt.NDArray[np.int64]
_EXACT: Final = ("clopper_pearson_tasks", "clopper_pearson_rows")


@dataclass(frozen=True, slots=True)
class How:
    """How an interval is to be made."""

    rng: np.random.Generator
    cluster: Literal["task", "comparison"] = "task"
    method: str = "default"
    conf_level: float = 0.95
    n_resamples: int = 9_999
    many: int = MANY_TASKS

    @property
    def mean_method(self) -> str:
        """Method for a mean: over rows taken as independent, the usual one of publications."""
        return "percentile" if self.cluster == "comparison" and self.method == "default" else self.method


class Form(Protocol):
    """A quantity that can be estimated again without any one task."""

    @property
    def estimate(self) -> float:
        """The quantity."""
        ...

    def interval(self, how: How, null: float) -> Interval:
        """Interval, and the two-sided p-value against `null`."""
        ...

    def without(self) -> FloatArray:
        """Estimate without each task in turn, shape (n_tasks,); without an absent task it stays as it is."""
        ...

    def there(self) -> npt.NDArray[np.bool_]:
        """Tell which tasks have rows, shape (n_tasks,)."""
        ...


@dataclass(frozen=True, slots=True)
class Mean:
    """A ratio of sums over rows: a rate, a mean score, or a mean difference."""

    value: FloatArray  # (n,) sum of the outcome in each row
    weight: FloatArray  # (n,) its count
    task: Tasks  # (n,)
    n_tasks: int
    is_rate: bool

    @property
    def estimate(self) -> float:
        """Sum over sum."""
        return float(self.value.sum() / self.weight.sum())

    def by_task(self) -> tuple[FloatArray, FloatArray]:
        """Sum up by task, tasks without rows included."""
        return _by_task(self.value, self.task, self.n_tasks), _by_task(self.weight, self.task, self.n_tasks)

    def interval(self, how: How, null: float) -> Interval:
        """Rates as rates are; differences as the mean of paired differences."""
        rows = how.cluster == "comparison"
        sums = ClusterSums(self.value, self.weight) if rows else ClusterSums(*self.by_task())
        if not self.is_rate:
            return _mean_interval(sums, how, null)
        if rows and how.method == "default":
            found = rate_interval_by_rows(sums, conf_level=how.conf_level)
        else:
            found = rate_interval(
                sums,
                conf_level=how.conf_level,
                method=how.method,
                rng=how.rng,
                n_resamples=how.n_resamples,
                null=null,
                many=how.many,
            )
        return _with_exact_p(found, sums, null)

    def without(self) -> FloatArray:
        """Leave the task out of both sums."""
        numerator, denominator = self.by_task()
        return _ratio(self.value.sum() - numerator, self.weight.sum() - denominator)

    def there(self) -> npt.NDArray[np.bool_]:
        """Tell which tasks have a count."""
        return self.by_task()[1] > 0


@dataclass(frozen=True, slots=True)
class Contrast:
    """One mean less another over other tasks, such as one tier less another."""

    high: Mean
    low: Mean

    @property
    def estimate(self) -> float:
        """Mean over the one set of tasks less that over the other."""
        return self.high.estimate - self.low.estimate

    def interval(self, how: How, null: float) -> Interval:
        """Tasks resampled within each of the two sets."""
        parts = [
            ClusterSums(part.value, part.weight)
            if how.cluster == "comparison"
            else ClusterSums(*part.by_task())
            for part in (self.high, self.low)
        ]
        found = difference_interval(
            *parts,
            rng=how.rng,
            method=how.mean_method,
            conf_level=how.conf_level,
            n_resamples=how.n_resamples,
            null=null,
        )
        return _named(found, how)

    def without(self) -> FloatArray:
        """Either mean without the task; it is in one of the two."""
        return self.high.without() - self.low.without()

    def there(self) -> npt.NDArray[np.bool_]:
        """Tell which tasks are in either set."""
        return self.high.there() | self.low.there()


@dataclass(frozen=True, slots=True)
class RatioDifference:
    """One ratio of sums less another over the same tasks, such as two win rates."""

    first: Mean
    second: Mean

    @property
    def estimate(self) -> float:
        """The one ratio less the other."""
        return self.first.estimate - self.second.estimate

    def interval(self, how: How, null: float) -> Interval:
        """As a mean of paired differences where both count the same rows of each task, else by jackknife."""
        paired = self.paired()
        if paired is not None and how.cluster == "task":
            return _mean_interval(ClusterSums(*paired.by_task()), how, null)
        if how.cluster == "task":
            return _jackknifed(self.estimate, self.without(), self.there(), how, null)
        weights = np.stack([self.first.weight, self.second.weight])
        values = np.stack([self.first.value, self.second.value])
        rows = _ratio(values.sum(1)[:, None] - values, weights.sum(1)[:, None] - weights)
        there: npt.NDArray[np.bool_] = weights.sum(0) > 0
        return _jackknifed(self.estimate, rows[0] - rows[1], there, how, null)

    def without(self) -> FloatArray:
        """Both ratios without the task."""
        return self.first.without() - self.second.without()

    def paired(self) -> Mean | None:
        """Give the mean of the differences, where both ratios count the same rows of each task."""
        top, rows = self.first.by_task()
        other, other_rows = self.second.by_task()
        if not np.array_equal(rows, other_rows):
            return None
        return Mean(top - other, rows, np.arange(len(rows)), len(rows), is_rate=False)

    def there(self) -> npt.NDArray[np.bool_]:
        """Tell which tasks count in either ratio."""
        return self.first.there() | self.second.there()


@dataclass(frozen=True, slots=True)
class Regression:
    """A coefficient of a least-squares regression: the quantity at equal length."""

    design: FloatArray  # (n, k)
    outcome: FloatArray  # (n,)
    task: Tasks  # (n,)
    n_tasks: int
    which: int = 0  # column whose coefficient is meant
    bounds: tuple[float, float] | None = None  # what the coefficient can be, where that is known

    @property
    def estimate(self) -> float:
        """The coefficient; NaN where the design does not identify it."""
        return float(_solved(self.design.T @ self.design, self.design.T @ self.outcome)[self.which])

    def interval(self, how: How, null: float) -> Interval:
        """CR2 with Satterthwaite degrees of freedom."""
        codes = np.arange(len(self.task)) if how.cluster == "comparison" else _dense(self.task)
        _, found = coefficient_interval(
            self.design, self.outcome, codes, which=self.which, conf_level=how.conf_level, null=null
        )
        return found if self.bounds is None else cut(found, self.bounds)

    def without(self) -> FloatArray:
        """Leave the task out of the normal equations."""
        squares = np.einsum("ni,nj->nij", self.design, self.design).reshape(len(self.task), -1)
        products = self.design * self.outcome[:, None]
        width = self.design.shape[1]
        gram = np.stack([_by_task(column, self.task, self.n_tasks) for column in squares.T], axis=1)
        moment = np.stack([_by_task(column, self.task, self.n_tasks) for column in products.T], axis=1)
        left: FloatArray = (gram.sum(0) - gram).reshape(-1, width, width)
        return _solved(left, moment.sum(0) - moment)[:, self.which]

    def there(self) -> npt.NDArray[np.bool_]:
        """Tell which tasks have rows."""
        return np.bincount(self.task, minlength=self.n_tasks) > 0


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient of agreement, from one table of counts per item."""

    tables: FloatArray  # (n, q, q)
    task: Tasks  # (n,)
    n_tasks: int
    statistic: Callable[[FloatArray], FloatArray]
    bounds: tuple[float, float]

    @property
    def estimate(self) -> float:
        """The coefficient over all items; NaN where it is undefined."""
        return float(self.statistic(self.tables.sum(0)[None])[0])

    def interval(self, how: How, null: float) -> Interval:
        """Leave one task, or one item, out."""
        if how.cluster == "comparison":
            replicates = self.statistic(self.tables.sum(0)[None] - self.tables)
            return _jackknifed(
                self.estimate, replicates, np.ones(len(replicates), bool), how, null, self.bounds
            )
        if nominal.alike(self._tables_by_task()[self.there()].reshape(-1, *self.tables.shape[1:])):
            return Interval.missing(
                "jackknife", "all tasks have the same table: no spread between tasks to see"
            )
        return _jackknifed(self.estimate, self.without(), self.there(), how, null, self.bounds)

    def _tables_by_task(self) -> FloatArray:
        flat = self.tables.reshape(len(self.tables), -1)
        return np.stack([_by_task(cell, self.task, self.n_tasks) for cell in flat.T], axis=1)

    def without(self) -> FloatArray:
        """Leave the items of the task out."""
        tables = self._tables_by_task()
        return self.statistic((tables.sum(0) - tables).reshape(-1, *self.tables.shape[1:]))

    def there(self) -> npt.NDArray[np.bool_]:
        """Tell which tasks have items."""
        return np.bincount(self.task, minlength=self.n_tasks) > 0


def _mean_interval(sums: ClusterSums, how: How, null: float) -> Interval:
    found = mean_interval(
        sums,
        rng=how.rng,
        method=how.mean_method,
        conf_level=how.conf_level,
        n_resamples=how.n_resamples,
        null=null,
        bounds=(-1.0, 1.0),
        many=how.many,
    )
    return _named(found, how)


def _named(found: Interval, how: How) -> Interval:
    rows = how.cluster == "comparison" and found.method == "percentile"
    return replace(found, method="rows_percentile") if rows else found


def _jackknifed(
    estimate: float,
    replicates: FloatArray,
    there: npt.NDArray[np.bool_],
    how: How,
    null: float,
    bounds: tuple[float, float] = (-1.0, 1.0),
) -> Interval:
    return jackknife_interval(
        estimate, replicates[there], bounds=bounds, conf_level=how.conf_level, null=null
    )


def _with_exact_p(found: Interval, sums: ClusterSums, null: float) -> Interval:
    """Give an exact interval the p-value that is its dual, also where successes are not whole."""
    if found.method not in _EXACT or sums.estimate is None:
        return found
    trials = float(sums.n_clusters if found.method == "clopper_pearson_tasks" else sums.rows)
    hits = sums.estimate * trials
    at_least = 1.0 if hits <= 0 else float(special.betainc(hits, trials - hits + 1, null))
    at_most = 1.0 if hits >= trials else float(special.betaincc(hits + 1, trials - hits, null))
    return replace(found, p_value=min(1.0, 2 * min(at_least, at_most)))


def _by_task(rows: FloatArray, task: Tasks, n_tasks: int) -> FloatArray:
    return np.bincount(task, rows, n_tasks).astype(np.float64)


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    ratio: FloatArray = np.divide(
        numerator, denominator, out=np.full(np.shape(numerator), np.nan), where=denominator > 0
    )
    return ratio


def _solved(gram: FloatArray, moment: FloatArray) -> FloatArray:
    """Solve one or many normal equations; NaN where they have no single solution."""
    grams, moments = np.atleast_3d(gram.T).T, np.atleast_2d(moment)
    values = np.linalg.eigvalsh(grams)
    sound = values[:, 0] > 1e-10 * values[:, -1]
    solved = np.full(moments.shape, np.nan)
    if sound.any():
        solved[sound] = np.linalg.solve(grams[sound], moments[sound][..., None])[..., 0]
    return solved if gram.ndim == 3 else solved[0]


def _dense(task: Tasks) -> Tasks:
    return np.unique(task, return_inverse=True)[1].astype(np.int64)
