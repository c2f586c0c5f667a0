"""A claim's numbers are those of its estimand, and of a case worked by hand."""

import dataclasses

import numpy as np
import polars as pl
import pytest
from scipy import stats

from recuse.analysis.claims.choices import Choices
from recuse.analysis.claims.evaluation import evaluate
from recuse.analysis.claims.evidence import gather
from recuse.analysis.claims.parsing import parse_claim
from recuse.analysis.comparisons import compare
from recuse.analysis.report import estimate_all
from recuse.analysis.settings import Settings
from recuse.collectors.sources import load

GPT, CLAUDE, GROK = "openai/gpt-5.5", "anthropic/claude-sonnet-4-6", "xai/grok-4.3"
NAIVE = Choices(scoring="averaged", cluster="comparison", naive=True)


@pytest.fixture(scope="module")
def comparisons():
    source = load()
    return compare(source.judgments, families=source.families)


@pytest.fixture(scope="module")
def evidence(comparisons):
    return gather(comparisons)


@pytest.fixture(scope="module")
def estimates(comparisons):
    return estimate_all(comparisons, Settings())


def claim(**table):
    return parse_claim({"id": "c", **table})


@pytest.mark.parametrize("judge", [GPT, CLAUDE, GROK])
@pytest.mark.parametrize("baseline", ["all_peers", "uninvolved", "uninvolved_family"])
@pytest.mark.parametrize("length_adjusted", [False, True])
def test_a_delta_is_that_of_the_report(evidence, estimates, judge, baseline, length_adjusted):
    found = evaluate(
        claim(kind="self_preference", judge=judge),
        evidence,
        Choices(baseline=baseline, length_adjusted=length_adjusted),
    )
    estimand = "self_preference_delta" + ("_length_adjusted" if length_adjusted else "")
    row = estimates.row(
        by_predicate=(pl.col("estimand") == estimand)
        & (pl.col("judge") == judge)
        & (pl.col("baseline") == baseline)
        & pl.col("tier").is_null()
        & pl.col("conf_low").is_not_null(),
        named=True,
    )
    assert found.estimate == pytest.approx(row["estimate"], abs=1e-12)
    assert (found.interval.low, found.interval.high) == pytest.approx((row["conf_low"], row["conf_high"]))
    assert found.p_value == pytest.approx(row["p_value"])
    assert (found.n_comparisons, found.n_tasks) == (30, 15)


@pytest.mark.parametrize(
    ("table", "estimand", "where"),
    [
        ({"kind": "slot_preference", "judge": GROK}, "slot_a_rate", {"judge": GROK, "probe": "main"}),
        ({"kind": "slot_preference", "judge": GROK, "tier": "medium"}, "slot_a_rate",
         {"judge": GROK, "tier": "medium"}),
        ({"kind": "longer_wins", "judge": CLAUDE}, "longer_wins_rate", {"judge": CLAUDE}),
        ({"kind": "longer_wins", "controlled": True, "rewards": "concision"}, "long_wins_score",
         {"judge": None, "group": "rewards=concision", "probe": "length"}),
        ({"kind": "agreement", "judge": GPT, "judge_2": GROK, "tier": "objective"}, "cohen_kappa",
         {"judge": GPT, "judge_2": GROK, "tier": "objective"}),
        ({"kind": "agreement", "statistic": "krippendorff_alpha"}, "krippendorff_alpha", {"tier": None}),
        ({"kind": "rate", "rate": "flip_rate", "judge": CLAUDE, "bar": 0.1}, "flip_rate", {"judge": CLAUDE}),
        ({"kind": "rate", "rate": "win_rate", "generator": GPT, "bar": 0.5}, "win_rate",
         {"judge": None, "generator": GPT}),
        ({"kind": "rate", "rate": "tie_rate", "judge": GPT, "bar": 0.5}, "tie_rate", {"judge": GPT}),
        ({"kind": "rate", "rate": "position_consistency", "judge": GPT, "bar": 0.5},
         "position_consistency", {"judge": GPT}),
    ],
)  # fmt: skip
def test_other_kinds_are_those_of_the_report(evidence, estimates, table, estimand, where):
    found = evaluate(claim(**table), evidence)
    keys = {"tier": None, "probe": "main", **where}
    rows = estimates.filter(
        pl.col("estimand") == estimand,
        *(pl.col(name).is_null() if value is None else pl.col(name) == value for name, value in keys.items()),
    ).to_dicts()
    assert found.estimate == pytest.approx(rows[0]["estimate"], abs=1e-12)
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (rows[0]["conf_low"], rows[0]["conf_high"])
    )


def test_a_slot_preference_is_tested_by_the_sign_flip(evidence):
    found = evaluate(claim(kind="slot_preference", judge=GROK), evidence)
    assert (found.test, found.p_value) == ("sign_flip_task_lean", pytest.approx(2.0**-8))


def test_the_naive_slot_rate_is_the_pooled_binomial(evidence):
    found = evaluate(claim(kind="slot_preference", judge=GROK), evidence, NAIVE)
    exact = stats.binomtest(55, 76)
    assert found.estimate == pytest.approx(55 / 76)
    assert found.p_value == pytest.approx(exact.pvalue)
    low, high = exact.proportion_ci(method="exact")
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))


def test_an_absence_is_two_one_sided_tests(evidence):
    found = evaluate(claim(kind="slot_preference", judge=GPT, direction="absent"), evidence)
    task_sums = (
        evidence.scored(None)
        .filter(pl.col("judge") == GPT, pl.col("probe") == "main")
        .group_by("task_id")
        .agg(pl.col("n_slot_a", "n_slot_b").cast(pl.Float64).sum())
        .select(a="n_slot_a", n=pl.col("n_slot_a") + pl.col("n_slot_b"))
        .filter(pl.col("n") > 0)
    )  # fmt: skip
    a, n = task_sums["a"].to_numpy(), task_sums["n"].to_numpy()
    rate = a.sum() / n.sum()
    without = (a.sum() - a) / (n.sum() - n)
    df = len(a) - 1
    std_error = np.sqrt(np.square(without - rate).sum() * df / len(a)) / (rate * (1 - rate))

    def logit(p):
        return np.log(p / (1 - p))

    above, below = (
        stats.t.sf((logit(rate) - logit(0.4)) / std_error, df),
        stats.t.sf((logit(0.6) - logit(rate)) / std_error, df),
    )
    assert found.p_value == pytest.approx(max(above, below))
    assert found.inner.low > 0.4
    assert found.inner.high < 0.6


def test_27_of_27_on_three_tasks_is_three_trials(evidence):
    found = evaluate(claim(kind="longer_wins", controlled=True, rewards="elaboration"), evidence)
    assert found.estimate == 1
    assert found.p_value == pytest.approx(stats.binomtest(3, 3).pvalue)
    assert (found.interval.low, found.interval.high) == (pytest.approx(0.025 ** (1 / 3)), 1)


def test_45_of_45_with_the_pilot_is_five_trials():
    both = compare(load().judgments), compare(load("pilot").judgments)
    evidence = gather(pl.concat(both))
    found = evaluate(claim(kind="longer_wins", controlled=True, rewards="elaboration"), evidence)
    assert (found.n_comparisons, found.n_tasks, found.estimate) == (45, 5, 1)
    assert found.p_value == pytest.approx(2 * 0.5**5)


def test_a_ranking_is_as_strong_as_its_closest_pair(evidence):
    order = [GPT, CLAUDE, GROK]
    whole = evaluate(claim(kind="ranking", order=order), evidence)
    pairs = [evaluate(claim(kind="ranking", order=order[place : place + 2]), evidence) for place in (0, 1)]
    assert whole.estimate == min(pair.estimate for pair in pairs)
    assert whole.p_value == max(pair.p_value for pair in pairs)
    assert whole.estimate == pytest.approx(0.45 - 0.38888889)


def test_recusal_leaves_the_uninvolved_on_a_panel(evidence):
    table = {"kind": "beats", "generator": GPT, "opponent": GROK}
    everyone, uninvolved = (
        evaluate(claim(**table), evidence, Choices(baseline=name)) for name in ("all_peers", "uninvolved")
    )
    alone = evaluate(claim(**table, judge=CLAUDE), evidence)
    assert (everyone.n_comparisons, uninvolved.n_comparisons, uninvolved.n_dropped) == (45, 15, 30)
    assert uninvolved.estimate == alone.estimate
    mirrored = evaluate(claim(kind="beats", generator=GROK, opponent=GPT), evidence)
    assert mirrored.estimate == pytest.approx(1 - everyone.estimate)


def test_below_is_above_with_the_other_sign(evidence):
    above, below = (
        evaluate(claim(kind="self_preference", judge=GPT, direction=word), evidence)
        for word in ("above", "below")
    )
    assert above.effect == -below.effect
    assert above.p_value == below.p_value


@pytest.mark.parametrize(
    ("table", "choices", "reason"),
    [
        ({"kind": "self_preference", "judge": GPT}, Choices(baseline="human"), "no human judge"),
        ({"kind": "beats", "generator": GPT, "opponent": GROK}, Choices(baseline="human"), "no human judge"),
    ],
)
def test_what_is_not_identified_says_why(evidence, table, choices, reason):
    found = evaluate(claim(**table), evidence, choices)
    assert found.estimate is None
    assert reason in found.reason


def test_each_replicate_leaves_one_task_out(evidence, comparisons):
    for table in (
        {"kind": "self_preference", "judge": GROK},
        {"kind": "self_preference_gradient", "judge": GROK},
        {"kind": "agreement", "judge": GPT, "judge_2": GROK},
        {"kind": "ranking", "order": [GPT, GROK]},
    ):
        for choices in (Choices(baseline="uninvolved"), Choices(baseline="uninvolved", length_adjusted=True)):
            whole = evaluate(claim(**table), evidence, choices)
            replicates = whole.form.without()
            for place in (0, 7):
                task = evidence.tasks[place]
                rest = gather(comparisons.filter(pl.col("task_id") != task))
                refitted = evaluate(claim(**table), rest, choices)
                assert replicates[place] == pytest.approx(refitted.estimate, abs=1e-9)


def test_scores_may_be_left_as_they_are(comparisons):
    evidence = gather(comparisons)
    left = evaluate(claim(kind="self_preference", judge=GPT), evidence, Choices(scoring=None))
    resolved = evaluate(claim(kind="self_preference", judge=GPT), evidence)
    assert dataclasses.replace(left, choices=resolved.choices, forms=(), links=()) == dataclasses.replace(
        resolved, forms=(), links=()
    )


def test_a_named_judge_drops_no_comparison_of_other_judges(evidence):
    table = {"id": "b", "kind": "beats", "generator": GPT, "opponent": GROK, "judge": CLAUDE}
    found = evaluate(parse_claim(table), evidence)
    assert (found.n_comparisons, found.n_dropped) == (15, 0)
