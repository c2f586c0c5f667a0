from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg, stats

from recuse.analysis.inference.clusters import ClusterSums
from recuse.analysis.inference.sandwich import (
    cr1_variance,
    cr2_variance,
    cr3_variance,
    satterthwaite,
    t_interval,
)

sizes = st.lists(st.integers(1, 7), min_size=2, max_size=8)


def rows_of(sizes, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    return codes, rng.normal(size=len(codes)) + rng.normal(size=len(sizes))[codes]


def matrix_cr2(codes, values):
    """CR2 and the Bell–McCaffrey degrees of freedom from their defining matrices, working model: identity."""
    n = len(values)
    x = np.ones((n, 1))
    bread = linalg.inv(x.T @ x)
    annihilator = np.eye(n) - x @ bread @ x.T
    residuals = annihilator @ values
    meat, directions = np.zeros((1, 1)), []
    for g in np.unique(codes):
        mine = codes == g
        root = linalg.inv(linalg.sqrtm(annihilator[np.ix_(mine, mine)])).real
        score = x[mine].T @ root @ residuals[mine]
        meat += np.outer(score, score)
        directions.append(annihilator[:, mine] @ root @ x[mine] @ bread)
    p = np.column_stack(directions)
    eigenvalues = linalg.eigvalsh(p.T @ p)
    return (bread @ meat @ bread).item(), eigenvalues.sum() ** 2 / (eigenvalues**2).sum()


@given(sizes=sizes, seed=st.integers(0, 99))
def test_cr2_in_closed_form_is_cr2_of_the_matrices(sizes, seed):
    codes, values = rows_of(sizes, seed)
    variance, df = cr2_variance(ClusterSums.of(codes, values))
    expected_variance, expected_df = matrix_cr2(codes, values)
    assert variance == pytest.approx(expected_variance, rel=1e-6, abs=1e-12)
    assert df == pytest.approx(expected_df, rel=1e-6)


@pytest.mark.parametrize("n_tasks", [2, 5, 15])
def test_equal_tasks_have_one_degree_of_freedom_less_than_tasks(n_tasks):
    codes, values = rows_of([3] * n_tasks)
    sums = ClusterSums.of(codes, values)
    variance, df = cr2_variance(sums)
    assert df == pytest.approx(n_tasks - 1)
    assert variance == pytest.approx(cr1_variance(sums))
    means = sums.numerator / sums.denominator
    assert variance == pytest.approx(means.var(ddof=1) / n_tasks)


def test_one_dominant_task_leaves_hardly_any_degrees_of_freedom():
    codes, values = rows_of([200, 1, 1, 1, 1, 1])
    assert cr2_variance(ClusterSums.of(codes, values))[1] < 1.2


@given(sizes=sizes, seed=st.integers(0, 99))
def test_cr1_is_the_cluster_covariance_of_statsmodels(sizes, seed):
    codes, values = rows_of(sizes, seed)
    fit = sm.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": codes})
    assert cr1_variance(ClusterSums.of(codes, values)) == pytest.approx(fit.bse[0] ** 2, rel=1e-9, abs=1e-15)


@given(sizes=sizes, seed=st.integers(0, 99))
def test_cr3_leaves_out_each_task_in_turn(sizes, seed):
    codes, values = rows_of(sizes, seed)
    without = np.array([values[codes != g].mean() for g in range(len(sizes))])
    expected = (len(sizes) - 1) / len(sizes) * ((without - values.mean()) ** 2).sum()
    assert cr3_variance(ClusterSums.of(codes, values)) == pytest.approx(expected, rel=1e-9, abs=1e-15)


@given(one=st.integers(2, 30), other=st.integers(2, 30), seed=st.integers(0, 99))
def test_variances_of_single_rows_add_up_to_welch(one, other, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=one), rng.normal(1, 3, size=other)
    parts = [cr2_variance(ClusterSums(z, np.ones_like(z))) for z in (x, y)]
    found = t_interval(
        x.mean() - y.mean(),
        parts[0][0] + parts[1][0],
        satterthwaite(*parts),
        method="cr2_welch",
        conf_level=0.9,
    )
    welch = stats.ttest_ind(x, y, equal_var=False)
    assert found.p_value == pytest.approx(welch.pvalue, rel=1e-7)
    expected = welch.confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
