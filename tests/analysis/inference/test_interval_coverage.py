"""Do the default intervals hold the truth as often as they say, at as many tasks as studies have?

Rows are clustered in tasks, scores are coarse (ties, half points), tasks differ in size. Bounds are the
nominal 95 % less or plus what simulation noise (about half a point at 2,000 data sets) and the known
small-sample error of each method leave.
"""

from __future__ import annotations

import numpy as np
import pytest

from recuse.analysis.inference.clusters import ClusterSums
from recuse.analysis.inference.differences import difference_interval
from recuse.analysis.inference.means import mean_interval
from recuse.analysis.inference.rates import rate_interval

pytestmark = pytest.mark.slow

N_DATA_SETS = 2_000
BALANCED = np.array([2, 4, 3, 3])
UNBALANCED = np.array([1, 1, 2, 3, 8])


def paired_differences(rng, n_tasks, sizes):
    """Difference of two coarse scores per comparison: a shift of the task, then own less baseline."""
    rows = rng.permutation(np.resize(sizes, n_tasks))
    codes = np.repeat(np.arange(n_tasks), rows)
    lean = rng.normal(0.3, 0.7, n_tasks)[codes]
    own = (np.digitize(rng.normal(lean), [-0.5, 0.5])) / 2
    baseline = (np.digitize(rng.normal(size=len(codes)), [-0.5, 0.5])) / 2
    return ClusterSums.of(codes, own - baseline)


def expected_difference():
    return paired_differences(np.random.default_rng(99), 300_000, BALANCED).estimate


def judged(rng, n_tasks, rate, icc, sizes):
    rows = rng.permutation(np.resize(sizes, n_tasks))
    concentration = (1 - icc) / icc
    task_rates = rng.beta(rate * concentration, (1 - rate) * concentration, n_tasks)
    return ClusterSums(rng.binomial(rows, task_rates).astype(float), rows.astype(float))


def coverage(intervals, truth):
    return np.mean([interval.low <= truth <= interval.high for interval in intervals])


@pytest.mark.parametrize(
    ("n_tasks", "sizes", "method", "at_least"),
    [
        (15, BALANCED, "default", 0.94),
        (15, UNBALANCED, "default", 0.93),
        (5, BALANCED, "default", 0.94),
        (5, UNBALANCED, "default", 0.93),
    ],
)
def test_mean_intervals_cover(n_tasks, sizes, method, at_least):
    rng = np.random.default_rng(n_tasks + len(sizes))
    truth = expected_difference()
    found = [
        mean_interval(paired_differences(rng, n_tasks, sizes), rng=rng, method=method, n_resamples=999)
        for _ in range(N_DATA_SETS)
    ]
    assert at_least <= coverage([i for i in found if i.low is not None], truth) <= 0.985
    assert sum(i.low is None for i in found) < 0.02 * N_DATA_SETS


def test_percentile_intervals_cover_too_rarely():
    rng = np.random.default_rng(15)
    truth = expected_difference()
    found = [
        mean_interval(paired_differences(rng, 15, UNBALANCED), rng=rng, method="percentile", n_resamples=999)
        for _ in range(N_DATA_SETS)
    ]
    assert coverage(found, truth) < 0.935


@pytest.mark.parametrize(
    ("rate", "icc", "sizes", "at_least"),
    [(0.5, 0.2, [12], 0.94), (0.7, 0.2, [4, 8, 12, 24], 0.92), (0.9, 0.2, [12], 0.92)],
)
def test_rate_intervals_cover(rate, icc, sizes, at_least):
    rng = np.random.default_rng(round(10 * rate))
    found = [rate_interval(judged(rng, 15, rate, icc, sizes)) for _ in range(N_DATA_SETS)]
    assert at_least <= coverage(found, rate) <= 0.985


def test_difference_intervals_of_five_tasks_each_cover():
    rng = np.random.default_rng(55)
    found = [
        difference_interval(*(paired_differences(rng, 5, BALANCED) for _ in range(2)), rng=rng)
        for _ in range(N_DATA_SETS)
    ]
    assert 0.94 <= coverage([i for i in found if i.low is not None], 0.0) <= 0.985
