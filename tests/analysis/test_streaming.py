"""Estimates from parts of the judgments are those from the whole."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from recuse.analysis import streaming
from recuse.analysis.comparisons import compare
from recuse.analysis.rank_moments import rank_moments, rankings_of
from recuse.analysis.ranking import rankings
from recuse.analysis.report import estimate_all
from recuse.analysis.settings import Settings
from recuse.analysis.streaming import Gathered, estimate_gathered, estimate_parts, gather
from recuse.analysis.task_sample import TaskSample
from recuse.analysis.win_rate import side_scores
from recuse.collectors.sources import load
from recuse.errors import ConfigurationError
from recuse.schema import ComparisonFrame, Comparisons, Judgments

QUICK = Settings(n_resamples=199)


def in_parts(comparisons: ComparisonFrame, n_parts: int) -> list[ComparisonFrame]:
    """Deal whole tasks into parts, none of them in the order of the whole."""
    place = pl.col("task_id").rank("dense") % n_parts
    return [Comparisons.validate(comparisons.filter(place == part)) for part in reversed(range(n_parts))]


@pytest.mark.parametrize("study", ["three-judges", "pilot", "local-panel"])
@pytest.mark.parametrize("scoring", ["resolved", "consistent"])
def test_every_row_is_that_of_the_whole(study, scoring):
    source = load(study)
    settings = Settings(scoring=scoring, n_resamples=199)
    comparisons = compare(source.judgments, scoring=scoring, families=source.families)
    whole = estimate_all(comparisons, settings, tiers=source.tiers)
    parts = estimate_parts(in_parts(comparisons, 4), settings, tiers=source.tiers)
    order = [
        "estimand",
        "study",
        "judge",
        "judge_2",
        "generator",
        "tier",
        "probe",
        "group",
        "baseline",
        "interval",
        "test",
    ]
    assert parts.sort(order).equals(whole.sort(order))


def test_parts_side_by_side_are_those_one_after_another_in_any_order(monkeypatch):
    comparisons = compare(load("three-judges").judgments)
    told: list[str] = []
    side_by_side = estimate_parts([comparisons], QUICK, on_step=told.append)

    def last_first(parts, _, **_longest):
        made = {name: parts[name]() for name in reversed(parts)}
        assert sorted(told) == sorted(made)
        return [frame for name in parts for frame in made[name]]

    monkeypatch.setattr(streaming, "side_by_side", last_first)
    assert estimate_parts([comparisons], QUICK).equals(side_by_side)


def test_a_judge_with_own_answers_in_one_part_only_is_not_said_to_have_none():
    source = load("three-judges")
    judge = source.judgments["judge"][0]
    comparisons = compare(source.judgments)
    own = (pl.col("first") == judge) | (pl.col("second") == judge)
    last = comparisons["task_id"].max()
    some = Comparisons.validate(comparisons.filter(~own | (pl.col("task_id") == last)))
    whole = estimate_all(some, QUICK, only=["self-preference"])
    parts = estimate_parts(in_parts(some, 3), QUICK)
    of_deltas = parts.filter(pl.col("estimand") == "self_preference_delta", pl.col("judge") == judge)
    assert of_deltas.equals(
        whole.filter(pl.col("estimand") == "self_preference_delta", pl.col("judge") == judge)
    )


def test_intervals_over_comparisons_are_refused():
    for settings in (Settings(convention="article"), Settings(interval="rows")):
        with pytest.raises(ConfigurationError, match="not held when judgments are streamed"):
            estimate_parts([], settings)


def test_nothing_gives_no_estimate():
    assert estimate_gathered(Gathered(), QUICK).is_empty()


def many_tasks(n_tasks: int) -> ComparisonFrame:
    """Three judges of three generators, both orders, verdicts at random."""
    rng = np.random.default_rng(4)
    names = ["a/one", "b/two", "c/three"]
    pairs = [(one, other) for one in names for other in names if one != other]
    rows = [(f"t{task}", judge, *pair) for task in range(n_tasks) for judge in names for pair in pairs]
    judgments = pl.DataFrame(
        rows, schema=["task_id", "judge", "slot_a", "slot_b"], orient="row"
    ).with_columns(
        study=pl.lit("made"),
        tier=pl.lit("objective"),
        probe=pl.lit("main"),
        judge_kind=pl.lit("model"),
        status=pl.lit("ok"),
        replicate=pl.lit(0, dtype=pl.Int64),
        verdict=pl.Series(rng.choice(["a", "b", "tie"], len(rows))),
        judgment_id=pl.Series([str(row) for row in range(len(rows))]),
        words_a=pl.Series(rng.integers(50, 90, len(rows))),
        words_b=pl.Series(rng.integers(50, 90, len(rows))),
    )
    missing = [
        pl.lit(None, dtype=column.dtype).alias(name)
        for name, column in Judgments.columns().items()
        if name not in judgments.columns
    ]
    return compare(
        Judgments.validate(judgments.with_columns(missing).select(list(Judgments.columns())), cast=True)
    )


def test_refitted_models_say_on_how_many_tasks_they_rest():
    comparisons = many_tasks(60)
    gathered = Gathered(main=TaskSample(most=200), probes=TaskSample(most=200))
    for part in in_parts(comparisons, 3):
        gather(gathered, part)
    estimates = estimate_gathered(gathered, QUICK)
    assert gathered.main.n_tasks == 60
    assert 5 < gathered.main.n_kept <= 200 // 9
    said = f"on a sample of {gathered.main.n_kept} of 60 tasks"
    adjusted = estimates.filter(pl.col("estimand") == "self_preference_delta_length_adjusted")
    assert adjusted["reason"].str.contains(said).all()
    assert set(adjusted["n_tasks"].drop_nulls()) == {gathered.main.n_kept}
    deltas = estimates.filter(pl.col("estimand") == "self_preference_delta", pl.col("tier").is_null())
    assert set(deltas["n_tasks"].drop_nulls()) == {60}
    assert not deltas["reason"].fill_null("").str.contains("sample").any()
    halved = estimates.filter(pl.col("estimand") == "tasks_to_halve")
    assert halved["reason"].str.contains("60 tasks now, 233 needed").all()
    assert set(halved["estimate"]) == {173.0}


def test_a_sample_holds_whole_tasks_whatever_their_order():
    comparisons = many_tasks(60)
    samples = []
    for parts in (in_parts(comparisons, 3), in_parts(comparisons, 7)[::-1]):
        sample = TaskSample(most=100)
        for part in parts:
            sample.add(part)
        samples.append(sample.comparisons())
    key = ["task_id", "judge", "first", "second"]
    assert samples[0].sort(key).equals(samples[1].sort(key))
    assert samples[0].height <= 100
    per_task = samples[0].group_by("task_id").len()["len"]
    assert set(per_task) == {9}


def test_a_single_task_is_kept_however_large_it_is():
    sample = TaskSample(most=5)
    sample.add(many_tasks(1))
    assert sample.comparisons().height == 9


def test_ranks_of_very_many_tasks_come_from_the_moments_of_their_sums():
    comparisons = many_tasks(400)
    sides = side_scores(comparisons)
    moments = [rank_moments(side_scores(part)) for part in in_parts(comparisons, 4)]
    added = moments[0]["made"] + moments[1]["made"] + moments[2]["made"] + moments[3]["made"]
    whole = rank_moments(sides)["made"]
    assert added.names == whole.names
    for name in ("total", "crossed", "shared", "n_tasks"):
        assert np.array_equal(getattr(added, name), getattr(whole, name)), name
    normal = rankings_of({"made": added}, Settings())
    drawn = rankings(sides, Settings())
    same = ["estimand", "judge", "judge_2", "generator", "estimate", "n_comparisons", "n_tasks", "interval"]
    assert normal.select(same).equals(drawn.select(same))
    ranks = pl.col("estimand") == "rank"
    # The ends are whole ranks: they differ where a quantile lies near a step.
    alike = (normal.filter(ranks)["conf_low"] == drawn.filter(ranks)["conf_low"]).mean()
    assert alike >= 7 / 9
    assert normal["reason"].str.contains("normal distribution").all()


def test_ranks_of_parts_with_other_judges_are_put_together():
    comparisons = many_tasks(12)
    judges = comparisons["judge"].unique().sort().to_list()
    split = [comparisons.filter(pl.col("task_id") < "t5"), comparisons.filter(pl.col("task_id") >= "t5")]
    one = rank_moments(side_scores(split[0].filter(pl.col("judge") != judges[0])))["made"]
    other = rank_moments(side_scores(split[1].filter(pl.col("judge") != judges[2])))["made"]
    there = pl.concat(
        [split[0].filter(pl.col("judge") != judges[0]), split[1].filter(pl.col("judge") != judges[2])]
    )
    whole = rank_moments(side_scores(there))["made"]
    assert (one + other).names == whole.names
    assert np.array_equal((one + other).crossed, whole.crossed)
    assert np.array_equal((one + other).shared, whole.shared)
