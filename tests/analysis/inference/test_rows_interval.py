from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from recuse.analysis.inference.rows import rows_interval


def test_rows_are_resampled_as_scipy_does():
    values = np.random.default_rng(1).choice(
        [-1.0, -0.5, 0.0, 0.5, 1.0], size=60, p=[0.1, 0.1, 0.3, 0.2, 0.3]
    )
    expected = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=20_000, rng=np.random.default_rng(0)
    )
    found = rows_interval(values, rng=np.random.default_rng(0), n_resamples=20_000)
    limits = (expected.confidence_interval.low, expected.confidence_interval.high)
    assert found.method == "rows_percentile"
    assert (found.low, found.high) == pytest.approx(limits, abs=0.0101)
    assert found.std_error == pytest.approx(expected.standard_error, rel=0.03)


def test_a_weight_of_zero_leaves_a_row_out():
    values, weights = np.array([1.0, 0.0, 1.0, 0.0, 99.0]), np.array([1.0, 1.0, 1.0, 1.0, 0.0])
    found = rows_interval(values, weights, rng=np.random.default_rng(0))
    assert found == rows_interval(values[:4], rng=np.random.default_rng(0))


def test_rows_all_alike_have_no_width_and_say_so():
    found = rows_interval([0.5] * 9, rng=np.random.default_rng(0))
    assert (found.low, found.high) == (0.5, 0.5)
    assert "alike" in found.reason


def test_no_rows_is_a_reason():
    assert rows_interval([], rng=np.random.default_rng(0)).reason == "no row"
