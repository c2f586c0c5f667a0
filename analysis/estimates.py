"""Estimates as records, and the one place where records become the typed frame."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Literal

import polars as pl

from recuse.analysis.inference.interval import Interval
from recuse.analysis.inference.power import minimum_detectable_effect
from recuse.schema import EstimateFrame, Estimates

__all__ = ["Estimate", "estimate_frame", "joined", "no_estimates"]

Unit = Literal[
    "proportion",
    "difference",
    "correlation",
    "coefficient",
    "count",
    "rank",
    "words",
    "logit",
    "variance share",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """One row of ``estimates``; a null key means *pooled over it*."""

    estimand: str
    unit: Unit
    study: str | None = None
    judge: str | None = None
    judge_2: str | None = None
    generator: str | None = None
    tier: str | None = None
    probe: str | None = "main"
    group: str | None = None
    split: str | None = None
    baseline: str | None = None
    scoring: str | None = None
    estimate: float | None = None
    std_error: float | None = None
    conf_low: float | None = None
    conf_high: float | None = None
    conf_level: float | None = None
    interval: str | None = None
    p_value: float | None = None
    test: str | None = None
    p_adjusted: float | None = None
    mde: float | None = None
    n_presentations: int | None = None
    n_comparisons: int | None = None
    n_tasks: int | None = None
    n_dropped: int | None = None
    reason: str | None = None

    def with_interval(self, interval: Interval, conf_level: float, *, test: bool = False) -> Estimate:
        """Attach an interval and the minimum detectable effect; with ``test``, its dual p-value too."""
        mde = None
        if interval.std_error and interval.df is not None:
            mde = minimum_detectable_effect(interval.std_error, interval.df)
        missing = interval.low is None or interval.high is None
        row = replace(
            self,
            std_error=interval.std_error,
            conf_low=interval.low,
            conf_high=interval.high,
            conf_level=None if missing else conf_level,
            interval=interval.method,
            mde=mde,
            reason=joined(interval.reason, self.reason),
        )
        if not test:
            return row
        tested = None if interval.p_value is None else f"dual_of_{interval.method}"
        return replace(row, p_value=interval.p_value, test=tested)

    def undefined(self, reason: str) -> Estimate:
        """Keep the row, without a number, and say why."""
        return replace(self, estimate=None, reason=reason)


def joined(*reasons: str | None) -> str | None:
    """Put what is to be said of a row into one reason, each once; null where there is nothing."""
    return "; ".join(dict.fromkeys(reason for reason in reasons if reason)) or None


def estimate_frame(rows: Iterable[Estimate]) -> EstimateFrame:
    """Turn records into the typed frame, whole and validated; NaN is not let through."""
    names = [field.name for field in fields(Estimate)]
    records = [{name: getattr(row, name) for name in names} for row in rows]
    for record in records:
        for name, value in record.items():
            if isinstance(value, float) and not math.isfinite(value):
                message = f"{name} of {record['estimand']} is {value}"
                raise ValueError(message)
    if not records:
        return no_estimates()
    schema = {name: column.dtype for name, column in Estimates.columns().items()}
    return Estimates.validate(pl.DataFrame(records, schema=schema, orient="row"))


def no_estimates() -> EstimateFrame:
    """Return an empty typed frame."""
    return Estimates.create_empty()
