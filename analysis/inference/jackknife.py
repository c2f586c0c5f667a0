"""Task jackknife for what has no sum per task: agreement, decompositions, refitted models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import special

from recuse.analysis.inference.clusters import ZERO, FloatArray, TaskCounts
from recuse.analysis.inference.interval import Interval, check_level
from recuse.analysis.inference.means import cut
from recuse.analysis.inference.sandwich import t_interval

__all__ = ["jackknife_interval", "jackknife_rate_interval"]


def jackknife_interval(
    estimate: float,
    leave_one_out: FloatArray,
    *,
    bounds: tuple[float, float] | None = (-1.0, 1.0),
    conf_level: float = 0.95,
    null: float = 0.0,
    tasks: TaskCounts | None = None,
) -> Interval:
    """Estimate ± t(G − 1) times the jackknife standard error, cut to the possible values.

    The variance is (G − 1)/G · Σ (θ_(g) − θ)², centred at the estimate on all tasks, which is never
    smaller than when centred at the mean of the replicates.

    Parameters
    ----------
    estimate
        θ, on all tasks.
    leave_one_out
        Shape (K,). θ_(g), the same quantity without task g; NaN or infinite where it is undefined.
    bounds
        Smallest and largest possible value; null cuts nothing.
    conf_level, null
        Two-sided confidence level, and the value that `p_value` tests.
    tasks
        Shape (K,). Tasks that share each replicate; 1 each where not given.

    Returns
    -------
    Interval
        Without bounds and with a reason where the estimate or a replicate is undefined, where there is
        one task, or where the replicates do not differ.
    """
    check_level(conf_level)
    replicates = np.asarray(leave_one_out, dtype=np.float64)
    shared = np.ones(len(replicates), dtype=np.int64) if tasks is None else tasks
    n_tasks = int(shared.sum())
    undefined = int(shared[~np.isfinite(replicates)].sum())
    if not np.isfinite(estimate):
        return Interval.missing("jackknife", "the estimate is undefined on all tasks")
    if n_tasks < 2:
        return Interval.missing("jackknife", "fewer than two tasks: none can be left out")
    if undefined:
        return Interval.missing(
            "jackknife", f"undefined when one task is left out ({undefined:,} of {n_tasks:,} tasks)"
        )
    change = replicates - estimate
    if np.abs(change).max() <= ZERO * max(1.0, abs(estimate)):
        return Interval.missing("jackknife", f"the estimate is the same without any one of {n_tasks:,} tasks")
    variance = float((shared * np.square(change)).sum()) * (n_tasks - 1) / n_tasks
    found = t_interval(
        estimate, variance, n_tasks - 1.0, method="jackknife", conf_level=conf_level, null=null
    )
    return found if bounds is None else cut(found, bounds)


def jackknife_rate_interval(
    estimate: float, leave_one_out: FloatArray, *, conf_level: float = 0.95
) -> Interval:
    """Interval in [0, 1] of a refitted rate: the jackknife standard error carried to the logit scale.

    The standard error on the rate scale is divided by p(1 - p), and the interval is logit(p) ± t(G - 1)
    times that: near 0 or 1 it reaches toward the middle, where a symmetric one would be cut.

    Parameters
    ----------
    estimate, leave_one_out, conf_level
        As for :func:`jackknife_interval`. A rate of exactly 0 or 1 has no logit and keeps its interval.
    """
    found = jackknife_interval(estimate, leave_one_out, bounds=(0.0, 1.0), conf_level=conf_level)
    if found.std_error is None or found.df is None or not 0 < estimate < 1:
        return found
    half = float(special.stdtrit(found.df, (1 + conf_level) / 2)) * found.std_error
    half /= estimate * (1 - estimate)
    centre = float(special.logit(estimate))
    low, high = special.expit([centre - half, centre + half])
    return replace(found, low=float(low), high=float(high), p_value=None, method="jackknife_logit")
