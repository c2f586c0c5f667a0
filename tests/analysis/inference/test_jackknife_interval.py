from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import stats

from recuse.analysis.inference.clusters import ClusterSums
from recuse.analysis.inference.jackknife import jackknife_interval, jackknife_rate_interval
from recuse.analysis.inference.rates import rate_interval


def test_jackknife_of_a_mean_is_the_t_interval():
    values = np.array([0.1, 0.4, -0.2, 0.3, 0.35, 0.0])
    without = (values.sum() - values) / 5
    found = jackknife_interval(values.mean(), without)
    expected = stats.ttest_1samp(values, 0)
    assert (found.low, found.high) == pytest.approx(tuple(expected.confidence_interval()))
    assert (found.p_value, found.df) == pytest.approx((expected.pvalue, 5))


def test_spread_is_taken_about_the_estimate():
    found = jackknife_interval(0.5, np.array([0.3, 0.4, 0.4]))
    assert found.std_error == pytest.approx(np.sqrt(2 / 3 * (0.04 + 0.01 + 0.01)))


def test_interval_is_cut_to_possible_values():
    replicates = np.array([0.9, 0.7, 0.95, 0.6])
    assert jackknife_interval(0.8, replicates).high == 1
    assert jackknife_interval(0.8, replicates, bounds=None).high > 1
    assert jackknife_interval(0.8, replicates, bounds=(0.5, 0.9)).low == 0.5


@pytest.mark.parametrize(
    ("estimate", "replicates", "reason"),
    [
        (0.5, [0.4, np.nan, np.inf], r"undefined when one task is left out \(2 of 3 tasks\)"),
        (np.nan, [0.4, 0.5], "undefined on all tasks"),
        (0.5, [0.5], "fewer than two tasks"),
        (0.0, [0.0, 1e-17], "same without any one of 2 tasks"),
        (1.0, [1.0, 1.0, 1.0], "same without any one of 3 tasks"),
    ],
)
def test_what_has_no_interval_says_why(estimate, replicates, reason):
    found = jackknife_interval(estimate, np.array(replicates))
    assert (found.low, found.high, found.std_error, found.p_value) == (None,) * 4
    assert re.search(reason, found.reason)


def test_a_refitted_rate_has_the_logit_interval_of_a_plain_rate():
    successes, rows = np.array([5.0, 6.0, 4.0, 6.0, 6.0]), np.full(5, 6.0)
    without = (successes.sum() - successes) / (rows.sum() - rows)
    found = jackknife_rate_interval(successes.sum() / rows.sum(), without)
    plain = rate_interval(ClusterSums(successes, rows))
    assert plain.method == "cr3_logit"
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high))
    assert found.method == "jackknife_logit"
    assert 0 < found.low < 27 / 30 < found.high < 1


def test_a_rate_of_1_keeps_its_reason_instead_of_a_logit():
    found = jackknife_rate_interval(1.0, np.ones(4))
    assert found.low is None
    assert "same without any one of 4 tasks" in found.reason
