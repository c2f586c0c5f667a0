"""Totals of very many tasks, drawn as normal: their moments, where they may be, and what they change."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from recuse.analysis.cells import mean_of, rate_of
from recuse.analysis.estimates import Estimate
from recuse.analysis.inference import studentized
from recuse.analysis.inference.clusters import ClusterSums
from recuse.analysis.inference.differences import difference_interval, permutation_note, permutation_p
from recuse.analysis.inference.many_tasks import MANY_TASKS, NORMAL, half_step, is_normal, normal_totals
from recuse.analysis.inference.means import mean_interval
from recuse.analysis.inference.signflip import sign_flip
from recuse.analysis.inference.studentized import draw_means
from recuse.analysis.self_preference import self_preference_of
from recuse.analysis.settings import Settings

N_DRAWS = 200_000
NOISE = 0.0095
"""Standard error of the 95 % quantile of |t*| over 9,999 draws, in units of that quantile."""


def ones(n_tasks, n_ones):
    """Tasks of one verdict each."""
    return ClusterSums(np.array([0.0, 1.0]), np.ones(2), np.array([n_tasks - n_ones, n_ones]))


def scores():
    """Sums of 1 to 4 scores of 8,000 tasks, tasks of more rows scored lower."""
    rng = np.random.default_rng(3)
    rows = np.minimum(rng.geometric(0.4, MANY_TASKS), 4)
    return ClusterSums(rng.binomial(2 * rows, 0.5 - 0.05 * rows) / 2, rows.astype(float))


AT_THE_BOUND = {
    "a verdict in 25": ones(100_000, 3_960),
    "two verdicts in nine": ones(MANY_TASKS, 1_790),
    "one in 16 not 0": ClusterSums(np.array([-1.0, 0.0, 1.0]), np.ones(3), np.array([251, 7_498, 251])),
    "sizes differ": scores(),
}


def rng(seed=0):
    return np.random.default_rng(seed)


def test_totals_have_the_mean_and_covariance_of_a_multinomial_draw():
    patterns, tasks = np.array([[1.0, 2.0], [0.5, 3.0], [-2.0, 1.0]]), np.array([4_000, 3_000, 2_000])
    found = normal_totals(patterns, tasks, rng=rng(), n_resamples=N_DRAWS)
    shares = tasks / tasks.sum()
    covariance = tasks.sum() * patterns.T @ (np.diag(shares) - np.outer(shares, shares)) @ patterns
    error = np.sqrt(np.diag(covariance) / N_DRAWS)
    assert (np.abs(found.mean(0) - tasks @ patterns) < 4 * error).all()
    assert np.cov(found.T) == pytest.approx(covariance, rel=0.02)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("name", AT_THE_BOUND)
def test_ends_move_by_less_than_the_noise_of_ten_thousand_draws(name, symmetric, monkeypatch):
    sums = AT_THE_BOUND[name]
    method = "bootstrap_t" if symmetric else "bootstrap_t_equal_tailed"
    found = [mean_interval(sums, rng=rng(), method=method, n_resamples=N_DRAWS)]
    monkeypatch.setattr(studentized, "is_normal", lambda *_: False)
    found.append(mean_interval(sums, rng=rng(1), method=method, n_resamples=N_DRAWS))
    assert [interval.reason for interval in found] == [NORMAL, None]
    # An end alone rests on half as many draws beyond it.
    noise = NOISE if symmetric else 0.0135
    for end in ("low", "high"):
        normal, drawn = (getattr(interval, end) - sums.estimate for interval in found)
        assert abs(normal / drawn - 1) < noise, end


@pytest.mark.parametrize(
    "sums",
    [
        ones(MANY_TASKS - 1, 3_000),
        ones(MANY_TASKS, 1_740),
        ones(100_000, 3_840),
        ones(10**6, 300),
        ClusterSums(np.array([-1.0, 0.0, 1.0]), np.ones(3), np.array([249, 10**6, 249])),
        ClusterSums(np.array([0.0, 1.0, 900.0]), np.array([2.0, 2.0, 1_500.0]), np.array([5_000, 5_000, 5])),
    ],
    ids=["fewer tasks", "skew", "skew of a rate near 0", "rare verdicts", "rare differences", "huge tasks"],
)
def test_tasks_are_resampled_where_totals_are_not_normal(sums):
    assert mean_interval(sums, rng=rng(), method="bootstrap_t", n_resamples=99).reason is None


def test_a_share_of_the_tasks_is_less_normal_than_all():
    residual, rows, tasks = np.array([-1.0, 1.0]), np.ones(2), np.array([600, 600])
    assert is_normal(residual, rows, tasks)
    assert not is_normal(residual, rows, tasks, share=0.5)
    assert not is_normal(np.zeros(2), rows, tasks)


def test_tasks_and_their_patterns_give_the_same_digits():
    tasks = scores()
    pairs, counts = np.unique(
        np.column_stack([tasks.numerator, tasks.denominator]), axis=0, return_counts=True
    )
    patterns = ClusterSums(pairs[::-1, 0], pairs[::-1, 1], counts[::-1])
    half = ClusterSums(tasks.numerator[::2], tasks.denominator[::2])
    assert permutation_note(tasks, half) == NORMAL
    draws = [draw_means(one, rng=rng(), n_resamples=999) for one in (tasks, patterns)]
    assert np.array_equal(draws[0].shift, draws[1].shift)
    assert np.array_equal(draws[0].variance, draws[1].variance)
    assert permutation_p(patterns, half, rng(), 999) == permutation_p(tasks, half, rng(), 999)


def test_a_tier_needs_half_as_many_tasks():
    deltas = ClusterSums(np.array([-0.5, 0.0, 1.0]), np.ones(3), np.array([2_000, 1_000, 1_000]))
    for tier, reason in ((None, None), ("objective", NORMAL)):
        row = Estimate(estimand="self_preference_delta", unit="difference", tier=tier)
        assert mean_of(row, deltas, Settings(n_resamples=99), rng()).reason == reason
        assert rate_of(row, ones(4_000, 1_900), Settings(interval="percentile"), rng()).reason == reason
    fewer = ClusterSums(deltas.numerator, deltas.denominator, deltas.tasks - np.array([1, 0, 0]))
    assert mean_of(row, fewer, Settings(n_resamples=99), rng()).reason is None


def test_a_difference_needs_half_as_many_tasks_of_each():
    first, second = ones(4_000, 2_000), ones(4_000, 1_900)
    found = difference_interval(first, second, rng=rng(), n_resamples=N_DRAWS)
    assert found.reason == NORMAL
    assert found.high - found.low == pytest.approx(2 * stats.norm.ppf(0.975) * found.std_error, rel=NOISE)
    assert permutation_note(first, ones(3_999, 1_900)) is None


@pytest.mark.parametrize("excess", [0, 60, 150, 201])
def test_signs_of_equal_sums_are_binomial(excess):
    n_tasks = 10_000 + excess % 2
    plus = (n_tasks + excess) // 2
    found = sign_flip([3, -3, 0], rng(), N_DRAWS, tasks=[plus, n_tasks - plus, 7])
    exact = stats.binomtest(plus, n_tasks).pvalue
    assert (found.reason, found.n_nonzero) == (NORMAL, n_tasks)
    assert found.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact / N_DRAWS) + 1e-5)


@pytest.mark.parametrize("more", [0, 30, 60, 101])
def test_shuffled_labels_of_single_verdicts_are_hypergeometric(more):
    sizes, n_ones = (5_000, 4_500), (2_200, 1_980 - more)
    found = permutation_p(ones(sizes[0], n_ones[0]), ones(sizes[1], n_ones[1]), rng(), N_DRAWS)
    both = stats.hypergeom(sum(sizes), sum(n_ones), sizes[0])
    centre = sizes[0] * sum(n_ones) / sum(sizes)
    away = abs(n_ones[0] - centre) - 1e-9
    exact = both.cdf(np.floor(centre - away)) + both.sf(np.ceil(centre + away) - 1)
    assert found == pytest.approx(min(1.0, exact), abs=4 * np.sqrt(exact / N_DRAWS) + 1e-4)


@pytest.mark.parametrize(
    ("values", "half"),
    [([0.0, 0.5, 2.0], 0.25), ([-1 / 3, 0.0, 2 / 3], 1 / 6), ([0.0, 2.0, 5.0], 0.0), ([1.0, 1.0], 0.0)],
)
def test_half_a_step_of_values_on_a_grid(values, half):
    assert half_step(np.array(values)) == pytest.approx(half)


def test_what_a_row_says_of_its_judges_stands_beside_how_it_was_drawn():
    keys = {"study": "s", "judge": "j", "baseline": "uninvolved", "tier": "objective"}
    sums = pl.DataFrame(
        {"own": [0.0, 0.5, 1.0], "peers": [0.5, 0.5, 0.0], "delta": [-0.5, 0.0, 1.0], "n": 1, "n_own": 1}
        | {"fewest": 1, "most": 1, "n_tasks": [3_000, 1_000, 2_000]}
    ).with_columns(**{name: pl.lit(value) for name, value in keys.items()})
    found = self_preference_of(sums, Settings(n_resamples=199))
    of_tier = found.filter(pl.col("estimand") == "self_preference_delta", pl.col("tier").is_not_null())
    assert of_tier["test"].to_list() == ["dual_of_bootstrap_t", "sign_flip"]
    assert all(reason.startswith(f"{NORMAL}; one baseline judge") for reason in of_tier["reason"])
