from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from recuse.analysis.inference.exact import binomial_p, clopper_pearson, sign_test_p
from recuse.errors import UndefinedEstimateError


@given(n=st.integers(1, 400), share=st.floats(0, 1), conf_level=st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_clopper_pearson_is_scipys_exact_interval(n, share, conf_level):
    x = round(share * n)
    expected = stats.binomtest(x, n).proportion_ci(conf_level, method="exact")
    assert clopper_pearson(x, n, conf_level) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(n=st.integers(1, 300), share=st.floats(0, 1), p=st.sampled_from([0.5, 0.5, 0.1, 0.37]))
def test_binomial_p_is_scipys(n, share, p):
    k = round(share * n)
    assert binomial_p(k, n, p) == pytest.approx(stats.binomtest(k, n, p).pvalue, rel=1e-9, abs=1e-300)


def test_fractional_counts_lie_between_whole_ones():
    below, between, above = (clopper_pearson(x, 9) for x in (4, 4.5, 5))
    assert below[0] < between[0] < above[0]
    assert below[1] < between[1] < above[1]


@pytest.mark.parametrize(("x", "n", "low", "high"), [(3, 3, 0.29, 1.0), (27, 27, 0.87, 1.0)])
def test_certainty_over_three_tasks_is_worth_less_than_over_27_rows(x, n, low, high):
    assert clopper_pearson(x, n) == pytest.approx((low, high), abs=0.005)


def test_one_hundred_pairs_pooled_and_by_reversals():
    assert binomial_p(116, 200) == pytest.approx(0.028, abs=0.0005)
    assert sign_test_p(18, 2) == pytest.approx(0.0004, abs=0.00005)
    assert sign_test_p(16, 0) == pytest.approx(3e-5, abs=0.5e-5)


def test_without_trials_there_is_no_p_value():
    assert sign_test_p(0, 0) is None


@pytest.mark.parametrize(("x", "n"), [(0, 0), (-1, 3), (4, 3), (float("nan"), 3)])
def test_impossible_counts_are_refused(x, n):
    with pytest.raises(UndefinedEstimateError, match="successes"):
        clopper_pearson(x, n)


def test_more_successes_than_trials_are_refused():
    with pytest.raises(UndefinedEstimateError, match="trials"):
        binomial_p(4, 3)
