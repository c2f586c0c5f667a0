"""Who is left once the involved are recused, and the fewest judge calls that would change it, by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from recuse.analysis.comparisons import compare
from recuse.analysis.extra_judgments import judgments_to_identify, smallest_set
from recuse.analysis.interval_halving import halving, tasks_for_half_the_width
from recuse.analysis.involvement import uninvolved_share
from recuse.analysis.judgment_plan import judgment_plan
from recuse.analysis.self_preference import against_baselines
from recuse.analysis.settings import Settings
from recuse.collectors.sources import load
from recuse.schema import Judgments

GENERATORS = ("alpha", "beta", "gamma")


def judged(calls: list[tuple[str, str, str, str, str | None]]) -> pl.DataFrame:
    """Judge × task × pair with the verdict on both orders (who is named, or a tie, or nothing)."""
    rows = []
    for judge, task, one, other, winner in calls:
        for a, b in ((one, other), (other, one)):
            verdict = None if winner is None else "tie" if winner == "tie" else "a" if winner == a else "b"
            rows.append(
                {"judgment_id": f"{len(rows)}", "study": "s", "task_id": task, "tier": "medium",
                 "probe": "main", "judge": judge, "judge_kind": "model", "slot_a": a, "slot_b": b,
                 "verdict": verdict, "status": "ok" if verdict else "parse_failed", "replicate": 0}
            )  # fmt: skip
    schema = {name: column.dtype for name, column in Judgments.columns().items()}
    return Judgments.validate(pl.DataFrame(rows, schema=schema, orient="row"))


def only_own(tasks: list[str], judges: tuple[str, ...] = GENERATORS) -> pl.DataFrame:
    """Every pair of the generators, judged by its two contestants and by nobody else."""
    return judged(
        [
            (judge, task, *pair, judge)
            for task in tasks
            for pair in itertools.combinations(GENERATORS, 2)
            for judge in pair
            if judge in judges
        ]
    )


def own_of(judgments: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    comparisons = compare(judgments)
    return comparisons, against_baselines(comparisons)


def needed(own: pl.DataFrame, judge: str | None, group: str, baseline: str = "uninvolved") -> float | None:
    rows = judgments_to_identify(own, Settings()).filter(
        pl.col("judge").eq_missing(pl.lit(judge, dtype=pl.String)),
        pl.col("group") == group,
        pl.col("baseline") == baseline,
    )
    return rows["estimate"].item()


def test_share_counts_what_recusal_leaves() -> None:
    judgments = pl.concat([only_own(["t1", "t2"]), judged([("gamma", "t1", "alpha", "beta", "tie")])])
    _, own = own_of(judgments)
    shares = uninvolved_share(own, Settings()).filter(
        pl.col("baseline") == "uninvolved", pl.col("tier").is_null()
    )
    assert dict(shares.select("judge", "estimate").rows()) == {"alpha": 0.25, "beta": 0.25, "gamma": 0.0}
    assert shares["n_comparisons"].to_list() == [4, 4, 4]
    assert shares["n_dropped"].to_list() == [3, 3, 4]
    assert shares["n_tasks"].to_list() == [1, 1, 0]
    assert shares["reason"].to_list()[0] == "3 without an uninvolved judge"


def test_bundled_study_leaves_one_judge_for_every_comparison() -> None:
    _, own = own_of(load().judgments)
    assert set(uninvolved_share(own, Settings())["estimate"]) == {1.0}
    assert set(judgments_to_identify(own, Settings())["estimate"]) == {0.0}


def test_three_claims_need_three_comparisons_where_three_tasks_are_to_be_had() -> None:
    # Each claim needs two tasks, each comparison serves two claims: αβ, αγ and βγ, each on a task of its own.
    _, own = own_of(only_own(["t1", "t2", "t3"]))
    chosen, proven = smallest_set(own.filter(pl.col("baseline") == "uninvolved"))
    assert proven
    bought = chosen.select("task_id", "first", "second").unique()
    assert bought.height == 3
    assert bought["task_id"].n_unique() == 3
    assert set(bought.select("first", "second").rows()) == set(itertools.combinations(GENERATORS, 2))
    assert needed(own, None, "smallest") == 6
    assert needed(own, "alpha", "smallest") == 4
    assert needed(own, None, "every comparison") == 18
    assert needed(own, "alpha", "every comparison") == 12


def test_with_two_tasks_only_a_fourth_comparison_is_needed() -> None:
    # Within one task two comparisons are needed to reach three claims: 2 tasks × 2 comparisons × 2 orders.
    _, own = own_of(only_own(["t1", "t2"]))
    assert needed(own, None, "smallest") == 8


def test_a_missing_score_of_its_own_is_asked_for_too() -> None:
    # beta is no judge here: alpha's claim takes gamma on αβ or beta's absence on αγ, at 2 calls a task.
    judgments = judged(
        [
            ("alpha", "t1", "alpha", "beta", None),
            ("gamma", "t1", "alpha", "beta", "tie"),
            ("alpha", "t2", "alpha", "beta", None),
        ]
    )
    _, own = own_of(judgments)
    # t1 lacks alpha's two calls; t2 lacks alpha's two and two of an uninvolved judge.
    assert needed(own, "alpha", "smallest") == 6


def test_one_task_cannot_be_made_two() -> None:
    _, own = own_of(only_own(["t1"]))
    rows = judgments_to_identify(own, Settings()).filter(pl.col("group") == "smallest")
    assert rows["estimate"].is_null().all()
    assert set(rows["reason"]) == {"fewer than 2 tasks with own answers: only new tasks help"}


@pytest.mark.parametrize("seed", range(6))
def test_smallest_set_is_that_of_trying_all_sets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = list(itertools.combinations(("alpha", "beta", "gamma", "delta"), 2))
    there = [(t, pair) for t in ("t1", "t2", "t3") for pair in pairs if rng.random() < 0.55]
    judgments = judged([(judge, t, *pair, "tie") for t, pair in there for judge in pair])
    own = own_of(judgments)[1].filter(pl.col("baseline") == "uninvolved")
    claims = {
        judge: len({t for t, pair in there if judge in pair}) for judge in ("alpha", "beta", "gamma", "delta")
    }

    def enough(chosen: tuple[tuple[str, tuple[str, str]], ...]) -> bool:
        return all(
            len({t for t, pair in chosen if judge in pair}) >= min(2, n) for judge, n in claims.items()
        )

    fewest = next(
        size
        for size in range(len(there) + 1)
        if any(enough(chosen) for chosen in itertools.combinations(there, size))
    )
    chosen, proven = smallest_set(own)
    assert proven
    assert chosen.select("task_id", "first", "second").n_unique() == fewest


def test_plan_names_who_may_judge_and_both_orders() -> None:
    comparisons, _ = own_of(only_own(["t1", "t2", "t3"]))
    plan = judgment_plan(comparisons, {"alpha": "one", "beta": "one", "gamma": "two"})
    by_model = plan.filter(pl.col("baseline") == "uninvolved")
    assert by_model.height == 18
    assert by_model.filter(pl.col("part") == "smallest").height == 6
    assert (by_model["judge"] != by_model["slot_a"]).all()
    assert (by_model["judge"] != by_model["slot_b"]).all()
    both = by_model.select("task_id", pl.concat_list("slot_a", "slot_b").list.sort()).group_by(pl.all()).len()
    assert set(both["len"]) == {2}
    by_family = plan.filter(pl.col("baseline") == "uninvolved_family")
    inside = (by_family["slot_a"] != "gamma") & (by_family["slot_b"] != "gamma")
    assert set(by_family.filter(inside)["judge"]) == {"gamma"}
    assert set(by_family.filter(~inside)["judge"]) == {None}
    assert set(by_family.filter(~inside)["who"]) == {"a judge of a family other than one and two"}


def test_after_the_plan_is_carried_out_nothing_is_missing() -> None:
    judgments = only_own(["t1", "t2", "t3"])
    plan = judgment_plan(compare(judgments)).filter(
        pl.col("part") == "smallest", pl.col("baseline") == "uninvolved"
    )
    asked = judged(
        [
            (judge, task, a, b, "tie")
            for judge, task, a, b in plan.select("judge", "task_id", "slot_a", "slot_b").rows()
            if a < b
        ]
    )
    _, own = own_of(pl.concat([judgments, asked]))
    assert needed(own, None, "smallest") == 0
    tasks = own.filter(pl.col("baseline") == "uninvolved", pl.col("delta").is_not_null())
    assert (tasks.group_by("judge").agg(pl.col("task_id").n_unique())["task_id"] >= 2).all()


def test_complete_studies_need_nothing() -> None:
    comparisons = compare(load().judgments)
    assert judgment_plan(comparisons).is_empty()


@pytest.mark.parametrize("n_tasks", [2, 5, 15, 45, 400])
def test_half_the_width_is_reached_at_this_many_tasks_and_not_before(n_tasks: int) -> None:
    def width(tasks: int) -> float:
        return float(stats.t.ppf(0.975, tasks - 1)) / math.sqrt(tasks)

    wanted = tasks_for_half_the_width(n_tasks)
    assert width(wanted) <= width(n_tasks) / 2 < width(wanted - 1)


def test_bundled_study_needs_38_new_tasks_of_eight_calls() -> None:
    comparisons, own = own_of(load().judgments)
    rows = halving(comparisons, own, Settings()).filter(
        pl.col("judge") == "openai/gpt-5.5", pl.col("baseline") == "uninvolved"
    )
    found = dict(rows.select("estimand", "estimate").rows())
    # t(52)/√53 is the first at or below half of t(14)/√15; per task 2 comparisons × 2 judges × 2 orders.
    assert found == {"tasks_to_halve": 53 - 15, "judgments_to_halve": 38 * 2 * 2 * 2, "judges_to_halve": None}


def panel_with_noise(own_noise: float, peer_noise: float, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """One judge with its own answer on 400 tasks, four uninvolved judges, verdicts by chance."""
    rng = np.random.default_rng(seed)
    calls = []
    for task in range(400):
        leaning = 0.5 + (own_noise if rng.random() < 0.5 else -own_noise)
        calls.append(("alpha", f"t{task}", "alpha", "beta", "alpha" if rng.random() < leaning else "beta"))
        for peer in ("p1", "p2", "p3", "p4"):
            named = "alpha" if rng.random() < 0.5 + peer_noise else "beta"
            calls.append((peer, f"t{task}", "alpha", "beta", named))
    return own_of(judged(calls))


def test_share_of_the_baseline_judges_noise_is_the_planted_one() -> None:
    # Own score Bernoulli(½): variance ¼. Mean of four independent Bernoulli(½): 1/16. Share: (1/16)/(5/16).
    comparisons, own = panel_with_noise(0.0, 0.0, 1)
    row = halving(comparisons, own, Settings()).filter(
        pl.col("estimand") == "judges_to_halve", pl.col("baseline") == "uninvolved"
    )
    assert row["estimate"].item() is None
    best = float(row["reason"].item().split("halves it: ")[1].split(" %")[0])
    assert best == pytest.approx(100 * math.sqrt(0.8), abs=2.5)


def test_more_judges_help_where_their_noise_is_nearly_all() -> None:
    # The judge always names its own answer: all the spread is the four judges' noise, f = 1, k = ¾·4/¼ = 12.
    comparisons, own = panel_with_noise(0.5, 0.0, 2)
    always = own.filter(pl.col("baseline") == "uninvolved").with_columns(
        own=pl.lit(1.0), delta=1.0 - pl.col("peers")
    )
    row = halving(comparisons, always, Settings()).filter(pl.col("estimand") == "judges_to_halve")
    assert row["estimate"].item() == pytest.approx(12, abs=2)
