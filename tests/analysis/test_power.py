"""Power of a design: the independent limits of statsmodels and pingouin, and what more of each does."""

from __future__ import annotations

import numpy as np
import pingouin
import polars as pl
import pytest
from statsmodels.stats.power import TTestPower

from recuse.analysis.comparisons import compare
from recuse.analysis.inference.clusters import ClusterSums
from recuse.analysis.power import (
    Design,
    Performance,
    SelfPreferenceRates,
    SlotRates,
    fewest_tasks,
    resampled_performance,
    stated_performance,
)
from recuse.analysis.task_sums import self_preference_sums, slot_sums
from recuse.collectors.sources import load
from recuse.errors import ConfigurationError, UndefinedEstimateError

INDEPENDENT = {"undecided": 0.0, "task_share": 0.0, "comparison_share": 0.0, "judge_share": 0.0}
N = 4_000


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


@pytest.mark.parametrize("n_tasks", [40, 90])
def test_independent_self_preference_has_the_power_of_a_t_test(n_tasks: int) -> None:
    rates = SelfPreferenceRates(own=0.7, baseline=0.5, **INDEPENDENT)
    found = stated_performance(rates, Design(n_tasks=n_tasks, comparisons=1), rng=rng(), n_data_sets=N)
    size = 0.2 / np.sqrt(0.7 * 0.3 + 0.5 * 0.5 - 0.0)
    expected = TTestPower().power(size, n_tasks, 0.05)
    assert found.power == pytest.approx(expected, abs=0.03)
    assert expected == pytest.approx(pingouin.power_ttest(d=size, n=n_tasks, contrast="one-sample"), abs=1e-4)


def test_independent_slot_preference_has_the_power_of_a_t_test() -> None:
    rates = SlotRates(slot_a=0.58, flip_rate=0.4, task_share=0.0)
    found = stated_performance(rates, Design(n_tasks=60, comparisons=1), rng=rng(), n_data_sets=N)
    # share of slot A in a comparison is 1 with chance .28, 0 with .12, else a half
    sd = np.sqrt(0.28 * 0.25 + 0.12 * 0.25 - 0.08**2)
    assert found.power == pytest.approx(TTestPower().power(0.08 / sd, 60, 0.05), abs=0.03)
    assert found.detectable == pytest.approx(TTestPower().solve_power(None, 60, 0.05, 0.8) * sd, rel=0.01)


def test_the_study_resampled_without_an_effect_rejects_one_in_twenty() -> None:
    values = np.random.default_rng(1).normal(0.3, 1.0, 400)
    sums = ClusterSums(values, np.ones(400))
    found = resampled_performance(sums, Design(n_tasks=30), effect=0.0, rng=rng(), n_data_sets=N)
    assert found.power == pytest.approx(0.05, abs=0.015)
    there = resampled_performance(sums, Design(n_tasks=30), effect=0.5, rng=rng(), n_data_sets=N)
    assert there.power == pytest.approx(TTestPower().power(0.5 / values.std(ddof=1), 30, 0.05), abs=0.03)


def test_judges_and_replicates_sharpen_what_they_can() -> None:
    rates = SelfPreferenceRates(own=0.7, baseline=0.6)
    widths = {
        (m, r): stated_performance(
            rates, Design(n_tasks=40, judges=m, replicates=r), rng=rng(), n_data_sets=400
        ).width
        for m, r in ((1, 1), (4, 1), (1, 4), (4, 4))
    }
    assert widths[4, 4] < min(widths[4, 1], widths[1, 4]) < max(widths[4, 1], widths[1, 4]) < widths[1, 1]
    certain = SelfPreferenceRates(own=0.7, baseline=0.6, judge_share=0.7)
    once, thrice = (
        stated_performance(certain, Design(n_tasks=40, replicates=r), rng=rng(), n_data_sets=400).width
        for r in (1, 3)
    )
    assert once == pytest.approx(thrice, rel=0.03)


def test_the_fewest_tasks_are_found() -> None:
    def performance(n_tasks: int) -> Performance:
        return Performance(Design(n_tasks=n_tasks), power=n_tasks / 100, width=1.0, detectable=0.1)

    assert fewest_tasks(performance, lambda found: found.power >= 0.37) == 37
    assert fewest_tasks(performance, lambda found: found.width < 0.5) is None


def test_sums_of_the_bundled_study_are_its_own_counts() -> None:
    judgments = load().judgments
    comparisons = compare(judgments)
    slots = slot_sums(comparisons)
    decided = judgments.filter(pl.col("probe") == "main", pl.col("verdict").is_in(["a", "b"]))
    counted = dict(decided.group_by("judge").agg(pl.col("task_id").n_unique()).rows())
    assert {judge: sums.n_clusters for (_, judge), sums in slots.items()} == counted
    grok = slots["three-judges", "xai/grok-4.3"]
    assert round(100 * grok.estimate, 1) == 72.4
    deltas = self_preference_sums(comparisons, "uninvolved")
    assert round(100 * deltas["three-judges", "openai/gpt-5.5"].estimate, 1) == 21.7
    assert self_preference_sums(comparisons, "human") == {}


def test_what_cannot_be_is_refused() -> None:
    alike = ClusterSums(np.ones(5), np.ones(5))
    with pytest.raises(UndefinedEstimateError, match="all 5 tasks have the same mean"):
        resampled_performance(alike, Design(n_tasks=10), effect=0.1, rng=rng())
    with pytest.raises(ConfigurationError, match="half the undecided share"):
        stated_performance(SelfPreferenceRates(own=0.95, baseline=0.5), Design(n_tasks=10), rng=rng())
    with pytest.raises(ConfigurationError, match="at most half the flip rate"):
        stated_performance(SlotRates(slot_a=0.8, flip_rate=0.3), Design(n_tasks=10), rng=rng())
    with pytest.raises(ConfigurationError, match="two tasks"):
        stated_performance(SlotRates(slot_a=0.6), Design(n_tasks=1), rng=rng())
