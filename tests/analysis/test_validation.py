"""The default intervals hold what was planted, and no test rejects too often: the smaller measurement.

The whole of it is docs/validation.md, made by ``recuse validate``.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from recuse.analysis.comparisons import compare
from recuse.analysis.model_validation import gap_coverage, joint_recovery
from recuse.analysis.position_gap import position_gap
from recuse.analysis.settings import Settings
from recuse.analysis.simulated_truth import true_gap_slope
from recuse.analysis.simulation import simulate
from recuse.analysis.validation import NULLS, SHAPES, coverage, type_one_error

MEANS = ("self_preference_delta", "self_preference_tier_gradient", "cohen_kappa")
RATES = (
    "own_rate", "baseline_rate", "win_rate", "slot_a_rate", "tie_rate", "flip_rate", "flip_rate_decided",
    "unstable_rate", "position_consistency", "longer_wins_rate", "length_controlled_win_rate",
    "length_quality_share", "length_length_share", "length_slot_share", "length_remainder_share",
)  # fmt: skip


@pytest.fixture(scope="module", params=[("balanced", 300), ("unbalanced", 220)], ids=lambda p: p[0])
def covered(request: pytest.FixtureRequest) -> pl.DataFrame:
    shape, n = request.param
    return coverage(shape, 15, n_data_sets=n, seed=20_260, n_resamples=999, n_drawn=50_000)


@pytest.mark.slow
def test_intervals_hold_the_true_value_as_often_as_they_say(covered: pl.DataFrame) -> None:
    found = dict(covered.select("estimand", "rate").rows())
    assert covered["without_interval"].max() == 0
    assert {name: found[name] for name in MEANS if not 0.92 <= found[name] <= 0.98} == {}
    assert {name: found[name] for name in RATES if found[name] < 0.90} == {}


@pytest.mark.slow
def test_estimates_are_centred_on_what_was_planted(covered: pl.DataFrame) -> None:
    """Within four Monte Carlo errors, or an eighth of the interval for what a penalty shrinks."""
    error = pl.col("mean_length") / 4 / pl.col("n_data_sets").sqrt()
    off = covered.filter(pl.col("bias").abs() > pl.max_horizontal(4 * error, pl.col("mean_length") / 16))
    assert off.is_empty(), off


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(NULLS)))
def test_no_test_rejects_its_own_null_too_often(place: int) -> None:
    null = NULLS[place]
    n = 1_000 if len(null.tests) > 1 else 150 if null.shapes == ("balanced",) else 300
    found = type_one_error(null, "balanced", 15, n_data_sets=n, seed=20_260, n_resamples=999)
    assert [(row["estimand"], row["method"]) for row in found.to_dicts()] == list(null.tests)
    assert found.filter(pl.col("rate") > 0.065).is_empty(), found


@pytest.mark.slow
def test_the_joint_model_gives_back_the_logits_that_were_planted() -> None:
    found = joint_recovery(15, n_data_sets=60, seed=20_260)
    terms = ["joint_own of one judge", "joint_slot", "joint_length", "joint_own"]
    assert found["estimand"].to_list() == ["bt_strength", *terms]
    assert found["rate"].min() >= 0.9
    off = pl.col("bias").abs() > pl.max_horizontal(pl.col("mean_length") / 10, 0.1 * pl.col("true"))
    assert found.filter(off).is_empty(), found


@pytest.mark.slow
def test_the_slope_of_flips_tends_to_its_true_value_and_its_interval_holds_it() -> None:
    panel = SHAPES["balanced"]
    comparisons = compare(simulate(panel, n_data_sets=1, n_tasks=4_000, rng=np.random.default_rng(4)))
    row = position_gap(comparisons, Settings(n_resamples=99)).filter(estimand="flip_gap_slope", judge="aspen")
    true = true_gap_slope(panel, rng=np.random.default_rng(5), n_drawn=40_000)
    assert abs(row["estimate"].item() - true) < 3 * row["std_error"].item()
    assert row["std_error"].item() < 0.1
    found = gap_coverage("balanced", 15, n_data_sets=60, seed=20_260, n_drawn=20_000)
    assert found["rate"].item() >= 0.88
