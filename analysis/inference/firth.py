"""Logistic regression with Firth's penalty, for many weightings of the same rows at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from recuse.analysis.inference.clusters import FloatArray
from recuse.errors import UndefinedEstimateError

__all__ = ["LogisticFits", "fit_logistic"]

_MOST_STEPS = 300
_LONGEST_STEP = 10.0
"""Largest change of a coefficient in one step: a full Newton step overshoots where outcomes separate."""
_CLOSE = 1e-10
"""A last change smaller than this, relative to its coefficient, ends the steps."""
_MOST_HALVINGS = 20
_SLACK = 1e-12


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
        Shape (n,), in [0, 1].
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
    coefficients = np.zeros((len(weights), design.shape[1]))
    reached = _log_likelihood(coefficients, design, outcome, weights, firth=firth)
    for step in range(1, _MOST_STEPS + 1):
        change = _newton_step(coefficients, design, outcome, weights, firth=firth)
        longest = np.abs(change).max(axis=1, keepdims=True)
        if (np.abs(change) < _CLOSE * (1 + np.abs(coefficients))).all():
            return LogisticFits(coefficients + change, step)
        change *= np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))
        value = reached
        for _ in range(_MOST_HALVINGS):
            value = _log_likelihood(coefficients + change, design, outcome, weights, firth=firth)
            worse = value < reached - _SLACK * (1 + np.abs(reached))
            if not worse.any():
                break
            change[worse] /= 2
        coefficients, reached = coefficients + change, value
    raise UndefinedEstimateError("the logistic model does not converge: outcomes separate")


def _newton_step(
    coefficients: FloatArray, design: FloatArray, outcome: FloatArray, weights: FloatArray, *, firth: bool
) -> FloatArray:
    probability = special.expit(coefficients @ design.T)
    spread = weights * probability * (1 - probability)
    inverse = _inverse(_information(spread, design))
    score = weights * (outcome - probability)
    if firth:
        leverage = spread * ((design @ inverse) * design).sum(2)
        score += leverage * (0.5 - probability)
    change: FloatArray = np.einsum("bij,bj->bi", inverse, score @ design)
    return change


def _log_likelihood(
    coefficients: FloatArray, design: FloatArray, outcome: FloatArray, weights: FloatArray, *, firth: bool
) -> FloatArray:
    predictor = coefficients @ design.T
    terms = outcome * predictor + special.log_expit(-predictor)
    value: FloatArray = (weights * terms).sum(1)
    if firth:
        probability = special.expit(predictor)
        value = (
            value
            + 0.5 * np.linalg.slogdet(_information(weights * probability * (1 - probability), design))[1]
        )
    return value


def _information(spread: FloatArray, design: FloatArray) -> FloatArray:
    information: FloatArray = (design.T * spread[:, None, :]) @ design
    return information


def _inverse(information: FloatArray) -> FloatArray:
    eigenvalues = np.linalg.eigvalsh(information)
    if (eigenvalues[:, 0] <= 1e-12 * np.maximum(eigenvalues[:, -1], 1e-300)).any():
        raise UndefinedEstimateError("the logistic model is not identified by these rows")
    return np.asarray(np.linalg.inv(information), dtype=np.float64)
