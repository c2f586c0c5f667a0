"""Hand-worked comparisons: every resolution, every scoring rule, involvement, designs of one order."""

from __future__ import annotations

import polars as pl
import pytest

from recuse.analysis.comparisons import compare, pair_scores, rescore
from recuse.analysis.position import position
from recuse.analysis.report import estimate_all
from recuse.analysis.settings import Settings
from recuse.errors import JudgmentsError
from recuse.schema import Judgments


def judgments(rows: list[tuple], **constant: object) -> pl.DataFrame:
    """Rows of (task, judge, slot_a, slot_b, verdict) or with a replicate behind."""
    records = []
    for index, row in enumerate(rows):
        task, judge, slot_a, slot_b, verdict, *rest = row
        records.append({
            "judgment_id": str(index), "study": "s", "task_id": task, "probe": "main", "judge": judge,
            "judge_kind": "model", "slot_a": slot_a, "slot_b": slot_b, "verdict": verdict,
            "status": "ok" if verdict else "parse_failed", "replicate": rest[0] if rest else 0,
        } | constant)  # fmt: skip
    frame = pl.DataFrame(records, infer_schema_length=None)
    missing = [name for name in Judgments.columns() if name not in frame.columns]
    frame = frame.with_columns(**{name: pl.lit(None) for name in missing})
    text = {"judge_kind": pl.Enum(["model", "human"]), "verdict": pl.Enum(["a", "b", "tie"])}
    for name, dtype in text.items():
        frame = frame.with_columns(pl.col(name).cast(pl.String).cast(dtype))
    return Judgments.validate(frame.select(list(Judgments.columns())), cast=True)


def pair(task: str, in_order_1: str | None, in_order_2: str | None, judge: str = "j") -> list[tuple]:
    return [(task, judge, "x", "y", in_order_1), (task, judge, "y", "x", in_order_2)]


ALL_SIX = [
    *pair("win", "a", "b"),
    *pair("tie", "tie", "tie"),
    *pair("flip", "a", "a"),
    *pair("unstable", "a", "tie"),
    *pair("incomplete", "a", None),
]


def test_each_resolution_and_score() -> None:
    expected = {
        "resolved": {"win": 1.0, "tie": 0.5, "flip": 0.5, "unstable": 0.5, "incomplete": None},
        "averaged": {"win": 1.0, "tie": 0.5, "flip": 0.5, "unstable": 0.75, "incomplete": None},
        "consistent": {"win": 1.0, "tie": 0.5, "flip": None, "unstable": None, "incomplete": None},
    }
    for scoring, scores in expected.items():
        compared = compare(judgments(ALL_SIX), scoring=scoring)
        assert compared["resolution"].to_list() == compared["task_id"].to_list()
        assert dict(compared.select("task_id", "score_first").rows()) == scores
        again = rescore(compare(judgments(ALL_SIX)), scoring)
        assert again.equals(compared)


def test_one_order_by_design_is_single_and_says_nothing_on_position() -> None:
    compared = compare(judgments([("t", "j", "y", "x", "a"), ("u", "j", "x", "y", "tie")]))
    assert compared["resolution"].to_list() == ["single", "single"]
    assert compared["score_first"].to_list() == [0.0, 0.5]
    estimates = position(compared, Settings())
    assert estimates["estimate"].null_count() == estimates.height
    assert estimates["reason"].str.contains("one order was asked").all()


def test_a_missing_verdict_does_not_hide_that_one_order_was_asked() -> None:
    compared = compare(judgments([("t", "j", "y", "x", "a"), ("u", "j", "x", "y", None)]))
    assert compared["resolution"].to_list() == ["single", "incomplete"]
    estimates = position(compared, Settings())
    assert estimates["reason"].str.contains("one order was asked").all()
    other = compare(judgments([("t", "j", "y", "x", "a"), *pair("u", "a", "b", judge="k")]))
    told = position(other, Settings()).filter(pl.col("estimand") == "flip_rate", pl.col("tier").is_null())
    assert dict(told.select("judge", "estimate").rows()) == {"j": None, "k": 0.0}


def test_a_missing_swap_beside_others_is_incomplete() -> None:
    compared = compare(judgments([*pair("t", "a", "b"), ("u", "j", "x", "y", "a")]))
    assert dict(compared.select("task_id", "resolution").rows()) == {"t": "win", "u": "incomplete"}


def test_a_presentation_twice_is_refused() -> None:
    with pytest.raises(
        JudgmentsError, match="each presentation must be there once; 1 row fails: x judged by j on t"
    ):
        compare(judgments([("t", "j", "x", "y", "a"), ("t", "j", "x", "y", "b")]))


def test_involvement_by_name_and_by_family() -> None:
    rows = [
        ("t", judge, *order, "a")
        for judge in ("openai/gpt-4", "openai/gpt-5", "anthropic/claude", "nobody")
        for order in (("openai/gpt-4", "meta/llama-3"), ("meta/llama-3", "openai/gpt-4"))
    ]
    flags = (
        compare(judgments(rows))
        .select("judge", "judge_is_first", "judge_is_second", "judge_in_family")
        .rows()
    )
    assert {judge: (first, second, family) for judge, first, second, family in flags} == {
        "openai/gpt-4": (False, True, True),
        "openai/gpt-5": (False, False, True),
        "anthropic/claude": (False, False, False),
        "nobody": (False, False, False),
    }


def test_replicates_are_averaged_before_anything_weighs_comparisons() -> None:
    rows = [
        ("t", "j", "x", "y", "a", 0), ("t", "j", "y", "x", "b", 0),
        ("t", "j", "x", "y", "b", 1), ("t", "j", "y", "x", "b", 1),
    ]  # fmt: skip
    scores = pair_scores(compare(judgments(rows)))
    assert scores.select("score_first", "n_replicates").rows() == [(0.75, 2)]


SWAP_AUDIT = ["aa", "ab", "bb", "aa", "ba", "bb", "ab", "aa"]


def test_the_swap_audit_of_eight_pairs() -> None:
    """Winners named by answer in both orders: 5 of 8 consistent; pairs 2, 5 and 7 discarded."""
    shown = {"a": {1: "a", 2: "b"}, "b": {1: "b", 2: "a"}}
    rows = [
        one
        for index, (first, second) in enumerate(SWAP_AUDIT, start=1)
        for one in pair(f"pair {index}", shown[first][1], shown[second][2])
    ]
    compared = compare(judgments(rows))
    discarded = compared.filter(pl.col("resolution") == "flip")["task_id"].to_list()
    assert discarded == ["pair 2", "pair 5", "pair 7"]
    consistency = position(compared, Settings()).filter(pl.col("estimand") == "position_consistency")
    assert consistency["estimate"].to_list() == [0.625]
    assert consistency["n_comparisons"].to_list() == [8]


def test_a_judge_that_always_says_first_looks_consistent_on_raw_labels_only() -> None:
    rows = [one for task in "pqrs" for one in pair(task, "a", "a")]
    raw = judgments(rows).group_by("task_id").agg(pl.col("verdict").n_unique())
    assert raw["verdict"].to_list() == [1, 1, 1, 1]
    rates = position(compare(judgments(rows)), Settings())
    by_name = {row["estimand"]: row["estimate"] for row in rates.iter_rows(named=True)}
    assert (by_name["position_consistency"], by_name["flip_rate"], by_name["slot_a_rate"]) == (0.0, 1.0, 1.0)
    assert by_name["preference_fairness"] == -1.0


def test_swapping_slots_and_verdicts_leaves_scores_and_mirrors_position() -> None:
    there = judgments(ALL_SIX)
    other_slot = pl.col("verdict").cast(pl.String).replace({"a": "b", "b": "a"})
    mirrored = there.with_columns(
        slot_a="slot_b", slot_b="slot_a", verdict=other_slot.cast(pl.Enum(["a", "b", "tie"]))
    )
    one, other = compare(there), compare(Judgments.validate(mirrored))
    assert one["score_first"].equals(other["score_first"])
    assert one["n_slot_a"].equals(other["n_slot_b"])


def test_row_order_changes_nothing() -> None:
    there = judgments(ALL_SIX)
    assert compare(there).equals(compare(Judgments.validate(there.sample(fraction=1, shuffle=True, seed=1))))


def test_two_variants_of_one_pair_are_two_comparisons_of_inflation() -> None:
    """Judge x is a contestant, y its opponent, z uninvolved; x meets y with two variants of its answer."""
    rows = [
        (f"t{task}", judge, *order, verdict)
        for task in range(3)
        for judge, wins in (("x", True), ("y", False), ("z", task > 0))
        for order, verdict in ((("x", "y"), "a" if wins else "b"), (("y", "x"), "b" if wins else "a"))
    ]
    one = judgments(rows)
    variants = [
        one.with_columns(
            judgment_id=pl.col("judgment_id") + name,
            variant_a=pl.when(pl.col("slot_a") == "x").then(pl.lit(name)),
            variant_b=pl.when(pl.col("slot_b") == "x").then(pl.lit(name)),
        )
        for name in ("plain", "revised")
    ]
    compared = compare(Judgments.validate(pl.concat(variants)))
    estimates = estimate_all(compared, Settings())
    inflation = estimates.filter(
        pl.col("estimand") == "self_preference_inflation",
        pl.col("judge") == "x",
        pl.col("baseline") == "uninvolved",
    )
    assert inflation["n_comparisons"].to_list() == [6]
    assert inflation["estimate"].to_list() == pytest.approx([2 / 3 - 1 / 3])
