import polars as pl
import pytest
from scipy.stats import binomtest

from recuse.analysis.calibration.agreement import agreement_with_humans
from recuse.analysis.calibration.errors import error_rates
from recuse.analysis.calibration.report import calibration_estimates, types_worst_first

GUIDE = [("easy", True, True, 50), ("easy", False, False, 40), ("dangerous", False, True, 10)]


def row_of(estimates: pl.DataFrame, estimand: str, **keys: object) -> dict[str, object]:
    found = estimates.filter(pl.col("estimand") == estimand)
    for name, value in keys.items():
        found = found.filter(pl.col(name).eq_missing(pl.lit(value)))
    assert found.height == 1, found
    return found.row(0, named=True)


def test_ninety_percent_agreement_hides_ten_of_ten(calibrated, cells_of):
    calibration = calibrated(cells_of(GUIDE))
    estimates = calibration_estimates(calibration)
    dangerous = row_of(
        estimates, "false_approval_rate", judge="judge", group="case_type=dangerous", probe="main"
    )
    assert (dangerous["estimate"], dangerous["n_tasks"]) == (1.0, 10)
    oracle = binomtest(10, 10).proportion_ci(0.95, "exact")
    assert (dangerous["conf_low"], dangerous["conf_high"]) == pytest.approx((oracle.low, oracle.high))
    agreement = row_of(estimates, "raw_agreement", judge="judge", group=None)
    assert agreement["estimate"] == pytest.approx(0.9)
    assert types_worst_first(estimates, "judge")[0] == "dangerous"
    pooled = row_of(estimates, "false_approval_rate", judge="judge", group=None, probe="main")
    assert (pooled["estimate"], pooled["n_tasks"]) == (0.2, 50)


def test_an_empty_group_is_undefined_and_not_zero(calibrated, cells_of):
    rates = error_rates(calibrated(cells_of([("plain", True, True, 3), ("plain", True, False, 1)])))
    false_approval = row_of(rates, "false_approval_rate", group=None)
    assert false_approval["estimate"] is None
    assert false_approval["conf_low"] is None
    assert false_approval["n_tasks"] == 0
    assert false_approval["reason"] == "no case that humans rejected (which is not a rate of 0)"
    assert row_of(rates, "false_rejection_rate", group=None)["estimate"] == 0.25


def test_abstentions_stand_apart_and_bound_the_rate(calibrated, cells_of):
    rates = error_rates(
        calibrated(
            cells_of([("plain", False, True, 2), ("plain", False, False, 5), ("plain", False, None, 3)])
        )
    )
    by_scoring = {
        scoring: row_of(rates, "false_approval_rate", group=None, scoring=scoring)
        for scoring in ("decided", "abstained_as_correct", "abstained_as_error")
    }
    found = {name: (row["estimate"], row["n_tasks"], row["n_dropped"]) for name, row in by_scoring.items()}
    assert found == {
        "decided": (pytest.approx(2 / 7), 7, 3),
        "abstained_as_correct": (0.2, 10, 0),
        "abstained_as_error": (0.5, 10, 0),
    }
    assert row_of(rates, "abstention_rate", group=None)["estimate"] == 0.3


def test_all_abstained_is_a_row_with_a_reason(calibrated, cells_of):
    calibration = calibrated(cells_of([("plain", False, None, 3), ("plain", True, None, 2)]))
    estimates = calibration_estimates(calibration)
    row = row_of(estimates, "false_approval_rate", group=None, scoring="decided", probe="main")
    assert (row["estimate"], row["reason"]) == (
        None,
        "the judge abstained on all 3 cases that humans rejected",
    )
    assert row_of(estimates, "abstention_rate", group=None)["estimate"] == 1.0
    assert row_of(estimates, "pass_rate", judge="judge", group=None)["reason"] == "the judge decided no case"
    assert (
        row_of(estimates, "human_kappa", judge="judge", group=None)["reason"] == "no case that both decided"
    )
    assert not estimates.filter(pl.col("estimate").is_nan()).height


def test_a_type_of_the_other_split_is_a_row_with_a_reason(calibrated, cells_of):
    rows = cells_of([("plain", False, True, 2), ("exclusion", False, True, 2)])
    rows = [row | {"split": "held_out" if row["case_type"] == "exclusion" else "dev"} for row in rows]
    rates = error_rates(calibrated(rows))
    row = row_of(rates, "false_approval_rate", group="case_type=exclusion")
    assert row["reason"] == "no case of type exclusion is in split dev"


@pytest.mark.parametrize(
    ("cells", "order"),
    [
        ([("a", False, True, 1), ("b", False, True, 10)], ["b", "a"]),
        ([("a", False, False, 3), ("b", False, False, 30)], ["a", "b"]),
        ([("a", True, True, 3), ("b", False, False, 3)], ["b", "a"]),
        (
            [("a", False, True, 1), ("a", False, False, 9), ("b", False, True, 2), ("b", False, False, 8)],
            ["b", "a"],
        ),
    ],
)
def test_worst_type_first(calibrated, cells_of, cells, order):
    assert types_worst_first(error_rates(calibrated(cells_of(cells))), "judge") == order


def test_rates_do_not_depend_on_the_order_of_rows_or_on_names(calibrated, cells_of):
    rows = cells_of(GUIDE)
    renamed = [row | {"case_id": f"z{row['case_id']}"} for row in reversed(rows)]
    one, other = (calibration_estimates(calibrated(each)) for each in (rows, renamed))
    assert one.equals(other)


def test_a_second_judge_changes_nothing_of_the_first(calibrated, cells_of):
    rows = cells_of(GUIDE)
    alone = error_rates(calibrated(rows))
    always = [row | {"rater": "judge-2", "approved": True} for row in rows if row["rater"] == "judge"]
    both = error_rates(calibrated([*rows, *always]))
    assert both.filter(pl.col("judge") == "judge").equals(alone)
    assert row_of(both, "false_approval_rate", judge="judge-2", group=None)["estimate"] == 1.0


def test_swapping_approve_and_reject_swaps_the_two_errors(calibrated, cells_of):
    cells = [
        ("plain", True, False, 3),
        ("plain", True, True, 4),
        ("plain", False, True, 1),
        ("plain", False, False, 8),
    ]
    turned = [(case_type, not human, not judge, n) for case_type, human, judge, n in cells]
    one, other = (error_rates(calibrated(cells_of(each))) for each in (cells, turned))
    for estimand, mirrored in (
        ("false_approval_rate", "false_rejection_rate"),
        ("false_rejection_rate", "false_approval_rate"),
    ):
        left, right = row_of(one, estimand, group=None), row_of(other, mirrored, group=None)
        assert (left["estimate"], left["conf_low"]) == (right["estimate"], right["conf_low"])
    kappas = [
        row_of(agreement_with_humans(calibrated(cells_of(each))), "human_kappa", judge="judge", group=None)
        for each in (cells, turned)
    ]
    assert kappas[0]["estimate"] == pytest.approx(kappas[1]["estimate"])
