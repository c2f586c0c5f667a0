"""Formats without a published file at hand: small records of our own in the layout that was looked up.

The layouts are those of FastChat's ``llm_judge/common.py`` (MT-Bench), the fields of the arena data sets, an
``annotations.json`` of AlpacaEval, ``gen_judgment.py`` of Arena-Hard, ``run_judge.py`` and an output of
JudgeBench, and logs and results as inspect_ai and promptfoo write them. Texts and numbers are invented.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pytest

from recuse.analysis.comparisons import compare
from recuse.analysis.position import position
from recuse.analysis.settings import Settings
from recuse.cli import main
from recuse.collectors.importers.reading import read_format
from recuse.collectors.importers.registry import format_named
from recuse.collectors.sources import load

SHOWN = ("task_id", "judge", "slot_a", "slot_b", "verdict", "status")


def write(path: Path, records: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.name.endswith(".jsonl"):
        text = "".join(json.dumps(record) + "\n" for record in records)
    else:
        text = json.dumps(records)
    path.write_text(text, encoding="utf-8")
    return path


def read(name: str, path: Path):
    return read_format(format_named(name), path)


def rows(name: str, path: Path, columns=SHOWN):
    """Load through the border; the format is recognised without being named."""
    named, guessed = load(f"{name}:{path}"), load(str(path))
    assert f"is read as {name} (" in guessed.notes[0]
    assert guessed.judgments.equals(named.judgments)
    return pl.DataFrame(named.judgments).select(columns).rows()


# MT-Bench

PAIR = {
    "question_id": 81,
    "model_1": "alpaca-13b",
    "model_2": "gpt-4",
    "g1_winner": "model_2",
    "g2_winner": "model_1",
    "judge": ["gpt-4", "pair-v2"],
    "g1_user_prompt": "…",
    "g1_judgment": "Assistant B is better. [[B]]",
    "g2_user_prompt": "…",
    "g2_judgment": "Assistant B is better. [[B]]",
    "turn": 1,
    "tstamp": 1687222719.5,
}


def test_mtbench_pairs_are_put_back_into_their_slots(tmp_path):
    failed = PAIR | {
        "question_id": 82,
        "turn": 2,
        "g1_winner": "error",
        "g1_judgment": "Both. [[A]] or [[B]]",
    }
    failed |= {"g2_winner": "tie", "g2_judgment": "$ERROR$"}
    path = write(tmp_path / "gpt-4_pair.jsonl", [PAIR, failed])
    assert rows("mtbench", path) == [
        ("81", "gpt-4", "alpaca-13b", "gpt-4", "b", "ok"),
        ("81", "gpt-4", "gpt-4", "alpaca-13b", "b", "ok"),
        ("82", "gpt-4", "alpaca-13b", "gpt-4", None, "parse_failed"),
        ("82", "gpt-4", "gpt-4", "alpaca-13b", None, "error"),
    ]
    judgments = load(f"mtbench:{path}").judgments
    assert judgments["variant_a"].to_list() == ["turn-1", "turn-1", "turn-2", "turn-2"]
    assert set(judgments["rubric_version"]) == {"pair-v2"}
    assert compare(judgments)["resolution"].to_list()[0] == "flip"


def test_mtbench_texts_that_say_something_else_are_reported(tmp_path):
    path = write(tmp_path / "gpt-4_pair.jsonl", [PAIR | {"g1_judgment": "[[A]]"}])
    (note,) = (note for note in read("mtbench", path).notes if "parsed again" in note)
    assert "agrees 1" in note
    assert "states another 1" in note
    assert "b stored, a in the text" in note


def test_mtbench_lengths_come_from_the_answers_beside(tmp_path):
    for model, text in (("alpaca-13b", "one two"), ("gpt-4", "one two three")):
        answer = {"question_id": 81, "answer_id": "x", "model_id": model, "tstamp": 0.0}
        answer["choices"] = [{"index": 0, "turns": [text, "second turn, which is longer"]}]
        write(tmp_path / "model_answer" / f"{model}.jsonl", [answer])
    path = write(tmp_path / "model_judgment" / "gpt-4_pair.jsonl", [PAIR])
    assert rows("mtbench", path, ["words_a", "words_b", "chars_a"]) == [(2, 3, 7), (3, 2, 13)]


def test_mtbench_single_ratings_become_pairs_without_slots(tmp_path):
    base = {
        "question_id": 81,
        "judge": ["gpt-4", "single-v1"],
        "user_prompt": "",
        "judgment": "",
        "turn": 1,
        "tstamp": 0,
    }
    ratings = [
        base | {"model": model, "score": score} for model, score in (("a", 9), ("b", 9), ("c", 7), ("d", -1))
    ]
    path = write(tmp_path / "gpt-4_single.jsonl", [*ratings, ratings[0] | {"score": 2}])
    assert rows("mtbench", path, ["slot_a", "slot_b", "verdict"]) == [
        ("a", "b", "tie"),
        ("a", "c", "a"),
        ("a", "d", None),
        ("b", "c", "a"),
        ("b", "d", None),
        ("c", "d", None),
    ]
    imported = read("mtbench", path)
    assert any("1 rating repeats one" in note for note in imported.notes)
    assert imported.scores.row(1, named=True)["score_b"] == 7.0
    rates = position(compare(load(f"mtbench:{path}").judgments), Settings())
    assert rates.filter(pl.col("estimand") == "flip_rate")["estimate"].null_count() > 0


def test_mtbench_votes_are_human_and_consolidated_ones_have_no_order(tmp_path):
    vote = {
        "question_id": 81,
        "model_a": "x",
        "model_b": "y",
        "winner": "model_a",
        "judge": "expert_3",
        "turn": 1,
    }
    vote["conversation_a"] = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "two words"}]
    vote["conversation_b"] = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "one"}]
    inconsistent = vote | {"judge": "gpt4_pair", "winner": "tie (inconsistent)"}
    path = write(tmp_path / "votes.jsonl", [vote, inconsistent])
    assert rows("mtbench", path) == [
        ("81", "expert_3", "x", "y", "a", "ok"),
        ("81", "gpt-4", "x", "y", None, "abstained"),
    ]
    judgments = load(f"mtbench:{path}").judgments
    assert judgments["judge_kind"].to_list() == ["human", "model"]
    assert judgments.select("words_a", "words_b").row(0) == (2, 1)
    labels = read("mtbench", path).labels
    assert labels.select("case_id", "rater", "choice").rows() == [
        ("81", "expert_3", "first"),
        ("81", "gpt-4", None),
    ]


# Chatbot Arena

BATTLES = [
    {
        "question_id": "q1",
        "model_a": "x",
        "model_b": "y",
        "winner": "model_b",
        "judge": "arena_user_1",
        "turn": 1,
    },
    {
        "question_id": "q2",
        "model_a": "y",
        "model_b": "x",
        "winner": "tie (bothbad)",
        "judge": "arena_user_2",
        "turn": 1,
    },
    {
        "question_id": "q3",
        "model_a": "x",
        "model_b": "z",
        "winner": "model_a",
        "judge": "arena_user_1",
        "turn": 2,
    },
]
VOTES = [
    ("q1", "arena-voters", "x", "y", "b", "ok"),
    ("q2", "arena-voters", "y", "x", "tie", "ok"),
    ("q3", "arena-voters", "x", "z", "a", "ok"),
]


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "parquet"])
def test_arena_in_every_file_format(tmp_path, suffix):
    path = tmp_path / f"clean_battle.{suffix}"
    frame = pl.DataFrame(BATTLES)
    writers = {"csv": frame.write_csv, "json": frame.write_json, "jsonl": frame.write_ndjson}
    writers.get(suffix, frame.write_parquet)(path)
    assert rows("arena", path) == VOTES
    assert "2 voters count together as one judge, arena-voters" in load(f"arena:{path}").notes


def test_arena_lengths_and_tokens(tmp_path):
    talk = {
        side: [{"role": "assistant", "content": [{"type": "text", "text": text}]}]
        for side, text in (("conversation_a", "one two"), ("conversation_b", "one"))
    }
    battle = {"id": "q", "model_a": "x", "model_b": "y", "winner": "both_bad", **talk, "language": "en"}
    battle["conv_metadata"] = {"sum_assistant_a_tokens": 5, "sum_assistant_b_tokens": 3}
    path = tmp_path / "train.parquet"
    pl.DataFrame([battle]).write_parquet(path)
    columns = ["verdict", "words_a", "words_b", "tokens_a", "tokens_b", "judge_kind", "category"]
    assert rows("arena", path, columns) == [("tie", 2, 1, 5, 3, "human", "en")]


def test_arena_with_a_column_for_each_winner(tmp_path):
    head = "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"
    path = tmp_path / "train.csv"
    path.write_text(f'{head}1,x,y,"[""?""]",one,one two,0,1,0\n2,x,y,?,a,b,0,0,1\n3,x,y,?,a,b,0,0,0\n')
    found = rows("arena", path, ["task_id", "verdict", "status", "words_b"])
    assert found == [("1", "b", "ok", 2), ("2", "tie", "ok", 1), ("3", None, "parse_failed", 1)]


# AlpacaEval

ANNOTATION = {
    "instruction": "Name a colour.",
    "output_1": "Blue.",
    "generator_1": "gpt4_1106_preview",
    "dataset": "helpful_base",
    "output_2": "Red, I think.",
    "generator_2": "example",
    "annotator": "weighted_alpaca_eval_gpt4_turbo",
    "preference": 1.99,
    "price_per_example": 0.01,
    "time_per_example": 0.18,
    "raw_completion": {"text": "m", "total_tokens": 100.0},
}


def test_alpaca_order_follows_from_the_words_and_the_preference(tmp_path):
    records = [
        ANNOTATION,  # m is shown first and output_2 preferred: the outputs were swapped
        ANNOTATION | {"instruction": "2", "raw_completion": {"text": "M"}},  # as numbered
        ANNOTATION | {"instruction": "3", "preference": 1.2, "raw_completion": {"text": "M"}},  # swapped
        ANNOTATION | {"instruction": "4", "preference": 1.0, "raw_completion": None},  # order unknown
        ANNOTATION | {"instruction": "5", "preference": 1.5, "raw_completion": {"text": "m"}},
        ANNOTATION | {"instruction": "6", "preference": 0, "raw_completion": "Output (a)"},
        ANNOTATION | {"instruction": "7", "preference": None},
        ANNOTATION | {"instruction": "8", "preference": -1},
        ANNOTATION
        | {"instruction": "9", "preference": 2, "raw_completion": "[{'model': 'model_2', 'rank': 1}]"},
    ]
    path = write(tmp_path / "annotations.json", records)
    one, two = "gpt4_1106_preview", "example"
    assert rows("alpaca", path, ["slot_a", "slot_b", "verdict", "status"]) == [
        (two, one, "a", "ok"),
        (one, two, "b", "ok"),
        (two, one, "b", "ok"),
        (one, two, "a", "ok"),
        (one, two, "tie", "ok"),
        (one, two, "tie", "ok"),
        (one, two, None, "parse_failed"),
        (one, two, None, "parse_failed"),
        (one, two, "b", "ok"),
    ]
    judgments = load(f"alpaca:{path}").judgments
    assert judgments.select("words_a", "words_b", "cost_usd", "latency_s", "raw").row(0) == (
        3,
        1,
        0.01,
        0.18,
        "m",
    )
    assert any("in 2 swapped records; it is unknown in 5" in note for note in read("alpaca", path).notes)


# Arena-Hard


def test_arena_hard_games_are_as_shown(tmp_path):
    games = [
        {"user_prompt": "…", "judgment": "My final verdict is: [[B>>A]]", "score": "B>>A"},
        {"user_prompt": "…", "judgment": "[[A=B]] … [[A>B]]", "score": None},
    ]
    record = {"question_id": "q1", "model": "gpt-4o", "judge": "gpt-4-1106-preview", "games": games}
    path = write(tmp_path / "model_judgment" / "gpt-4-1106-preview" / "gpt-4o.jsonl", [record])
    judge = "gpt-4-1106-preview"
    assert rows("arena-hard", path) == [
        ("q1", judge, "baseline", "gpt-4o", "b", "ok"),
        ("q1", judge, "gpt-4o", "baseline", None, "parse_failed"),
    ]
    study = tmp_path / "study.toml"
    study.write_text('[aliases]\nbaseline = "gpt-4-0314"\n')
    assert "gpt-4-0314" in load(f"arena-hard:{path}", study_file=study).judgments["slot_a"].to_list()
    (note,) = (note for note in read("arena-hard", path).notes if "parsed again" in note)
    assert "states two verdicts 1" in note


def test_arena_hard_names_a_baseline_that_is_given_and_survives_a_missing_game(tmp_path):
    judgment = {"score": "A<<B", "judgment": {"answer": "[[A<<B]]"}, "prompt": []}
    record = {
        "uid": "u",
        "model": "m",
        "baseline": "o3-mini",
        "judge": "j",
        "games": [judgment, None],
        "category": "hard",
    }
    path = write(tmp_path / "m.jsonl", [record])
    found = rows("arena-hard", path, ["slot_a", "slot_b", "verdict", "category", "raw"])
    assert found == [("o3-mini", "m", "b", "hard", "[[A<<B]]"), ("m", "o3-mini", None, "hard", None)]


# JudgeBench


def test_judgebench_second_judgment_saw_the_responses_swapped(tmp_path):
    judgments = [
        {"judgment": {"judge_model": "judge-1", "prompt": "…", "response": "[[B>>A]]"}, "decision": "B>A"},
        {
            "judgment": {"judge_model": "judge-1", "prompt": "…", "response": "a tie: [[A=B]]"},
            "decision": "A=B",
        },
    ]
    pair = {
        "pair_id": "p1",
        "original_id": 1,
        "source": "mmlu-pro",
        "question": "?",
        "response_model": "writer",
        "response_A": "one",
        "response_B": "one two",
        "label": "A>B",
        "judge_name": "arena_hard",
    }
    failed = pair | {"pair_id": "p2", "label": "B>A", "judgments": [None, judgments[1]]}
    path = write(tmp_path / "outputs.jsonl", [pair | {"judgments": judgments}, failed])
    found = rows("judgebench", path, ["task_id", "judge", "variant_a", "variant_b", "verdict", "status"])
    assert found == [
        ("p1", "judge-1", "response_A", "response_B", "b", "ok"),
        ("p1", "judge-1", "response_B", "response_A", "tie", "ok"),
        ("p1", "gold", "response_A", "response_B", "a", "ok"),
        ("p2", "judge-1", "response_A", "response_B", None, "error"),
        ("p2", "judge-1", "response_B", "response_A", "tie", "ok"),
        ("p2", "gold", "response_A", "response_B", "b", "ok"),
    ]
    source = load(f"judgebench:{path}").judgments
    assert source["judge_kind"].to_list() == ["model", "model", "human"] * 2
    assert source.select("words_a", "words_b").row(1) == (2, 1)


# inspect_ai

LOG = {
    "version": 2,
    "status": "success",
    "eval": {
        "task": "qa",
        "task_id": "t",
        "run_id": "r",
        "created": "2026-01-01T00:00:00",
        "model": "openai/gpt-x",
        "model_roles": {"grader": {"model": "anthropic/judge-y"}},
        "dataset": {},
        "config": {},
    },
    "results": {"scores": [{"name": "model_graded_qa", "scorer": "model_graded_qa", "params": {}}]},
}


def sample(number: int, value: object, **further: object) -> dict[str, object]:
    score = {"value": value, "answer": None, "explanation": f"GRADE: {value}"} | further.pop("score", {})
    return {
        "id": number,
        "epoch": 1,
        "input": "?",
        "target": "!",
        "scores": {"model_graded_qa": score},
        **further,
    }


def test_inspect_grades_are_labels(tmp_path, capsys):
    samples = [
        sample(1, "C"),
        sample(2, "I"),
        sample(3, "P"),
        sample(4, "N"),
        {"id": 5, "epoch": 1, "error": {}},
    ]
    samples[0]["scores"]["match"] = {"value": "I", "answer": "No"}
    path = write(tmp_path / "log.json", LOG | {"samples": samples})
    imported = read("inspect", path)
    assert imported.judgments is None
    assert imported.labels.select("rater", "approved").rows() == [
        ("anthropic/judge-y", True),
        ("anthropic/judge-y", False),
        ("anthropic/judge-y", False),
        ("anthropic/judge-y", None),
    ]
    assert imported.labels["evidence"][0] == "GRADE: C"
    assert any("1 answer graded partly correct: not approved" in note for note in imported.notes)
    assert main(["calibrate", f"inspect:{path}"]) == 2
    assert "no human labelled a case" in capsys.readouterr().err
    assert main(["import", "inspect", str(path), "--labels", str(tmp_path / "labels.csv")]) == 0
    assert pl.read_csv(tmp_path / "labels.csv").height == 4


def test_inspect_pairs_are_judgments(tmp_path, capsys):
    names = {"metadata": {"model_a": "x", "model_b": "y", "category": "maths"}}
    graded = sample(2, "C", score={"answer": "B>A"}, **names)
    path = write(
        tmp_path / "log.json", LOG | {"samples": [sample(1, "A", **names), graded, sample(3, "D", **names)]}
    )
    assert rows("inspect", path) == [
        ("1", "anthropic/judge-y", "x", "y", "a", "ok"),
        ("2", "anthropic/judge-y", "x", "y", "b", "ok"),
        ("3", "anthropic/judge-y", "x", "y", None, "parse_failed"),
    ]
    assert main(["report", f"inspect:{write(tmp_path / 'l.json', LOG | {'samples': [sample(1, 'C')]})}"]) == 2
    assert (
        "holds labels of single answers and no judgments of pairs; recuse calibrate"
        in capsys.readouterr().err
    )


def test_inspect_eval_files_say_what_to_install(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "inspect_ai.log", None)
    path = tmp_path / "log.eval"
    path.write_bytes(b"PK\x03\x04")
    assert main(["report", str(path)]) == 2
    assert "which is not installed; pip install recuse[inspect]" in capsys.readouterr().err


# promptfoo


def outcome(
    test: int, provider: str, *, passed: bool, kind: str = "select-best", **further: object
) -> dict[str, object]:
    component = {
        "pass": passed,
        "score": int(passed),
        "reason": "because",
        "assertion": {"type": kind, "value": "most helpful"},
        **further,
    }
    return {
        "testIdx": test,
        "promptIdx": 0,
        "provider": {"id": provider, "label": ""},
        "prompt": {"raw": "?", "label": "p"},
        "vars": {"topic": f"t{test}"},
        "response": {"output": f"{provider} says"},
        "success": passed,
        "gradingResult": {"pass": passed, "score": 0, "reason": "", "componentResults": [component]},
    }


def results(*outcomes: object) -> dict[str, object]:
    config = {"defaultTest": {"options": {"provider": "openai:gpt-judge"}}}
    return {
        "evalId": "e",
        "results": {"version": 3, "results": list(outcomes), "stats": {}},
        "config": config,
    }


def test_promptfoo_select_best_is_a_pair_in_the_order_of_the_outputs(tmp_path):
    outcomes = [
        outcome(0, "openai:a", passed=False),
        outcome(0, "anthropic:b", passed=True),
        outcome(1, "openai:a", passed=True),
        outcome(1, "anthropic:b", passed=False),
        outcome(2, "openai:a", passed=False),
        outcome(2, "anthropic:b", passed=False),
        *(outcome(3, f"p{place}", passed=place == 1) for place in range(3)),
    ]
    path = write(tmp_path / "results.json", results(*outcomes))
    found = rows("promptfoo", path, ["judge", "slot_a", "slot_b", "verdict", "status", "words_a"])
    assert found == [
        ("openai:gpt-judge", "openai:a", "anthropic:b", "b", "ok", 2),
        ("openai:gpt-judge", "openai:a", "anthropic:b", "a", "ok", 2),
        ("openai:gpt-judge", "openai:a", "anthropic:b", None, "error", 2),
    ]
    assert any(
        note.startswith("1 test did not choose among two outputs") for note in read("promptfoo", path).notes
    )


def test_promptfoo_rubrics_are_labels(tmp_path):
    outcomes = [
        outcome(0, "openai:a", passed=True, kind="llm-rubric"),
        outcome(0, "openai:b", passed=False, kind="llm-rubric"),
        outcome(1, "openai:a", passed=False, kind="llm-rubric", graderError=True),
        outcome(1, "openai:b", passed=True, kind="contains"),
        outcome(2, "openai:a", passed=False, kind="llm-rubric") | {"failureReason": 2},
    ]
    labels = read("promptfoo", write(tmp_path / "results.json", results(*outcomes))).labels
    assert labels.select("rater", "approved", "case_type").rows() == [
        ("openai:gpt-judge", True, "llm-rubric"),
        ("openai:gpt-judge", False, "llm-rubric"),
        ("openai:gpt-judge", None, "llm-rubric"),
    ]


# A table by a mapping

TABLE = """item,rater,left,right,choice,level
1,r1,x,y,L,easy
1,r1,y,x,l,easy
2,r1,x,y,Tie,hard
2,r1,y,x,?,hard
"""
OPTIONS = (
    "--task item --judge rater --slot-a left --slot-b right --verdict choice --verdict-a L --verdict-b R"
)


def test_a_table_is_mapped_once_and_read_again(tmp_path, capsys):
    file = tmp_path / "votes.csv"
    file.write_text(TABLE)
    options = f"{OPTIONS} --verdict-tie tie --column tier=level --constant judge_kind=human".split()
    assert main(["import", "table", str(file), *options, "--into", str(tmp_path / "cache")]) == 0
    said = capsys.readouterr().out
    assert "4 judgments added" in said
    assert "1 winner was not understood and is no verdict: '?' 1" in said
    assert (tmp_path / "votes.table.toml").exists()
    judgments = load(f"table:{file}").judgments
    assert judgments.select("verdict", "status", "tier", "judge_kind").rows() == [
        ("a", "ok", "easy", "human"),
        ("a", "ok", "easy", "human"),
        ("tie", "ok", "hard", "human"),
        (None, "parse_failed", "hard", "human"),
    ]
    saved = (tmp_path / "votes.table.toml").read_text()
    wrong = [option.replace("choice", "chioce") for option in options]
    assert main(["import", "table", str(file), *wrong, "--into", str(tmp_path / "other")]) == 2
    assert "saved" not in capsys.readouterr().out
    assert (tmp_path / "votes.table.toml").read_text() == saved
    other = tmp_path / "more.csv"
    other.write_text(TABLE)
    again = ["--mapping", str(tmp_path / "votes.table.toml"), "--labels", str(tmp_path / "labels.parquet")]
    assert main(["import", "table", str(other), *again]) == 0
    assert load(f"table:{other}").judgments.height == 4


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("--task item", "the mapping does not say which word is which verdict; give --verdict-a"),
        (f"{OPTIONS} --verdict-tie l", "the mapping: l: one word cannot be two verdicts"),
        (f"{OPTIONS} --column teir=level", "unknown column of judgments 'teir'; did you mean 'tier'?"),
        (f"{OPTIONS} --column tier", "--column tier is no NAME=VALUE"),
        (
            OPTIONS.replace("rater", "grader"),
            "it is no file of tables by a mapping: it has item, rater, left",
        ),
        ("", "cannot read the mapping"),
    ],
)
def test_a_mapping_that_cannot_be_followed_is_one_line(tmp_path, capsys, words, line):
    file = tmp_path / "votes.csv"
    file.write_text(TABLE)
    assert main(["import", "table", str(file), *words.split(), "--into", str(tmp_path / "cache")]) == 2
    error = capsys.readouterr().err
    assert line in error
    assert error.count("\n") == 1


def test_options_of_a_table_belong_to_a_table(tmp_path, capsys):
    assert main(["import", "llmbar", str(tmp_path), "--judge", "x", "--into", str(tmp_path / "c")]) == 2
    assert "a mapping of columns is for the format table, not llmbar" in capsys.readouterr().err


# What every importer does


def test_records_without_a_name_are_set_aside_and_repeats_are_told_apart(tmp_path):
    first, second, third = BATTLES
    records = [first, first, second, third, first | {"model_b": None}, third | {"winner": "tie"}]
    source = load(f"arena:{write(tmp_path / 'battles.jsonl', records)}")
    rules = dict(source.set_aside.group_by("rule").len().iter_rows())
    assert rules == {"incomplete_record": 1, "conflicting": 2, "duplicate": 1}
    assert source.set_aside.filter(pl.col("rule") == "incomplete_record")["row"].to_list() == [5]
    assert source.judgments["task_id"].to_list() == ["q1", "q2"]


def test_half_a_surrogate_pair_is_written_out(tmp_path):
    path = tmp_path / "gpt-4_pair.jsonl"
    path.write_text(json.dumps(PAIR | {"g1_judgment": "\ud83d [[B]]"}) + "\n")
    assert load(f"mtbench:{path}").judgments["raw"][0] == "\\ud83d [[B]]"


def test_every_format_is_listed_with_an_example(capsys):
    assert main(["import", "--list"]) == 0
    listed = capsys.readouterr().out
    for name in (
        "mtbench",
        "arena",
        "vicuna",
        "alpaca",
        "arena-hard",
        "llmbar",
        "judgebench",
        "pandalm",
        "position-bias",
        "swap-battle",
        "inspect",
        "promptfoo",
        "table",
    ):
        assert f"\n{name} " in listed
        assert f"recuse import {name} " in listed


def test_a_gzipped_file_is_read_like_its_content(tmp_path):
    path = write(tmp_path / "gpt-4_pair.jsonl", [PAIR])
    packed = tmp_path / "packed" / "gpt-4_pair.jsonl.gz"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert rows("mtbench", packed) == rows("mtbench", path)
