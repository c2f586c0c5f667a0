"""Difference of two means over separate sets of tasks, such as the tier gradient."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from recuse.analysis.inference.bootstrap import N_RESAMPLES, distinct_patterns, draw_in_pieces
from recuse.analysis.inference.clusters import ZERO, ClusterSums, FloatArray, TaskCounts, residual_sums
from recuse.analysis.inference.interval import DEFAULT, Interval, check_level, method_named
from recuse.analysis.inference.many_tasks import (
    MANY_OF_A_TIER,
    NORMAL,
    deviations,
    half_step,
    is_normal,
    n_beyond,
)
from recuse.analysis.inference.means import FEWEST_TASKS_FOR_BOOTSTRAP, leave_one_task_out, why_no_spread
from recuse.analysis.inference.percentile import acceleration, bca_interval, percentile_interval
from recuse.analysis.inference.sandwich import cr1_variance, cr2_variance, satterthwaite, t_interval
from recuse.analysis.inference.studentized import difference_of_draws, draw_means, studentized_interval
from recuse.analysis.inference.wild import wild_interval
from recuse.errors import ConfigurationError

__all__ = ["difference_interval", "permutation_note", "permutation_p"]

_METHODS = {"cr2": "cr2_welch", "bootstrap_t": "bootstrap_t_stratified"}


def difference_interval(
    first: ClusterSums,
    second: ClusterSums,
    *,
    rng: np.random.Generator,
    method: str = DEFAULT,
    conf_level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    null: float = 0.0,
) -> Interval:
    """Interval of mean(`first`) − mean(`second`), tasks as clusters and resampled within each of the two.

    By default CR2 with Welch–Satterthwaite degrees of freedom (`cr2_welch`) where either has fewer than
    10 tasks, else a stratified symmetric bootstrap-t (`bootstrap_t_stratified`).

    Parameters
    ----------
    first, second
        Sums of the two sets of tasks; no task may be in both.
    rng
        Source of randomness of the resampling methods.
    method
        As for :func:`~recuse.analysis.inference.means.mean_interval`.
    conf_level, n_resamples, null
        Two-sided confidence level, resamples, and the difference that `p_value` tests.

    Returns
    -------
    Interval
        Without bounds and with a reason where either has fewer than two tasks, or neither has any spread.
        Where one of the two has no spread, the interval rests on the other alone and `reason` says so.
    """
    check_level(conf_level)
    chosen = method_named(method)
    if chosen == DEFAULT:
        few = min(first.n_clusters, second.n_clusters) < FEWEST_TASKS_FOR_BOOTSTRAP
        chosen = "cr2" if few else "bootstrap_t"
    if chosen == "rows_percentile":
        raise ConfigurationError(
            "rows as independent is not offered for a difference between sets of tasks",
            "ask for another interval",
        )
    reasons = [why_no_spread(first), why_no_spread(second)]
    named = _METHODS.get(chosen, chosen)
    if min(first.n_clusters, second.n_clusters) < 2 or all(reasons):
        said = [
            f"{which}: {reason}" for which, reason in zip(("first", "second"), reasons, strict=True) if reason
        ]
        return Interval.missing(named, "; ".join(said))
    found = _interval(
        first, second, chosen, rng=rng, conf_level=conf_level, n_resamples=n_resamples, null=null
    )
    alone = [which for which, reason in zip(("first", "second"), reasons, strict=True) if reason]
    if not alone or found.low is None:
        return found
    rests = f"the {alone[0]} of the two has no spread between tasks: the interval rests on the other alone"
    return replace(found, reason=f"{found.reason}; {rests}" if found.reason else rests)


def permutation_p(
    first: ClusterSums,
    second: ClusterSums,
    rng: np.random.Generator,
    n_resamples: int = N_RESAMPLES,
) -> float | None:
    """Two-sided permutation test of the difference of two means: labels are shuffled over whole tasks.

    Null hypothesis: tasks are exchangeable between the two sets (the whole distribution is the same, and
    not the mean alone). p = (1 + b) / (1 + B), b shuffles with a difference at least as large; with
    thousands of tasks in either set their totals are drawn as normal. Null where either set is empty.

    Parameters
    ----------
    first, second
        Sums of the two sets of tasks.
    rng, n_resamples
        Source of randomness, number of shuffles B.
    """
    if first.estimate is None or second.estimate is None:
        return None
    if permutation_note(first, second) is not None:
        return _permutation_p_of_many(first, second, rng, n_resamples)
    patterns, tasks = _together(first, second)
    whole = tasks @ patterns
    observed = abs(first.estimate - second.estimate)
    slack = ZERO * (observed + np.abs(patterns[:, 0]).max() / patterns[:, 1].min())

    def count(stream: np.random.Generator, start: int, stop: int) -> int:
        drawn = stream.multivariate_hypergeometric(
            tasks, first.n_clusters, size=stop - start, method="marginals"
        )
        one = drawn.astype(np.float64) @ patterns
        other = whole - one
        return int((np.abs(one[:, 0] / one[:, 1] - other[:, 0] / other[:, 1]) >= observed - slack).sum())

    return (1 + sum(draw_in_pieces(count, n_resamples, len(tasks), rng))) / (1 + n_resamples)


def permutation_note(first: ClusterSums, second: ClusterSums) -> str | None:
    """Give what a reader of :func:`permutation_p` must know of how labels are shuffled, if anything."""
    n_tasks = min(first.n_clusters, second.n_clusters)
    if n_tasks < MANY_OF_A_TIER:
        return None
    patterns, tasks = _together(first, second)
    numerator, rows = patterns.T
    residual = residual_sums(numerator, rows, (first.total + second.total) / (first.rows + second.rows))
    share = n_tasks / (first.n_clusters + second.n_clusters)
    return NORMAL if is_normal(residual, rows, tasks, share=share) else None


def _permutation_p_of_many(
    first: ClusterSums, second: ClusterSums, rng: np.random.Generator, n_resamples: int
) -> float:
    """Draw the totals of a shuffle as normal, with the covariance of draws without replacement."""
    patterns, tasks = _together(first, second)
    numerator, rows = patterns.T
    whole, n_tasks = tasks @ patterns, first.n_clusters + second.n_clusters
    kept = first.n_clusters / n_tasks
    drawn = deviations(patterns, tasks, rng=rng, n_resamples=n_resamples)
    drawn *= np.sqrt(kept * (1 - kept) * n_tasks / (n_tasks - 1))
    if (rows == rows[0]).all():
        # The difference of means is at least as large where the sum of one set is.
        distance = abs(first.total - kept * whole[0])
        beyond = n_beyond(drawn[:, 0], float(distance), half_step(numerator))
    else:
        one = kept * whole + drawn
        other = whole - one
        observed = abs(first.total / first.rows - second.total / second.rows)
        beyond = int((np.abs(one[:, 0] / one[:, 1] - other[:, 0] / other[:, 1]) >= observed).sum())
    return (1 + beyond) / (1 + n_resamples)


def _together(first: ClusterSums, second: ClusterSums) -> tuple[FloatArray, TaskCounts]:
    """Distinct sums and counts of the tasks of both, and the tasks that share each."""
    both = (
        np.concatenate([first.numerator, second.numerator]),
        np.concatenate([first.denominator, second.denominator]),
    )
    return distinct_patterns(np.column_stack(both), np.concatenate([first.tasks, second.tasks]))


def _interval(
    first: ClusterSums,
    second: ClusterSums,
    method: str,
    *,
    rng: np.random.Generator,
    conf_level: float,
    n_resamples: int,
    null: float,
) -> Interval:
    means = [sums.total / sums.rows for sums in (first, second)]
    estimate = means[0] - means[1]
    if method == "wild":
        return wild_interval(
            (first, second), rng=rng, conf_level=conf_level, n_resamples=n_resamples, null=null
        )
    parts = cr2_variance(first), cr2_variance(second)
    df = satterthwaite(*parts)
    variance = parts[0][0] + parts[1][0]
    welch = t_interval(estimate, variance, df, method="cr2_welch", conf_level=conf_level, null=null)
    if method == "cr2":
        return welch
    draws = difference_of_draws(
        draw_means(first, rng=rng, n_resamples=n_resamples, many=MANY_OF_A_TIER),
        draw_means(second, rng=rng, n_resamples=n_resamples, many=MANY_OF_A_TIER),
    )
    if method == "percentile":
        found = percentile_interval(estimate + draws.shift, conf_level=conf_level, null=null)
        return replace(found, reason=draws.note)
    if method == "bca":
        accelerated = acceleration(
            (leave_one_task_out(first), first.tasks), (-leave_one_task_out(second), second.tasks)
        )
        found = bca_interval(estimate + draws.shift, estimate, accelerated, conf_level=conf_level, null=null)
        return replace(found, reason=found.reason or draws.note)
    return studentized_interval(
        estimate,
        float(np.sqrt(cr1_variance(first) + cr1_variance(second))),
        draws,
        conf_level=conf_level,
        null=null,
        method=_METHODS.get(method, method),
        symmetric=method == "bootstrap_t",
        df=df,
        fallback=welch,
    )
