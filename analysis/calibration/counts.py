"""One row of estimates from a count: an exact interval, or the reason why there is none."""

from __future__ import annotations

from dataclasses import replace

from recuse.analysis.estimates import Estimate
from recuse.analysis.inference.exact import clopper_pearson

__all__ = ["exact_rate"]


def exact_rate(row: Estimate, x: int, n: int, conf_level: float, why_none: str) -> Estimate:
    """Fill a row with x of n and its Clopper–Pearson interval; every case is its own task.

    Parameters
    ----------
    row
        The row, with its keys.
    x, n
        Cases that count, and cases in the denominator.
    conf_level
        Two-sided confidence level.
    why_none
        What the row says where `n` is 0.
    """
    row = replace(row, n_tasks=n)
    if not n:
        return row.undefined(why_none)
    low, high = clopper_pearson(x, n, conf_level)
    return replace(
        row,
        estimate=x / n,
        conf_low=low,
        conf_high=high,
        conf_level=conf_level,
        interval="clopper_pearson",
    )
