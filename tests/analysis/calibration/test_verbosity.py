"""Verbosity of a judge of single answers: against scipy and a regression, and where nothing can be said."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from scipy import stats

from recuse.analysis.calibration.verbosity import verbosity

Rows = list[dict[str, object]]


def cases(n: int = 60, seed: int = 3) -> Rows:
    rng = np.random.default_rng(seed)
    rows: Rows = []
    for place in range(n):
        kind = ("plain", "amount", "deadline")[place % 3]
        tokens = int(rng.integers(20, 200)) + 60 * (place % 3)
        good = bool(rng.random() < 0.6)
        approved = bool(rng.random() < (0.9 if good else 0.2) * tokens / 320)
        case: dict[str, object] = {"case_id": f"c{place:03d}", "case_type": kind, "tokens": tokens}
        rows += [
            case | {"rater": "human", "approved": good},
            case | {"rater": "judge", "approved": approved},
        ]
    return rows


def one(
    estimates: pl.DataFrame, estimand: str, judge: str | None, baseline: str | None = None
) -> dict[str, Any]:
    return estimates.filter(
        pl.col("estimand") == estimand,
        pl.col("judge").eq_missing(pl.lit(judge)),
        pl.col("baseline").eq_missing(pl.lit(baseline, pl.String)),
    ).row(0, named=True)


def test_point_biserial_correlation_is_scipys(calibrated: Callable[..., Any]) -> None:
    rows = cases()
    judged = [row for row in rows if row["rater"] == "judge"]
    expected = stats.pointbiserialr([row["approved"] for row in judged], [row["tokens"] for row in judged])
    limits = stats.pearsonr([row["approved"] for row in judged], [row["tokens"] for row in judged])
    found = one(verbosity(calibrated(rows)), "verbosity_correlation", "judge")
    assert found["estimate"] == pytest.approx(expected.statistic, abs=1e-9)
    assert found["p_value"] == pytest.approx(expected.pvalue, rel=1e-6)
    low, high = limits.confidence_interval(0.95)
    assert (found["conf_low"], found["conf_high"]) == pytest.approx((low, high), abs=1e-9)
    assert (found["group"], found["n_tasks"], found["n_dropped"]) == ("length=tokens", 60, 0)


@pytest.mark.parametrize("baseline", [None, "human_reference"])
def test_partial_correlation_is_that_of_a_regression(
    calibrated: Callable[..., Any], baseline: str | None
) -> None:
    """r² = t²/(t² + residual degrees of freedom) of length in a regression on it and what is held fixed."""
    rows = cases()
    judged = [row for row in rows if row["rater"] == "judge"]
    humans = [row for row in rows if row["rater"] == "human"]
    held = [[row["case_type"] == "plain", row["case_type"] == "amount"] for row in judged]
    if baseline is not None:
        held = [[*columns, human["approved"]] for columns, human in zip(held, humans, strict=True)]
    design = np.column_stack([np.ones(60), [row["tokens"] for row in judged], held]).astype(float)
    fit = sm.OLS(np.array([row["approved"] for row in judged], dtype=float), design).fit()
    t = float(fit.tvalues[1])
    found = one(verbosity(calibrated(rows)), "verbosity_partial_correlation", "judge", baseline)
    assert found["estimate"] == pytest.approx(t / np.sqrt(t**2 + fit.df_resid), abs=1e-9)
    assert found["p_value"] == pytest.approx(float(fit.pvalues[1]), rel=1e-6)


def test_nothing_is_said_without_lengths(calibrated: Callable[..., Any]) -> None:
    rows = [{name: value for name, value in row.items() if name != "tokens"} for row in cases()]
    assert verbosity(calibrated(rows)).is_empty()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"approved": True}, "every case has the same verdict"),
        ({"tokens": 50}, "equally long"),
        ({"approved": None}, "too few"),
    ],
)
def test_what_does_not_vary_correlates_with_nothing(
    calibrated: Callable[..., Any], change: dict[str, object], reason: str
) -> None:
    rows = [row | change if row["rater"] == "judge" or "tokens" in change else row for row in cases()]
    found = one(verbosity(calibrated(rows)), "verbosity_correlation", "judge")
    assert found["estimate"] is None
    assert reason in found["reason"]


def test_a_length_that_its_case_type_decides_leaves_nothing(calibrated: Callable[..., Any]) -> None:
    rows = [row | {"tokens": len(str(row["case_type"]))} for row in cases()]
    found = one(verbosity(calibrated(rows)), "verbosity_partial_correlation", "judge")
    assert found["estimate"] is None
    assert "decides the length" in found["reason"]
