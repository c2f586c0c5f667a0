"""The bundled claims come out as an independent computation says, and hand-made ones as the rules say."""

import polars as pl
import pytest
from scipy import stats

from recuse.analysis.claims.ladder import RUNGS
from recuse.analysis.claims.outcomes import judge_claims
from recuse.analysis.claims.parsing import parse_claim
from recuse.analysis.comparisons import compare
from recuse.analysis.settings import Settings
from recuse.collectors.claims import read_claims
from recuse.collectors.sources import load, load_all
from recuse.schema import Judgments

GPT, CLAUDE, GROK = "openai/gpt-5.5", "anthropic/claude-sonnet-4-6", "xai/grok-4.3"


@pytest.fixture(scope="module")
def bundled():
    file = read_claims()
    source = load_all(file.sources)
    comparisons = compare(source.judgments, families=source.families)
    outcomes = judge_claims(file.claims, comparisons, Settings(), tiers=source.tiers, study=file.study)
    return {outcome.claim.id: outcome for outcome in outcomes}


def rung(outcome, name):
    return outcome.rungs[list(RUNGS).index(name)]


def test_there_are_claims_of_every_part_of_the_article(bundled):
    assert len(bundled) >= 16
    kinds = {outcome.claim.kind for outcome in bundled.values()}
    assert kinds == {
        "self_preference",
        "self_preference_gradient",
        "slot_preference",
        "slot_preference_gradient",
        "longer_wins",
        "agreement",
        "ranking",
    }
    assert all(outcome.claim.says and outcome.claim.published for outcome in bundled.values())


def test_one_judge_of_three_keeps_its_self_preference(bundled):
    gpt, claude, grok = (bundled[name] for name in ("gpt-own", "claude-own", "grok-own"))
    assert [one.verdict for one in (gpt, claude, grok)] == ["survives", "weakens", "falls"]
    assert gpt.n_family == 3
    assert gpt.p_adjusted == pytest.approx(3 * gpt.p_value)
    assert gpt.p_adjusted <= 0.05
    assert gpt.decided_by.name == "length_adjusted"


def test_grok_s_effect_vanishes_at_equal_length(bundled):
    adjusted = rung(bundled["grok-own"], "length_adjusted")
    assert abs(adjusted.evaluation.estimate) < 0.01
    assert adjusted.change.estimate == pytest.approx(0.0047 - 0.1333, abs=1e-3)


@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("gpt-own-grows", (10, -38, 58)),
        ("claude-own-grows", (35, -21, 91)),
        ("grok-own-grows", (20, -47, 87)),
    ],
)
def test_growth_with_subjectivity_survives_for_nobody(bundled, name, points):
    outcome = bundled[name]
    found = rung(outcome, "uninvolved").evaluation
    assert found.interval.method == "cr2_welch"
    percent = tuple(100 * value for value in (found.estimate, found.interval.low, found.interval.high))
    assert percent == pytest.approx(points, abs=0.5)
    assert outcome.verdict != "survives"


def test_no_slot_preference_is_shown_for_one_of_two(bundled):
    assert bundled["gpt-no-slot"].verdict == "survives"
    assert bundled["claude-no-slot"].verdict == "weakens"
    assert bundled["grok-slot-a"].verdict == "survives"
    assert bundled["grok-slot-grows"].verdict == "weakens"


def test_27_of_27_is_not_shown_with_three_tasks(bundled):
    assert bundled["long-elaboration"].p_value == pytest.approx(0.25)
    assert bundled["long-elaboration-pilot"].p_value == pytest.approx(0.0625)
    assert {bundled[name].verdict for name in ("long-elaboration", "long-elaboration-pilot")} == {"weakens"}


def test_agreement_at_chance_is_not_shown_by_five_tasks(bundled):
    for name in ("gpt-grok-chance", "claude-gpt-chance", "claude-grok-chance"):
        assert bundled[name].verdict == "weakens"


def test_the_printed_numbers_are_found_again(bundled):
    printed = {name: outcome for name, outcome in bundled.items() if outcome.claim.kind == "self_preference"}
    for name, outcome in printed.items():
        where = "uninvolved" if name.endswith("uninvolved") else "resolved"
        found = rung(outcome, where).evaluation.estimate
        assert found == pytest.approx(outcome.claim.published.estimate, abs=0.0006), name


def test_no_claim_survives_correction_over_the_whole_file(bundled):
    assert all(outcome.verdict_over_file != "survives" for outcome in bundled.values())
    smallest = min(outcome.p_value for outcome in bundled.values() if outcome.p_value is not None)
    n_tested = sum(outcome.p_value is not None for outcome in bundled.values())
    assert min(o.p_over_file for o in bundled.values() if o.p_value is not None) == pytest.approx(
        n_tested * smallest
    )


def test_the_change_by_recusal_is_paired(bundled):
    """The difference of the two deltas task by task, and not the difference of two intervals."""
    change = rung(bundled["claude-own"], "uninvolved").change
    assert change.estimate == pytest.approx(-0.10)
    inflation = compare_task_sums(CLAUDE)
    mean, low, high = inflation
    assert change.estimate == pytest.approx(mean)
    # bootstrap-t and Student's t agree roughly at 15 equal tasks
    assert (change.interval.low, change.interval.high) == pytest.approx((low, high), abs=0.02)


def compare_task_sums(judge):
    comparisons = compare(load().judgments).filter(pl.col("probe") == "main")
    own = comparisons.filter(
        (pl.col("judge") == judge) & ((pl.col("first") == judge) | (pl.col("second") == judge))
    )
    sums: dict[str, list[float]] = {}
    for row in own.to_dicts():
        same = comparisons.filter(
            pl.col("task_id") == row["task_id"],
            pl.col("first") == row["first"],
            pl.col("second") == row["second"],
            pl.col("judge") != judge,
        ).to_dicts()
        own_side = [one["score_first"] if row["first"] == judge else 1 - one["score_first"] for one in same]
        outside = [
            score
            for one, score in zip(same, own_side, strict=True)
            if one["judge"] not in {row["first"], row["second"]}
        ]
        moved = sum(own_side) / len(own_side) - sum(outside) / len(outside)
        sums.setdefault(row["task_id"], []).append(moved)
    means = [sum(values) / len(values) for values in sums.values()]
    found = stats.ttest_1samp(means, 0)
    low, high = found.confidence_interval()
    return sum(means) / len(means), low, high


def test_bias_that_would_overturn(bundled):
    slot = bundled["gpt-no-slot"]
    inner = slot.decided_by.evaluation.inner
    assert slot.bias_to_overturn == pytest.approx(min(inner.low - 0.4, 0.6 - inner.high))
    delta = bundled["gpt-own"]
    found = delta.decided_by.evaluation
    # CR2's own t quantile at 1 - .05/3
    half = stats.t.isf(0.05 / 3 / 2, found.interval.df) * found.interval.std_error
    assert delta.bias_to_overturn == pytest.approx(
        min(found.estimate - half, found.estimate - 0.283 / 2), abs=1e-9
    )
    assert bundled["claude-own"].bias_to_overturn is None


def made(rows):
    columns = ["task_id", "judge", "slot_a", "slot_b", "verdict"]
    return Judgments.validate(
        pl.DataFrame(rows, orient="row", schema=columns).with_columns(
            judgment_id=pl.row_index().cast(pl.String),
            study=pl.lit("s"),
            probe=pl.lit("main"),
            judge_kind=pl.lit("model").cast(pl.Enum(["model", "human"])),
            verdict=pl.col("verdict").cast(pl.Enum(["a", "b", "tie"])),
            status=pl.lit("ok").cast(pl.Enum(["ok", "parse_failed", "refused", "error", "abstained"])),
            replicate=pl.lit(0, dtype=pl.Int64),
            **{
                name: pl.lit(None, dtype=column.dtype)
                for name, column in Judgments.columns().items()
                if name
                not in {"judgment_id", "study", "task_id", "probe", "judge", "judge_kind", "slot_a", "slot_b",
                        "verdict", "status", "replicate"}
            },
        ).select(list(Judgments.columns()))
    )  # fmt: skip


def both_orders(task, judge, winner, loser):
    return [(task, judge, winner, loser, "a"), (task, judge, loser, winner, "b")]


def test_two_contestants_alone_identify_nothing():
    rows = []
    for task in "tuvwxyz":
        rows += both_orders(task, "p", "p", "q") + both_orders(task, "q", "q", "p")
    comparisons = compare(made(rows))
    claims = [
        parse_claim({"id": "own", "kind": "self_preference", "judge": "p"}),
        parse_claim({"id": "better", "kind": "beats", "generator": "p", "opponent": "q"}),
        parse_claim({"id": "first", "kind": "ranking", "order": ["p", "q"]}),
    ]
    outcomes = judge_claims(claims, comparisons, Settings())
    assert [outcome.verdict for outcome in outcomes] == ["not identifiable"] * 3
    assert {outcome.reason for outcome in outcomes} == {"no uninvolved judge for any comparison"}


def test_a_claim_that_recusal_turns_round():
    """Judge p scores itself low; the uninvolved r scores it high on nearly every task: p's delta reverses."""
    rows = []
    for place, task in enumerate("abcdefghijkl"):
        rows += both_orders(task, "p", "q", "p")
        rows += both_orders(task, "q", "q", "p")
        rows += both_orders(task, "r", *(("p", "q") if place else ("q", "p")))
    claim = parse_claim(
        {
            "id": "own",
            "kind": "self_preference",
            "judge": "p",
            "published": {"estimate": 0.2, "low": 0.1, "high": 0.3},
        }
    )
    (outcome,) = judge_claims([claim], compare(made(rows)), Settings())
    assert outcome.verdict == "reverses"
    assert outcome.decided_by.name == "uninvolved_family"
    assert outcome.decided_by.evaluation.estimate == pytest.approx(-11 / 12)
    assert outcome.is_supported is True
    below = parse_claim({"id": "modest", "kind": "self_preference", "judge": "p", "direction": "below"})
    (modest,) = judge_claims([below], compare(made(rows)), Settings())
    assert modest.verdict == "survives"


def test_without_spread_between_tasks_there_is_no_verdict():
    rows = []
    for task in "abcdefghijkl":
        rows += both_orders(task, "p", "p", "q") + both_orders(task, "q", "q", "p")
        rows += both_orders(task, "r", "q", "p")
    claim = parse_claim({"id": "own", "kind": "self_preference", "judge": "p"})
    (outcome,) = judge_claims([claim], compare(made(rows)), Settings())
    assert rung(outcome, "uninvolved").evaluation.estimate == 1
    assert outcome.verdict == "not identifiable"
    assert "same mean" in outcome.reason
    assert outcome.p_value is None


def test_holm_is_within_families():
    source = load()
    comparisons = compare(source.judgments, families=source.families)
    tables = [
        {"id": judge, "kind": "slot_preference", "judge": judge, "family": family}
        for judge, family in [(GPT, "x"), (CLAUDE, "x"), (GROK, "y")]
    ]
    gpt, claude, grok = judge_claims([parse_claim(table) for table in tables], comparisons, Settings())
    assert (gpt.n_family, claude.n_family, grok.n_family) == (2, 2, 1)
    assert grok.p_adjusted == grok.p_value
    assert gpt.p_adjusted == pytest.approx(min(1, 2 * gpt.p_value))
    assert claude.p_adjusted == pytest.approx(max(gpt.p_adjusted, claude.p_value))
    assert grok.p_over_file == pytest.approx(3 * grok.p_value)


def test_absence_that_is_outside_or_shown_to_be():
    source = load()
    comparisons = compare(source.judgments, families=source.families)
    table = {"kind": "slot_preference", "judge": GROK, "direction": "absent"}
    wide, narrow = (
        parse_claim({"id": "wide", **table}),
        parse_claim({"id": "narrow", **table, "margin": 0.05}),
    )
    # 72.4 % [58.4, 83.0]: outside 40 to 60, whose end the interval covers; wholly outside 45 to 55
    outcomes = judge_claims([wide, narrow], comparisons, Settings())
    assert [outcome.verdict for outcome in outcomes] == ["falls", "reverses"]


def test_a_ranking_reverses_where_two_neighbours_are_shown_the_other_way_round():
    rows = []
    for task in "abcdefghijkl":
        rows += both_orders(task, "j", "x", "y") + both_orders(task, "j", "x", "z")
        rows += both_orders(task, "j", *(("y", "z") if task in "abcdef" else ("z", "y")))
    rows += both_orders("m", "j", "y", "x")
    comparisons = compare(made(rows))
    orders = (["x", "y", "z"], ["y", "x", "z"], ["x", "z", "y"])
    outcomes = judge_claims(
        [parse_claim({"id": "-".join(order), "kind": "ranking", "order": order}) for order in orders],
        comparisons,
        Settings(),
    )
    right, wrong, tied = outcomes
    assert wrong.verdict == "reverses"
    assert right.verdict == "weakens"
    assert right.decided_by.evaluation.link == 1
    assert tied.decided_by.evaluation.estimate == pytest.approx(-right.decided_by.evaluation.estimate)


def test_a_change_that_loses_comparisons_is_a_jackknife_of_the_difference():
    """Left out task by task from the judgments themselves, and not from sums."""
    source = load()
    comparisons = compare(source.judgments, families=source.families)
    table = {"id": "better", "kind": "beats", "generator": GPT, "opponent": GROK}
    claim = parse_claim(table)

    def moved(there):
        found = judge_claims([claim], there, Settings(n_resamples=99))[0]
        return (
            rung(found, "uninvolved").evaluation.estimate - rung(found, "clustered").evaluation.estimate,
            rung(found, "uninvolved"),
        )

    whole, step = moved(comparisons)
    main = comparisons.filter(pl.col("probe") == "main")
    tasks = main["task_id"].unique().sort().to_list()
    without = [moved(main.filter(pl.col("task_id") != task))[0] for task in tasks]
    variance = sum((one - whole) ** 2 for one in without) * (len(tasks) - 1) / len(tasks)
    half = stats.t.isf(0.025, len(tasks) - 1) * variance**0.5
    assert step.n_lost == 30
    assert step.change.estimate == pytest.approx(whole)
    assert step.change.interval.low == pytest.approx(whole - half)
    assert step.change.interval.method == "jackknife"


def test_human_judges_are_shown_and_decide_nothing():
    rows = []
    for task in "abcdefghijkl":
        rows += both_orders(task, "p", "p", "q") + both_orders(task, "q", "q", "p")
        rows += both_orders(task, "r", *(("p", "q") if task in "abcd" else ("q", "p")))
        rows += both_orders(task, "h", *(("p", "q") if task in "abcdefghij" else ("q", "p")))
    judgments = made(rows).with_columns(
        judge_kind=pl.when(pl.col("judge") == "h")
        .then(pl.lit("human"))
        .otherwise(pl.lit("model"))
        .cast(pl.Enum(["model", "human"]))
    )
    claim = parse_claim({"id": "own", "kind": "self_preference", "judge": "p"})
    (outcome,) = judge_claims([claim], compare(Judgments.validate(judgments)), Settings())
    assert rung(outcome, "human").evaluation.estimate == pytest.approx(2 / 12)
    assert outcome.decided_by.name == "uninvolved_family"
    assert outcome.decided_by.evaluation.estimate == pytest.approx(8 / 12)


def test_one_order_leaves_a_slot_preference_unidentified():
    rows = [(task, "j", "x", "y", "a" if task in "abcdefgh" else "b") for task in "abcdefghijkl"]
    claims = [
        parse_claim({"id": "slot", "kind": "slot_preference", "judge": "j"}),
        parse_claim({"id": "better", "kind": "beats", "generator": "x", "opponent": "y", "judge": "j"}),
    ]
    slot, better = judge_claims(claims, compare(made(rows)), Settings())
    assert slot.verdict == "not identifiable"
    assert "one order was asked" in slot.reason
    assert better.decided_by.evaluation.estimate == pytest.approx(8 / 12)
    assert better.p_value == pytest.approx(stats.binomtest(8, 12).pvalue)


def test_rows_taken_as_independent_decide_nothing():
    """Two judges agree on thirty pairs of one task: nothing is known of other tasks."""
    rows = []
    for pair in range(30):
        sides = (f"x{pair}", "y") if pair % 3 else ("y", f"x{pair}")
        rows += both_orders("t", "j", *sides)
        rows += both_orders("t", "k", *(sides if pair % 5 else sides[::-1]))
    claim = parse_claim({"id": "alike", "kind": "agreement", "judge": "j", "judge_2": "k"})
    (outcome,) = judge_claims([claim], compare(made(rows)), Settings(n_resamples=99))
    assert rung(outcome, "resolved").is_identified
    assert outcome.verdict == "not identifiable"
    assert outcome.p_value is None


def test_an_absence_is_corrected_like_any_other_claim():
    source = load()
    comparisons = compare(source.judgments, families=source.families)
    table = {"kind": "slot_preference", "judge": GPT, "direction": "absent"}
    claims = [parse_claim({"id": f"c{copy}", **table}) for copy in range(8)]
    alone, *_ = judge_claims(claims[:1], comparisons, Settings())
    together = judge_claims(claims, comparisons, Settings())
    assert alone.verdict == "survives"
    assert all(one.p_adjusted == pytest.approx(8 * alone.p_value) for one in together)
    assert {one.verdict for one in together} == {"weakens" if 8 * alone.p_value > 0.05 else "survives"}


def test_agreement_without_a_labelled_comparison_has_a_reason():
    rows = [
        (task, judge, "x", "y", None if task == "t" else "a") for task in ("t", "u") for judge in ("j", "k")
    ]
    frame = made([(*row[:4], row[4] or "a") for row in rows]).with_columns(
        verdict=pl.when(pl.col("task_id") == "t").then(None).otherwise("verdict"),
        status=pl.when(pl.col("task_id") == "t")
        .then(pl.lit("error"))
        .otherwise(pl.lit("ok"))
        .cast(pl.Enum(["ok", "parse_failed", "refused", "error", "abstained"])),
        tier=pl.when(pl.col("task_id") == "t").then(pl.lit("medium")).otherwise(pl.lit("objective")),
    )
    claim = parse_claim({"id": "k", "kind": "agreement", "judge": "j", "judge_2": "k", "tier": "medium"})
    (outcome,) = judge_claims([claim], compare(Judgments.validate(frame)), Settings(n_resamples=99))
    assert outcome.verdict == "not identifiable"
    assert "no labelled comparison" in outcome.reason
