"""What a diagnosis reads from a row: each rule on rows made by hand, on both of its sides."""

from typing import Any

import polars as pl
import pytest

from recuse.analysis.diagnosis import Finding, diagnose
from recuse.schema import EstimateFrame, Estimates

LEAN = {
    "estimand": "slot_a_rate",
    "test": "sign_flip_task_lean",
    "estimate": 0.6,
    "p_value": 0.2,
    "n_tasks": 15,
}
REVERSALS = LEAN | {"test": "sign_test_reversals", "p_value": 0.01}
PROBE = {"estimand": "long_wins_score", "probe": "length", "estimate": 0.8, "conf_low": 0.6, "conf_high": 0.9}
DELTA = {
    "estimand": "self_preference_delta", "baseline": "uninvolved", "unit": "difference", "estimate": 0.2,
    "conf_low": 0.05, "conf_high": 0.35, "p_value": 0.01, "mde": 0.21,
}  # fmt: skip
KAPPA = {"estimand": "cohen_kappa", "judge_2": "k", "unit": "correlation", "estimate": 0.05}


def frame(*rows: dict[str, Any]) -> EstimateFrame:
    schema = {name: column.dtype for name, column in Estimates.columns().items()}
    whole = [{"study": "s", "judge": "j", "probe": "main", "unit": "proportion"} | row for row in rows]
    return Estimates.validate(pl.DataFrame(whole, schema=schema, orient="row"))


def only(*rows: dict[str, Any]) -> Finding:
    (finding,) = diagnose(frame(*rows))
    return finding


@pytest.mark.parametrize(
    ("p_value", "p_adjusted", "level"),
    [(0.05, None, "shown"), (0.051, None, "not shown"), (0.02, 0.06, "not shown"), (0.02, 0.05, "shown")],
)
def test_position_is_read_from_the_sign_flip_adjusted_over_judges(p_value, p_adjusted, level):
    finding = only(LEAN | {"p_value": p_value, "p_adjusted": p_adjusted})
    assert (finding.bias, finding.level, finding.judge, finding.study) == ("position", level, "j", "s")


def test_reversals_alone_tell_nothing_of_tasks():
    finding = only(LEAN, REVERSALS)
    assert finding.level == "cannot be told"
    assert finding.reason == "reversals go one way, but the test over tasks does not show it"
    few = only(LEAN | {"n_dropped": LEAN["n_tasks"] - 8}, REVERSALS)
    assert few.reason == "reversals go one way, but too few tasks lean to tell it of tasks"
    assert [row["test"] for row in finding.evidence] == ["sign_flip_task_lean", "sign_test_reversals"]


def test_one_order_only_cannot_be_told():
    reason = "one order was asked by design"
    finding = only(LEAN | {"estimate": None, "p_value": None, "reason": reason})
    assert (finding.level, finding.reason) == ("cannot be told", reason)


def test_what_would_have_been_found_comes_from_the_standard_error():
    # (t.975 + t.8) on 14 degrees of freedom: 2.14479 + 0.86805, from a table of t
    finding = only(LEAN | {"std_error": 0.05})
    assert finding.detectable == pytest.approx(0.05 * (2.14479 + 0.86805), abs=1e-6)
    assert only(LEAN).detectable is None
    assert only(DELTA | {"p_value": 0.3}).detectable == 0.21


def test_length_is_read_where_concision_is_rewarded():
    concision = PROBE | {"group": "rewards=concision", "estimate": 0.6, "conf_low": 0.4}
    elaboration = PROBE | {"group": "rewards=elaboration", "conf_low": 0.7}
    finding = only(PROBE, concision, elaboration)
    assert finding.level == "not shown"
    assert finding.evidence[0]["group"] == "rewards=concision"
    assert only(PROBE).level == "shown"


@pytest.mark.parametrize(
    ("low", "high", "level"),
    [(0.01, 0.2, "shown"), (-0.2, -0.01, "shown"), (-0.1, 0.3, "not shown"), (None, None, "cannot be told")],
)
def test_without_a_probe_length_is_read_from_its_share(low, high, level):
    share = {
        "estimand": "length_length_share",
        "unit": "difference",
        "estimate": 0.0 if low is None else low + 0.05,
    }
    assert only(share | {"conf_low": low, "conf_high": high}).level == level


def test_a_raw_rate_alone_is_no_symptom_of_length():
    raw = {"estimand": "longer_wins_rate", "estimate": 0.9, "conf_low": 0.8, "conf_high": 0.95}
    assert diagnose(frame(raw)) == []


@pytest.mark.parametrize(
    ("row", "level"),
    [
        (DELTA, "shown"),
        (DELTA | {"estimate": -0.2, "conf_low": -0.35, "conf_high": -0.05}, "shown"),
        (DELTA | {"p_adjusted": 0.08}, "not shown"),
        (DELTA | {"estimate": None, "p_value": None, "reason": "no uninvolved judge"}, "cannot be told"),
    ],
)
def test_self_preference_is_read_against_uninvolved_judges(row, level):
    peers = DELTA | {"baseline": "all_peers", "p_value": 1e-6}
    finding = only(peers, row)
    assert finding.level == level
    assert finding.evidence[0]["baseline"] == "uninvolved"
    assert finding.evidence[-1]["baseline"] == "all_peers"


@pytest.mark.parametrize(
    ("low", "high", "level"),
    [(-0.2, 0.2, "shown"), (0.01, 0.15, "shown"), (0.01, 0.5, "not shown"), (-0.21, 0.1, "cannot be told")],
)
def test_agreement_at_chance_is_an_interval_within_the_margin(low, high, level):
    finding = only(KAPPA | {"conf_low": low, "conf_high": high})
    assert (finding.bias, finding.judge, finding.judge_2, finding.level) == ("agreement", "j", "k", level)


def test_undefined_kappa_keeps_its_reason():
    reason = "one category only: kappa is 0/0"
    finding = only(KAPPA | {"estimate": None, "reason": reason})
    assert (finding.level, finding.reason) == ("cannot be told", reason)


def test_kappa_of_tiers_stands_beside_the_pooled_one():
    rows = [
        KAPPA | {"tier": tier, "conf_low": -0.5, "conf_high": 0.5}
        for tier in ("subjective", "medium", "objective")
    ]
    finding = only(*rows, KAPPA | {"conf_low": 0.1, "conf_high": 0.5})
    assert [row["tier"] for row in finding.evidence] == [None, "objective", "medium", "subjective"]


def test_order_is_by_study_judge_and_bias_and_rows_may_come_in_any():
    rows = [
        DELTA,
        LEAN,
        PROBE,
        LEAN | {"judge": "a"},
        LEAN | {"study": "r"},
        KAPPA | {"conf_low": -0.1, "conf_high": 0.1},
    ]
    found = [(one.study, one.judge, one.bias) for one in diagnose(frame(*rows))]
    assert found == [
        ("r", "j", "position"),
        ("s", "a", "position"),
        ("s", "j", "position"),
        ("s", "j", "length"),
        ("s", "j", "self-preference"),
        ("s", "j", "agreement"),
    ]
    assert [(one.study, one.judge, one.bias) for one in diagnose(frame(*reversed(rows)))] == found
    assert diagnose(Estimates.create_empty()) == []
