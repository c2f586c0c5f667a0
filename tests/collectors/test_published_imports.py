"""Every published file imports, and the figures that were published with it come out again."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import polars as pl
import pytest

from recuse.analysis.comparisons import compare
from recuse.collectors.importers.reading import Imported, read_format
from recuse.collectors.importers.registry import format_named
from recuse.collectors.sources import Source, load

DATA = Path(__file__).parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the published data are not beside the checkout")


@functools.cache
def imported(name: str, place: str) -> Imported:
    return read_format(format_named(name), DATA / place)


@functools.cache
def source(name: str, place: str) -> Source:
    return load(f"{name}:{DATA / place}")


def counts(frame: pl.DataFrame, column: str) -> dict[object, int]:
    return dict(frame.select(pl.col(column).cast(pl.String)).group_by(column).len().iter_rows())


FORMATS = {
    "llmbar": ("llmbar", "**/result.json.gz"),
    "pandalm": ("pandalm", "*.json.gz"),
    "position-bias": ("position-bias", "*.gz"),
    "swap-battle": ("swap-battle", "*/_results.json"),
    "vicuna": ("vicuna-reviews", "review/**/*.jsonl"),
}
FILES = [
    (name, file.relative_to(DATA).as_posix())
    for name, (folder, pattern) in FORMATS.items()
    for file in sorted((DATA / folder).glob(pattern))
    if file.is_file()
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "file"), FILES)
def test_every_file_is_recognised_and_read(name, file):
    if "/llmbar/" in f"/{file}" and "GPT-4" not in file:
        read = read_format(format_named(name), DATA / file)
        assert read.judgments is not None
        return
    guessed = load(str(DATA / file))
    assert guessed.judgments.height > 0
    assert guessed.set_aside.is_empty()
    assert f"is read as {name} (" in guessed.notes[0]
    assert "a guess from its fields" in guessed.notes[0]
    assert guessed.judgments["source"].unique().to_list() == [name]


def test_there_are_files():
    assert len(FILES) == 30 + 3 + 4 + 8 + 13


# LLMBar


@pytest.mark.parametrize("judge", ["ChatGPT", "ChatGPT-0301", "Falcon", "GPT-4", "LLaMA2", "PaLM2"])
def test_llmbar_statistics(judge):
    frame = pl.DataFrame(source("llmbar", "llmbar").judgments)
    first = pl.col("slot_a") == "output_1"
    picked = (
        pl.when(pl.col("verdict") == "a").then(pl.col("slot_a"))
        .when(pl.col("verdict") == "b").then(pl.col("slot_b"))
    )  # fmt: skip
    rows = frame.with_columns(picked=picked, given=first)
    gold = rows.filter(pl.col("judge") == "gold").select("task_id", gold="picked")
    own = rows.filter(pl.col("judge") == judge).join(gold, on="task_id", how="left")
    for subset in own["category"].unique():
        path = DATA / "llmbar" / subset / "evaluators" / judge / "Vanilla" / "statistics.json"
        printed = json.loads(path.read_text())
        part = own.filter(pl.col("category") == subset)
        orders = {
            swap: part.filter(pl.col("given") != swap).select("task_id", "picked", "gold")
            for swap in (False, True)
        }
        right = {swap: (one["picked"] == one["gold"]).sum() for swap, one in orders.items()}
        both = orders[False].join(orders[True], on="task_id", suffix="_swapped")
        n = both.height
        equal = both.filter(pl.col("picked").eq_missing(pl.col("picked_swapped"))).height
        right_twice = both.filter(
            (pl.col("picked") == pl.col("gold")) & (pl.col("picked_swapped") == pl.col("gold"))
        ).height
        for name, count in (
            ("correct_False", right[False]),
            ("correct_True", right[True]),
            ("correct_both", right_twice),
            ("equal", equal),
        ):
            assert printed[name].startswith(f"{count} / {n} = "), (subset, name)


def test_llmbar_gpt_4_natural():
    comparisons = compare(
        source("llmbar", "llmbar/Natural/evaluators/GPT-4/Vanilla/result.json.gz").judgments
    )
    own = comparisons.filter(pl.col("judge") != "gold")
    assert own.height == 100
    assert (own["resolution"] == "win").sum() == 95  # agreement between orders, printed as 95.0 %
    # Accuracy 95.5 % = (95 + 96) / 200, held per order by test_llmbar_statistics.


def test_llmbar_texts_say_what_is_stored():
    (note,) = (note for note in imported("llmbar", "llmbar").notes if "parsed again" in note)
    assert note.endswith("which count: agrees 5,020")


def test_llmbar_missing_winners_are_no_ties():
    assert counts(source("llmbar", "llmbar").judgments, "verdict") == {"a": 3_323, "b": 2_114, None: 10}
    assert counts(source("llmbar", "llmbar").judgments, "status") == {"ok": 5_437, "parse_failed": 10}


# PandaLM


def test_pandalm_majority():
    labels = imported("pandalm", "pandalm").labels
    assert labels is not None
    humans = labels.filter(pl.col("rater_kind") == "human")
    majority = (
        humans.group_by("case_id", "choice").len().filter(pl.col("len") > 1).group_by("choice").len()
    )  # fmt: skip
    # Where all three differ the label is not a majority: the authors took neither.
    n_without = 999 - majority["len"].sum()
    found = dict(majority.iter_rows())
    assert found["first"] == 422
    assert found["second"] == 472
    assert found["neither"] + n_without == 105


def test_pandalm_garbage_is_no_tie():
    judge = source("pandalm", "pandalm").judgments.filter(pl.col("judge") == "gpt-3.5-turbo")
    assert counts(judge, "verdict") == {"a": 460, "b": 476, "tie": 38, None: 25}
    assert counts(judge, "status") == {"ok": 974, "parse_failed": 25}
    assert (
        "25 winners were not understood and are no verdicts: 'garbage' 25"
        in imported("pandalm", "pandalm").notes
    )


def test_pandalm_judge_alone_finds_the_test_set():
    alone = source("pandalm", "pandalm/pandalm-7b-testset-v1.json.gz").judgments
    assert counts(alone, "verdict") == {"a": 433, "b": 459, "tie": 107}
    assert set(alone["judge"]) == {"pandalm-7b"}
    # Four first responses are null in the test set itself, which is another thing than an empty one.
    assert alone["words_a"].null_count() == 4
    assert (alone["words_a"] == 0).sum() == 29


# Position bias


def test_position_bias_texts_are_the_verdicts_of_the_table():
    texts = pl.DataFrame(source("position-bias", "position-bias").judgments)
    table = pl.DataFrame(source("position-bias", "position-bias/verdicts.csv.gz").judgments)
    keys = ["study", "task_id", "probe", "replicate", "judge", "slot_a", "slot_b"]
    joined = texts.join(table, on=keys, suffix="_table")
    assert texts.height == joined.height == 576
    assert joined["verdict"].eq_missing(joined["verdict_table"]).all()
    assert joined["status"].eq_missing(joined["status_table"]).all()
    assert (texts["words_a"] > 0).all()
    assert texts["raw"].null_count() == 0


# Swap battle


def test_swap_battle_consistency_under_swap():
    comparisons = compare(source("swap-battle", "swap-battle").judgments)
    found = {
        judge: sum(resolution in {"win", "tie"} for resolution in resolutions)
        for judge, resolutions in comparisons.group_by("judge").agg("resolution").iter_rows()
    }
    assert found["gpt-5"] == 41
    assert found["claude-sonnet-4-5-20250929"] == 36
    assert found["gemini-2.5-flash"] == 28
    gemini = comparisons.filter(pl.col("judge") == "gemini-2.5-flash")
    assert gemini.height == 50
    assert (gemini["resolution"] == "incomplete").sum() == 1


def test_swap_battle_totals_are_those_of_the_files():
    judgments = pl.DataFrame(source("swap-battle", "swap-battle").judgments)
    for file in sorted((DATA / "swap-battle").glob("*/_results.json")):
        head = json.loads(file.read_text())
        swapped = head.get("swap_ab") is True
        shown_first = "claude-opus-4-5-20251101" if swapped else "gpt-5.2"
        part = judgments.filter(
            (pl.col("judge") == head["judge"]["model"]) & (pl.col("slot_a") == shown_first)
        )
        winners = {
            "A": part.filter(pl.col("verdict") == ("b" if swapped else "a")).height,
            "B": part.filter(pl.col("verdict") == ("a" if swapped else "b")).height,
            "TIE": part.filter(pl.col("verdict") == "tie").height,
            "ERROR": part.filter(pl.col("status") == "error").height,
        }
        assert winners == head["totals"], file.parent.name


def test_swap_battle_self_judges_are_contestants():
    comparisons = compare(source("swap-battle", "swap-battle").judgments)
    own = comparisons.filter(pl.col("judge_is_first") | pl.col("judge_is_second"))
    assert set(own["judge"]) == {"gpt-5.2", "claude-opus-4-5-20251101"}


# Vicuna


@pytest.mark.parametrize(
    ("pair", "sums"),
    [("gpt35_vicuna-13b", (693.0, 638.0)), ("bard_vicuna-13b", (664.0, 655.5))],
)
def test_vicuna_score_sums(pair, sums):
    place = f"vicuna-reviews/review/vicuna-13b_20230322-clean-lang/review_{pair}.jsonl"
    scores = imported("vicuna", place).scores
    assert scores is not None
    assert scores.height == 80
    assert scores.select("score_a", "score_b").sum().row(0) == sums


def test_vicuna_verdicts_follow_from_the_scores():
    scores = imported("vicuna", "vicuna-reviews").scores
    judgments = imported("vicuna", "vicuna-reviews").judgments
    assert scores is not None
    assert judgments is not None
    both = scores.with_columns(verdict=judgments.frame["verdict"])
    assert (both.filter(pl.col("score_a") == pl.col("score_b"))["verdict"] == "tie").all()
    assert (both.filter(pl.col("score_a") > pl.col("score_b"))["verdict"] == "a").all()
    assert judgments.frame["words_a"].null_count() < 400


def test_vicuna_scores_below_the_first_line_are_found():
    notes = imported("vicuna", "vicuna-reviews").notes
    assert any("state scores below the first line" in note for note in notes)


# A table by a mapping


def test_llmfao_as_a_mapped_table(tmp_path):
    from recuse.cli import main

    file = tmp_path / "llmfao.csv"
    file.write_bytes((DATA / "llmfao" / "llmfao.csv").read_bytes())
    words = "--task prompt --judge worker --slot-a left --slot-b right --verdict winner --verdict-a left"
    words += " --verdict-b right --verdict-tie tie --constant judge_kind=human --labels labels.csv"
    assert main(["import", "table", str(file), *words.split()[:-1], str(tmp_path / "labels.csv")]) == 0
    judgments = load(f"table:{file}").judgments
    raw = pl.read_csv(file)
    n_aside = load(f"table:{file}").set_aside.height
    assert judgments.height + n_aside == raw.height == 8_931
    assert judgments["judge"].n_unique() == raw["worker"].n_unique() == 124
    generators = {*judgments["slot_a"].unique(), *judgments["slot_b"].unique()}
    assert len(generators) == 59
