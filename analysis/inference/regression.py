"""Least squares with the CR2 covariance of one coefficient, tasks as clusters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from recuse.analysis.inference.clusters import ZERO, FloatArray
from recuse.analysis.inference.interval import Interval, check_level
from recuse.analysis.inference.sandwich import t_interval

__all__ = ["coefficient_interval", "intercept_interval"]


def intercept_interval(
    predictors: FloatArray,
    outcome: FloatArray,
    task: npt.NDArray[np.int64],
    *,
    conf_level: float = 0.95,
) -> tuple[float | None, Interval]:
    """Intercept of a least-squares regression, with its CR2 interval and Satterthwaite degrees of freedom.

    Parameters
    ----------
    predictors
        Shape (n, k), without the column of ones: the intercept is the mean outcome where all of them are 0.
    outcome
        Shape (n,).
    task
        Shape (n,). Cluster of each row, codes from 0.

    Returns
    -------
    tuple
        The intercept, null where the predictors do not identify it, and its interval (method `cr2`).

    References
    ----------
    Bell and McCaffrey (2002), Survey Methodology 28(2); Pustejovsky and Tipton (2018), Journal of Business
    & Economic Statistics 36(4), equations 6 and 11.
    """
    design = np.column_stack([np.ones(len(outcome)), predictors])
    return coefficient_interval(design, outcome, task, conf_level=conf_level)


def coefficient_interval(
    design: FloatArray,
    outcome: FloatArray,
    task: npt.NDArray[np.int64],
    *,
    which: int = 0,
    conf_level: float = 0.95,
    null: float = 0.0,
) -> tuple[float | None, Interval]:
    """One coefficient of a least-squares regression, as :func:`intercept_interval` gives the intercept.

    Parameters
    ----------
    design
        Shape (n, k), a column of ones included where one is meant.
    outcome, task
        Shape (n,). As for :func:`intercept_interval`.
    which
        Column whose coefficient is asked for.
    conf_level, null
        Two-sided confidence level, and the value that `p_value` tests.
    """
    check_level(conf_level)
    gram = design.T @ design
    eigenvalues = np.linalg.eigvalsh(gram) if len(outcome) else np.zeros(1)
    if len(outcome) <= design.shape[1] or eigenvalues[0] <= ZERO * eigenvalues[-1]:
        return None, Interval.missing(
            "cr2", "the predictor does not vary: no intercept to tell from its slope"
        )
    bread: FloatArray = np.asarray(np.linalg.inv(gram), dtype=np.float64)
    coefficients = bread @ (design.T @ outcome)
    estimate = float(coefficients[which])
    n_tasks = int(task.max()) + 1
    if n_tasks <= design.shape[1]:
        return estimate, Interval.missing("cr2", "too few tasks for the spread of an intercept")
    residual = outcome - design @ coefficients
    lengths, meats, loads = _adjusted(design, residual, task, bread, which)
    variance = float((meats**2).sum())
    if variance <= ZERO * max(1.0, float(np.abs(outcome).max())) ** 2:
        return estimate, Interval.missing("cr2", "no spread between tasks to see")
    df = _satterthwaite(lengths, loads, bread)
    return estimate, t_interval(estimate, variance, df, method="cr2", conf_level=conf_level, null=null)


def _adjusted(
    design: FloatArray, residual: FloatArray, task: npt.NDArray[np.int64], bread: FloatArray, which: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Per task: a'a, a'e and X'a, where a is the CR2 adjustment of the coefficient's weights."""
    order = np.argsort(task, kind="stable")
    _, starts, sizes = np.unique(task[order], return_index=True, return_counts=True)
    lengths, meats = np.zeros(len(sizes)), np.zeros(len(sizes))
    loads = np.zeros((len(sizes), design.shape[1]))
    for size in np.unique(sizes):
        of_size = np.flatnonzero(sizes == size)
        rows = order[starts[of_size][:, None] + np.arange(size)]
        part, error = design[rows], residual[rows]
        hat = np.einsum("gik,kl,gjl->gij", part, bread, part)
        values, vectors = np.linalg.eigh(np.eye(size) - hat)
        root = np.where(values > ZERO, 1 / np.sqrt(np.maximum(values, ZERO)), 0.0)
        weights = part @ bread[:, which]
        along = np.einsum("gij,gi->gj", vectors, weights) * root
        adjusted = np.einsum("gij,gj->gi", vectors, along)
        lengths[of_size] = (adjusted**2).sum(1)
        meats[of_size] = (adjusted * error).sum(1)
        loads[of_size] = np.einsum("gi,gik->gk", adjusted, part)
    return lengths, meats, loads


def _satterthwaite(lengths: FloatArray, loads: FloatArray, bread: FloatArray) -> float:
    own = np.einsum("gk,kl,gl->g", loads, bread, loads)
    diagonal = lengths - own
    cross = bread @ (loads.T @ loads)
    squares = float((diagonal**2).sum() + np.trace(cross @ cross) - (own**2).sum())
    return float(diagonal.sum() ** 2 / squares)
