"""The simulated judges do what was planted, and the true values are those of the definitions."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

from recuse.analysis.comparisons import compare
from recuse.analysis.settings import Settings
from recuse.analysis.simulated_truth import true_values
from recuse.analysis.simulation import Panel, draw_tasks, simulate
from recuse.analysis.validation import _everything, _of_interest
from recuse.errors import ConfigurationError

COINS = {
    "quality": (0.0, 0.0, 0.0), "slot": 0.0, "own": 0.0, "own_by_tier": 0.0, "length": 0.0, "threshold": 0.0,
    "task_sd": 0.0, "taste_sd": 0.0, "slot_sd": 0.0, "missing": 0.0, "log_words": (0.0, 0.0, 0.0),
}  # fmt: skip


def truth(**planted: object) -> dict[str, float]:
    return true_values(Panel(**(COINS | planted)), n_tasks=10, rng=np.random.default_rng(0), n_drawn=2_000)


def test_fair_coins_have_no_preference_at_all() -> None:
    found = truth()
    assert [found[name] for name in ("slot_a_rate", "flip_rate", "own_rate", "win_rate")] == [0.5] * 4
    assert found["raw_agreement"] == pytest.approx(0.25**2 * 2 + 0.5**2)
    assert found["cohen_kappa"] == pytest.approx(0.0)
    zero = [name for name in found if name.startswith(("self_preference", "length_")) and "win" not in name]
    assert len(zero) == 8
    assert [found[name] for name in zero] == pytest.approx([0.0] * 8, abs=1e-9)


def test_a_planted_slot_has_its_closed_form() -> None:
    a = expit(0.9)
    found = truth(slot=0.9)
    assert found["slot_a_rate"] == pytest.approx(a)
    assert found["flip_rate"] == pytest.approx(a**2 + (1 - a) ** 2)
    assert found["preference_fairness"] == pytest.approx((1 - a) ** 2 - a**2)
    assert found["own_rate"] == pytest.approx(0.5)


def test_planted_self_preference_has_its_closed_form() -> None:
    found = truth(own=1.2, own_by_tier=0.8)
    own = {sign: expit(1.2 + sign * 0.4) for sign in (1, -1)}
    assert found["own_rate"] == pytest.approx(np.mean([*own.values()]))
    assert found["baseline_rate"] == pytest.approx(0.5)
    assert found["self_preference_tier_gradient"] == pytest.approx(own[1] - own[-1])
    # of three peers, the opponent gives the own answer what the opponent's own bonus leaves of it
    assert found["self_preference_inflation"] == pytest.approx((found["own_rate"] - 0.5) / 3)


def test_ties_and_agreement_have_their_closed_form() -> None:
    tie = 1 - 2 * expit(-0.5)
    win = expit(-0.5) ** 2
    found = truth(threshold=0.5)
    neither = 1 - 2 * win
    observed = 2 * win**2 + neither**2
    assert found["tie_rate"] == pytest.approx(tie)
    assert found["unstable_rate"] == pytest.approx(2 * tie * (1 - tie))
    assert found["raw_agreement"] == pytest.approx(observed)
    assert found["expected_agreement"] == pytest.approx(observed)


def test_planted_length_is_all_of_longer_wins_and_adds_up() -> None:
    found = truth(length=2.0)
    assert found["length_length_share"] == pytest.approx(found["longer_wins_rate"] - 0.5, abs=1e-3)
    shares = [found[f"length_{name}_share"] for name in ("quality", "length", "slot", "remainder")]
    assert sum(shares) == pytest.approx(found["longer_wins_rate"] - 0.5)


def test_the_judgments_hold_both_orders_of_every_pair_by_every_judge() -> None:
    judgments = simulate(
        Panel(answers=(2,)), n_data_sets=3, n_tasks=4, rng=np.random.default_rng(1), first=98
    )
    assert judgments["study"].unique().sort().to_list() == ["set-098", "set-099", "set-100"]
    assert judgments.height == 3 * 4 * 2 * 3 * 4 * 2
    assert judgments["judgment_id"].n_unique() == judgments.height
    swapped = judgments.select(
        "study", "task_id", "variant_a", "judge", slot_a="slot_b", slot_b="slot_a", words_a="words_b"
    )
    keys = swapped.columns
    assert swapped.join(judgments.select(keys), on=keys, how="anti").is_empty()
    assert judgments.group_by("study", "task_id").agg(pl.col("tier").n_unique())["tier"].max() == 1


def test_missing_verdicts_are_as_many_as_planted() -> None:
    rng = np.random.default_rng(2)
    judgments = simulate(Panel(missing=0.2), n_data_sets=1, n_tasks=500, rng=rng)
    share = (judgments["status"] == "parse_failed").mean()
    assert share == pytest.approx(0.2, abs=4 * np.sqrt(0.2 * 0.8 / judgments.height))
    assert judgments["verdict"].null_count() == round(share * judgments.height)


def test_tasks_correlate_what_is_seen_by_all_judges() -> None:
    drawn = draw_tasks(
        Panel(answers=(6,), taste_sd=0.0, slot_sd=0.0, length=0.0),
        np.ones(400, bool),
        np.random.default_rng(3),
    )
    eta = drawn.first_in_a[:, 0, 3].reshape(400, 6)
    assert eta.std(axis=1).max() < 1e-12
    assert eta.mean(axis=1).std() == pytest.approx(0.8 * np.sqrt(2), rel=0.15)


def test_the_estimators_approach_the_true_values() -> None:
    panel = Panel(answers=(1, 2))
    rng = np.random.default_rng(4)
    n_tasks = 3_000
    expected = true_values(panel, n_tasks=n_tasks, rng=rng, n_drawn=60_000)
    judgments = simulate(panel, n_data_sets=1, n_tasks=n_tasks, rng=rng)
    found = _of_interest(_everything(compare(judgments), Settings(n_resamples=199)))
    assert set(found["estimand"]) == set(expected)
    for row in found.to_dicts():
        half = (row["conf_high"] - row["conf_low"]) / 2
        assert abs(row["estimate"] - expected[row["estimand"]]) < 1.8 * half, row["estimand"]


def test_nothing_to_simulate_is_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ConfigurationError, match="at least one data set"):
        simulate(Panel(), n_data_sets=0, n_tasks=5, rng=rng)
    with pytest.raises(ConfigurationError, match="more tasks"):
        true_values(Panel(), n_tasks=50, rng=rng, n_drawn=10)
