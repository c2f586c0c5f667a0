"""The two errors of a judge that approves and rejects, and how often it does neither."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import polars as pl

from recuse.analysis.calibration.cases import Calibration, each_group
from recuse.analysis.calibration.counts import exact_rate
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.schema import CONFIDENCE_LEVEL, EstimateFrame

__all__ = ["ABSTENTIONS", "ErrorCounts", "error_counts", "error_rates"]

ABSTENTIONS = ("decided", "abstained_as_correct", "abstained_as_error")
"""How ``scoring`` counts abstentions: left out; all of them right; all of them wrong."""


@dataclass(frozen=True, slots=True)
class ErrorCounts:
    """What a judge did with the cases that humans reject (or approve)."""

    n_wrong: int  # the judge decided, against the humans
    n_decided: int
    n_abstained: int


def error_counts(judged: pl.DataFrame, *, reference: bool) -> ErrorCounts:
    """Count a judge's errors among the cases whose human reference is ``reference``."""
    cases = judged.filter(pl.col("reference") == pl.lit(reference))
    decided = cases.filter(pl.col("approved").is_not_null())
    wrong = decided.filter(pl.col("approved") != pl.lit(reference))
    return ErrorCounts(wrong.height, decided.height, cases.height - decided.height)


def error_rates(calibration: Calibration, *, conf_level: float = CONFIDENCE_LEVEL) -> EstimateFrame:
    """Count false approvals, false rejections and abstentions of each judge, overall and by case type.

    ``false_approval_rate``: share of the human-rejected cases that the judge decided and approved.
    ``false_rejection_rate``: share of the human-approved cases that it decided and rejected. 0: the judge
    never errs that way; 1: always. ``n_tasks`` counts the cases in the denominator, ``n_dropped`` those of
    the class on which the judge abstained. Where it abstained, two further rows bound the rate by taking
    every abstention for right (``abstained_as_correct``) and for wrong (``abstained_as_error``).

    ``abstention_rate``: share of the cases with a human reference on which the judge gave no verdict.

    Returns
    -------
    EstimateFrame
        Rates with exact (Clopper–Pearson) intervals; null with a reason where a group has no case. An
        empty group is not a rate of 0.

    Notes
    -----
    Pooled over types, a rate weighs the types as the labelled cases do. A false approval is also called a
    false positive or 1 − specificity, a false rejection a false negative or 1 − sensitivity.
    """
    rows: list[Estimate] = []
    for judge in calibration.judges:
        mine = calibration.judged.filter((pl.col("judge") == judge) & pl.col("reference").is_not_null())
        for group, cases in each_group(mine, calibration.case_types):
            base = Estimate(
                estimand="false_approval_rate",
                unit="proportion",
                study=calibration.study,
                judge=judge,
                group=group,
                split=calibration.split,
            )
            rows += _rows(base, cases, _why_no_case(calibration, group), conf_level)
    return estimate_frame(rows)


def _rows(base: Estimate, cases: pl.DataFrame, no_case: str | None, conf_level: float) -> Iterator[Estimate]:
    for estimand, reference, did in (
        ("false_approval_rate", False, "rejected"),
        ("false_rejection_rate", True, "approved"),
    ):
        counts = error_counts(cases, reference=reference)
        wrong, decided, abstained = counts.n_wrong, counts.n_decided, counts.n_abstained
        row = _with(base, estimand, "decided", abstained)
        empty = no_case or (
            f"the judge abstained on all {abstained:,} cases that humans {did}"
            if abstained
            else f"no case that humans {did} (which is not a rate of 0)"
        )
        yield exact_rate(row, wrong, decided, conf_level, empty)
        if abstained:
            for scoring, also_wrong in (("abstained_as_correct", 0), ("abstained_as_error", abstained)):
                bound = _with(base, estimand, scoring, 0)
                yield exact_rate(bound, wrong + also_wrong, decided + abstained, conf_level, empty)
    n_abstained = int(cases["approved"].null_count())
    row = _with(base, "abstention_rate", None, 0)
    yield exact_rate(row, n_abstained, cases.height, conf_level, no_case or "no case with a human reference")


def _with(base: Estimate, estimand: str, scoring: str | None, n_dropped: int) -> Estimate:
    return replace(base, estimand=estimand, scoring=scoring, n_dropped=n_dropped)


def _why_no_case(calibration: Calibration, group: str | None) -> str | None:
    """Say of a type that this split lacks that it does; null where the split has it."""
    if group is None:
        return None
    case_type = group.removeprefix("case_type=")
    if (calibration.cases["case_type"] == case_type).any():
        return None
    return f"no case of type {case_type} is in split {calibration.split}"
