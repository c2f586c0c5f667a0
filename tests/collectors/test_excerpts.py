"""Files that other programs wrote, and records as they were published, are read as they are meant."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from recuse.collectors.importers.reading import Imported, read_format
from recuse.collectors.importers.registry import format_named
from recuse.collectors.sources import load
from recuse.errors import SourceError

EXCERPTS = Path(__file__).parent / "excerpts"
SHOWN = ("task_id", "slot_a", "slot_b", "verdict", "status")


def read(name: str, path: Path) -> Imported:
    return read_format(format_named(name), path)


def rows(name: str, path: Path, columns: tuple[str, ...] = SHOWN) -> list[tuple[object, ...]]:
    """Load through the border; the format is recognised without being named."""
    guessed = load(str(path))
    assert f"is read as {name} (" in guessed.notes[0]
    return pl.DataFrame(guessed.judgments).select(columns).rows()


# FastChat


def test_fastchat_pairs():
    one, two = "model-one", "model-two"
    assert rows("mtbench", EXCERPTS / "scripted_pair.jsonl") == [
        ("81", one, two, "a", "ok"),  # [[A]]
        ("81", two, one, "b", "ok"),  # [[B]]
        ("82", one, two, "b", "ok"),  # [[B]]
        ("82", two, one, "b", "ok"),  # [[B]]
        ("83", one, two, "tie", "ok"),  # [[C]]
        ("83", two, one, "tie", "ok"),  # [[C]]
        ("84", one, two, None, "error"),  # $ERROR$
        ("84", two, one, "a", "ok"),  # [[A]]
        ("85", one, two, None, "parse_failed"),  # no verdict
        ("85", two, one, "a", "ok"),  # "[[A]] or [[B]]", which FastChat takes for A
    ]
    notes = read("mtbench", EXCERPTS / "scripted_pair.jsonl").notes
    assert (
        "10 texts parsed again beside the stored verdicts, which count: agrees 9; states two verdicts 1"
        in notes
    )


def test_fastchat_ratings(tmp_path):
    """A rating that is not found is written as -1, and no rating loses against it."""
    path = EXCERPTS / "scripted_single.jsonl"
    assert [row[0:1] + row[3:] for row in rows("mtbench", path)] == [
        ("81", "b", "ok"),  # 8 and 9.5
        ("82", None, "parse_failed"),  # 7 and none
        ("83", "tie", "ok"),  # 3 and 3
    ]
    alone = tmp_path / "one_single.jsonl"
    alone.write_text("".join(line + "\n" for line in path.read_text().splitlines() if "model-one" in line))
    with pytest.raises(
        SourceError, match="the ratings of two answers to one question, and it rates those of model-one"
    ):
        read("mtbench", alone)


def test_pairs_that_fastchat_made_of_single_ratings_were_not_shown_in_two_orders(tmp_path):
    """A judge of single answers gives both games of a pair the one winner of its two ratings."""
    line = (EXCERPTS / "scripted_pair.jsonl").read_text().splitlines()[0]
    rated = json.loads(line) | {"g1_winner": "model_2", "g2_winner": "model_2", "m1_score": 7, "m2_score": 9}
    unread = rated | {"question_id": 82, "m1_score": -1}
    path = tmp_path / "rated_pair.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in (rated, unread)))
    assert rows("mtbench", path) == [
        ("81", "model-one", "model-two", "b", "ok"),
        ("82", "model-one", "model-two", None, "parse_failed"),
    ]


# inspect_ai


def graded(imported: Imported) -> list[tuple[object, ...]]:
    assert imported.labels is not None
    return imported.labels.select("rater", "approved", "choice").rows()


def test_inspect_grades_name_the_grader_and_not_its_arguments():
    imported = read("inspect", EXCERPTS / "inspect-graded.json")
    assert graded(imported) == [
        ("mockllm/model", True, "C"),
        ("mockllm/model", False, "I"),
        ("mockllm/model", False, "P"),
        ("mockllm/model", None, None),  # its text has no grade, and the log has NaN
        ("mockllm/model", True, "C"),
        ("mockllm/model", False, "I"),
    ]
    assert "scores that no model gave are left out: match" in imported.notes
    roles = graded(read("inspect", EXCERPTS / "inspect-roles.json"))
    assert [row[:2] for row in roles] == [("mockllm/strict", verdict) for verdict in (True, False, True)]


def test_inspect_grades_of_several_graders_name_them_all(tmp_path):
    log = json.loads((EXCERPTS / "inspect-graded.json").read_text())
    log["results"]["scores"][0]["params"]["model"] = [
        "a/x",
        {"model": "b/y", "model_args": {"api_key": "secret"}},
    ]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    imported = read("inspect", path)
    assert {row[0] for row in graded(imported)} == {"a/x, b/y"}


def test_inspect_pairs_and_their_log_as_eval(tmp_path):
    expected = [
        ("q0", "m1", "m2", "a", "ok"),
        ("q1", "m1", "m2", "b", "ok"),
        ("q2", "m1", "m2", None, "parse_failed"),
        ("q3", "m1", "m2", "b", "ok"),
    ]
    path = EXCERPTS / "inspect-pairs.json"
    assert rows("inspect", path) == expected
    logs = pytest.importorskip("inspect_ai.log", reason="inspect_ai is not installed")
    logs.write_eval_log(logs.read_eval_log(str(path)), str(tmp_path / "log.eval"))
    assert rows("inspect", tmp_path / "log.eval") == expected


def test_inspect_logs_of_failed_runs_say_so(tmp_path):
    log = json.loads((EXCERPTS / "inspect-pairs.json").read_text()) | {"status": "error"}
    path = tmp_path / "log.json"
    for sample in log["samples"][1:]:
        sample |= {"scores": {}, "error": {"message": "no connection", "traceback": ""}}
    path.write_text(json.dumps(log))
    assert "3 samples have no score and no grade, 3 of them after an error" in read("inspect", path).notes
    log["samples"][0]["scores"] = {}
    path.write_text(json.dumps(log))
    with pytest.raises(SourceError, match=r"none of its 4 samples has a score \(status of the log: error\)"):
        read("inspect", path)


# promptfoo


def test_promptfoo_select_best_and_rubrics():
    """The grader saw the outputs in the order in which they were done, which is no order of slots."""
    path = EXCERPTS / "promptfoo.json"
    one, two = "first-model", "second-model"
    shown = rows("promptfoo", path, ("judge", "slot_a", "slot_b", "verdict", "status", "replicate"))
    assert shown == [
        ("file://grader.js", one, two, "a", "ok", 0),
        ("file://grader.js", one, two, "a", "ok", 1),
        ("file://badgrader.js", one, two, None, "error", 0),
        ("file://badgrader.js", one, two, None, "error", 1),
    ]
    imported = read("promptfoo", path)
    assert "2 results whose provider failed have nothing to grade" in imported.notes
    assert "2 tests did not choose among two outputs: left out, for that is no pair" in imported.notes
    # Not one of its six texts could be read, which is no disapproval.
    assert imported.labels is not None
    assert imported.labels["approved"].to_list() == [None] * 6


# AlpacaEval: numbers of the second record of NullModel/weighted_alpaca_eval_gpt4_turbo/annotations.json
# and of the first of gpt4/alpaca_eval_cot_gpt4_turbo_fn/annotations.json (tatsu-lab/alpaca_eval, results/,
# at 3a7b5daed068 and a023f53f41de); the texts are ours.

PAIR = {
    "instruction": "How?", "output_1": "So.", "generator_1": "one", "output_2": "Thus it is.",
    "generator_2": "two", "annotator": "weighted", "preference": 1.4593660117,
}  # fmt: skip
CHANCES = [{"token": "M", "logprob": -0.6152821}, {"token": "m", "logprob": -0.7781773}]


@pytest.mark.parametrize("drawn", ["M", "m"])
def test_alpaca_order_follows_from_probabilities_and_not_from_the_token_that_was_drawn(tmp_path, drawn):
    completion = {"text": drawn, "logprobs": {"content": [{"token": drawn, "top_logprobs": CHANCES}]}}
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps([PAIR | {"raw_completion": completion}]))
    # m has .459 of the probability and output_2 .459 of the preference: m, shown first, is output_2.
    assert rows("alpaca", path, ("slot_a", "slot_b", "verdict")) == [("two", "one", "b")]


def test_alpaca_order_is_unknown_where_probabilities_do_not_tell_it(tmp_path):
    even = [{"token": token, "logprob": -0.7} for token in "mM"]
    records = [
        PAIR | {"preference": preference, "raw_completion": {"text": "M", "logprobs": {"content": [content]}}}
        for preference, content in ((1.5, {"top_logprobs": even}), (1.2, {"top_logprobs": CHANCES}))
    ]
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps(records))
    assert any("it is unknown in 2" in note for note in read("alpaca", path).notes)


def test_alpaca_order_is_read_where_it_is_written_down(tmp_path):
    said = {"ordered_models": [{"model": "m", "rank": 1}, {"model": "M", "rank": 2}]}
    referenced = {"m": "output_2", "M": "output_1"}
    record = PAIR | {"preference": 2.0, "raw_completion": said, "referenced_models": referenced}
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps([record]))
    assert rows("alpaca", path, ("slot_a", "slot_b", "verdict")) == [("two", "one", "a")]


# Battles that are no votes: lines of data/arena_hard_battles.jsonl (lmarena/arena-hard-auto at 57a9881c845f).


def test_battles_without_anything_of_a_visitor_are_read_with_a_warning(tmp_path):
    names = {"model_a": "claude-3-haiku-20240307", "model_b": "claude-3-5-sonnet-20240620"}
    records = [
        {"question_id": 0, **names, "winner": "model_b"},
        {"question_id": 20, **names, "winner": "tie"},
    ]
    path = tmp_path / "arena_hard_battles.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    notes = load(str(path)).notes
    assert any(note.startswith("2 battles have neither judge, time, turn nor answers") for note in notes)


# JudgeBench: labels and decisions of the first records of outputs/…response_model=claude-3-5-sonnet-20240620,
# judge_name=arena_hard,judge_model=claude-3-haiku-20240307.jsonl and …response_model=gpt-4o-2024-05-13,
# judge_name=reward_model,judge_model=internlm_internlm2-7b-reward.jsonl (ScalerLab/JudgeBench at
# 12a499c5c29f); the texts are ours.


def test_judgebench_decisions_of_a_judge_and_of_a_reward_model(tmp_path):
    common = {
        "source": "mmlu-pro-health",
        "question": "?",
        "response_A": "F.",
        "response_B": "C.",
        "label": "A>B",
    }
    judge = {"judge_model": "claude-3-haiku-20240307", "prompt": "?"}
    said = [("My final verdict is: [[B>>A]]", "B>A"), ("My final verdict is: [[A=B]]", "A=B")]
    reward = {"judge_model": "internlm/internlm2-7b-reward", "prompt": "", "response": ""}
    scored = [
        {"judgment": reward | {"scores": [1.8837890625, 1.2587890625]}, "decision": "A>B"},
        {"judgment": reward | {"scores": [1.2587890625, 1.8837890625]}, "decision": "B>A"},
    ]
    records = [
        common | {
            "pair_id": "b5ce1305", "response_model": "claude-3-5-sonnet-20240620", "judge_name": "arena_hard",
            "judgments": [{"judgment": judge | {"response": text}, "decision": word} for text, word in said],
        },
        common | {
            "pair_id": "e302b0a0", "response_model": "gpt-4o-2024-05-13", "judge_name": "reward_model",
            "judgments": scored,
        },
    ]  # fmt: skip
    path = tmp_path / "dataset=judgebench,judge_model=x.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert rows("judgebench", path, ("task_id", "judge", "variant_a", "variant_b", "verdict")) == [
        ("b5ce1305", "claude-3-haiku-20240307", "response_A", "response_B", "b"),
        ("b5ce1305", "claude-3-haiku-20240307", "response_B", "response_A", "tie"),
        ("b5ce1305", "gold", "response_A", "response_B", "a"),
        ("e302b0a0", "internlm/internlm2-7b-reward", "response_A", "response_B", "a"),
        ("e302b0a0", "internlm/internlm2-7b-reward", "response_B", "response_A", "b"),
        ("e302b0a0", "gold", "response_A", "response_B", "a"),
    ]
