"""Logistic regression with Firth's penalty, for many weightings of the same rows at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from recuse.analysis.inference.clusters import FloatArray
from recuse.errors import UndefinedEstimateError

__all__ = ["LogisticFits", "fit_logistic"]

BoolArray: TypeAlias = npt.NDArray[np.bool_]

_MOST_STEPS = 300
_LONGEST_STEP = 10.0
"""Largest change of a coefficient in one step: a full Newton step overshoots where outcomes separate."""
_CLOSE = 1e-10
"""A last change smaller than this, relative to its coefficient, ends the steps."""
_MOST_HALVINGS = 20
_SLACK = 1e-12
_CELLS_AT_ONCE = 16_384
_FEWEST_ROWS = 256
_MOST_PRODUCTS = 2_000_000
"""Products of two columns held for all rows, 16 MB; above, they are formed anew in each step."""


@dataclass(frozen=True, slots=True)
class LogisticFits:
    """Coefficients of B fits of one design."""

    coefficients: FloatArray  # (B, p)
    n_steps: int


def fit_logistic(
    design: FloatArray, outcome: FloatArray, weights: FloatArray, *, firth: bool = True
) -> LogisticFits:
    """Fit a logistic regression by Newton steps, once for each row of weights.

    With ``firth`` the likelihood is multiplied by the root of the information's determinant (Jeffreys'
    prior), which keeps estimates finite under separation and takes away their first-order bias: the score
    is Xᵀw(y - p + h(½ - p)/w) with h the diagonal of the hat matrix.

    Parameters
    ----------
    design
        Shape (n, p), without an intercept unless a column of ones is in it.
    outcome
        Shape (n,), or (B, n) where it differs between fits; in [0, 1].
    weights
        Shape (B, n), frequencies; 0 leaves a row out.

    Raises
    ------
    UndefinedEstimateError
        A column is not identified by the rows that carry weight, or the steps do not converge.

    References
    ----------
    Firth (1993), Biometrika 80(1); Heinze and Schemper (2002), Statistics in Medicine 21(16).
    """
    rows = _Rows.of(design)
    coefficients = np.zeros((len(weights), design.shape[1]))
    reached = _reached(coefficients, rows, outcome, weights, firth=firth)
    # Newton's steps on the plain likelihood halve the number of wrong digits no more than once a step.
    close = _CLOSE if firth else _CLOSE**0.5
    for step in range(1, _MOST_STEPS + 1):
        change = _newton_step(reached, rows)
        longest = np.abs(change).max(axis=1, keepdims=True)
        if (np.abs(change) < close * (1 + np.abs(coefficients))).all():
            return LogisticFits(coefficients + change, step)
        change *= np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))
        tried = reached
        for _ in range(_MOST_HALVINGS):
            tried = _reached(coefficients + change, rows, outcome, weights, firth=firth)
            worse = _overshot(reached, tried, change, firth=firth)
            if not worse.any():
                break
            change[worse] /= 2
        coefficients, reached = coefficients + change, tried
    raise UndefinedEstimateError("the logistic model does not converge: outcomes separate")


@dataclass(frozen=True, slots=True)
class _Rows:
    """The design by column and, where it is small, the outer product of every row with itself."""

    columns: FloatArray  # (p, n), each column in one piece
    outer: FloatArray | None  # (n, p²)

    @classmethod
    def of(cls, design: FloatArray) -> _Rows:
        small = design.size * design.shape[1] <= _MOST_PRODUCTS
        outer = (design[:, :, None] * design[:, None, :]).reshape(len(design), -1) if small else None
        return cls(np.ascontiguousarray(design.T), outer)

    def information(self, spread: FloatArray, part: slice) -> FloatArray:
        """Sum the outer product of each row of a part with its spread: shape (B, p, p)."""
        size = len(self.columns)
        if self.outer is not None:
            return (spread @ self.outer[part]).reshape(-1, size, size)
        columns = self.columns[:, part]
        weighted: FloatArray = (columns * spread[:, None, :]) @ columns.T
        return weighted

    def quadratic(self, inverse: FloatArray, part: slice) -> FloatArray:
        """Give x'Vx of every row of a part under each matrix: shape (B, rows)."""
        if self.outer is not None:
            flat: FloatArray = inverse.reshape(len(inverse), -1) @ self.outer[part].T
            return flat
        columns = self.columns[:, part]
        form: FloatArray = ((inverse @ columns) * columns).sum(1)
        return form


@dataclass(frozen=True, slots=True)
class _Reached:
    """Where the steps are; what is by row is kept for the penalty alone."""

    value: FloatArray  # (B,) penalised log likelihood; 0 without the penalty, which is not needed
    score: FloatArray  # (B, p) without the penalty
    information: FloatArray  # (B, p, p)
    by_row: list[tuple[FloatArray, FloatArray]]  # per part: chance and spread, (B, rows) each


def _parts(n_fits: int, n_rows: int) -> list[slice]:
    """Cut rows into parts that stay in a processor's cache together."""
    step = max(_FEWEST_ROWS, _CELLS_AT_ONCE // n_fits)
    return [slice(first, first + step) for first in range(0, n_rows, step)]


def _reached(
    coefficients: FloatArray, rows: _Rows, outcome: FloatArray, weights: FloatArray, *, firth: bool
) -> _Reached:
    size = len(rows.columns)
    value, score = np.zeros(len(weights)), np.zeros((len(weights), size))
    information = np.zeros((len(weights), size, size))
    by_row: list[tuple[FloatArray, FloatArray]] = []
    for part in _parts(*weights.shape):
        columns, won, weight = rows.columns[:, part], outcome[..., part], weights[:, part]
        predictor = coefficients @ columns
        small = np.exp(-np.abs(predictor))  # one exponential serves the chance and its logarithm
        whole = 1 + small
        chance = np.where(predictor >= 0, 1.0, small) / whole
        spread = weight * (small / np.square(whole))
        score += (weight * (won - chance)) @ columns.T
        information += rows.information(spread, part)
        if firth:
            by_row.append((chance, spread))
            value += (weight * (won * predictor - np.maximum(predictor, 0) - np.log1p(small))).sum(1)
    if firth:
        value += 0.5 * np.linalg.slogdet(information)[1]
    return _Reached(value, score, information, by_row)


def _overshot(reached: _Reached, tried: _Reached, change: FloatArray, *, firth: bool) -> BoolArray:
    """Which fits a step has taken too far.

    The plain likelihood is concave: its slope along the step tells, and no logarithm is needed. The
    penalised one is not, and has to rise.
    """
    if firth:
        fallen: BoolArray = tried.value < reached.value - _SLACK * (1 + np.abs(reached.value))
        return fallen
    before, after = (reached.score * change).sum(1), (tried.score * change).sum(1)
    steeper: BoolArray = after < -(1 + _SLACK) * before
    return steeper


def _newton_step(reached: _Reached, rows: _Rows) -> FloatArray:
    inverse = _inverse(reached.information)
    score = reached.score
    if reached.by_row:
        score = score.copy()
        parts = _parts(len(score), rows.columns.shape[1])
        for part, (chance, spread) in zip(parts, reached.by_row, strict=True):
            penalty = spread * rows.quadratic(inverse, part) * (0.5 - chance)
            score += penalty @ rows.columns[:, part].T
    change: FloatArray = (inverse @ score[..., None])[..., 0]
    return change


def _inverse(information: FloatArray) -> FloatArray:
    eigenvalues = np.linalg.eigvalsh(information)
    if (eigenvalues[:, 0] <= 1e-12 * np.maximum(eigenvalues[:, -1], 1e-300)).any():
        raise UndefinedEstimateError("the logistic model is not identified by these rows")
    return np.asarray(np.linalg.inv(information), dtype=np.float64)
