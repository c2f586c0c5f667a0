"""The spread of a claim's quantity, with each of some tasks left out, from its form."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from recuse.analysis.claims.forms import Coefficient, Contrast, Form, Mean, RatioDifference
from recuse.analysis.inference.clusters import FloatArray
from recuse.analysis.inference.specifications import (
    Spread,
    TaskSums,
    Unit,
    contrast,
    from_replicates,
    spread_of_mean,
    spread_of_ratio_difference,
)

__all__ = ["rows_by_task", "spread_of"]

BoolArray = npt.NDArray[np.bool_]


def spread_of(form: Form, keep: BoolArray, unit: Unit, *, tallies: bool) -> Spread:
    """Estimate and spread of a quantity for every variant.

    Parameters
    ----------
    form
        Mean, contrast, difference of ratios or coefficient of agreement.
    keep
        Shape (K, n_tasks). Which tasks each variant keeps.
    unit
        What is taken as independent.
    tallies
        Whether rows are counts of presentations, so that ``row`` means each of these.
    """
    match form:
        case Mean():
            return spread_of_mean(_sums(form, is_rate=form.is_rate), keep, unit, tallies=tallies)
        case Contrast():
            high, low = (
                spread_of_mean(_sums(part, is_rate=False), keep, unit, tallies=tallies)
                for part in (form.high, form.low)
            )
            return contrast(high, low)
        case RatioDifference():
            paired = form.paired() if unit == "task" else None
            if paired is not None:
                return spread_of_mean(_sums(paired, is_rate=False), keep, unit)
            ratios = [(part.value, part.weight) for part in (form.first, form.second)]
            return spread_of_ratio_difference(ratios[0], ratios[1], form.first.task, keep, unit)
        case Coefficient():
            return _of_coefficient(form, keep, unit)
        case _:
            message = f"no specifications of a {type(form).__name__}"
            raise TypeError(message)


def rows_by_task(form: Form, n_tasks: int) -> FloatArray:
    """Rows that a quantity rests on, by task, shape (n_tasks,)."""
    if isinstance(form, Contrast):
        return rows_by_task(form.high, n_tasks) + rows_by_task(form.low, n_tasks)
    if isinstance(form, RatioDifference):
        used = (form.first.weight > 0) | (form.second.weight > 0)
        return np.bincount(form.first.task[used], minlength=n_tasks).astype(np.float64)
    if isinstance(form, Mean):
        return np.bincount(form.task[form.weight > 0], minlength=n_tasks).astype(np.float64)
    return np.bincount(form.task, minlength=n_tasks).astype(np.float64)  # type: ignore[attr-defined]


def _sums(mean: Mean, *, is_rate: bool) -> TaskSums:
    return TaskSums.of(mean.value, mean.weight, mean.task, mean.n_tasks, is_rate=is_rate)


def _of_coefficient(form: Coefficient, keep: BoolArray, unit: Unit) -> Spread:
    """Leave one task, or one kind of item, out of the tables of counts."""
    size = form.tables.shape[1]
    flat = form.tables.reshape(len(form.tables), -1)
    by_task = np.stack([np.bincount(form.task, cell, form.n_tasks) for cell in flat.T], axis=1)
    kept = keep.astype(np.float64)
    whole = kept @ by_task
    if unit == "task":
        kinds, counts = by_task, kept * (np.bincount(form.task, minlength=form.n_tasks) > 0)
    else:
        kinds, kind = np.unique(flat, axis=0, return_inverse=True)
        place = form.task * len(kinds) + kind.ravel()
        by_kind = np.bincount(place, minlength=form.n_tasks * len(kinds)).reshape(form.n_tasks, -1)
        counts = kept @ by_kind.astype(np.float64)
    left = np.where((counts > 0)[:, :, None], whole[:, None, :] - kinds, whole[:, None, :])
    with np.errstate(all="ignore"):
        estimate = form.statistic(whole.reshape(-1, size, size))
        replicates = form.statistic(left.reshape(-1, size, size)).reshape(len(kept), -1)
    return from_replicates(estimate, replicates, counts)
