"""`recuse calibrate` on published human labels: what their authors printed, and where they were wrong."""

import json
import re

import polars as pl
import published_labels
import pytest
from sklearn.metrics import cohen_kappa_score

from recuse.cli import main


@pytest.fixture
def calibrate(tmp_path, monkeypatch):
    """Write labels to a file, run the command on it, and give its estimates."""
    monkeypatch.chdir(tmp_path)

    def run(labels):
        labels.write_csv("labels.csv")
        assert main(["calibrate", "labels.csv", "--out", "out"]) == 0
        return pl.read_parquet("out/estimates.parquet")

    return run


def picked(estimates, estimand, **keys):
    found = estimates.filter(pl.col("estimand") == estimand)
    for name, value in keys.items():
        found = found.filter(pl.col(name).eq_missing(pl.lit(value)))
    assert found.height == 1, (estimand, keys, found.height)
    return found.row(0, named=True)


def x_of_n(row):
    return round(row["estimate"] * row["n_tasks"]), row["n_tasks"]


def test_pandalm_humans_agree_as_published(calibrate):
    estimates = calibrate(published_labels.pandalm())
    printed = {
        ("annotator1", "annotator2"): 0.85,
        ("annotator1", "annotator3"): 0.88,
        ("annotator2", "annotator3"): 0.86,
    }
    for (one, other), kappa in printed.items():
        row = picked(estimates, "human_kappa", judge=one, judge_2=other, scoring="choice", group=None)
        assert row["estimate"] == pytest.approx(kappa, abs=0.005)
        assert row["n_tasks"] == 999
    # The majority prefers the second answer in 472 of 999 pairs, the first in 422, neither in 105.
    assert x_of_n(picked(estimates, "pass_rate", judge=None, group=None)) == (472, 999)
    abstained = picked(estimates, "abstention_rate", judge="gpt-3.5-turbo", group=None)
    assert x_of_n(abstained) == (25, 999)


@pytest.mark.parametrize("judge", published_labels.LLMBAR_JUDGES)
def test_llmbar_counts_are_those_of_its_statistics(calibrate, judge):
    labels = published_labels.llmbar(judge)
    estimates = calibrate(labels)
    for subset in published_labels.SUBSETS:
        path = (
            published_labels.DATA / "llmbar" / subset / "evaluators" / judge / "Vanilla" / "statistics.json"
        )
        statistics = json.loads(path.read_text())
        n = {
            name: tuple(map(int, re.findall(r"\d+", text)[:2]))
            for name, text in statistics.items()
            if " / " in str(text)
        }
        group = f"case_type={subset.split('/')[-1]}"
        for rater, name in (
            (judge, "correct_False"),
            (f"{judge} swapped", "correct_True"),
            (f"{judge} both orders", "correct_both"),
        ):
            row = picked(estimates, "raw_agreement", judge=rater, group=group, scoring="approved")
            # A verdict that could not be read is wrong there and an abstention here.
            assert (x_of_n(row)[0], row["n_tasks"] + row["n_dropped"]) == n[name], (subset, name)
        undecided = picked(estimates, "abstention_rate", judge=f"{judge} both orders", group=group)
        abstained, n_cases = x_of_n(undecided)
        without = (
            labels.filter(
                (pl.col("case_type") == subset.split("/")[-1])
                & (pl.col("rater").is_in([judge, f"{judge} swapped"]))
                & (pl.col("probe") == "main")
            )
            .group_by("case_id")
            .agg(pl.col("choice").null_count())
        )
        # Two verdicts that could not be read are equal there and no verdict here.
        both_unread = (without["choice"] == 2).sum()
        assert (n_cases - abstained + both_unread, n_cases) == n["equal"], subset


def test_llmbar_kappa_is_ours_and_not_the_printed_one(calibrate):
    labels = published_labels.llmbar("GPT-4")
    estimates = calibrate(labels)
    row = picked(estimates, "human_kappa", judge="GPT-4", group="case_type=Natural", scoring="approved")
    natural = labels.filter((pl.col("case_type") == "Natural") & (pl.col("probe") == "main"))
    gold, judge = (
        natural.filter(pl.col("rater") == name).sort("case_id")["choice"].to_list()
        for name in ("gold", "GPT-4")
    )
    assert row["estimate"] == pytest.approx(cohen_kappa_score(gold, judge))
    assert round(row["estimate"], 3) == 0.898
    path = published_labels.DATA / "llmbar/Natural/evaluators/GPT-4/Vanilla/statistics.json"
    printed = json.loads(path.read_text())["kappa_False"]
    assert round(printed, 3) == 0.268
    assert abs(printed - row["estimate"]) > 0.5
    raw = picked(estimates, "raw_agreement", judge="GPT-4", group="case_type=Natural", scoring="approved")
    swapped = picked(
        estimates, "raw_agreement", judge="GPT-4 swapped", group="case_type=Natural", scoring="approved"
    )
    assert (raw["estimate"] + swapped["estimate"]) / 2 == pytest.approx(0.955)


def test_llmbar_swapped_order_is_a_probe(calibrate):
    estimates = calibrate(published_labels.llmbar("GPT-4").filter(pl.col("case_type") == "Natural"))
    row = picked(estimates, "position_consistency", judge="GPT-4", probe="swap", group=None)
    assert x_of_n(row) == (95, 100)


def test_swap_battle_judges_agree_with_its_human_as_printed(calibrate):
    estimates = calibrate(published_labels.swap_battle())
    printed = json.loads((published_labels.DATA / "swap-battle/human_baseline/comparison.json").read_text())[
        "by_judge"
    ]
    consistent = {"GPT-5": (41, 50), "Claude-Sonnet": (36, 50), "Gemini-Flash": (28, 49)}
    for judge, counts in printed.items():
        row = picked(estimates, "raw_agreement", judge=judge, group=None, scoring="choice")
        assert x_of_n(row) == (counts["agreed"], counts["total"])
        swapped = picked(estimates, "position_consistency", judge=judge, probe="swap", group=None)
        assert x_of_n(swapped) == consistent[judge]
    between = picked(estimates, "human_kappa", judge=None, baseline="between_humans")
    assert between["reason"] == "no two humans labelled one case: how far humans agree is not known"
