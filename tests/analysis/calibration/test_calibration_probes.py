import polars as pl
import pytest

from recuse.analysis.calibration.cases import calibration_of, judge_names
from recuse.analysis.calibration.observations import observations
from recuse.analysis.calibration.pairs import labels_of_pairs
from recuse.analysis.calibration.probes import probe_rates
from recuse.analysis.calibration.reference import adjudicators_of, human_reference
from recuse.analysis.comparisons import compare
from recuse.errors import UndefinedEstimateError, UnknownNameError
from recuse.schema import Judgments

REPEATED = (
    "1 repeated label of probe main: the first of each case enters the errors, "
    "all enter the agreement between askings"
)


def one(estimates, estimand, **keys):
    found = estimates.filter(pl.col("estimand") == estimand)
    for name, value in keys.items():
        found = found.filter(pl.col(name).eq_missing(pl.lit(value)))
    return found.row(0, named=True)


def main(n):
    return [
        {"case_id": f"c{place}", "rater": rater, "approved": True}
        for place in range(n)
        for rater in ("ann", "judge")
    ]


def test_short_and_correct_against_long_and_wrong(calibrated):
    verdicts = [(True, False), (True, True), (False, True), (False, False), (True, None)]
    rows = main(1)
    for place, (short, long) in enumerate(verdicts):
        for variant, approved in (("short_correct", short), ("long_wrong", long)):
            rows.append(
                {
                    "case_id": f"l{place}",
                    "rater": "judge",
                    "probe": "length",
                    "variant": variant,
                    "approved": approved,
                }
            )
    found = probe_rates(calibrated(rows))
    score = one(found, "long_wins_score")
    assert (score["estimate"], score["n_tasks"], score["n_dropped"]) == (0.5, 4, 1)  # 0, ½, 1, ½
    short = one(found, "false_rejection_rate", group="variant=short_correct")
    assert (short["estimate"], short["n_tasks"]) == (0.4, 5)
    long = one(found, "false_approval_rate", group="variant=long_wrong")
    assert (long["estimate"], long["n_tasks"], long["n_dropped"]) == (0.5, 4, 1)


def test_asked_again(calibrated):
    rows = main(4)
    again = [True, False, None, True]
    rows += [
        {"case_id": f"c{n}", "rater": "judge", "probe": "repetition", "replicate": 1, "approved": said}
        for n, said in enumerate(again)
    ]
    row = one(probe_rates(calibrated(rows)), "test_retest_agreement")
    assert (row["estimate"], row["n_tasks"], row["n_dropped"]) == (pytest.approx(2 / 3), 3, 1)
    rows.append({"case_id": "c1", "rater": "judge", "probe": "repetition", "replicate": 2, "approved": False})
    row = one(probe_rates(calibrated(rows)), "test_retest_agreement")
    assert row["estimate"] == pytest.approx((1 + 1 / 3 + 1) / 3)  # yes, no, no: one of three pairs is equal


def test_answers_that_swap_places(calibrated):
    rows = main(4)
    swapped = [True, False, None, True]
    rows += [
        {"case_id": f"c{n}", "rater": "judge", "probe": "swap", "variant": "swapped", "approved": said}
        for n, said in enumerate(swapped)
    ]
    row = one(probe_rates(calibrated(rows)), "position_consistency")
    assert (row["estimate"], row["n_tasks"], row["n_dropped"]) == (pytest.approx(2 / 3), 3, 1)


def test_no_probe_no_row(calibrated):
    assert probe_rates(calibrated(main(2))).is_empty()


def test_how_a_case_comes_to_its_reference(labels_of):
    votes = {
        "unanimous": (True, True, None),
        "majority": (True, False, True),
        "disagree": (True, False, None),
        "abstained": (None, None, None),
    }
    rows = [
        {"case_id": case, "rater": name, "approved": said}
        for case, said_by in votes.items()
        for name, said in zip(("ann", "bob", "cid"), said_by, strict=True)
    ]
    rows += [
        {"case_id": "adjudicated", "rater": name, "approved": said}
        for name, said in (("ann", True), ("bob", False), ("eve", False))
    ]
    rows.append({"case_id": "nobody", "rater": "judge", "approved": True})
    labels = labels_of(rows)
    found = human_reference(labels, adjudicators_of(labels, "eve"))
    assert dict(found.select("case_id", "basis").rows()) == {
        name: name for name in [*votes, "adjudicated", "nobody"]
    }
    assert dict(found.select("case_id", "reference").rows()) == {
        "unanimous": True,
        "majority": True,
        "disagree": None,
        "abstained": None,
        "adjudicated": False,
        "nobody": None,
    }
    with pytest.raises(UnknownNameError, match="did you mean 'eve'"):
        adjudicators_of(labels, "evee")


def test_everything_that_enters_nothing_is_said(labels_of):
    rows = [
        {"case_id": "c1", "rater": "ann", "approved": True},
        {"case_id": "c1", "rater": "judge", "approved": True},
        {"case_id": "c2", "rater": "ann", "approved": True},
        {"case_id": "c2", "rater": "bob", "approved": False},
        {"case_id": "c2", "rater": "judge", "approved": True},
        {"case_id": "c3", "rater": "ann", "approved": None},
        {"case_id": "c3", "rater": "judge", "approved": None},
        {"case_id": "c4", "rater": "ann", "approved": False},
        {"case_id": "c5", "rater": "judge", "approved": False},
        {"case_id": "c6", "rater": "ann", "approved": None},
        {"case_id": "c6", "rater": "judge", "approved": True},
        {"case_id": "c7", "rater": "ann", "approved": True, "split": "held_out", "case_type": "rare"},
        {"case_id": "c7", "rater": "judge", "approved": True, "split": "held_out", "case_type": "rare"},
        {"case_id": "c1", "rater": "judge", "approved": True, "replicate": 1},
    ]
    labels = labels_of(rows)
    assert observations(calibration_of(labels, study="t"), labels) == [
        "human reference: 2 where all humans say the same",
        "1 case on which the humans disagree and nobody adjudicated (c2): in no error rate",
        "1 case labelled by nobody (c3): in no rate",
        "1 case on which every human abstained (c6): in no error rate",
        "1 case without a human label: in pass rates only",
        "judge has no label for 1 case (c4): in none of its rates",
        "type plain is only in split dev: held_out says nothing of it",
        "type rare is only in split held_out: dev says nothing of it",
        REPEATED,
    ]


def test_nothing_to_calibrate_is_one_line(labels_of):
    with pytest.raises(UndefinedEstimateError, match="no case is in split held_out: all are in dev"):
        calibration_of(labels_of(main(1)), study="t", split="held_out")
    with pytest.raises(UndefinedEstimateError, match="no row of split dev is a model's label"):
        calibration_of(labels_of([{"case_id": "c", "rater": "ann", "approved": True}]), study="t")


def test_versions_of_one_judge_are_two_judges(labels_of):
    rows = [
        {"case_id": "c", "rater": "judge", "approved": True, "judge_version": version, "rubric_version": "r"}
        for version in ("v1", "v2")
    ]
    assert judge_names(labels_of(rows))["judge"].to_list() == ["judge@v1", "judge@v2"]


def judgments(rows):
    wanted = dict.fromkeys(Judgments.column_names())
    filled = [
        wanted
        | {
            "judgment_id": f"{place}",
            "study": "s",
            "probe": "main",
            "judge_kind": "model",
            "replicate": 0,
            "status": "ok" if row["verdict"] else "parse_failed",
        }
        | row
        for place, row in enumerate(rows)
    ]
    return Judgments.validate(pl.DataFrame(filled, infer_schema_length=None), cast=True)


def test_pairs_become_labels_of_one_question():
    cases = {"t1": ("b", "a"), "t2": ("a", "a"), "t3": ("tie", "tie"), "t4": ("a", "b"), "t5": ("b", None)}
    rows = []
    for task, (given, swapped) in cases.items():
        rows += [
            {"task_id": task, "judge": "j", "slot_a": "new", "slot_b": "old", "verdict": given},
            {"task_id": task, "judge": "j", "slot_a": "old", "slot_b": "new", "verdict": swapped},
            {
                "task_id": task,
                "judge": "ann",
                "judge_kind": "human",
                "slot_a": "new",
                "slot_b": "old",
                "verdict": "a",
            },
        ]
    comparisons = compare(judgments(rows))
    labels = labels_of_pairs(comparisons, "new").filter(pl.col("probe") == "main")
    mine = labels.filter(pl.col("rater") == "j").sort("case_id")
    # t1 old wins twice; t2 contradicts itself; t3 ties; t4 new wins twice; t5 lacks a verdict.
    assert mine["approved"].to_list() == [False, None, False, True, None]
    assert mine["choice"].to_list() == ["second", None, "neither", "first", None]
    assert labels.filter(pl.col("rater") == "ann")["approved"].all()
    turned = (
        labels_of_pairs(comparisons)
        .filter((pl.col("probe") == "main") & (pl.col("rater") == "j"))
        .sort("case_id")
    )
    assert turned["approved"].to_list() == [True, None, False, False, None]
    swaps = labels_of_pairs(comparisons, "new").filter(pl.col("probe") == "swap")
    assert set(swaps["rater"]) == {"j"}
    assert swaps.height == 10
    with pytest.raises(UnknownNameError, match="candidate 'never'"):
        labels_of_pairs(comparisons, "never")


def test_a_task_with_several_pairs_is_several_cases():
    rows = [
        {"task_id": "t", "judge": "j", "slot_a": one, "slot_b": other, "verdict": "a"}
        for one, other in (("x", "y"), ("x", "z"))
    ]
    labels = labels_of_pairs(compare(judgments(rows)))
    assert sorted(labels["case_id"]) == ["t: x against y", "t: x against z"]
