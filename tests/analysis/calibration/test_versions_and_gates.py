import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar

from recuse.analysis.calibration.gates import cases_needed, evaluate_gates, parse_gate
from recuse.analysis.calibration.report import calibration_estimates
from recuse.analysis.calibration.versions import compare_versions, paired_difference_interval
from recuse.errors import ConfigurationError, UndefinedEstimateError, UnknownNameError


def versions(calibrated, cells):
    """Give both calibrations of (type, human, old, new, n)."""
    rows = {"old": [], "new": []}
    for case_type, human, old, new, n in cells:
        for _ in range(n):
            case = {"case_id": f"c{len(rows['old']) // 2:03d}", "case_type": case_type}
            for name, verdict in (("old", old), ("new", new)):
                rows[name] += [case | {"rater": "human", "approved": human}]
                rows[name] += [case | {"rater": "judge", "approved": verdict}]
    return calibrated(rows["old"]), calibrated(rows["new"])


CELLS = [
    ("plain", False, True, False, 9),
    ("plain", False, False, True, 2),
    ("plain", False, True, True, 3),
    ("plain", False, False, False, 6),
    ("exclusion", False, True, True, 4),
    ("exclusion", False, True, False, 1),
    ("exclusion", True, True, None, 2),
    ("exclusion", True, True, True, 5),
]


def test_mcnemar_is_statsmodels_and_counts_what_came_and_went(calibrated):
    found = compare_versions(*versions(calibrated, CELLS), "judge", "judge")
    plain = found.estimates.filter(
        (pl.col("estimand") == "false_approval_rate_change") & (pl.col("group") == "case_type=plain")
    ).row(0, named=True)
    assert plain["p_value"] == pytest.approx(mcnemar([[3, 9], [2, 6]], exact=True).pvalue)
    assert (plain["estimate"], plain["n_tasks"], plain["n_comparisons"]) == (pytest.approx(-7 / 20), 20, 11)
    exclusion = found.estimates.filter(
        (pl.col("estimand") == "false_approval_rate_change") & (pl.col("group") == "case_type=exclusion")
    ).row(0, named=True)
    # Holm over two types: the smaller p is doubled, the larger kept at least as large.
    assert plain["p_adjusted"] == pytest.approx(2 * plain["p_value"])
    assert exclusion["p_adjusted"] == 1.0
    counts = found.counts.filter(pl.col("group").is_null()).to_dicts()
    assert counts[0] == {
        "estimand": "false_approval_rate_change",
        "group": None,
        "n": 25,
        "old_wrong": 17,
        "new_wrong": 9,
        "came": 2,
        "went": 10,
    }
    changed = found.changed["change"].value_counts().sort("change").rows()
    assert changed == [("abstains now", 2), ("right now", 10), ("wrong now", 2)]


def test_no_differing_case_and_no_case_are_told_apart(calibrated):
    found = compare_versions(*versions(calibrated, CELLS), "judge", "judge").estimates
    rejections = found.filter(pl.col("estimand") == "false_rejection_rate_change")
    by_group = {row["group"]: row for row in rejections.iter_rows(named=True)}
    assert (
        by_group["case_type=plain"]["reason"] == "no case that humans approved was decided by both versions"
    )
    same = by_group["case_type=exclusion"]
    assert (same["estimate"], same["p_value"], same["test"], same["n_dropped"]) == (0.0, None, None, 2)
    assert same["reason"] == "no case on which the versions differ: nothing to test"


def test_versions_without_a_common_case_cannot_be_compared(calibrated, cells_of):
    old = calibrated(cells_of([("plain", True, True, 2)]))
    rows = [row | {"case_id": f"other-{row['case_id']}"} for row in cells_of([("plain", True, True, 2)])]
    with pytest.raises(UndefinedEstimateError, match="a comparison needs the same cases"):
        compare_versions(old, calibrated(rows), "judge", "judge")


def test_agresti_min_by_hand_and_never_without_width():
    # b = 9, c = 2, n = 20: d = 7/22, variance (12 - 49/22)/22².
    interval = paired_difference_interval(9, 2, 20)
    spread = 1.959963984540054 * np.sqrt(12 - 49 / 22) / 22
    assert (interval.low, interval.high) == pytest.approx((7 / 22 - spread, 7 / 22 + spread))
    nothing = paired_difference_interval(0, 0, 12)
    assert nothing.low < 0 < nothing.high


@pytest.mark.slow
@pytest.mark.parametrize(("p_came", "p_went", "n"), [(0.05, 0.2, 40), (0.02, 0.02, 25), (0.0, 0.1, 60)])
def test_coverage_of_the_paired_interval(p_came, p_went, n):
    rng = np.random.default_rng(7)
    draws = rng.multinomial(n, [p_came, p_went, 1 - p_came - p_went], 3_000)
    covered = [
        interval.low <= p_came - p_went <= interval.high
        for came, went, _ in draws.tolist()
        for interval in [paired_difference_interval(came, went, n)]
    ]
    assert np.mean(covered) >= 0.94


@pytest.mark.parametrize(
    ("limit", "side"), [(0.05, "upper"), (0.1, "upper"), (0.01, "upper"), (0.8, "lower")]
)
def test_cases_needed_is_the_fewest(limit, side):
    n = cases_needed(limit, side, 0.95)
    x = 0 if side == "upper" else n
    kept = binomtest(x, n).proportion_ci(0.95, "exact")
    fewer = binomtest(x if side == "upper" else n - 1, n - 1).proportion_ci(0.95, "exact")
    if side == "upper":
        assert kept.high <= limit < fewer.high
    else:
        assert kept.low >= limit > fewer.low


def test_cases_needed_at_a_rate():
    n = cases_needed(0.05, "upper", 0.95, 0.02)
    assert binomtest(int(np.ceil(0.02 * n)), n).proportion_ci(0.95, "exact").high <= 0.05
    fewer = int(0.9 * n)
    assert binomtest(int(np.ceil(0.02 * fewer)), fewer).proportion_ci(0.95, "exact").high > 0.05


def ask(calibrated, cells_of, cells, text):
    calibration = calibrated(cells_of(cells))
    estimates = calibration_estimates(calibration)
    (found,) = evaluate_gates(
        [parse_gate(text, blocking=True)], estimates, "judge", case_types=calibration.case_types
    )
    return found


GATE = "false_approval{case_type=exclusion} upper bound ≤ 0.05"


@pytest.mark.parametrize(
    ("wrong", "right", "outcome", "says"),
    [
        (0, 72, "passes", "upper bound 0.050, n = 72"),
        (
            0,
            12,
            "cannot be shown",
            "cannot be shown with n = 12: even without an error the upper bound would be 0.26; 72 cases",
        ),
        (1, 11, "cannot be shown", "cannot be shown with n = 12: even without"),
        (4, 196, "cannot be shown", "cannot be shown with n = 200: at the estimate, 0.020, about "),
        (9, 91, "fails", "estimate 0.090 is beyond; n = 100"),
        (10, 0, "fails", "estimate 1.000, and even the lower bound, 0.692, is beyond; n = 10"),
        (
            0,
            0,
            "cannot be shown",
            "cannot be shown with n = 0: even without an error the upper bound would be 1.00; 72",
        ),
    ],
)
def test_a_gate_asks_the_bound(calibrated, cells_of, wrong, right, outcome, says):
    cells = [
        ("exclusion", False, True, wrong),
        ("exclusion", False, False, right),
        ("exclusion", True, True, 3),
    ]
    found = ask(calibrated, cells_of, cells, GATE)
    assert found.outcome == outcome
    assert found.says.startswith(says)


def test_a_gate_on_a_lower_bound(calibrated, cells_of):
    cells = [("plain", True, True, 60), ("plain", False, False, 60), ("plain", False, True, 2)]
    assert ask(calibrated, cells_of, cells, "agreement lower bound >= 90 %").outcome == "passes"
    assert ask(calibrated, cells_of, cells, "kappa lower bound ≥ 0.95").outcome == "cannot be shown"
    assert ask(calibrated, cells_of, cells, "kappa lower bound ≥ 0.8").outcome == "passes"
    assert ask(calibrated, cells_of, cells, "position_consistency lower bound ≥ 0.8").says == (
        "cannot be shown: nothing of the kind was estimated"
    )


def test_a_gate_can_ask_the_worst_case_of_abstentions(calibrated, cells_of):
    cells = [("plain", False, False, 80), ("plain", False, None, 20)]
    assert ask(calibrated, cells_of, cells, "false_approval upper bound ≤ 0.1").outcome == "passes"
    worst = ask(calibrated, cells_of, cells, "false_approval{scoring=abstained_as_error} upper bound ≤ 0.1")
    assert worst.outcome == "fails"


def test_a_gate_on_a_type_that_is_not_there_names_the_nearest(calibrated, cells_of):
    with pytest.raises(UnknownNameError, match="did you mean 'exclusion'"):
        ask(
            calibrated,
            cells_of,
            [("exclusion", False, False, 3)],
            "false_approval{case_type=exclusions} upper bound ≤ 0.05",
        )


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("false_approval estimate ≤ 0.05", ConfigurationError, "a gate asks a bound, not the estimate"),
        ("false_approval lower bound ≤ 0.05", ConfigurationError, "asks the harmless bound"),
        ("false_approval upper bound ≤ 0", ConfigurationError, "no number of cases can show"),
        ("false_approval upper bound ≤ 5", ConfigurationError, "no number of cases can show"),
        ("false_aproval upper bound ≤ 0.05", UnknownNameError, "did you mean 'false_approval'"),
        ("false_approval{type=x} upper bound ≤ 0.05", UnknownNameError, "selector of a gate 'type'"),
        ("false_approval{case_type} upper bound ≤ 0.05", ConfigurationError, "write case_type=NAME"),
        ("be good", ConfigurationError, "cannot read the gate 'be good'"),
    ],
)
def test_a_gate_that_asks_nothing_is_refused(text, error, says):
    with pytest.raises(error, match=says):
        parse_gate(text, blocking=True)
