"""Interval of a proportion whose rows are clustered in tasks."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from scipy import special

from recuse.analysis.inference.bootstrap import N_RESAMPLES
from recuse.analysis.inference.clusters import ClusterSums
from recuse.analysis.inference.exact import binomial_p, clopper_pearson
from recuse.analysis.inference.interval import DEFAULT, Interval, check_level, method_named
from recuse.analysis.inference.many_tasks import MANY_TASKS
from recuse.analysis.inference.means import mean_interval, why_no_spread
from recuse.analysis.inference.sandwich import cr3_variance, t_test_p
from recuse.errors import ConfigurationError, JudgmentsError

__all__ = ["rate_interval", "rate_interval_by_rows", "rate_interval_by_tasks"]

_OWN: Final = ("cr3_logit", "clopper_pearson_tasks", "clopper_pearson_rows")


def rate_interval(
    sums: ClusterSums,
    *,
    conf_level: float = 0.95,
    method: str = DEFAULT,
    rng: np.random.Generator | None = None,
    n_resamples: int = N_RESAMPLES,
    null: float | None = None,
    many: int = MANY_TASKS,
) -> Interval:
    """Interval of a rate in [0, 1], tasks as clusters; never [0, 0] or [1, 1].

    By default the task jackknife (CR3) standard error on the rate scale, carried to the logit scale by
    1/(p(1 − p)), with t(G − 1) there (`cr3_logit`). Where p is 0 or 1, that standard error is 0, or there
    is one task: :func:`rate_interval_by_tasks`. Where every task holds one row that is 0 or 1, the rows
    are independent and the interval is Clopper–Pearson's over them.

    Parameters
    ----------
    sums
        Successes and rows of each task.
    conf_level
        Two-sided confidence level.
    method
        `default`, `cr3_logit`, `clopper_pearson_tasks`, `clopper_pearson_rows`, or a name that
        :func:`~recuse.analysis.inference.means.mean_interval` takes (then cut to [0, 1]).
    rng, n_resamples
        Source of randomness (needed by resampling methods only) and number of resamples.
    null
        Rate that `p_value` tests; without it there is no p-value.
    many
        As for :func:`~recuse.analysis.inference.means.mean_interval`.

    Raises
    ------
    ConfigurationError
        No method has that name, or it resamples and there is no `rng`.
    JudgmentsError
        A task has fewer than 0 successes, or more than rows.
    """
    check_level(conf_level)
    chosen = method if method in _OWN else method_named(method)
    _check_rates(sums)
    if not sums.n_clusters:
        return Interval.missing("cr3_logit" if chosen == DEFAULT else chosen, "no task with rows")
    if chosen == "clopper_pearson_rows":
        return rate_interval_by_rows(sums, conf_level=conf_level, null=null)
    one_row_each = bool((sums.denominator == 1).all() and np.isin(sums.numerator, (0.0, 1.0)).all())
    exact_by_default = chosen == DEFAULT and one_row_each and sums.n_clusters > 1
    if chosen == "clopper_pearson_tasks" or exact_by_default or why_no_spread(sums) is not None:
        return rate_interval_by_tasks(sums, conf_level=conf_level, null=null)
    if chosen in {DEFAULT, "cr3_logit"}:
        return _cr3_logit(sums, conf_level, null)
    if rng is None and chosen != "cr2":
        raise ConfigurationError(f"the interval {method!r} resamples tasks", "pass rng")
    found = mean_interval(
        sums,
        rng=rng or np.random.default_rng(0),
        method=chosen,
        conf_level=conf_level,
        n_resamples=n_resamples,
        null=0.5 if null is None else null,
        bounds=(0.0, 1.0),
        many=many,
    )
    return found if null is not None else replace(found, p_value=None)


def rate_interval_by_tasks(
    sums: ClusterSums, *, conf_level: float = 0.95, null: float | None = None
) -> Interval:
    """Clopper–Pearson with as many trials as tasks and rate × tasks successes.

    All rows of a task count as one observation. The p-value is the exact binomial one where every task holds
    one row, and null elsewhere.
    """
    n_tasks, rate = sums.n_clusters, sums.estimate
    if rate is None:
        return Interval.missing("clopper_pearson_tasks", "no task with rows")
    low, high = clopper_pearson(rate * n_tasks, n_tasks, conf_level)
    reason = "one task only: the exact interval counts it as one trial" if n_tasks == 1 else None
    whole = bool((sums.denominator == 1).all() and np.isin(sums.numerator, (0.0, 1.0)).all())
    p_value = binomial_p(int(sums.total), n_tasks, null) if whole and null is not None else None
    return Interval(low, high, None, None, p_value, "clopper_pearson_tasks", reason)


def rate_interval_by_rows(
    sums: ClusterSums, *, conf_level: float = 0.95, null: float | None = None
) -> Interval:
    """Clopper–Pearson over all rows: a statement given these tasks, with rows independent."""
    if not sums.n_clusters:
        return Interval.missing("clopper_pearson_rows", "no task with rows")
    hits, rows = sums.total, sums.rows
    low, high = clopper_pearson(hits, rows, conf_level)
    whole = hits.is_integer() and rows.is_integer()
    p_value = binomial_p(int(hits), int(rows), null) if whole and null is not None else None
    return Interval(
        low, high, None, None, p_value, "clopper_pearson_rows", "given these tasks, rows independent"
    )


def _cr3_logit(sums: ClusterSums, conf_level: float, null: float | None) -> Interval:
    rate = sums.total / sums.rows
    std_error = float(np.sqrt(cr3_variance(sums)))
    df = sums.n_clusters - 1.0
    on_logit = std_error / (rate * (1 - rate))
    half = float(special.stdtrit(df, (1 + conf_level) / 2)) * on_logit
    centre = float(special.logit(rate))
    low, high = special.expit([centre - half, centre + half])
    p_value = None if null is None else t_test_p(centre - float(special.logit(null)), on_logit, df)
    return Interval(float(low), float(high), std_error, df, p_value, "cr3_logit")


def _check_rates(sums: ClusterSums) -> None:
    slack = 1e-9 * sums.denominator
    outside = (sums.numerator < -slack) | (sums.numerator > sums.denominator + slack)
    if outside.any():
        raise JudgmentsError(
            "a rate needs between 0 and all rows of a task as successes",
            [f"task {g}" for g in np.flatnonzero(outside)],
            "use the interval of a mean for outcomes outside [0, 1]",
        )
