"""Coefficients of a penalised logistic regression and what they are without each task."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from recuse.analysis.inference.clusters import FloatArray
from recuse.analysis.inference.firth import fit_logistic
from recuse.errors import UndefinedEstimateError

__all__ = ["MOST_REFITS", "coefficients_without_each"]

MOST_REFITS = 60
"""Tasks up to which the model is fitted again without each; above, one Newton step stands for the refit."""


def coefficients_without_each(
    design: FloatArray, outcome: FloatArray, weights: FloatArray, task: npt.NDArray[np.int64]
) -> tuple[FloatArray, FloatArray | None]:
    """Fit with Firth's penalty, on all tasks and without each.

    Parameters
    ----------
    design
        Shape (n, p).
    outcome
        Shape (n,), in [0, 1]: the share of successes among a row's trials.
    weights
        Shape (n,), the trials of each row.
    task
        Shape (n,), codes from 0 to G - 1.

    Returns
    -------
    tuple
        Coefficients, shape (p,), and without each task, shape (G, p); null where the model is not identified
        without one of them. Above ``MOST_REFITS`` tasks the latter are one Newton step away from the
        former, with the information that the other tasks leave.

    Raises
    ------
    UndefinedEstimateError
        The model is not identified on all tasks.
    """
    rows, shares, trials = _gathered(design, outcome, weights)
    coefficients = fit_logistic(rows, shares, trials[None, :]).coefficients[0]
    n_tasks = int(task.max()) + 1
    if n_tasks <= MOST_REFITS:
        kept = task[None, :] != np.arange(n_tasks)[:, None]
        try:
            return coefficients, fit_logistic(design, outcome, weights * kept).coefficients
        except UndefinedEstimateError:
            return coefficients, None
    chance: FloatArray = 1 / (1 + np.exp(-(design @ coefficients)))
    information: FloatArray = (design * (weights * chance * (1 - chance))[:, None]).T @ design
    score = design * (weights * (outcome - chance))[:, None]
    by_task = np.column_stack([np.bincount(task, column, n_tasks) for column in score.T])
    left: FloatArray = information - _information_by_task(
        design, weights * chance * (1 - chance), task, n_tasks
    )
    if (np.linalg.eigvalsh(left)[:, 0] <= 1e-12 * np.linalg.eigvalsh(information)[-1]).any():
        return coefficients, None
    moves = np.asarray(np.linalg.solve(left, by_task[..., None]), dtype=np.float64)[..., 0]
    return coefficients, coefficients - moves


def _gathered(
    design: FloatArray, outcome: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Bring rows of equal predictors together: the fit needs no more than their trials and successes."""
    mixed = design @ np.sqrt(np.arange(2.0, 2.0 + design.shape[1]))
    _, first, where = np.unique(mixed, return_index=True, return_inverse=True)
    distinct = design[first]
    if not np.array_equal(distinct[where], design):
        return design, outcome, weights
    trials = np.bincount(where, weights).astype(np.float64)
    successes = np.bincount(where, weights * outcome).astype(np.float64)
    return distinct, successes / trials, trials


def _information_by_task(
    design: FloatArray, spread: FloatArray, task: npt.NDArray[np.int64], n_tasks: int
) -> FloatArray:
    """Each task's share of the information, shape (G, p, p)."""
    size = design.shape[1]
    shares = np.empty((n_tasks, size, size))
    for row in range(size):
        for column in range(row, size):
            values = np.bincount(task, spread * design[:, row] * design[:, column], n_tasks)
            shares[:, row, column] = shares[:, column, row] = values
    return shares
