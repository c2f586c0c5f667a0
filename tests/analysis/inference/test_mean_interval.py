from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from recuse.analysis.inference.clusters import ClusterSums
from recuse.analysis.inference.interval import INTERVALS
from recuse.analysis.inference.means import mean_interval
from recuse.analysis.inference.studentized import draw_means
from recuse.errors import ConfigurationError

BY_NAME = [name for name in INTERVALS if name != "rows"]


def sums_of(n_tasks, seed, size=4):
    rng = np.random.default_rng(seed)
    rows = rng.integers(1, size + 1, n_tasks)
    lean = rng.normal(0.2, 0.4, n_tasks)
    numerator = [
        np.clip(np.rint(rng.normal(mean, 1, n)), -1, 1).sum() for mean, n in zip(lean, rows, strict=True)
    ]
    return ClusterSums(np.array(numerator), rows.astype(float))


def interval(sums, seed=0, **options):
    return mean_interval(sums, rng=np.random.default_rng(seed), **options)


def brute_t(numerator, rows):
    """Studentized statistic of one resample written out for its tasks, about the mean it was drawn from."""
    mean = numerator.sum() / rows.sum()
    squares = ((numerator - mean * rows) ** 2).sum() / rows.sum() ** 2 * len(rows) / (len(rows) - 1)
    return mean, squares


def test_draws_are_distributed_as_all_resamples_of_four_tasks():
    numerator, rows = np.array([2.0, 0.0, -1.0, 1.0]), np.array([2.0, 1.0, 3.0, 1.0])
    observed = numerator.sum() / rows.sum()
    exact = []
    for drawn in itertools.product(range(4), repeat=4):
        mean, squares = brute_t(numerator[list(drawn)], rows[list(drawn)])
        if squares < 1e-15:
            exact.append(np.inf if abs(mean - observed) > 1e-12 else 0.0)
        else:
            exact.append(abs(mean - observed) / np.sqrt(squares))
    exact = np.array(exact)
    draws = draw_means(ClusterSums(numerator, rows), rng=np.random.default_rng(4), n_resamples=40_000)
    size = np.abs(draws.t)
    for bound in (0.3, 0.8, 1.5, 3.0, 1e9):
        assert (size >= bound).mean() == pytest.approx((exact >= bound).mean(), abs=0.01)
    assert np.isinf(size).mean() == pytest.approx(np.isinf(exact).mean(), abs=0.005)


def test_default_is_symmetric_bootstrap_t_from_ten_tasks_and_cr2_below():
    assert interval(sums_of(10, 1)).method == "bootstrap_t"
    few = interval(sums_of(9, 1))
    assert few.method == "cr2"
    assert few == interval(sums_of(9, 1), method="cr2")


def test_symmetric_interval_is_centred_and_close_to_t_with_many_tasks():
    sums = sums_of(2_000, 3)
    found = interval(sums)
    assert (found.low + found.high) / 2 == pytest.approx(sums.estimate)
    expected = interval(sums, method="cr2")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.1 * found.std_error)


@given(
    seed=st.integers(0, 10_000),
    n_tasks=st.integers(5, 25),
    null=st.floats(-0.6, 0.9),
    method=st.sampled_from(["bootstrap-t", "bootstrap-t-equal-tailed", "cr2", "wild"]),
)
def test_p_value_is_the_dual_of_the_interval(seed, n_tasks, null, method):
    sums = sums_of(n_tasks, seed)
    found = interval(sums, method=method, n_resamples=999, null=null, conf_level=0.9)
    if found.low is None:
        assert found.reason
        return
    on_the_edge = min(abs(found.low - null), abs(found.high - null)) < 1e-9
    assert on_the_edge or (found.low <= null <= found.high) is (found.p_value > 0.1)


def test_percentile_and_bca_are_those_of_scipy():
    sums = sums_of(25, 7)

    def mean(numerator, rows, axis=-1):
        return numerator.sum(axis=axis) / rows.sum(axis=axis)

    for name in ("percentile", "bca"):
        expected = stats.bootstrap(
            (sums.numerator, sums.denominator),
            mean,
            paired=True,
            method=name,
            n_resamples=20_000,
            rng=np.random.default_rng(0),
        )
        found = interval(sums, method=name, n_resamples=20_000)
        limits = (expected.confidence_interval.low, expected.confidence_interval.high)
        assert (found.low, found.high) == pytest.approx(limits, abs=0.08 * found.std_error)
        assert found.std_error == pytest.approx(expected.standard_error, rel=0.03)


@given(seed=st.integers(0, 1000), n_tasks=st.integers(6, 25), order=st.randoms(use_true_random=False))
def test_order_of_tasks_does_not_matter(seed, n_tasks, order):
    sums = sums_of(n_tasks, seed)
    shuffled = list(range(n_tasks))
    order.shuffle(shuffled)
    found, other = (
        interval(s, n_resamples=499)
        for s in (sums, ClusterSums(sums.numerator[shuffled], sums.denominator[shuffled]))
    )
    assert (found.low, found.high, found.p_value) == pytest.approx((other.low, other.high, other.p_value))


@given(
    seed=st.integers(0, 1000),
    scale=st.sampled_from([0.1, 1 / 3, 7.0]),
    method=st.sampled_from(BY_NAME),
)
def test_another_unit_scales_the_interval_and_leaves_p(seed, scale, method):
    sums = sums_of(14, seed)
    found = interval(sums, method=method, n_resamples=499)
    scaled = interval(ClusterSums(sums.numerator * scale, sums.denominator), method=method, n_resamples=499)
    if found.low is None:
        assert scaled.low is None
        return
    assert (scaled.low, scaled.high) == pytest.approx((found.low * scale, found.high * scale), abs=1e-9)
    assert scaled.p_value == pytest.approx(found.p_value)


@pytest.mark.parametrize("method", ["default", "cr2", "percentile", "wild"])
def test_every_row_twice_tells_nothing_new_and_every_task_twice_does(method):
    sums = sums_of(12, 5)
    found = interval(sums, method=method)
    rows_twice = interval(ClusterSums(2 * sums.numerator, 2 * sums.denominator), method=method)
    assert (rows_twice.low, rows_twice.high) == pytest.approx((found.low, found.high), abs=1e-9)
    tasks_twice = interval(
        ClusterSums(*(np.tile(x, 2) for x in (sums.numerator, sums.denominator))), method=method
    )
    assert tasks_twice.high - tasks_twice.low < 0.85 * (found.high - found.low)


def test_tasks_without_rows_change_nothing():
    sums = sums_of(12, 5)
    padded = ClusterSums(np.append(sums.numerator, [0, 0]), np.append(sums.denominator, [0, 0]))
    assert interval(padded) == interval(sums)


def test_resamples_without_spread_are_counted_and_make_an_infinite_quantile_cr2():
    sums = ClusterSums(np.array([1.0] + [0.0] * 11), np.ones(12))
    found = interval(sums)
    assert found.method == "cr2"
    assert "no finite quantile" in found.reason
    assert found.n_zero_se_differing / 9_999 == pytest.approx((11 / 12) ** 12, abs=0.02)
    assert found.n_zero_se_equal == 0
    t = stats.ttest_1samp(sums.numerator, 0)
    assert found.p_value == pytest.approx(t.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(t.confidence_interval()))


def test_a_resample_without_spread_at_the_estimate_itself_counts_as_zero():
    found = interval(ClusterSums(np.array([1.0, -1.0] + [0.0] * 10), np.ones(12)))
    assert found.n_zero_se_differing == 0
    assert found.n_zero_se_equal / 9_999 == pytest.approx((10 / 12) ** 12, abs=0.02)
    assert found.method == "bootstrap_t"
    assert found.p_value == pytest.approx(1.0)


@pytest.mark.parametrize("method", ["default", *BY_NAME])
@pytest.mark.parametrize(
    ("numerator", "denominator", "reason"),
    [
        ([], [], "no task"),
        ([1.0], [4.0], "one task"),
        ([1.0, 2.0, 0.5], [2.0, 4.0, 1.0], "all 3 tasks have the same mean"),
        ([0.0] * 12, [1.0] * 12, "all 12 tasks"),
    ],
)
def test_without_spread_between_tasks_there_is_a_reason_and_no_interval(
    method, numerator, denominator, reason
):
    found = interval(ClusterSums(np.array(numerator), np.array(denominator)), method=method)
    assert (found.low, found.high, found.std_error, found.p_value) == (None,) * 4
    assert reason in found.reason


def test_too_few_resamples_for_the_level_are_not_passed_off_as_a_quantile():
    found = interval(sums_of(12, 2), n_resamples=10)
    assert found.method == "cr2"


def test_bounds_cut_the_interval():
    sums = ClusterSums(np.array([1.0, 1.0, 0.0, 1.0]), np.ones(4))
    assert interval(sums).high > 1
    assert interval(sums, bounds=(-1, 1)).high == 1


@pytest.mark.parametrize("name", BY_NAME)
def test_each_word_of_the_command_line_gives_the_method_it_names(name):
    found = interval(sums_of(20, 8), method=name)
    assert found.method == INTERVALS[name]
    assert found.low < found.high


def test_an_unknown_interval_is_answered_with_those_there_are():
    with pytest.raises(ConfigurationError, match=r"one of: bootstrap-t, .*percentile, bca, cr2, wild, rows"):
        interval(sums_of(12, 1), method="percentil")


def test_rows_are_not_offered_where_only_task_sums_are_known():
    with pytest.raises(ConfigurationError, match="convention"):
        interval(sums_of(12, 1), method="rows")


@pytest.mark.parametrize("conf_level", [95, 0, 1, float("nan")])
def test_a_level_in_percent_is_refused(conf_level):
    with pytest.raises(ConfigurationError, match="between 0 and 1"):
        interval(sums_of(12, 1), conf_level=conf_level)


def test_a_lower_level_gives_a_shorter_interval_inside():
    sums = sums_of(15, 2)
    wide, narrow = interval(sums), interval(sums, conf_level=0.9)
    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize("method", ["bootstrap-t", "bootstrap-t-equal-tailed", "wild", "cr2"])
@pytest.mark.parametrize(("conf_level", "n_resamples"), [(0.95, 999), (0.9, 999), (0.95, 1_010)])
def test_p_value_crosses_the_level_exactly_at_the_limits(method, conf_level, n_resamples):
    sums = sums_of(30, 6, size=40)
    options = {"method": method, "conf_level": conf_level, "n_resamples": n_resamples}
    found = interval(sums, **options)
    step = 1e-7 * found.std_error
    for limit, outwards in ((found.low, -step), (found.high, step)):
        assert interval(sums, null=limit + outwards, **options).p_value <= 1 - conf_level + 1e-9
        assert interval(sums, null=limit - outwards, **options).p_value > 1 - conf_level + 1e-9
