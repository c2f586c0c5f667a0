from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from recuse.analysis.inference.signflip import sign_flip
from recuse.errors import UndefinedEstimateError


def flip(sums, **options):
    return sign_flip(sums, np.random.default_rng(0), **options)


@given(sums=st.lists(st.integers(-9, 9), min_size=1, max_size=10).filter(any))
def test_p_is_the_share_of_sign_vectors_at_least_as_far(sums):
    nonzero = [x for x in sums if x]
    totals = [abs(np.dot(signs, nonzero)) for signs in itertools.product([1, -1], repeat=len(nonzero))]
    found = flip(sums)
    assert found.p_value == np.mean(np.array(totals) >= abs(sum(sums)))
    assert (found.n_nonzero, found.exact) == (len(nonzero), True)


def test_p_is_scipys_permutation_of_signs():
    sums = np.array([4, -1, 3, 3, 2, -2, 5, 1, 0, 7])
    expected = stats.permutation_test((sums,), np.sum, permutation_type="samples", n_resamples=np.inf).pvalue
    assert flip(sums).p_value == pytest.approx(expected)


@pytest.mark.parametrize("k", [1, 2, 5, 6, 9, 20])
def test_sums_of_one_sign_reach_the_floor(k):
    found = flip([3] * k + [0, 0])
    assert found.p_value == found.floor == 2.0 ** (1 - k)


def test_fewer_than_six_sums_cannot_reach_five_percent_and_say_so():
    assert "no two-sided p-value below 0.0625" in flip([1] * 5).reason
    assert flip([1] * 6).reason is None


def test_sixteen_reversals_on_nine_tasks():
    assert flip([2, 2, 2, 2, 2, 2, 2, 1, 1]).p_value == pytest.approx(0.0039, abs=0.00005)


@pytest.mark.parametrize("k", [18, 20])
def test_random_signs_agree_with_all_signs(k, monkeypatch):
    sums = np.random.default_rng(k).integers(-3, 6, k)
    sums[sums == 0] = 1
    exact = flip(sums)
    monkeypatch.setattr("recuse.analysis.inference.signflip.MOST_EXACT_SUMS", 0)
    drawn = flip(sums, n_resamples=40_000)
    assert not drawn.exact
    assert drawn.p_value == pytest.approx(exact.p_value, abs=0.01)


def test_many_tasks_use_random_signs_that_count_the_observed_one():
    found = flip([1] * 200, n_resamples=999)
    assert (found.p_value, found.floor, found.n_nonzero, found.exact) == (0.001, 0.001, 200, False)


def test_nothing_but_zeros_has_no_p_value():
    found = flip([0, 0, 0])
    assert (found.p_value, found.n_nonzero, found.floor) == (None, 0, None)
    assert found.reason == "no task with a sum other than 0"
    assert flip([]).p_value is None


@pytest.mark.parametrize("sums", [[0.5, 1.0], [np.nan, 1.0]])
def test_half_points_must_be_doubled(sums):
    with pytest.raises(UndefinedEstimateError, match="double half points"):
        flip(sums)


def test_whole_numbers_may_be_floats():
    assert flip([1.0, 2.0, -4.0]) == flip([1, 2, -4])
