import numpy as np
import polars as pl
import pytest
from sklearn.metrics import cohen_kappa_score, precision_score, recall_score

from recuse.analysis.calibration.agreement import agreement_with_humans, kappa_row, pair_table
from recuse.analysis.calibration.checks import failed_checks
from recuse.analysis.estimates import Estimate
from recuse.errors import JudgmentsError


def test_kappa_of_judge_and_reference_is_scikit_learns(calibrated, cells_of):
    cells = [
        ("plain", True, True, 11),
        ("plain", True, False, 3),
        ("plain", False, True, 4),
        ("plain", False, False, 9),
    ]
    calibration = calibrated(cells_of(cells))
    row = agreement_with_humans(calibration).filter(
        (pl.col("estimand") == "human_kappa") & (pl.col("judge") == "judge") & pl.col("group").is_null()
    )
    human = [cell[1] for cell in cells for _ in range(cell[3])]
    judge = [cell[2] for cell in cells for _ in range(cell[3])]
    assert row["estimate"].item() == pytest.approx(cohen_kappa_score(human, judge))
    # Jackknife by hand: leave each case out and compute anew.
    left_out = [
        cohen_kappa_score(human[:i] + human[i + 1 :], judge[:i] + judge[i + 1 :]) for i in range(len(human))
    ]
    n, whole = len(human), cohen_kappa_score(human, judge)
    expected = np.sqrt((n - 1) / n * np.square(np.array(left_out) - whole).sum())
    assert row["std_error"].item() == pytest.approx(expected)


def test_one_human_leaves_the_ceiling_unknown(calibrated, cells_of):
    rows = agreement_with_humans(calibrated(cells_of([("plain", True, True, 3), ("plain", False, True, 2)])))
    row = rows.filter(pl.col("baseline") == "between_humans").row(0, named=True)
    assert (row["estimate"], row["judge"]) == (None, None)
    assert row["reason"] == "no two humans labelled one case: how far humans agree is not known"


def test_kappa_of_one_category_is_undefined(calibrated, cells_of):
    rows = agreement_with_humans(calibrated(cells_of([("plain", True, True, 5)])))
    row = rows.filter(
        (pl.col("estimand") == "human_kappa") & (pl.col("judge") == "judge") & pl.col("group").is_null()
    )
    assert row["reason"].item() == "one category only: kappa is 0/0"


def test_humans_come_first_and_the_adjudicator_is_not_among_them(calibrated):
    rows = []
    for place, (one, other) in enumerate([(True, True), (True, False), (False, False), (False, False)]):
        case = {"case_id": str(place)}
        rows += [case | {"rater": "ann", "approved": one}, case | {"rater": "bob", "approved": other}]
        rows.append(case | {"rater": "judge", "approved": one})
    rows.append({"case_id": "1", "rater": "adjudicator", "approved": False})
    calibration = calibrated(rows)
    found = agreement_with_humans(calibration).filter(pl.col("group").is_null())
    assert found["judge"].to_list() == ["ann", "ann", "judge", "judge"]
    assert found["judge_2"].to_list() == ["bob", "bob", None, None]
    assert calibration.cases.filter(pl.col("case_id") == "1")["reference"].item() is False
    assert calibration.cases.filter(pl.col("case_id") == "1")["basis"].item() == "adjudicated"


def test_raters_of_different_cases_cannot_be_crossed():
    with pytest.raises(JudgmentsError, match="both raters label the same cases"):
        pair_table([True], [True, False])


def test_kappa_over_more_words_than_two():
    one = ["first", "second", "neither", "first", "second", "first"]
    other = ["first", "second", "second", "neither", "second", "first"]
    row = kappa_row(Estimate(estimand="human_kappa", unit="coefficient"), pair_table(one, other), 0.95)
    assert row.estimate == pytest.approx(cohen_kappa_score(one, other))
    assert row.n_tasks == 6


def test_failed_checks_against_scikit_learn(calibrated):
    humans = [["tone"], ["tone"], ["fact"], [], ["tone"], ["fact", "tone"]]
    judge = [["tone"], ["fact"], ["fact"], ["tone"], ["tone"], ["fact"]]
    rows = []
    for place, (named, seen) in enumerate(zip(humans, judge, strict=True)):
        case = {"case_id": str(place)}
        rows.append(case | {"rater": "ann", "approved": not named, "failed_checks": named})
        rows.append(case | {"rater": "judge", "approved": not seen, "failed_checks": seen})
    found = failed_checks(calibrated(rows))
    for check in ("fact", "tone"):
        truth, said = ([check in names for names in each] for each in (humans, judge))
        values = dict(found.filter(pl.col("group") == f"check={check}").select("estimand", "estimate").rows())
        assert values["check_precision"] == pytest.approx(precision_score(truth, said))
        assert values["check_recall"] == pytest.approx(recall_score(truth, said))
        assert values["check_kappa"] == pytest.approx(cohen_kappa_score(truth, said))


def test_a_check_that_half_of_the_humans_name_is_left_out(calibrated):
    rows = []
    for place, (ann, bob) in enumerate([(["tone"], ["tone"]), (["tone"], ["fact"]), ([], [])]):
        case = {"case_id": str(place)}
        rows += [
            case | {"rater": name, "approved": not named, "failed_checks": named}
            for name, named in (("ann", ann), ("bob", bob))
        ]
        rows.append(case | {"rater": "judge", "approved": False, "failed_checks": ["tone"]})
    found = failed_checks(calibrated(rows)).filter(pl.col("group") == "check=tone")
    precision = found.filter(pl.col("estimand") == "check_precision").row(0, named=True)
    assert (precision["estimate"], precision["n_tasks"], precision["n_dropped"]) == (0.5, 2, 1)


def test_nobody_who_records_no_check_is_scored(calibrated, cells_of):
    assert failed_checks(calibrated(cells_of([("plain", False, True, 3)]))).is_empty()
