"""p-values of one estimand are adjusted together, whatever interval each judge's tasks allow."""

import polars as pl
import pytest

from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.inference.interval import Interval
from recuse.analysis.report import adjusted


def row(judge: str | None, method: str, p_value: float) -> Estimate:
    interval = Interval(0.0, 1.0, 0.1, 9.0, p_value, method)
    named = Estimate(
        estimand="self_preference_delta", unit="difference", study="s", judge=judge, baseline="uninvolved",
        estimate=0.5,
    )  # fmt: skip
    return named.with_interval(interval, 0.95, test=True)


def test_judges_with_intervals_of_two_names_are_one_family_and_all_judges_another():
    rows = [row("a", "cr2", 0.01), row("b", "bootstrap_t", 0.03), row(None, "cr2", 0.04)]
    found = adjusted(estimate_frame(rows))
    by_judge = dict(found.select(pl.col("judge").fill_null("all"), "p_adjusted").iter_rows())
    # Benjamini–Hochberg over .01 and .03: 2 × .01 and 2/2 × .03
    assert by_judge == pytest.approx({"a": 0.02, "b": 0.03, "all": 0.04})
