from __future__ import annotations

import itertools

import numpy as np
import pytest

from recuse.analysis.inference.clusters import ClusterSums
from recuse.analysis.inference.wild import wild_interval

WEBB = [-np.sqrt(1.5), -1, -np.sqrt(0.5), np.sqrt(0.5), 1, np.sqrt(1.5)]


def t_of(design, values, codes, column):
    """Cluster-robust t of one coefficient of a least-squares fit, with the factor G/(G − 1) left out."""
    bread = np.linalg.inv(design.T @ design)
    beta = bread @ design.T @ values
    residuals = values - design @ beta
    scores = np.array([design[codes == g].T @ residuals[codes == g] for g in np.unique(codes)])
    covariance = bread @ scores.T @ scores @ bread
    return beta[column], np.sqrt(covariance[column, column])


def exact_p(codes, values, null, first=None):
    """p over all weight vectors, each a refit on rows: of the mean, or of first − second."""
    n = len(values)
    tier = np.ones(n) if first is None else first.astype(float)
    full = np.ones((n, 1)) if first is None else np.column_stack([np.ones(n), tier])
    column = full.shape[1] - 1
    beta, std_error = t_of(full, values, codes, column)
    observed = abs(beta - null) / std_error
    fitted = np.full(n, null) if first is None else null * tier + (values - null * tier).mean()
    beyond = []
    for weights in itertools.product(WEBB, repeat=codes.max() + 1):
        drawn = fitted + np.array(weights)[codes] * (values - fitted)
        beta_star, spread = t_of(full, drawn, codes, column)
        beyond.append(abs(beta_star - null) >= observed * spread * (1 - 1e-9))
    return np.mean(beyond)


@pytest.mark.parametrize("null", [0.0, 0.4, -0.7])
def test_p_of_a_mean_is_that_of_all_weight_vectors(null):
    codes = np.array([0, 0, 1, 2, 2, 2, 3])
    values = np.array([1.0, 0.5, 0.0, 1.0, -0.5, 0.3, -0.2])
    found = wild_interval(
        [ClusterSums.of(codes, values)], rng=np.random.default_rng(1), null=null, n_resamples=20_000
    )
    assert found.p_value == pytest.approx(exact_p(codes, values, null), abs=0.012)


def test_weights_drawn_by_pattern_match_those_drawn_one_by_one():
    numerator = np.repeat([1.0, -1.0], [16, 8])
    found = wild_interval(
        [ClusterSums(numerator, np.ones(24))], rng=np.random.default_rng(2), n_resamples=40_000
    )
    spread = wild_interval(
        [ClusterSums(numerator + 1e-6 * np.arange(24), np.ones(24))],
        rng=np.random.default_rng(5),
        n_resamples=40_000,
    )
    assert found.p_value == pytest.approx(spread.p_value, abs=0.01)


@pytest.mark.parametrize("null", [0.0, 0.8])
def test_p_of_a_difference_is_that_of_all_weight_vectors(null):
    codes = np.array([0, 0, 1, 2, 2, 3, 3, 3])
    values = np.array([1.0, 0.5, 0.2, 1.0, 0.4, -0.5, 0.6, -0.2])
    first = codes <= 1
    sums = [ClusterSums.of(codes[part], values[part]) for part in (first, ~first)]
    found = wild_interval(sums, rng=np.random.default_rng(1), null=null, n_resamples=20_000)
    assert found.p_value == pytest.approx(exact_p(codes, values, null, first), abs=0.012)


def test_two_tasks_cannot_be_bounded():
    found = wild_interval([ClusterSums(np.array([1.0, 0.0]), np.ones(2))], rng=np.random.default_rng(0))
    assert (found.low, found.high) == (None, None)
    assert "never rejects" in found.reason
