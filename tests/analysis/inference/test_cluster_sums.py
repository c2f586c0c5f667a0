from __future__ import annotations

import numpy as np
import pytest

from recuse.analysis.inference.clusters import ClusterSums
from recuse.errors import JudgmentsError


def test_rows_are_summed_by_task_and_empty_tasks_left_out():
    sums = ClusterSums.of([0, 0, 2, 3], [1.0, 0.5, -1.0, 0.0])
    assert sums.numerator.tolist() == [1.5, -1.0, 0.0]
    assert sums.denominator.tolist() == [2.0, 1.0, 1.0]
    assert sums.n_clusters == 3
    assert sums.estimate == pytest.approx(0.125)


def test_weights_count_in_both_sums():
    sums = ClusterSums.of([0, 0, 1], [1.0, 0.0, 1.0], weights=[0.5, 0.5, 2.0])
    assert sums.numerator.tolist() == [0.5, 2.0]
    assert sums.denominator.tolist() == [1.0, 2.0]


def test_a_zero_sum_is_not_an_empty_task():
    assert ClusterSums(np.array([0.0, 0.0]), np.array([3.0, 0.0])).n_clusters == 1


def test_no_rows_is_no_estimate():
    sums = ClusterSums.of([], [])
    assert (sums.n_clusters, sums.estimate, sums.is_degenerate) == (0, None, True)


@pytest.mark.parametrize(
    ("numerator", "denominator", "degenerate"),
    [
        ([2.0, 1.0], [2.0, 1.0], True),
        ([0.1 + 0.2, 0.3], [1.0, 1.0], True),
        ([1 / 3 + 1 / 3 + 1 / 3, 2 / 3], [3.0, 2.0], True),
        ([1 / 3 + 1 / 3 - 2 / 3, 0.1 + 0.2 - 0.3], [3.0, 3.0], True),
        ([5.0], [9.0], True),
        ([1.0, 1.0], [2.0, 1.0], False),
        ([1.0] + [0.0] * 100_000, [1.0] * 100_001, False),
    ],
)
def test_tasks_alike_up_to_rounding_show_no_spread(numerator, denominator, degenerate):
    assert ClusterSums(np.array(numerator), np.array(denominator)).is_degenerate is degenerate


@pytest.mark.parametrize(
    ("numerator", "denominator", "names"),
    [
        ([1.0, np.nan], [1.0, 1.0], "task 1"),
        ([1.0, 1.0], [1.0, 0.0], "task 1"),
        ([1.0, 1.0], [-1.0, 1.0], "task 0"),
        ([1.0], [1.0, 1.0], r"shapes \(1,\) and \(2,\)"),
    ],
)
def test_impossible_sums_are_refused_by_name(numerator, denominator, names):
    with pytest.raises(JudgmentsError, match=names):
        ClusterSums(np.array(numerator), np.array(denominator))
