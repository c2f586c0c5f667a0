"""Every number that the three-judges experiment and its pilot printed, under the article's convention."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from recuse.analysis.comparisons import compare
from recuse.analysis.report import estimate_all
from recuse.analysis.settings import Settings
from recuse.collectors.sources import load

GOLDEN = Path(__file__).parent.parent / "golden"
PRINTED = json.loads((GOLDEN / "three-judges.json").read_text())
PILOT = json.loads((GOLDEN / "three-judges-pilot.json").read_text())
SEEDED = 2.5


def estimates_of(study: str, convention: str) -> pl.DataFrame:
    source = load(study)
    comparisons = compare(source.judgments, families=source.families)
    return estimate_all(comparisons, Settings(convention=convention), tiers=source.tiers)


@pytest.fixture(scope="module")
def article(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    out = tmp_path_factory.mktemp("article")
    words = ["report", "--convention", "article", "--out", str(out)]
    subprocess.run([sys.executable, "-m", "recuse", *words], check=True, capture_output=True)
    return pl.read_csv(out / "estimates.csv", infer_schema_length=None)


@pytest.fixture(scope="module")
def default() -> pl.DataFrame:
    return estimates_of("three-judges", "default")


@pytest.fixture(scope="module")
def pilot() -> pl.DataFrame:
    return estimates_of("pilot", "article")


def row(estimates: pl.DataFrame, estimand: str, **keys: str | None) -> dict:
    wanted = {
        "judge": None,
        "tier": None,
        "baseline": None,
        "group": None,
        "generator": None,
        "judge_2": None,
    } | keys
    found = estimates.filter(
        pl.col("estimand") == estimand,
        *(
            pl.col(name).is_null() if value is None else pl.col(name) == value
            for name, value in wanted.items()
        ),
    )
    assert found.height, (estimand, keys)
    return found.row(0, named=True)


def percent(estimates: pl.DataFrame, estimand: str, **keys: str | None) -> float:
    return 100 * row(estimates, estimand, **keys)["estimate"]


def printed(value: float, digits: int) -> object:
    return pytest.approx(value, abs=0.5 * 10**-digits + 1e-9)


def test_win_rates_by_judge_and_mean_words(article: pl.DataFrame) -> None:
    for generator, numbers in PRINTED["win_rate"].items():
        assert percent(article, "win_rate", generator=generator) == printed(numbers["overall"], 1)
        words = row(article, "mean_words", generator=generator)["estimate"]
        assert words == printed(numbers["mean_words"], 0)
        for judge in PRINTED["win_rate"]:
            rate = percent(article, "win_rate", generator=generator, judge=judge)
            assert rate == printed(numbers[judge], 1), (generator, judge)


@pytest.mark.parametrize("judge", sorted(PRINTED["self_preference"]))
def test_self_preference(article: pl.DataFrame, judge: str) -> None:
    numbers = PRINTED["self_preference"][judge]
    assert percent(article, "own_rate", judge=judge, baseline="all_peers") == printed(numbers["own"], 1)
    peers = percent(article, "baseline_rate", judge=judge, baseline="all_peers")
    assert peers == printed(numbers["all_peers"], 1)
    for baseline, value, bounds in (
        ("all_peers", "delta", "ci"),
        ("uninvolved", "uninvolved_delta", "uninvolved_ci"),
    ):
        found = row(article, "self_preference_delta", judge=judge, baseline=baseline)
        assert 100 * found["estimate"] == printed(numbers[value], 1)
        assert found["interval"] == "rows_percentile"
        assert 100 * found["conf_low"] == pytest.approx(numbers[bounds][0], abs=SEEDED)
        assert 100 * found["conf_high"] == pytest.approx(numbers[bounds][1], abs=SEEDED)
        assert found["n_comparisons"] == 30
    for tier, delta in numbers["tier_delta_all_peers"].items():
        found = percent(article, "self_preference_delta", judge=judge, baseline="all_peers", tier=tier)
        assert found == printed(delta, 1)


def check_position(estimates: pl.DataFrame, numbers: dict, digits: int, judge: str, tier: str | None) -> None:
    slot_a = row(estimates, "slot_a_rate", judge=judge, tier=tier, probe="main")
    hits, decided = numbers["slot_a"]
    assert slot_a["n_presentations"] == decided
    assert round(slot_a["estimate"] * decided, 9) == hits
    assert slot_a["test"] == "binomial_pooled"
    if "binomial_p" in numbers:
        text = str(numbers["binomial_p"])
        assert slot_a["p_value"] == printed(numbers["binomial_p"], max(2, len(text.split(".")[1])))
    else:
        assert slot_a["p_value"] < numbers["binomial_p_below"]
    flip = row(estimates, "flip_rate", judge=judge, tier=tier, probe="main")
    flips, complete = numbers["flips"]
    assert (round(flip["estimate"] * complete, 9), flip["n_comparisons"]) == (flips, complete)
    assert 100 * flip["estimate"] == printed(numbers["flip_rate"], digits)


@pytest.mark.parametrize("judge", sorted(PRINTED["position"]))
def test_position(article: pl.DataFrame, judge: str) -> None:
    numbers = PRINTED["position"][judge]
    check_position(article, numbers, 1, judge, None)
    assert row(article, "slot_a_rate", judge=judge, probe="main")["n_dropped"] == numbers["ties"]
    unstable = row(article, "unstable_rate", judge=judge, probe="main")
    assert round(unstable["estimate"] * unstable["n_comparisons"], 9) == numbers["unstable"]


def test_position_by_tier(article: pl.DataFrame) -> None:
    for judge, tiers in PRINTED["position_by_tier"].items():
        for tier, numbers in tiers.items():
            check_position(article, numbers, 0, judge, tier)


def test_longer_wins(article: pl.DataFrame) -> None:
    for judge, numbers in PRINTED["longer_wins"].items():
        found = row(article, "longer_wins_rate", judge=judge)
        wins, n = numbers["k_n"]
        assert (round(found["estimate"] * n, 9), found["n_presentations"]) == (wins, n)


def test_length_probe(article: pl.DataFrame) -> None:
    probe = PRINTED["length_probe"]
    for judge in PRINTED["position"]:
        numbers = probe[judge]
        assert percent(article, "long_wins_score", judge=judge) == printed(numbers["long_wins"], 1)
        assert percent(article, "flip_rate", judge=judge, probe="length") == printed(numbers["flip_rate"], 1)
        for rewards in ("elaboration", "concision"):
            score = percent(article, "long_wins_score", judge=judge, group=f"rewards={rewards}")
            assert score == printed(numbers[rewards], 1)
    for rewards, numbers in probe["pooled"].items():
        pooled = row(article, "long_wins_score", group=f"rewards={rewards}")
        assert pooled["n_comparisons"] == numbers["n"]
        assert 100 * pooled["estimate"] == printed(numbers["rate"], 1)
    for task, score in probe["by_task"].items():
        assert percent(article, "long_wins_score", group=f"task={task}") == printed(score, 1)


def test_length_probe_mean_words() -> None:
    judgments = load("three-judges").judgments.filter(pl.col("probe") == "length")
    sides = pl.concat(
        judgments.select("task_id", generator=f"slot_{s}", variant=f"variant_{s}", words=f"words_{s}")
        for s in "ab"
    ).unique()
    means = dict(sides.group_by("variant").agg(pl.col("words").mean()).rows())
    printed_words = PRINTED["length_probe"]["mean_words"]
    assert {variant: round(mean) for variant, mean in means.items()} == printed_words


def test_kappa(article: pl.DataFrame) -> None:
    for pair, tiers in PRINTED["kappa"].items():
        judge, judge_2 = pair.split("|")
        for tier, kappa in tiers.items():
            found = row(article, "cohen_kappa", judge=judge, judge_2=judge_2, tier=tier)
            assert found["estimate"] == printed(kappa, 2)


def test_counts() -> None:
    judgments = load("three-judges").judgments
    counts = PRINTED["n"]
    assert judgments.filter(pl.col("probe") == "main").height == counts["judgments"]
    assert judgments.filter(pl.col("probe") == "length").height == counts["length_probe_judgments"]
    assert judgments["verdict"].null_count() == counts["parse_failed"]
    per_judge = compare(judgments).filter(pl.col("probe") == "main").group_by("judge").len()
    assert set(per_judge["len"]) == {counts["comparisons_per_judge"]}


def test_pilot(pilot: pl.DataFrame, article: pl.DataFrame) -> None:
    for judge, delta in PILOT["self_preference_delta_all_peers"].items():
        found = percent(pilot, "self_preference_delta", judge=judge, baseline="all_peers")
        assert found == printed(delta, 1)
    for judge, scores in PILOT["length_probe"].items():
        for rewards, score in scores.items():
            assert percent(pilot, "long_wins_score", judge=judge, group=f"rewards={rewards}") == printed(
                score, 1
            )
    for judge, numbers in PILOT["longer_wins"].items():
        found = row(pilot, "longer_wins_rate", judge=judge)
        assert found["n_presentations"] == numbers["n"]
        assert 100 * found["estimate"] == printed(numbers["rate"], 1)
    both = [row(frame, "long_wins_score", group="rewards=elaboration") for frame in (pilot, article)]
    wins = sum(round(one["estimate"] * one["n_comparisons"]) for one in both)
    assert [wins, sum(one["n_comparisons"] for one in both)] == PILOT["elaboration_pooled_with_three_judges"]
    summarize = percent(pilot, "long_wins_score", group="task=len-summarize")
    assert summarize == printed(PILOT["length_probe_summarize_long_wins"], 1)


def test_default_convention_says_who_survives(default: pl.DataFrame) -> None:
    expected = {
        "openai/gpt-5.5": (21.7, True),
        "anthropic/claude-sonnet-4-6": (15.0, False),
        "xai/grok-4.3": (13.3, False),
    }
    for judge, (delta, excludes_zero) in expected.items():
        found = row(default, "self_preference_delta", judge=judge, baseline="uninvolved")
        assert 100 * found["estimate"] == printed(delta, 1)
        assert (found["conf_low"] > 0) is excludes_zero
        assert found["interval"] == "bootstrap_t"
    objective = {
        baseline: percent(
            default, "self_preference_delta", judge="openai/gpt-5.5", baseline=baseline, tier="objective"
        )
        for baseline in ("uninvolved", "all_peers")
    }
    assert objective == {"uninvolved": pytest.approx(20), "all_peers": pytest.approx(17.5)}


def test_default_convention_on_groks_reversals(default: pl.DataFrame) -> None:
    grok = default.filter(
        pl.col("judge") == "xai/grok-4.3", pl.col("probe") == "main", pl.col("tier").is_null()
    )
    tests = grok.filter(pl.col("estimand") == "slot_a_rate")
    assert tests["test"].to_list() == ["sign_flip_task_lean", "sign_test_reversals", "binomial_pooled"]
    assert tests["p_value"][0] == 2.0**-8
    assert tests["n_tasks"][0] - tests["n_dropped"][0] == 9
    assert tests["p_value"][1] == pytest.approx(2.0**-15)
    share = grok.filter(pl.col("estimand") == "reversal_a_share")
    assert (share["estimate"][0], share["n_comparisons"][0]) == (1.0, 16)
    mde = [
        row(default, "self_preference_delta", judge=judge, baseline="uninvolved")["mde"]
        for judge in ("openai/gpt-5.5", "anthropic/claude-sonnet-4-6", "xai/grok-4.3")
    ]
    assert [round(100 * value) for value in mde] == [21, 26, 33]


def test_inflations_average_to_half_the_mean_uninvolved_delta(default: pl.DataFrame) -> None:
    inflation = default.filter(estimand="self_preference_inflation", baseline="uninvolved")["estimate"].mean()
    deltas = [
        row(default, "self_preference_delta", judge=judge, baseline="uninvolved")["estimate"]
        for judge in PRINTED["self_preference"]
    ]
    assert inflation == pytest.approx(sum(deltas) / 6)


def test_a_delta_without_an_interval_says_why(default: pl.DataFrame) -> None:
    """Grok's five objective tasks all have a difference of 0 against the one uninvolved judge."""
    found = row(
        default, "self_preference_delta", judge="xai/grok-4.3", baseline="uninvolved", tier="objective"
    )
    assert (found["estimate"], found["conf_low"]) == (0.0, None)
    assert "no spread between tasks" in found["reason"]
    assert "one baseline judge" in found["reason"]
