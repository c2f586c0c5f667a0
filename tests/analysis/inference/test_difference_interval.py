from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from scipy import stats

from recuse.analysis.inference.clusters import ClusterSums
from recuse.analysis.inference.differences import difference_interval, permutation_p
from recuse.analysis.inference.interval import INTERVALS
from recuse.errors import ConfigurationError

BY_NAME = [name for name in INTERVALS if name != "rows"]


def singles(values):
    return ClusterSums(np.asarray(values, dtype=float), np.ones(len(values)))


def tiers(n_first, n_second, seed=0):
    rng = np.random.default_rng(seed)
    return singles(rng.normal(0.6, 1, n_first)), singles(rng.normal(0, 2, n_second))


def interval(first, second, seed=0, **options):
    return difference_interval(first, second, rng=np.random.default_rng(seed), **options)


@pytest.mark.parametrize("sizes", [(5, 5), (4, 30), (30, 9)])
def test_few_tasks_in_either_tier_give_welchs_interval(sizes):
    first, second = tiers(*sizes)
    found = interval(first, second)
    welch = stats.ttest_ind(first.numerator, second.numerator, equal_var=False)
    assert found.method == "cr2_welch"
    assert (found.low, found.high) == pytest.approx(tuple(welch.confidence_interval()))
    assert (found.p_value, found.df) == pytest.approx((welch.pvalue, welch.df))


def test_ten_tasks_in_both_tiers_give_the_stratified_bootstrap():
    found = interval(*tiers(10, 12))
    assert found.method == "bootstrap_t_stratified"
    assert found.n_resamples == 9_999


@pytest.mark.parametrize("method", BY_NAME)
def test_all_methods_agree_with_many_tasks(method):
    first, second = tiers(900, 700, seed=3)
    found, welch = (interval(first, second, method=m) for m in (method, "cr2"))
    assert (found.low, found.high) == pytest.approx((welch.low, welch.high), abs=0.12 * welch.std_error)


def test_percentile_and_bca_are_those_of_scipy():
    rng = np.random.default_rng(4)
    first, second = rng.exponential(1, 18), rng.exponential(3, 25)
    for name in ("percentile", "bca"):
        expected = stats.bootstrap(
            (first, second),
            lambda x, y, axis=-1: x.mean(axis=axis) - y.mean(axis=axis),
            method=name,
            n_resamples=20_000,
            rng=np.random.default_rng(1),
        ).confidence_interval
        found = interval(singles(first), singles(second), method=name, n_resamples=20_000)
        assert (found.low, found.high) == pytest.approx(
            (expected.low, expected.high), abs=0.08 * found.std_error
        )


@pytest.mark.parametrize("method", ["cr2", "bootstrap-t"])
def test_swapping_the_tiers_mirrors_the_interval(method):
    first, second = tiers(12, 14)
    found, other = interval(first, second, method=method), interval(second, first, method=method)
    tolerance = 1e-12 if method == "cr2" else 0.1 * found.std_error
    assert (found.low, found.high) == pytest.approx((-other.high, -other.low), abs=tolerance)


@pytest.mark.parametrize("method", ["bootstrap-t", "bootstrap-t-equal-tailed", "wild"])
@pytest.mark.parametrize("null", [-0.5, 0.3, 1.4, 2.5])
def test_p_value_is_the_dual_of_the_interval(method, null):
    found = interval(*tiers(12, 14), method=method, null=null)
    assert (found.low <= null <= found.high) is (found.p_value > 0.05)


def test_a_tier_without_spread_is_named():
    found = interval(singles([0.0] * 6), singles([1.0, 0.0, 2.0, 1.0]))
    assert found.low < -1 < found.high
    assert found.df == pytest.approx(3)
    assert "first of the two has no spread" in found.reason


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ([1.0], [0.0, 1.0], "first: one task only"),
        ([0.0, 1.0], [], "second: no task"),
        ([1.0, 1.0], [0.0, 0.0, 0.0], "first: all 2 tasks.*second: all 3 tasks"),
    ],
)
def test_what_cannot_be_compared_has_a_reason(first, second, reason):
    found = interval(singles(first), singles(second))
    assert (found.low, found.high, found.p_value, found.method) == (None, None, None, "cr2_welch")
    assert re.search(reason, found.reason)


def test_an_infinite_quantile_falls_back_to_welch():
    rare, never = singles([1.0] + [0.0] * 11), singles([0.0] * 14)
    found = interval(rare, never)
    assert found.method == "cr2_welch"
    assert found.n_zero_se_differing / 9_999 == pytest.approx((11 / 12) ** 12, abs=0.02)
    assert "no finite quantile" in found.reason
    assert "second of the two has no spread" in found.reason


def test_rows_are_not_offered():
    with pytest.raises(ConfigurationError, match="rows as independent"):
        interval(*tiers(5, 5), method="rows")


@pytest.mark.parametrize("sizes", [(4, 5), (3, 6)])
def test_permutation_is_that_of_all_arrangements(sizes):
    first, second = (np.rint(2 * sums.numerator) for sums in tiers(*sizes, seed=2))
    expected = stats.permutation_test(
        (first, second),
        lambda x, y, axis: np.abs(x.mean(axis=axis) - y.mean(axis=axis)),
        permutation_type="independent",
        n_resamples=np.inf,
        alternative="greater",
        vectorized=True,
    ).pvalue
    found = permutation_p(singles(first), singles(second), np.random.default_rng(0), n_resamples=40_000)
    assert found == pytest.approx(expected, abs=0.01)


def test_permutation_carries_whole_tasks_with_their_rows():
    first = ClusterSums(np.array([30.0, 0.0, 1.0]), np.array([30.0, 1.0, 1.0]))
    second = ClusterSums(np.array([0.0, 0.0, 0.0]), np.array([1.0, 1.0, 10.0]))
    both = [
        np.concatenate(pair)
        for pair in ((first.numerator, second.numerator), (first.denominator, second.denominator))
    ]
    observed, beyond, arrangements = abs(31 / 32), 0, 0
    for chosen in itertools.combinations(range(6), 3):
        mine = np.isin(np.arange(6), chosen)
        means = [both[0][part].sum() / both[1][part].sum() for part in (mine, ~mine)]
        beyond += abs(means[0] - means[1]) >= observed - 1e-12
        arrangements += 1
    found = permutation_p(first, second, np.random.default_rng(0), n_resamples=40_000)
    assert found == pytest.approx(beyond / arrangements, abs=0.01)


def test_no_permutation_of_an_empty_tier():
    assert permutation_p(singles([]), singles([1.0, 2.0]), np.random.default_rng(0)) is None


def test_tiers_all_alike_are_as_different_in_every_permutation():
    assert permutation_p(singles([0.0] * 4), singles([0.0] * 5), np.random.default_rng(0)) == 1.0
