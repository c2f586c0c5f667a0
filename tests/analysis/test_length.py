"""Length-confound decomposition: the bundled study, adding up, refits, and what it cannot do."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from recuse.analysis.comparisons import compare
from recuse.analysis.length import length_decomposition
from recuse.analysis.length_adjusted import self_preference_delta_length_adjusted
from recuse.analysis.longer_wins import longer_wins_rate
from recuse.analysis.self_preference import against_baselines
from recuse.analysis.settings import Settings
from recuse.collectors.sources import load
from recuse.schema import Judgments

INDEPENDENT = {
    "anthropic/claude-sonnet-4-6": (0.010, 0.139, -0.003, -0.000),
    "openai/gpt-5.5": (-0.069, 0.063, 0.000, -0.008),
    "xai/grok-4.3": (-0.023, -0.067, 0.015, 0.061),
}
"""Quality, length, slot and remainder from another program, to three digits."""
SHARES = ["quality", "length", "slot", "remainder"]


@pytest.fixture(scope="module")
def comparisons() -> pl.DataFrame:
    return compare(load().judgments)


def shares_of(estimates: pl.DataFrame, judge: str) -> list[float]:
    return [
        estimates.filter(pl.col("judge") == judge, pl.col("estimand") == f"length_{name}_share")[
            "estimate"
        ].item()
        for name in SHARES
    ]


def test_shares_are_those_of_an_independent_computation_and_add_up(comparisons: pl.DataFrame) -> None:
    estimates = length_decomposition(comparisons, Settings())
    rates = longer_wins_rate(comparisons, Settings()).filter(pl.col("tier").is_null())
    for judge, expected in INDEPENDENT.items():
        shares = shares_of(estimates, judge)
        assert shares == pytest.approx(expected, abs=0.0005 + 1e-9)
        whole = rates.filter(pl.col("judge") == judge)["estimate"].item() - 0.5
        assert ((shares[0] + shares[1]) + shares[2]) + shares[3] == pytest.approx(whole, abs=1e-15)


def test_one_refit_of_the_jackknife_is_the_decomposition_without_that_task(comparisons: pl.DataFrame) -> None:
    judge = "xai/grok-4.3"
    of_judge = comparisons.filter(pl.col("judge") == judge, pl.col("probe") == "main")
    decided = of_judge.filter(pl.col("n_slot_a") + pl.col("n_slot_b") > 0)
    tasks = decided["task_id"].unique().sort().to_list()
    whole = shares_of(length_decomposition(of_judge, Settings()), judge)[1]
    without = [
        shares_of(length_decomposition(of_judge.filter(pl.col("task_id") != task), Settings()), judge)[1]
        for task in tasks
    ]
    n = len(tasks)
    std_error = np.sqrt((n - 1) / n * np.square(np.array(without) - whole).sum())
    found = length_decomposition(of_judge, Settings()).filter(pl.col("estimand") == "length_length_share")
    assert found["std_error"].item() == pytest.approx(std_error, rel=1e-6)


def test_many_tasks_are_linearised_to_nearly_the_same_interval(
    comparisons: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = [
        comparisons.with_columns(task_id=pl.col("task_id") + f"-{copy}").sample(fraction=0.9, seed=copy)
        for copy in range(8)
    ]
    many = pl.concat(copies)
    exact = length_decomposition(many, Settings())
    monkeypatch.setattr("recuse.analysis.length._MOST_REFITS", 10)
    linear = length_decomposition(many, Settings())
    assert linear["estimate"].to_list() == pytest.approx(exact["estimate"].to_list(), abs=1e-9)
    ratio = (linear["std_error"] / exact["std_error"]).to_numpy()
    assert np.abs(ratio - 1).max() < 0.05


def test_groks_delta_vanishes_at_equal_length(comparisons: pl.DataFrame) -> None:
    adjusted = self_preference_delta_length_adjusted(against_baselines(comparisons), Settings())
    found = adjusted.filter(pl.col("judge") == "xai/grok-4.3", pl.col("baseline") == "uninvolved")
    assert 100 * found["estimate"].item() == pytest.approx(0.5, abs=0.05)


def without_lengths(judgments: pl.DataFrame) -> pl.DataFrame:
    gone = [f"{unit}_{slot}" for unit in ("words", "chars", "tokens") for slot in "ab"]
    return Judgments.validate(
        judgments.with_columns(pl.lit(None, dtype=pl.Int64).alias(name) for name in gone)
    )


def test_a_study_without_lengths_says_so() -> None:
    comparisons = compare(without_lengths(load().judgments))
    for estimates in (
        length_decomposition(comparisons, Settings()),
        self_preference_delta_length_adjusted(against_baselines(comparisons), Settings()),
    ):
        assert estimates.height > 0
        assert estimates["estimate"].null_count() == estimates.height
        assert estimates["reason"].str.contains("length").any()


def test_a_disconnected_graph_says_so(comparisons: pl.DataFrame) -> None:
    apart = comparisons.with_columns(
        pl.when(pl.col("task_id").str.starts_with("obj"))
        .then(pl.col(side) + pl.lit("-old"))
        .otherwise(pl.col(side))
        .alias(side)
        for side in ("first", "second")
    )
    reasons = length_decomposition(apart, Settings())["reason"].unique().to_list()
    assert reasons == ["the comparison graph is disconnected: strengths do not compare"]


def test_a_judge_that_always_names_the_longer_answer_stays_finite(comparisons: pl.DataFrame) -> None:
    longer = pl.col("words_first") > pl.col("words_second")
    one_sided = comparisons.with_columns(
        verdict_first_in_a=pl.when(longer)
        .then(pl.lit("a"))
        .otherwise(pl.lit("b"))
        .cast(pl.Enum(["a", "b", "tie"])),
        verdict_first_in_b=pl.when(longer)
        .then(pl.lit("b"))
        .otherwise(pl.lit("a"))
        .cast(pl.Enum(["a", "b", "tie"])),
    )
    estimates = length_decomposition(one_sided, Settings())
    assert estimates["estimate"].null_count() == 0
    for judge in INDEPENDENT:
        assert sum(shares_of(estimates, judge)) == pytest.approx(0.5)


def test_one_missing_verdict_takes_no_length_from_the_other_comparisons(comparisons: pl.DataFrame) -> None:
    words_only = comparisons.with_columns(
        pl.lit(None, dtype=pl.Int64).alias("chars_first"), pl.lit(None, dtype=pl.Int64).alias("chars_second")
    )
    own = (pl.col("probe") == "main") & (pl.col("judge_is_first") | pl.col("judge_is_second"))
    gone = own & (own.cum_sum().over("judge") == 1)
    for name in ("score_first", "verdict_first_in_a"):
        words_only = words_only.with_columns(pl.when(~gone).then(name).alias(name))
    adjusted = self_preference_delta_length_adjusted(against_baselines(words_only), Settings())
    found = adjusted.filter(pl.col("baseline") == "uninvolved")
    assert found["n_dropped"].to_list() == [1, 1, 1]
    assert found["estimate"].null_count() == 0
