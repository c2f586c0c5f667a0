"""Parameters of the ordered logit without each task, one Newton step away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from recuse.analysis.inference.clusters import FloatArray
from recuse.analysis.inference.ordered_logit import Counts, OrderedFit, row_derivatives

__all__ = ["one_step_without_each"]

_LEAST: Final = 1e-10
"""An eigenvalue below this share of the largest belongs to a flat direction."""
_CELLS_AT_ONCE: Final = 500_000
"""Numbers of a part of the tasks, which stay in a processor's cache together."""


def one_step_without_each(fit: OrderedFit, counts: Counts) -> FloatArray:
    """Parameters without each task, one Newton step from the fit: shape (G, parameters); NaN if undefined.

    The step uses the information that is left, so that the jackknife over it is the cluster-robust CR3
    variance of this model. Parameters in ``separated`` stay where they are.
    """
    free = [place for place in range(len(fit.parameters)) if place not in fit.separated]
    if not free:
        return np.repeat(fit.parameters[None, :], counts.n_tasks, axis=0)
    whole = fit.information[np.ix_(free, free)]
    moves: list[FloatArray] = []
    for score, information in _by_task(counts, fit.parameters):
        own = information if len(free) == len(fit.parameters) else information[:, free][:, :, free]
        known = _identified_without(whole, own)
        moved = np.full((len(own), len(free)), np.nan)
        if known.any():
            moved[known] = np.linalg.solve((whole - own)[known], score[known][:, free, None])[..., 0]
        moves.append(moved)
    without = np.repeat(fit.parameters[None, :], counts.n_tasks, axis=0)
    without[:, free] = fit.parameters[free] - np.concatenate(moves)
    return without


def _identified_without(whole: FloatArray, own: FloatArray) -> npt.NDArray[np.bool_]:
    """Whether the information that is left without each task's own has no flat direction.

    No eigenvalue moves by more than the norm of what is taken away: most tasks need none computed.
    """
    spectrum, norms = np.linalg.eigvalsh(whole), np.linalg.norm(own, axis=(1, 2))
    known: npt.NDArray[np.bool_] = spectrum[0] - norms > 2 * _LEAST * (spectrum[-1] + norms)
    if not known.all():
        eigenvalues = np.linalg.eigvalsh(whole - own[~known])
        known[~known] = eigenvalues[:, 0] > _LEAST * np.maximum(eigenvalues[:, -1], 1e-300)
    return known


def _by_task(counts: Counts, parameters: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Score and observed information of each task, shapes (G, q) and (G, q, q), some tasks at a time."""
    derivatives = np.concatenate(row_derivatives(counts, parameters[None, :]))
    order = np.argsort(counts.task, kind="stable")
    starts = np.searchsorted(counts.task[order], np.arange(counts.n_tasks + 1))
    bands = np.eye(counts.n_bands + 1)[:, : counts.n_bands]
    size = counts.design.shape[1] + counts.n_bands
    at_once = max(1, _CELLS_AT_ONCE // (size * max(size, len(order) // counts.n_tasks)))
    for first in range(0, counts.n_tasks, at_once):
        begun = starts[first : first + at_once + 1]
        rows = order[begun[0] : begun[-1]]
        # Columns as rows of memory, in the order of tasks: sums then run over neighbours.
        wide = np.ascontiguousarray(np.column_stack([counts.design[rows], bands[counts.group[rows]]]).T)
        yield _sums_of_tasks(wide, derivatives[:, rows], begun[:-1] - begun[0], counts.n_bands)


def _sums_of_tasks(
    wide: FloatArray, derivatives: FloatArray, starts: npt.NDArray[np.int64], n_bands: int
) -> tuple[FloatArray, FloatArray]:
    by_eta, eta_eta, by_log, eta_log, log_log = derivatives
    size, n_columns = len(wide), len(wide) - n_bands
    score, information = np.zeros((len(starts), size)), np.zeros((len(starts), size, size))
    for place, own in enumerate(wide):
        is_band = place >= n_columns
        score[:, place] = np.add.reduceat(own * (by_log if is_band else by_eta), starts)
        products = wide[place:] * (own * (eta_log if is_band else eta_eta))
        products[max(0, n_columns - place) :] = wide[max(place, n_columns) :] * (
            own * (log_log if is_band else eta_log)
        )
        found = -np.add.reduceat(products, starts, axis=1).T
        information[:, place, place:] = found
        information[:, place:, place] = found
    return score, information
