from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from recuse.analysis.inference.clusters import ClusterSums
from recuse.analysis.inference.interval import INTERVALS
from recuse.analysis.inference.rates import rate_interval, rate_interval_by_rows, rate_interval_by_tasks
from recuse.errors import ConfigurationError, JudgmentsError

tasks = st.lists(
    st.integers(1, 6).flatmap(
        lambda rows: st.tuples(st.integers(0, 2 * rows).map(lambda x: x / 2), st.just(rows))
    ),
    min_size=1,
    max_size=12,
)


def rates(*pairs):
    return ClusterSums(*np.array(pairs, dtype=float).T)


def test_jackknife_on_the_rate_scale_carried_to_the_logit_by_hand():
    hits, rows = [3, 1, 4, 0], [4, 4, 4, 2]
    without = [(8 - h) / (14 - n) for h, n in zip(hits, rows, strict=True)]
    std_error = np.sqrt(3 / 4 * sum((r - 8 / 14) ** 2 for r in without))
    half = stats.t.ppf(0.975, 3) * std_error / (8 / 14 * 6 / 14)
    found = rate_interval(rates(*zip(hits, rows, strict=True)))
    assert found.method == "cr3_logit"
    assert (found.std_error, found.df) == (pytest.approx(std_error), 3)
    centre = np.log(8 / 6)
    assert (found.low, found.high) == pytest.approx(
        (special.expit(centre - half), special.expit(centre + half))
    )


@given(pairs=tasks)
def test_never_a_point_and_never_outside_zero_and_one(pairs):
    sums = rates(*pairs)
    found = rate_interval(sums)
    assert 0 <= found.low <= sums.estimate + 1e-12
    assert sums.estimate - 1e-12 <= found.high <= 1
    assert found.low < found.high


@given(pairs=tasks)
def test_counting_the_other_outcome_mirrors_the_interval(pairs):
    found = rate_interval(rates(*pairs))
    other = rate_interval(rates(*[(n - x, n) for x, n in pairs]))
    assert (other.low, other.high) == pytest.approx((1 - found.high, 1 - found.low), abs=1e-9)


def test_all_of_27_on_three_tasks_by_tasks_and_by_rows():
    sums = rates((9, 9), (9, 9), (9, 9))
    by_tasks, by_rows = rate_interval(sums), rate_interval_by_rows(sums)
    assert by_tasks.method == "clopper_pearson_tasks"
    assert (by_tasks.low, by_tasks.high) == pytest.approx((0.29, 1), abs=0.005)
    assert by_rows.method == "clopper_pearson_rows"
    assert (by_rows.low, by_rows.high) == pytest.approx((0.87, 1), abs=0.005)
    assert "given these tasks" in by_rows.reason


def test_tasks_of_equal_rate_count_as_one_trial_each():
    found = rate_interval(rates((2, 4), (1, 2), (3, 6)))
    assert found.method == "clopper_pearson_tasks"
    expected = stats.beta(1.5, 2.5).ppf(0.025), stats.beta(2.5, 1.5).ppf(0.975)
    assert (found.low, found.high) == pytest.approx(expected)


@pytest.mark.parametrize("hits", [0, 3, 7])
def test_one_task_is_one_trial_and_says_so(hits):
    found = rate_interval(rates((hits, 7)))
    assert found.method == "clopper_pearson_tasks"
    assert found.high - found.low > 0.9
    assert "one task only" in found.reason


def test_cases_of_one_row_each_are_exact():
    sums = rates(*[(1, 1)] * 3, *[(0, 1)] * 17)
    found = rate_interval(sums, null=0.5)
    expected = stats.binomtest(3, 20)
    interval = expected.proportion_ci(method="exact")
    assert (found.low, found.high, found.p_value) == pytest.approx(
        (interval.low, interval.high, expected.pvalue)
    )


def test_p_value_against_a_null_is_the_dual_of_the_interval():
    sums = rates((3, 4), (1, 4), (4, 4), (4, 4), (3, 3), (2, 3))
    found = rate_interval(sums)
    assert found.p_value is None
    for limit in (found.low, found.high):
        assert rate_interval(sums, null=limit).p_value == pytest.approx(0.05)


@pytest.mark.parametrize("name", [name for name in INTERVALS if name != "rows"])
def test_other_intervals_are_honoured_and_cut(name):
    sums = rates(*[(4, 4)] * 7, (3, 4), (2, 4), (1, 4), (3, 4), (0, 1))
    found = rate_interval(sums, method=name, rng=np.random.default_rng(0), n_resamples=999)
    assert found.method == INTERVALS[name]
    assert found.high <= 1
    assert found.p_value is None
    certain = rate_interval(rates((4, 4), (3, 3)), method=name, rng=np.random.default_rng(0))
    assert certain.method == "clopper_pearson_tasks"


def test_exact_intervals_can_be_asked_for():
    sums = rates((3, 4), (1, 4), (4, 4))
    assert rate_interval(sums, method="clopper_pearson_rows") == rate_interval_by_rows(sums)
    assert rate_interval(sums, method="clopper_pearson_tasks") == rate_interval_by_tasks(sums)


@pytest.mark.parametrize("form", [rate_interval, rate_interval_by_tasks, rate_interval_by_rows])
def test_no_rows_is_a_reason(form):
    found = form(ClusterSums.of([], []))
    assert (found.low, found.high, found.reason) == (None, None, "no task with rows")


def test_resampling_needs_a_generator():
    with pytest.raises(ConfigurationError, match="rng"):
        rate_interval(rates((3, 4), (1, 4)), method="percentile")


def test_more_successes_than_rows_are_refused():
    with pytest.raises(JudgmentsError, match="task 1"):
        rate_interval(rates((3, 4), (5, 4)))
