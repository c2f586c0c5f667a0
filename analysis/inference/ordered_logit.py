"""Ordered logistic regression of verdicts with ties, by Newton steps on aggregated counts.

The three outcomes of a presentation are *slot B*, *tie*, *slot A*. With a predictor η and half a tie band τ
of the presentation's group (its judge),

    P(A) = σ(η - τ),   P(B) = σ(-η - τ),   P(tie) = 1 - P(A) - P(B),   τ ≥ 0,

which is an ordered logit whose two cut points lie at ±τ; a constant column in η moves both. A group that
never ties has τ = 0 and is a binary logit. Without ties and with strengths as predictors the model is
Bradley–Terry's; with them it is Rao and Kupper's.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy import special

from recuse.analysis.inference.clusters import FloatArray
from recuse.errors import UndefinedEstimateError

__all__ = ["Counts", "OrderedFit", "bootstrap_fits", "fit_ordered", "row_derivatives"]

_MOST_STEPS: Final = 60
_MOST_STEPS_RESAMPLED: Final = 20
_LONGEST_STEP: Final = 4.0
_CLOSE: Final = 1e-9
_FAR: Final = 14.0
"""A standardised coefficient beyond this, on a flat likelihood, belongs to outcomes that separate."""
_FLAT: Final = 1e-7
_SCORE_LEFT: Final = 1e-6
"""A score beyond this many of its standard errors is not at a maximum."""
_MOST_HALVINGS: Final = 25
_CELLS_AT_ONCE: Final = 4_000_000


@dataclass(frozen=True, slots=True)
class Counts:
    """Presentations gathered by equal predictors, group and task."""

    design: FloatArray  # (n, p)
    group: npt.NDArray[np.int64]  # (n,) whose tie band applies; -1 where the group never ties
    outcomes: FloatArray  # (n, 3) counts of slot B, tie, slot A
    task: npt.NDArray[np.int64]  # (n,) codes from 0
    by_band: tuple[tuple[npt.NDArray[np.bool_], FloatArray], ...] = field(init=False, repr=False)
    """Rows of each group with a tie band, and their part of the design."""

    def __post_init__(self) -> None:
        of_bands = [self.group == band for band in range(self.n_bands)]
        object.__setattr__(self, "by_band", tuple((of, self.design[of]) for of in of_bands))

    @property
    def n_bands(self) -> int:
        """Groups with a tie band to estimate."""
        return int(self.group.max(initial=-1)) + 1

    @property
    def n_tasks(self) -> int:
        """Tasks."""
        return int(self.task.max(initial=-1)) + 1


@dataclass(frozen=True, slots=True)
class OrderedFit:
    """Coefficients, then log τ of each group, with what an interval needs of every task."""

    parameters: FloatArray  # (p + bands,)
    information: FloatArray  # (p + bands, p + bands) observed information
    log_likelihood: float
    separated: tuple[int, ...]
    """Parameters along which the likelihood rises without end; the others are at their limit."""


def fit_ordered(counts: Counts, start: FloatArray | None = None) -> OrderedFit:
    """Maximise the likelihood by Newton steps, halved where they overshoot.

    Parameters
    ----------
    counts
        The table of counts. Columns of the design must be linearly independent over it.
    start
        Parameters to begin from; 0 and τ = ½ where not given.

    Raises
    ------
    UndefinedEstimateError
        The steps do not settle, though no outcome separates.
    """
    weights = np.ones((1, len(counts.task)))
    n_columns = counts.design.shape[1]
    parameters = np.zeros(n_columns + counts.n_bands) if start is None else start.copy()
    if start is None:
        parameters[n_columns:] = np.log(0.5)
    # Steps are limited in length: in standardised units, so that a column's own unit does not matter.
    scale = _units(counts)
    standardised = replace(counts, design=counts.design / scale[:n_columns])
    found, settled = _newton(standardised, weights, (parameters * scale)[None, :])
    found /= scale
    score, information = _derivatives(counts, weights, found)
    value = _log_likelihood(counts, weights, found)
    fit = OrderedFit(found[0], information[0], float(value[0]), ())
    separated = _separated(fit, counts)
    # Steps also end far out, where the likelihood stands still: no score is left if that is its maximum.
    errors = np.sqrt(np.maximum(np.diag(fit.information), 1e-12))
    if not settled and not separated and (np.abs(score[0]) / errors).max() > _SCORE_LEFT:
        size = float(np.abs(score).max())
        raise UndefinedEstimateError(f"the ordered logit does not converge (largest score {size:.2g})")
    return replace(fit, separated=separated)


def bootstrap_fits(
    fit: OrderedFit, counts: Counts, *, rng: np.random.Generator, n_resamples: int
) -> FloatArray:
    """Parameters on resamples of tasks, shape (B, parameters), all resamples stepped at once.

    Rows are NaN where a resample separates or does not settle.
    """
    drawn = rng.multinomial(counts.n_tasks, np.full(counts.n_tasks, 1 / counts.n_tasks), size=n_resamples)
    step = max(1, _CELLS_AT_ONCE // max(1, len(counts.task)))
    parts: list[FloatArray] = []
    for first in range(0, n_resamples, step):
        weights = drawn[first : first + step][:, counts.task].astype(np.float64)
        start = np.repeat(fit.parameters[None, :], len(weights), axis=0)
        found, _ = _newton(counts, weights, start, most_steps=_MOST_STEPS_RESAMPLED)
        score, information = _derivatives(counts, weights, found)
        eigenvalues = np.linalg.eigvalsh(information)
        flat = eigenvalues[:, 0] < 1e-8 * np.maximum(eigenvalues[:, -1], 1e-300)
        unsettled = np.abs(score).max(1) > 1e-4 * np.maximum(1.0, weights.sum(1))
        found[flat | unsettled] = np.nan
        parts.append(found)
    return np.concatenate(parts)


def _newton(
    counts: Counts, weights: FloatArray, parameters: FloatArray, *, most_steps: int = _MOST_STEPS
) -> tuple[FloatArray, bool]:
    """Step every row of parameters until it settles; whether all have."""
    found = parameters.copy()
    open_rows = np.arange(len(found))
    value = _log_likelihood(counts, weights, found)
    for _ in range(most_steps):
        change = _step(counts, weights[open_rows], found[open_rows])
        settled = np.abs(change).max(1) < _CLOSE * (1 + np.abs(found[open_rows]).max(1))
        found[open_rows[settled]] += change[settled]
        open_rows, change = open_rows[~settled], change[~settled]
        if not len(open_rows):
            return found, True
        before = value[open_rows]
        attempt = _halved(counts, weights[open_rows], found[open_rows], before, change)
        found[open_rows] += change
        value[open_rows] = attempt
        still = attempt - before < 1e-11 * (1 + np.abs(attempt))
        far = np.abs(found[open_rows]).max(1) > _FAR
        open_rows = open_rows[~(still & far)]
        if not len(open_rows):
            return found, False
    return found, False


def _step(counts: Counts, weights: FloatArray, parameters: FloatArray) -> FloatArray:
    """Newton step of each row, no parameter by more than the longest that is allowed."""
    score, information = _derivatives(counts, weights, parameters)
    scale = np.sqrt(np.maximum(np.einsum("bii->bi", information), 1e-12))
    scaled = information / (scale[:, :, None] * scale[:, None, :])
    ridge = 1e-10 * np.eye(parameters.shape[1])
    change = np.asarray(np.linalg.solve(scaled + ridge, (score / scale)[..., None]), dtype=np.float64)
    step: FloatArray = change[..., 0] / scale
    longest = np.abs(step).max(1, keepdims=True)
    step *= np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))
    return step


def _halved(
    counts: Counts, weights: FloatArray, parameters: FloatArray, value: FloatArray, change: FloatArray
) -> FloatArray:
    """Halve, in place, the steps that lower the likelihood; return the likelihood reached."""
    attempt = _log_likelihood(counts, weights, parameters + change)
    for _ in range(_MOST_HALVINGS):
        worse = ~(attempt >= value - 1e-12 * (1 + np.abs(value)))
        if not worse.any():
            break
        change[worse] /= 2
        attempt[worse] = _log_likelihood(counts, weights[worse], parameters[worse] + change[worse])
    return attempt


def _shares(counts: Counts, parameters: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """σ(η - τ), σ(-η - τ) and τ, each of shape (B, n)."""
    n_columns = counts.design.shape[1]
    predictor = parameters[:, :n_columns] @ counts.design.T
    bands = np.exp(np.clip(parameters[:, n_columns:], -30, 30))
    padded = np.concatenate([bands, np.zeros((len(bands), 1))], axis=1)
    band = padded[:, counts.group]
    return special.expit(predictor - band), special.expit(-predictor - band), band


def _tie_share(upper: FloatArray, lower: FloatArray, band: FloatArray) -> FloatArray:
    """1 - P(A) - P(B) without cancellation: P(A) P(B) (e^{2τ} - 1)."""
    share: FloatArray = upper * lower * np.expm1(2 * np.minimum(band, 300))
    return share


def _log_likelihood(counts: Counts, weights: FloatArray, parameters: FloatArray) -> FloatArray:
    upper, lower, band = _shares(counts, parameters)
    tie = _tie_share(upper, lower, band)
    tiny = 1e-300
    won_b, tied, won_a = counts.outcomes.T
    terms = won_a * np.log(np.maximum(upper, tiny)) + won_b * np.log(np.maximum(lower, tiny))
    terms = terms + np.where(tied > 0, tied * np.log(np.maximum(tie, tiny)), 0.0)
    total: FloatArray = (weights * terms).sum(1)
    return total


def row_derivatives(counts: Counts, parameters: FloatArray) -> tuple[FloatArray, ...]:
    """First and second derivatives of a row's log-likelihood by its η and by log τ of its group.

    log P(A) has the derivative 1 - P(A) by η and -(1 - P(A)) by τ; log P(B) the opposite by η; the log of a
    tie is log P(A) + log P(B) + log(e^{2τ} - 1).
    """
    upper, lower, band = _shares(counts, parameters)
    won_b, tied, won_a = counts.outcomes.T
    of_a, of_b = won_a + tied, won_b + tied
    spread_a, spread_b = upper * (1 - upper), lower * (1 - lower)
    by_eta = of_a * (1 - upper) - of_b * (1 - lower)
    eta_eta = -(of_a * spread_a + of_b * spread_b)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.where(band > 0, 1 / -np.expm1(-2 * band), 0.0)
    widened = 2 * tied * ratio
    by_band = -of_a * (1 - upper) - of_b * (1 - lower) + widened
    eta_band = of_a * spread_a - of_b * spread_b
    band_band = -(of_a * spread_a + of_b * spread_b) - widened * 2 * (ratio - 1)
    by_log = by_band * band
    log_log = band_band * band**2 + by_log
    return by_eta, eta_eta, by_log, eta_band * band, log_log


def _derivatives(
    counts: Counts, weights: FloatArray, parameters: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Score (B, q) and observed information (B, q, q)."""
    by_eta, eta_eta, by_log, eta_log, log_log = (weights * row for row in row_derivatives(counts, parameters))
    design, n_columns = counts.design, counts.design.shape[1]
    size = parameters.shape[1]
    score = np.zeros((len(weights), size))
    information = np.zeros((len(weights), size, size))
    score[:, :n_columns] = by_eta @ design
    information[:, :n_columns, :n_columns] = -(design.T * eta_eta[:, None, :]) @ design
    for place, (of, rows) in enumerate(counts.by_band, start=n_columns):
        score[:, place] = by_log[:, of].sum(1)
        crossed = -(eta_log[:, of] @ rows)
        information[:, place, :n_columns] = crossed
        information[:, :n_columns, place] = crossed
        information[:, place, place] = -log_log[:, of].sum(1)
    return score, information


def _separated(fit: OrderedFit, counts: Counts) -> tuple[int, ...]:
    """Parameters that share in a direction without curvature while they have run far out."""
    spread = _units(counts)
    n_verdicts = max(1.0, float(counts.outcomes.sum()))
    scaled = fit.information / (spread[:, None] * spread[None, :]) / n_verdicts
    values, vectors = np.linalg.eigh(scaled)
    flat = values < _FLAT
    if not flat.any():
        return ()
    shares = np.square(vectors[:, flat]).sum(1)
    return tuple(int(place) for place in np.flatnonzero(shares > 1e-3))


def _units(counts: Counts) -> FloatArray:
    """Root mean square of each column over verdicts, and 1 for each band: what standardises parameters."""
    used = counts.outcomes.sum(1)
    squares = (used[:, None] * np.square(counts.design)).sum(0) / max(1.0, float(used.sum()))
    return np.concatenate([np.maximum(np.sqrt(squares), 1e-12), np.ones(counts.n_bands)])
