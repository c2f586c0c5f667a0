"""Agreement coefficients for nominal labels, from tables of counts. Undefined is NaN here, never above."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from recuse.analysis.inference.clusters import ZERO, FloatArray, TaskCounts

__all__ = [
    "agreement",
    "alike",
    "all_pairs",
    "cohen_kappa",
    "expected_agreement",
    "gwet_ac1",
    "krippendorff_alpha",
    "symmetrised",
]

_ITEMS_AT_ONCE = 50_000


def all_pairs(codes: npt.NDArray[np.int8], n_labels: int) -> FloatArray:
    """Tables of counts of every pair of judges, from one product of indicator matrices.

    Parameters
    ----------
    codes
        Shape (items, judges), labels from 0; below 0 where a judge has none.
    n_labels
        Number of labels q.

    Returns
    -------
    numpy.ndarray
        Shape (judges, judges, q, q): rows are the labels of the first judge. Items that either lacks are
        not counted.
    """
    n_judges = codes.shape[1]
    found = np.zeros((n_judges * n_labels, n_judges * n_labels))
    for first in range(0, len(codes), _ITEMS_AT_ONCE):
        part = codes[first : first + _ITEMS_AT_ONCE]
        # Counts below 2²⁴ are whole in single precision, at twice the speed.
        labelled = (part[:, :, None] == np.arange(n_labels, dtype=np.int8)).astype(np.float32)
        flat = labelled.reshape(len(part), -1)
        found += flat.T @ flat
    return found.reshape(n_judges, n_labels, n_judges, n_labels).transpose(0, 2, 1, 3)


def alike(tables: FloatArray, tasks: TaskCounts | None = None) -> bool:
    """Tell whether tables of shape (K, q, q) with counts hold the same shares: no spread between them.

    ``tasks`` counts the tasks that share each table; 1 each where not given.
    """
    if (len(tables) if tasks is None else tasks.sum()) < 2:
        return False
    shares = tables / tables.sum((1, 2), keepdims=True)
    return bool(np.ptp(shares, axis=0).max() <= ZERO)


def agreement(tables: FloatArray) -> FloatArray:
    """Share of items on which both judges give one label. ``tables``: shape (..., q, q), counts."""
    return _ratio(np.trace(tables, axis1=-2, axis2=-1), tables.sum((-2, -1)))


def expected_agreement(tables: FloatArray, *, symmetric: bool) -> FloatArray:
    """Chance agreement of Cohen's kappa: the sum over labels of the product of both marginals.

    ``symmetric`` averages each judge's marginals of the first two labels beforehand.
    """
    left, right = _marginals(tables)
    if symmetric:
        left, right = symmetrised(left), symmetrised(right)
    expected: FloatArray = (left * right).sum(-1)
    return expected


def cohen_kappa(tables: FloatArray, *, symmetric: bool) -> FloatArray:
    """(p_o - p_e) / (1 - p_e); NaN where p_e is 1."""
    observed, expected = agreement(tables), expected_agreement(tables, symmetric=symmetric)
    return _ratio(observed - expected, 1 - expected)


def gwet_ac1(tables: FloatArray, *, symmetric: bool) -> FloatArray:
    """Gwet's AC1: chance agreement is the sum of π(1 - π) over q - 1, π the mean of both marginals."""
    left, right = _marginals(tables)
    share = (left + right) / 2
    if symmetric:
        share = symmetrised(share)
    expected = (share * (1 - share)).sum(-1) / (tables.shape[-1] - 1)
    return _ratio(agreement(tables) - expected, 1 - expected)


def krippendorff_alpha(coincidences: FloatArray, *, symmetric: bool) -> FloatArray:
    """Krippendorff's alpha for nominal labels from coincidence tables of shape (..., q, q)."""
    count = coincidences.sum((-2, -1))
    labels = coincidences.sum(-1)
    if symmetric:
        labels = symmetrised(labels)
    observed = count - np.trace(coincidences, axis1=-2, axis2=-1)
    expected = _ratio((labels * (count[..., None] - labels)).sum(-1), count - 1)
    return 1 - _ratio(observed, expected)


def symmetrised(counts: FloatArray) -> FloatArray:
    """Average the first two labels: which answer is called *first* is arbitrary."""
    both = counts[..., :2].mean(-1, keepdims=True)
    return np.concatenate([both, both, counts[..., 2:]], axis=-1)


def _marginals(tables: FloatArray) -> tuple[FloatArray, FloatArray]:
    count = tables.sum((-2, -1))[..., None]
    return _ratio(tables.sum(-1), count), _ratio(tables.sum(-2), count)


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    numerator, denominator = np.broadcast_arrays(
        np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64)
    )
    out = np.full(numerator.shape, np.nan)
    ratio: FloatArray = np.divide(numerator, denominator, out=out, where=np.abs(denominator) > 1e-12)
    return ratio
