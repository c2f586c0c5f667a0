"""The CR2 intercept against a matrix computation of its definition, and against the mean."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg, stats

from recuse.analysis.inference.clusters import ClusterSums
from recuse.analysis.inference.means import mean_interval
from recuse.analysis.inference.regression import intercept_interval


def by_definition(design: np.ndarray, outcome: np.ndarray, task: np.ndarray) -> tuple[float, float, float]:
    n = len(outcome)
    bread = linalg.inv(design.T @ design)
    hat = design @ bread @ design.T
    residual = outcome - hat @ outcome
    vectors, terms = [], []
    for one in np.unique(task):
        rows = task == one
        root = np.real(linalg.inv(linalg.sqrtm(np.eye(rows.sum()) - hat[np.ix_(rows, rows)])))
        weights = root @ design[rows] @ bread[:, 0]
        terms.append(weights @ residual[rows])
        vectors.append((np.eye(n) - hat)[:, rows] @ weights)
    gram = np.array(vectors) @ np.array(vectors).T
    return (
        float(np.sum(np.square(terms))),
        float(np.trace(gram) ** 2 / (gram**2).sum()),
        float((bread @ design.T @ outcome)[0]),
    )


def test_standard_error_and_degrees_of_freedom_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(8)
    task = np.repeat(np.arange(7), [2, 2, 3, 4, 4, 2, 5])
    predictor = rng.normal(size=(len(task), 1)) + task[:, None] / 5
    outcome = rng.normal(size=len(task)) + rng.normal(size=7)[task]
    design = np.column_stack([np.ones(len(task)), predictor])
    variance, df, intercept = by_definition(design, outcome, task)
    estimate, interval = intercept_interval(predictor, outcome, task)
    assert estimate == pytest.approx(intercept)
    assert interval.std_error == pytest.approx(np.sqrt(variance))
    assert interval.df == pytest.approx(df)
    assert interval.high - estimate == pytest.approx(stats.t.ppf(0.975, df) * np.sqrt(variance))
    assert interval.p_value == pytest.approx(2 * stats.t.sf(abs(intercept) / np.sqrt(variance), df))


def test_without_predictors_it_is_the_interval_of_a_mean() -> None:
    rng = np.random.default_rng(2)
    task = np.repeat(np.arange(6), [1, 2, 3, 4, 5, 6])
    outcome = rng.normal(size=len(task))
    _, interval = intercept_interval(np.empty((len(task), 0)), outcome, task)
    mean = mean_interval(ClusterSums.of(task, outcome), method="cr2", rng=rng)
    assert (interval.low, interval.high) == pytest.approx((mean.low, mean.high))


def test_a_constant_predictor_has_no_intercept_of_its_own() -> None:
    estimate, interval = intercept_interval(np.full((6, 1), 0.7), np.arange(6.0), np.repeat([0, 1, 2], 2))
    assert estimate is None
    assert "does not vary" in interval.reason
