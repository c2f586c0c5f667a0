"""Formats whose published files may lie beside the checkout, on records of our own in their layouts."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

from recuse.collectors.importers.reading import read_format
from recuse.collectors.importers.registry import format_named
from recuse.collectors.sources import load

SHOWN = ("judge", "slot_a", "slot_b", "verdict", "status")


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in content))
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def rows(name: str, path: Path, columns=SHOWN) -> list[tuple]:
    return pl.DataFrame(load(f"{name}:{path}").judgments).select(columns).rows()


def order(winner: object, text: str | None) -> dict[str, object]:
    return {"winner": winner, "completion": None if text is None else [text, "stop"]}


def test_llmbar_winners_are_put_back_into_their_slots(tmp_path):
    item = {"input": "?", "output_1": "one", "output_2": "one two", "label": 1}
    orders = {"swap = False": order("1", "Output (a)"), "swap = True": order("1", "Output (b)")}
    lost = {"swap = False": order(None, "neither"), "swap = True": order("2", "Output (b)")}
    items = [item | {"results": [orders]}, item | {"input": "!", "label": 2, "results": [lost]}]
    path = write(tmp_path / "Natural" / "evaluators" / "J" / "Vanilla" / "result.json", items)
    assert rows("llmbar", path) == [
        ("J", "output_1", "output_2", "a", "ok"),
        ("J", "output_2", "output_1", "b", "ok"),
        ("gold", "output_1", "output_2", "a", "ok"),
        ("J", "output_1", "output_2", None, "parse_failed"),
        ("J", "output_2", "output_1", "a", "ok"),
        ("gold", "output_1", "output_2", "b", "ok"),
    ]
    (note,) = (note for note in read_format(format_named("llmbar"), path).notes if "parsed again" in note)
    # The last text names the second slot, where output_1 stood, and the stored winner is output_2.
    assert "states another 1; 5 (a stored, b in the text)" in note
    judgments = load(f"llmbar:{path}").judgments
    assert set(judgments["category"]) == {"Natural"}
    assert judgments["task_id"].n_unique() == 2
    assert judgments.select("words_a", "words_b").rows()[:2] == [(1, 2), (2, 1)]


def test_pandalm_joins_a_judge_to_the_test_set_beside_it(tmp_path):
    pair = {"idx": 0, "cmp_key": "bloom-7b_llama-7b", "instruction": "i", "input": "", "response1": "one"}
    pair |= {"response2": "", "annotator1": "1", "annotator2": 2, "annotator3": "0"}
    write(tmp_path / "testset-v1.json", [pair])
    graded = [
        {"idx": "0", "gpt_result": "Tie", "gpt_reason": "alike"},
        {"idx": "7", "gpt_result": "1", "gpt_reason": "?"},
    ]
    judge = write(tmp_path / "gpt-x-testset-v1.json", graded)
    assert rows("pandalm", judge) == [("gpt-x", "bloom-7b", "llama-7b", "tie", "ok")]
    assert any(
        "1 record names a pair that the test set lacks" in note for note in load(f"pandalm:{judge}").notes
    )
    everybody = rows("pandalm", tmp_path, ["judge", "judge_kind", "verdict", "words_b"])
    assert sorted(everybody) == [
        ("annotator1", "human", "a", 0),
        ("annotator2", "human", "b", 0),
        ("annotator3", "human", "tie", 0),
        ("gpt-x", "model", "tie", 0),
    ]
    labels = read_format(format_named("pandalm"), tmp_path).labels
    assert labels.filter(pl.col("rater") == "annotator2").select("case_id", "approved", "choice").rows() == [
        ("0", True, "second")
    ]


def test_position_bias_texts_name_the_verdict(tmp_path):
    head = "cmp_index\tquestion_1\tanswer1_1\tanswer2_1\tA\tB\ttask\tjudge-1\n"
    body = 'q1;x;y\t?\tone two\tone\tx\ty\tmath\t"A is better.\n[[A]]"\n'
    body += 'q1;y;x\t?\tone\tone two\ty\tx\tmath\t"[[A]] or [[B]]"\n'
    path = write(tmp_path / "mtbench_repetition2_judge-1.tsv", head + body)
    columns = ["study", "task_id", "probe", "replicate", "slot_a", "verdict", "status", "words_a", "category"]
    assert rows("position-bias", path, columns) == [
        ("mtbench", "q1", "three_rounds", 1, "x", "a", "ok", 2, "math"),
        ("mtbench", "q1", "three_rounds", 1, "y", None, "parse_failed", 1, "math"),
    ]
    assert any("1 text states two verdicts" in note for note in load(f"position-bias:{path}").notes)


def test_swap_battle_replays_show_the_second_fighter_first(tmp_path):
    fighters = {"fighter_a": {"name": "F-A", "model": "m-a"}, "fighter_b": {"name": "F-B", "model": "m-b"}}
    judge = {"judge": {"name": "J", "model": "j"}}
    battle = judge | fighters | {"results": [{"id": "t", "category": "code", "winner": "A"}]}
    write(tmp_path / "battle_1" / "_results.json", battle)
    picks = [
        {"id": "t", "category": "code", "judge_pick_shown": "B", "original_winner": "A"},
        {"id": "u", "category": "code", "judge_pick": "ERROR", "original_winner": "ERROR"},
        {"id": "v", "category": "code", "judge_pick_shown": "A", "original_winner": "A"},
    ]
    replay = judge | {"from_battle": "battle_1", "swap_ab": True, "results": picks}
    write(tmp_path / "replay_1" / "_results.json", replay)
    human = {"human_pick": "B", "shown_left": "B", "shown_right": "A", "shown_pick": "X", "category": "code"}
    write(tmp_path / "human" / "progress.json", {"started_at": "2026", "scores": {"t": human}})
    assert rows("swap-battle", tmp_path, ["task_id", *SHOWN]) == [
        ("t", "j", "m-a", "m-b", "a", "ok"),
        ("t", "human", "m-b", "m-a", "a", "ok"),
        ("t", "j", "m-b", "m-a", "b", "ok"),
        ("u", "j", "m-b", "m-a", None, "error"),
        ("v", "j", "m-b", "m-a", "a", "ok"),
    ]
    notes = load(f"swap-battle:{tmp_path}").notes
    assert any("1 item gives a pick as shown and an un-swapped one that differ" in note for note in notes)


def test_vicuna_scores_and_answers(tmp_path):
    answers = [
        {"answer_id": f"a{place}", "model_id": f"m{place}", "text": "one " * place} for place in (1, 2)
    ]
    write(tmp_path / "answer" / "answer_m.jsonl", answers)
    write(tmp_path / "question.jsonl", [{"question_id": 1, "text": "?", "category": "math"}])
    review = {"review_id": "r", "question_id": 1, "answer1_id": "a1", "answer2_id": "a2", "reviewer_id": 1}
    reviews = [
        review | {"text": "8 9\nThe second is better.", "score": [8.0, 9.0]},
        review
        | {"question_id": 2, "text": "First.\nAssistant 1: 7 (short)\nAssistant 2: 7", "score": [7, 7]},
        review | {"question_id": 3, "text": "no scores", "score": [-1, -1]},
        review | {"question_id": 4, "text": "9 8\nThe first.", "score": [8, 9]},
    ]
    path = write(tmp_path / "review" / "review_m1_m2.jsonl", reviews)
    assert rows("vicuna", path) == [
        ("gpt-4", "m1", "m2", "b", "ok"),
        ("gpt-4", "m1", "m2", "tie", "ok"),
        ("gpt-4", "m1", "m2", None, "parse_failed"),
        ("gpt-4", "m1", "m2", "b", "ok"),
    ]
    imported = read_format(format_named("vicuna"), path)
    assert imported.scores.select("score_a", "score_b").rows()[:2] == [(8.0, 9.0), (7.0, 7.0)]
    assert "1 text states scores below the first line" in imported.notes
    assert "texts parsed again beside the stored scores, which count: 1 differ" in imported.notes
    assert load(f"vicuna:{path}").judgments.select("category", "words_a", "words_b").row(0) == ("math", 1, 2)
