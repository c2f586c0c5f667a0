"""Interval and test of a mean whose rows are clustered in tasks."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from recuse.analysis.inference.bootstrap import N_RESAMPLES
from recuse.analysis.inference.clusters import ClusterSums, FloatArray
from recuse.analysis.inference.interval import DEFAULT, Interval, check_level, method_named
from recuse.analysis.inference.many_tasks import MANY_TASKS
from recuse.analysis.inference.percentile import acceleration, bca_interval, percentile_interval
from recuse.analysis.inference.sandwich import cr1_variance, cr2_variance, t_interval
from recuse.analysis.inference.studentized import draw_means, studentized_interval
from recuse.analysis.inference.wild import wild_interval
from recuse.errors import ConfigurationError

__all__ = ["FEWEST_TASKS_FOR_BOOTSTRAP", "cut", "leave_one_task_out", "mean_interval", "why_no_spread"]

FEWEST_TASKS_FOR_BOOTSTRAP: Final = 10
"""Below it CR2 covers as well and its intervals are far shorter."""


def mean_interval(
    sums: ClusterSums,
    *,
    rng: np.random.Generator,
    method: str = DEFAULT,
    conf_level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    null: float = 0.0,
    bounds: tuple[float, float] | None = None,
    many: int = MANY_TASKS,
) -> Interval:
    """Interval of a mean of paired differences, tasks as clusters.

    By default the symmetric task-cluster bootstrap-t where there are at least 10 tasks and CR2 with
    Satterthwaite degrees of freedom below; `Interval.method` says which.

    Parameters
    ----------
    sums
        Sum and count of each task.
    rng
        Source of randomness of the resampling methods.
    method
        `default`, a key of :data:`~recuse.analysis.inference.interval.INTERVALS` or a value of it.
    conf_level
        Two-sided confidence level.
    n_resamples
        Resamples of the bootstrap methods.
    null
        Value that `p_value` tests.
    bounds
        Smallest and largest value that the mean can take; the interval is cut to them where given.
    many
        Tasks from which resamples are drawn from the normal distribution of their totals, where it is one;
        `Interval.reason` then says so.

    Returns
    -------
    Interval
        Without bounds and with a reason where fewer than two tasks have rows, or all tasks have the
        same mean. For `bootstrap_t` and `wild`, `std_error` is CR1 and `df` is that of CR2, for whoever
        needs a t quantile beside it; for `percentile` and `bca`, `std_error` is the standard deviation
        of the resampled means.

    Raises
    ------
    ConfigurationError
        No method has that name, or it needs rows.
    """
    check_level(conf_level)
    chosen = method_named(method)
    if chosen == DEFAULT:
        chosen = "bootstrap_t" if sums.n_clusters >= FEWEST_TASKS_FOR_BOOTSTRAP else "cr2"
    if chosen == "rows_percentile":
        raise ConfigurationError(
            "rows as independent is offered under the source article's convention only",
            "ask for another interval, or for --convention article",
        )
    reason = why_no_spread(sums)
    if reason is not None:
        return Interval.missing(chosen, reason)
    found = _interval(
        sums, chosen, rng=rng, conf_level=conf_level, n_resamples=n_resamples, null=null, many=many
    )
    return found if bounds is None else cut(found, bounds)


def why_no_spread(sums: ClusterSums) -> str | None:
    """Why no standard error over tasks exists, in words; null where one does."""
    if sums.n_clusters == 0:
        return "no task with rows"
    if sums.n_clusters == 1:
        return "one task only: no spread between tasks to see"
    if sums.is_degenerate:
        return f"all {sums.n_clusters:,} tasks have the same mean: no spread between tasks to see"
    return None


def leave_one_task_out(sums: ClusterSums) -> FloatArray:
    """Mean without one task of each pattern, shape (K,); needs at least two tasks."""
    without: FloatArray = (sums.total - sums.numerator) / (sums.rows - sums.denominator)
    return without


def cut(interval: Interval, bounds: tuple[float, float]) -> Interval:
    """Cut an interval to the values that the quantity can take."""
    if interval.low is None or interval.high is None:
        return interval
    return replace(
        interval,
        low=min(max(interval.low, bounds[0]), bounds[1]),
        high=max(min(interval.high, bounds[1]), bounds[0]),
    )


def _interval(
    sums: ClusterSums,
    method: str,
    *,
    rng: np.random.Generator,
    conf_level: float,
    n_resamples: int,
    null: float,
    many: int,
) -> Interval:
    estimate = sums.total / sums.rows
    if method == "wild":
        return wild_interval((sums,), rng=rng, conf_level=conf_level, n_resamples=n_resamples, null=null)
    variance, df = cr2_variance(sums)
    cr2 = t_interval(estimate, variance, df, method="cr2", conf_level=conf_level, null=null)
    if method == "cr2":
        return cr2
    draws = draw_means(sums, rng=rng, n_resamples=n_resamples, many=many)
    if method == "percentile":
        found = percentile_interval(estimate + draws.shift, conf_level=conf_level, null=null)
        return replace(found, reason=draws.note)
    if method == "bca":
        accelerated = acceleration((leave_one_task_out(sums), sums.tasks))
        found = bca_interval(estimate + draws.shift, estimate, accelerated, conf_level=conf_level, null=null)
        return replace(found, reason=found.reason or draws.note)
    return studentized_interval(
        estimate,
        float(np.sqrt(cr1_variance(sums))),
        draws,
        conf_level=conf_level,
        null=null,
        method=method,
        symmetric=method == "bootstrap_t",
        df=df,
        fallback=cr2,
    )
