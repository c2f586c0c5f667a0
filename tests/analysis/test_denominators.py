"""Each printed n counts what its estimate rests on: counted here from the judgments, one by one."""

import polars as pl
import pytest

from recuse.analysis.claims.parsing import parse_claim
from recuse.analysis.comparisons import compare
from recuse.analysis.multiverse.summary import specification_share
from recuse.analysis.multiverse.together import multiverses
from recuse.analysis.report import estimate_all
from recuse.analysis.settings import Settings
from recuse.collectors.sources import load

GPT = "openai/gpt-5.5"


@pytest.fixture(scope="module")
def comparisons():
    source = load()
    return compare(source.judgments, families=source.families)


@pytest.fixture(scope="module")
def estimates(comparisons):
    return estimate_all(
        comparisons, Settings(n_resamples=99), only=("longer wins", "length decomposition", "position")
    )


@pytest.mark.parametrize("estimand", ["longer_wins_rate", "length_length_share"])
def test_length_counts_comparisons_with_a_decision_on_unequal_lengths(estimates, estimand):
    judgments = load().judgments.filter(
        pl.col("judge") == GPT, pl.col("probe") == "main", pl.col("verdict").is_in(["a", "b"]),
        pl.col("words_a") != pl.col("words_b"),
    )  # fmt: skip
    pairs = {(row["task_id"], *sorted((row["slot_a"], row["slot_b"]))) for row in judgments.to_dicts()}
    (row,) = estimates.filter(
        pl.col("estimand") == estimand, pl.col("judge") == GPT, pl.col("tier").is_null()
    ).to_dicts()
    assert row["n_presentations"] == judgments.height
    assert row["n_comparisons"] == len(pairs)
    assert row["n_tasks"] == judgments["task_id"].n_unique()


def test_a_slot_rate_counts_tasks_with_a_decision(estimates):
    decided = load().judgments.filter(
        pl.col("judge") == GPT, pl.col("probe") == "main", pl.col("verdict").is_in(["a", "b"])
    )
    rows = estimates.filter(
        pl.col("estimand") == "slot_a_rate", pl.col("judge") == GPT, pl.col("probe") == "main",
        pl.col("tier").is_null(), pl.col("test") == "sign_flip_task_lean",
    )  # fmt: skip
    assert rows["n_tasks"].to_list() == [decided["task_id"].n_unique()]
    assert (rows["n_tasks"] - rows["n_dropped"]).to_list() == [4]


def test_presentations_are_not_counted_as_comparisons(comparisons):
    claim = parse_claim({"id": "own", "kind": "self_preference", "judge": GPT})
    (row,) = specification_share(multiverses([claim], comparisons)).to_dicts()
    assert row["n_comparisons"] == 30
