"""Rows as independent: what most publications did, for reproducing their numbers and for nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from recuse.analysis.inference.bootstrap import N_RESAMPLES, resampled_totals
from recuse.analysis.inference.interval import Interval, check_level
from recuse.analysis.inference.percentile import percentile_interval

__all__ = ["rows_interval"]


def rows_interval(
    values: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    rng: np.random.Generator,
    conf_level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    null: float = 0.0,
) -> Interval:
    """Percentile bootstrap of a (weighted) mean over rows, tasks ignored.

    Too wide where the two orders of a pair disagree, too narrow where tasks differ in size; it is kept
    for the source article's convention.

    Parameters
    ----------
    values
        Shape (n,). Outcome of each row (comparison).
    weights
        Shape (n,). Weight of each row; 1 each where not given.
    rng, conf_level, n_resamples, null
        As for :func:`~recuse.analysis.inference.means.mean_interval`.

    Returns
    -------
    Interval
        Method `rows_percentile`. All rows alike give an interval of no width, and `reason` says so.
    """
    check_level(conf_level)
    outcome = np.asarray(values, dtype=np.float64)
    weight = np.ones_like(outcome) if weights is None else np.asarray(weights, dtype=np.float64)
    kept = weight > 0
    if not kept.any():
        return Interval.missing("rows_percentile", "no row")
    stats = np.column_stack([outcome * weight, weight])[kept]
    totals = resampled_totals(stats, rng=rng, n_resamples=n_resamples)
    found = percentile_interval(
        totals[:, 0] / totals[:, 1], conf_level=conf_level, null=null, method="rows_percentile"
    )
    return replace(found, reason="all rows are alike: no width") if np.ptp(outcome[kept]) == 0 else found
