from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from recuse.analysis.inference.power import minimum_detectable_effect


@pytest.mark.parametrize(("df", "alpha", "power"), [(14, 0.05, 0.8), (3, 0.1, 0.9), (200.5, 0.05, 0.5)])
def test_effect_is_the_sum_of_two_t_quantiles_in_standard_errors(df, alpha, power):
    expected = 0.07 * (stats.t.ppf(1 - alpha / 2, df) + stats.t.ppf(power, df))
    assert minimum_detectable_effect(0.07, df, alpha, power) == pytest.approx(expected)


def test_effect_is_found_with_about_the_power_asked_for():
    effect = minimum_detectable_effect(1 / np.sqrt(15), 14)
    assert TTestPower().power(effect, nobs=15, alpha=0.05) == pytest.approx(0.8, abs=0.02)


def test_known_standard_errors_use_normal_quantiles():
    assert minimum_detectable_effect(1, None) == pytest.approx(stats.norm.ppf(0.975) + stats.norm.ppf(0.8))


@pytest.mark.parametrize(("std_error", "df"), [(None, 3), (0.0, 3), (float("nan"), 3), (0.1, 0)])
def test_without_a_standard_error_nothing_is_known(std_error, df):
    assert minimum_detectable_effect(std_error, df) is None
