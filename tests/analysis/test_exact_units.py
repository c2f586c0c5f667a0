"""Ties between totals, tasks of one name, judges of one part: what must come out exactly."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import polars as pl
import pytest

from recuse.analysis.agreement import agreement
from recuse.analysis.comparisons import compare
from recuse.analysis.position import position
from recuse.analysis.report import estimate_all, pooled_over_studies
from recuse.analysis.self_preference import self_preference
from recuse.analysis.settings import Settings
from recuse.analysis.streaming import estimate_parts
from recuse.collectors.sources import load
from recuse.schema import ComparisonFrame, Comparisons

QUICK = Settings(n_resamples=99)


def compared(rows: list[dict[str, object]], tmp_path: Path) -> ComparisonFrame:
    path = tmp_path / "made.csv"
    pl.DataFrame(rows, infer_schema_length=None).write_csv(path)
    return compare(load(str(path)).judgments)


def both_orders(task: str, judge: str, first: str, second: str, winner: str | None, **more: object):
    """Both presentations, with a winner, or a tie."""
    return [
        {"task_id": task, "judge": judge, "slot_a": a, "slot_b": b, **more,
         "verdict": "tie" if winner is None else "a" if winner == a else "b"}
        for a, b in ((first, second), (second, first))
    ]  # fmt: skip


def test_equal_totals_are_equal_with_thirteen_peers(tmp_path):
    """Deltas of 1/13, 1/13, 2/13 and -2/13: 12 of 16 sign vectors are as far from 0 as 2/13."""
    peers = [f"p{number}" for number in range(13)]
    rows: list[dict[str, object]] = []
    for task, (own_wins, others) in enumerate(((True, 12), (True, 12), (True, 11), (False, 2))):
        name = f"t{task}"
        rows += both_orders(name, "me", "me", "you", "me" if own_wins else "you")
        for place, peer in enumerate(peers):
            rows += both_orders(name, peer, "me", "you", "me" if place < others else "you")
    found = self_preference(compared(rows, tmp_path), QUICK).filter(
        pl.col("judge") == "me",
        pl.col("baseline") == "uninvolved",
        pl.col("test") == "sign_flip",
        pl.col("tier").is_null(),
    )
    totals = [abs(sum(signs)) for signs in product(*((-x, x) for x in (1, 1, 2, 2)))]
    assert found["p_value"].to_list() == [sum(total >= 2 for total in totals) / 16]


def test_tasks_of_two_studies_stay_two_whatever_their_names(tmp_path):
    rows: list[dict[str, object]] = []
    for number in range(3):
        for study, task in (("a", f"b/{number}"), ("a/b", str(number)), ("a%2Fb", str(number))):
            rows += both_orders(task, "j", "x", "y", "x", study=study)
    pooled = pooled_over_studies(compared(rows, tmp_path))
    assert pooled["task_id"].n_unique() == 9


def test_streamed_pairs_of_judges_keep_their_rows(tmp_path):
    rows: list[dict[str, object]] = []
    for task, tier, judges in (("t0", "objective", "AB"), ("t1", "subjective", "ABC")):
        for judge in judges:
            rows += both_orders(task, judge, "x", "y", "x", tier=tier)
    comparisons = compared(rows, tmp_path)
    parts = [Comparisons.validate(comparisons.filter(pl.col("task_id") == task)) for task in ("t0", "t1")]
    whole = estimate_all(comparisons, QUICK, only=["agreement"])
    streamed = estimate_parts(parts, QUICK).filter(
        pl.col("estimand").is_in(whole["estimand"].unique().implode())
    )
    keys = ["estimand", "judge", "judge_2", "tier"]
    assert streamed.sort(keys).equals(whole.sort(keys))
    assert agreement(comparisons, QUICK).filter(pl.col("estimand") == "cohen_kappa").height == 9


@pytest.mark.parametrize("n_single", [0, 1])
def test_a_control_of_equal_sides_leaves_the_slots_of_a_probe_known(tmp_path, n_single):
    rows: list[dict[str, object]] = []
    for number in range(12):
        for slots, verdict in ((("long", "short"), "a"), (("short", "long"), "a")):
            rows.append(
                {"task_id": f"t{number}", "judge": "j", "probe": "length", "slot_a": "x", "slot_b": "x",
                 "variant_a": slots[0], "variant_b": slots[1], "verdict": verdict}
            )  # fmt: skip
    rows += [
        {"task_id": "t0", "judge": "j", "probe": "length", "slot_a": "x", "slot_b": "x",
         "variant_a": "short", "variant_b": "short", "verdict": "b"}
    ] * n_single  # fmt: skip
    found = position(compared(rows, tmp_path), QUICK).filter(pl.col("tier").is_null())
    rate = found.filter(pl.col("estimand") == "slot_a_rate", pl.col("test") == "sign_test_reversals")
    assert rate["estimate"].to_list() == [1.0]
    assert rate["n_presentations"].to_list() == [24]
    flips = found.filter(pl.col("estimand") == "flip_rate")
    assert (flips["n_comparisons"].to_list(), flips["n_dropped"].to_list()) == ([12], [n_single])
