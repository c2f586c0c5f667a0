"""Many variants at once are each what the one-at-a-time numerics give."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from recuse.analysis.inference.clusters import ClusterSums
from recuse.analysis.inference.differences import difference_interval
from recuse.analysis.inference.interval import Interval
from recuse.analysis.inference.means import mean_interval
from recuse.analysis.inference.rates import rate_interval
from recuse.analysis.inference.specifications import (
    Spread,
    TaskSums,
    contrast,
    from_replicates,
    spread_of_mean,
    spread_of_ratio_difference,
)

RNG = np.random.default_rng(0)
N_TASKS = 9


def rows(seed: int, *, rate: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    task = np.repeat(np.arange(N_TASKS), rng.integers(1, 6, N_TASKS))
    weight = rng.integers(1, 3, len(task)).astype(float) if rate else np.ones(len(task))
    value = rng.binomial(weight.astype(int), 0.6) if rate else rng.choice([-1, -0.5, 0, 0.5, 1], len(task))
    return value.astype(float), weight, task


def all_and_each_left_out() -> np.ndarray:
    return np.vstack([np.ones(N_TASKS, dtype=bool), ~np.eye(N_TASKS, dtype=bool)])


def same(spread: Spread, place: int, found: Interval, null: float) -> None:
    low, high = spread.bounds()
    assert (low[place], high[place]) == pytest.approx((found.low, found.high), abs=1e-12)
    if found.p_value is not None:
        assert spread.p_value(null)[place] == pytest.approx(found.p_value, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_means_by_task_are_cr2(seed: int) -> None:
    value, weight, task = rows(seed, rate=False)
    spread = spread_of_mean(
        TaskSums.of(value, weight, task, N_TASKS, is_rate=False), all_and_each_left_out(), "task"
    )
    for place, left in enumerate([None, *range(N_TASKS)]):
        kept = task != left
        sums = ClusterSums.of(task[kept], value[kept])
        assert spread.estimate[place] == pytest.approx(sums.estimate, abs=1e-15)
        same(spread, place, mean_interval(sums, rng=RNG, method="cr2", bounds=(-1, 1)), 0.0)


@pytest.mark.parametrize("seed", range(4))
def test_means_by_comparison_are_a_t_test_of_the_rows(seed: int) -> None:
    value, weight, task = rows(seed, rate=False)
    sums = TaskSums.of(value, weight, task, N_TASKS, is_rate=False)
    spread = spread_of_mean(sums, all_and_each_left_out(), "comparison")
    for place, left in enumerate([None, *range(N_TASKS)]):
        expected = stats.ttest_1samp(value[task != left], 0.0)
        assert spread.p_value(0.0)[place] == pytest.approx(expected.pvalue, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_rates_by_task_are_cr3_on_the_logit_scale(seed: int) -> None:
    value, weight, task = rows(seed, rate=True)
    spread = spread_of_mean(
        TaskSums.of(value, weight, task, N_TASKS, is_rate=True), all_and_each_left_out(), "task"
    )
    for place, left in enumerate([None, *range(N_TASKS)]):
        kept = task != left
        sums = ClusterSums.of(task[kept], value[kept] / weight[kept], weight[kept])
        same(spread, place, rate_interval(sums, null=0.5), 0.5)


def test_a_rate_of_one_has_the_exact_interval_over_tasks() -> None:
    task = np.repeat(np.arange(3), 9)
    sums = TaskSums.of(np.ones(27), np.ones(27), task, 3, is_rate=True)
    spread = spread_of_mean(sums, np.ones((1, 3), dtype=bool), "task")
    same(spread, 0, rate_interval(ClusterSums.of(task, np.ones(27))), 0.5)
    assert spread.p_value(0.5)[0] == pytest.approx(0.25)  # two-sided, 3 of 3
    rows_only = spread_of_mean(sums, np.ones((1, 3), dtype=bool), "row", tallies=True)
    assert rows_only.bounds()[0][0] == pytest.approx(stats.beta.ppf(0.025, 27, 1))


def test_presentations_as_rows_are_the_exact_binomial() -> None:
    value, weight, task = np.array([2.0, 1, 0, 2, 1]), np.array([2.0, 2, 1, 2, 2]), np.array([0, 0, 1, 1, 2])
    sums = TaskSums.of(value, weight, task, 3, is_rate=True)
    spread = spread_of_mean(sums, np.ones((1, 3), dtype=bool), "row", tallies=True)
    exact = stats.binomtest(6, 9, 0.5)
    assert spread.p_value(0.5)[0] == pytest.approx(min(1.0, 2 * stats.binom.sf(5, 9, 0.5)))
    assert spread.bounds()[0][0] == pytest.approx(exact.proportion_ci(method="exact").low)


def test_contrasts_are_welch() -> None:
    value, weight, task = rows(5, rate=False)
    high = task < 4
    keep = np.ones((1, N_TASKS), dtype=bool)
    parts = [
        spread_of_mean(
            TaskSums.of(value[side], weight[side], task[side], N_TASKS, is_rate=False), keep, "task"
        )
        for side in (high, ~high)
    ]
    sums = [ClusterSums.of(task[side], value[side]) for side in (high, ~high)]
    found = difference_interval(*sums, rng=RNG, method="cr2")
    same(contrast(*parts), 0, found, 0.0)


def test_a_difference_of_ratios_over_equal_rows_is_the_paired_mean() -> None:
    rng = np.random.default_rng(1)
    task = np.repeat(np.arange(N_TASKS), 4)
    one, other, weight = rng.random(36), rng.random(36), np.ones(36)
    keep = all_and_each_left_out()
    for unit in ("task", "comparison"):
        ratio = spread_of_ratio_difference((one, weight), (other, weight), task, keep, unit)
        sums = TaskSums.of(one - other, weight, task, N_TASKS, is_rate=False)
        mean = spread_of_mean(sums, keep, unit)
        assert ratio.estimate == pytest.approx(mean.estimate)
        assert ratio.std_error == pytest.approx(mean.std_error)  # equal tasks: CR1 is CR2


def test_replicates_counted_by_kind_are_those_one_by_one() -> None:
    values = np.array([0.0, 0.0, 1.0, 1.0, 1.0, 2.0])
    without = (values.sum() - values) / 5
    one_by_one = from_replicates(values.mean(keepdims=True), without[None], np.ones((1, 6)))
    by_kind = from_replicates(
        values.mean(keepdims=True), without[[0, 2, 5]][None], np.array([[2.0, 3.0, 1.0]])
    )
    assert by_kind.std_error == pytest.approx(one_by_one.std_error)
    assert by_kind.std_error[0] == pytest.approx(stats.sem(values))


def test_one_task_has_no_interval_and_equal_tasks_no_spread() -> None:
    sums = TaskSums.of(np.array([0.5, 0.5]), np.ones(2), np.array([0, 1]), 2, is_rate=False)
    spread = spread_of_mean(sums, np.array([[True, True], [True, False], [False, False]]), "task")
    assert spread.estimate[:2] == pytest.approx([0.5, 0.5])
    assert np.isnan(spread.estimate[2])
    assert np.isnan(spread.p_value(0.0)).all()
    assert spread.std_error[0] == 0
