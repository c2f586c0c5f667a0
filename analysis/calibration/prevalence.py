"""The pass rate that the human reference would give, from a judge that errs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import polars as pl
from scipy import special

from recuse.analysis.calibration.cases import Calibration, each_group
from recuse.analysis.calibration.counts import exact_rate
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.inference.interval import Interval, check_level
from recuse.errors import UndefinedEstimateError
from recuse.schema import CONFIDENCE_LEVEL, EstimateFrame

__all__ = ["ASSUMPTIONS", "Counts", "pass_rates", "ppi_plus_plus", "rogan_gladen"]

ASSUMPTIONS: Final = {
    "rogan_gladen": "assumes that the judge errs on the unlabelled cases as often as on the labelled ones "
    "(the same sensitivity and specificity); the share that passes may differ",
    "ppi_plus_plus": "assumes that the labelled cases are a random draw from all that were judged",
}
"""Method → what has to be true for its interval to mean anything."""


@dataclass(frozen=True, slots=True)
class Counts:
    """All that both corrections need: how labels and verdicts cross, and the verdicts without a label."""

    approved_of_good: int  # human-approved cases that the judge approves
    n_good: int  # human-approved cases
    approved_of_bad: int  # human-rejected cases that the judge approves
    n_bad: int  # human-rejected cases
    approved_unlabelled: int
    n_unlabelled: int

    @property
    def sensitivity(self) -> float:
        """Share approved among the human-approved."""
        return self.approved_of_good / self.n_good

    @property
    def specificity(self) -> float:
        """Share rejected among the human-rejected."""
        return 1 - self.approved_of_bad / self.n_bad

    def why_undefined(self) -> str | None:
        """Say why no correction can be made, or null."""
        if not self.n_unlabelled:
            return "no judged case is without a human label: the humans' own pass rate is the answer"
        if not self.n_good or not self.n_bad:
            kind = "approved" if not self.n_good else "rejected"
            return f"no labelled case is {kind} by the humans: the judge's error on such cases is unknown"
        if self.approved_of_good * self.n_bad <= self.approved_of_bad * self.n_good:
            return "sensitivity + specificity ≤ 1: the judge approves good cases no more often than bad ones"
        return None


def rogan_gladen(counts: Counts, conf_level: float = CONFIDENCE_LEVEL) -> tuple[float, Interval]:
    """Correct a judge's pass rate by its sensitivity and specificity.

    θ = (p + specificity − 1) / (sensitivity + specificity − 1), with p the pass rate on the unlabelled
    cases. The interval re-computes θ from smoothed shares — p from n + z² cases with z²/2 more approvals,
    each error from m + 2 cases with one more of either kind — moves it by
    2 z² (θ·v₁ − (1 − θ)·v₀), where v₁ and v₀ are the smoothed variances of sensitivity and specificity,
    and adds ± z times the delta-method standard error. It is cut to [0, 1]; the estimate is not.

    Parameters
    ----------
    counts
        Labelled and unlabelled counts.
    conf_level
        Two-sided confidence level.

    Returns
    -------
    tuple
        The estimate, which may lie outside [0, 1], and its interval.

    Raises
    ------
    UndefinedEstimateError
        A class has no labelled case, nothing is unlabelled, or sensitivity + specificity ≤ 1.

    References
    ----------
    Rogan and Gladen (1978), American Journal of Epidemiology 107(1); Lang and Reiczigel (2014), Preventive
    Veterinary Medicine 113(1); arXiv:2511.21140, section on confidence intervals, and the authors' code.
    """
    check_level(conf_level)
    _refuse_undefined(counts)
    p = counts.approved_unlabelled / counts.n_unlabelled
    youden = counts.sensitivity + counts.specificity - 1
    theta = (p + counts.specificity - 1) / youden
    z = _z(conf_level)
    n, m0, m1 = counts.n_unlabelled + z**2, counts.n_bad + 2, counts.n_good + 2
    p = (counts.approved_unlabelled + z**2 / 2) / n
    q0 = (counts.n_bad - counts.approved_of_bad + 1) / m0
    q1 = (counts.approved_of_good + 1) / m1
    v, v0, v1 = p * (1 - p) / n, q0 * (1 - q0) / m0, q1 * (1 - q1) / m1
    youden = q0 + q1 - 1
    if youden <= 0:
        return theta, Interval.missing(
            "rogan_gladen", "too few labelled cases: sensitivity + specificity is not above 1 once smoothed"
        )
    centre = (p + q0 - 1) / youden
    error = float(np.sqrt(v + (1 - centre) ** 2 * v0 + centre**2 * v1)) / youden
    middle = centre + 2 * z**2 * (centre * v1 - (1 - centre) * v0)
    return theta, _cut(middle - z * error, middle + z * error, error, "rogan_gladen")


def ppi_plus_plus(counts: Counts, conf_level: float = CONFIDENCE_LEVEL) -> tuple[float, Interval]:
    """Correct a judge's pass rate by its mean error on the labelled cases, as far as that pays.

    θ = mean(Y) + λ (mean(F̃) − mean(F)), with labels Y and verdicts F on the n labelled cases and verdicts
    F̃ on the N others; λ = Cov(Y, F) / ((1 + n/N) Var(F)) cut to [0, 1], Var(F) over all cases. The
    variance is λ² Var(F̃)/N + Var(Y − λF)/n, the interval θ ± z times its root, cut to [0, 1].

    Parameters
    ----------
    counts
        Labelled and unlabelled counts.
    conf_level
        Two-sided confidence level.

    Returns
    -------
    tuple
        The estimate, which may lie outside [0, 1], and its interval.

    Raises
    ------
    UndefinedEstimateError
        As :func:`rogan_gladen`.

    Notes
    -----
    A normal interval: near 0 and 1 it covers less than it says.

    References
    ----------
    arXiv:2311.01453, power tuning (λ) and mean estimation; the authors' package ``ppi_py``, whose variances
    (over n, not n − 1) are used.
    """
    check_level(conf_level)
    _refuse_undefined(counts)
    n, unlabelled = counts.n_good + counts.n_bad, counts.n_unlabelled
    y = counts.n_good / n
    f = (counts.approved_of_good + counts.approved_of_bad) / n
    f_unlabelled = counts.approved_unlabelled / unlabelled
    covariance = counts.approved_of_good / n - y * f
    total = n + unlabelled
    f_all = (counts.approved_of_good + counts.approved_of_bad + counts.approved_unlabelled) / total
    variance_all = f_all * (1 - f_all) * total / (total - 1)
    tuned = covariance / ((1 + n / unlabelled) * variance_all)
    weight = float(np.clip(tuned, 0.0, 1.0))
    theta = y + weight * (f_unlabelled - f)
    residual = y * (1 - y) + weight**2 * f * (1 - f) - 2 * weight * covariance
    variance = weight**2 * f_unlabelled * (1 - f_unlabelled) / unlabelled + residual / n
    error = float(np.sqrt(max(variance, 0.0)))
    z = _z(conf_level)
    if error == 0:
        return theta, Interval.missing(
            "ppi_plus_plus", "the judge never errs on the labelled cases: no spread"
        )
    return theta, _cut(theta - z * error, theta + z * error, error, "ppi_plus_plus")


def pass_rates(calibration: Calibration, *, conf_level: float = CONFIDENCE_LEVEL) -> EstimateFrame:
    """Pass rates by judge and by the humans, and the judge's corrected, overall and by case type.

    ``pass_rate``: share approved among the decided cases; judge null is the human reference.
    ``corrected_pass_rate``: what the share would be under the human reference on the judged cases without
    a human label, one row by each method; ``reason`` carries the method's assumption, and says so where
    the estimate lies outside [0, 1]. ``n_tasks`` counts labelled and unlabelled cases, ``n_dropped`` the
    judge's abstentions and the cases whose humans disagree.
    """
    rows: list[Estimate] = []
    base = Estimate(estimand="pass_rate", unit="proportion", study=calibration.study, split=calibration.split)
    for group, cases in each_group(calibration.cases, calibration.case_types):
        settled = cases["reference"].drop_nulls()
        human = replace(base, group=group, baseline="human_reference", n_dropped=cases.height - len(settled))
        yes = int(settled.sum())
        rows.append(exact_rate(human, yes, len(settled), conf_level, "no case with a human reference"))
    for judge in calibration.judges:
        mine = calibration.judged.filter(pl.col("judge") == judge)
        for group, cases in each_group(mine, calibration.case_types):
            rows += _judge_rows(replace(base, judge=judge, group=group), cases, conf_level)
    return estimate_frame(rows)


def _judge_rows(base: Estimate, cases: pl.DataFrame, conf_level: float) -> Iterator[Estimate]:
    decided = cases.filter(pl.col("approved").is_not_null())
    row = replace(base, n_dropped=cases.height - decided.height)
    n_approved = int(decided["approved"].sum())
    yield exact_rate(row, n_approved, decided.height, conf_level, "the judge decided no case")
    unsettled = pl.col("basis").is_in(["disagree", "abstained"])
    row = replace(row, estimand="corrected_pass_rate", n_dropped=cases.height - decided.height)
    row = replace(row, n_dropped=(row.n_dropped or 0) + decided.filter(unsettled).height)
    counts = _counts(decided.filter(~unsettled))
    for method, correct in (("rogan_gladen", rogan_gladen), ("ppi_plus_plus", ppi_plus_plus)):
        named = replace(row, interval=method, n_tasks=counts.n_good + counts.n_bad + counts.n_unlabelled)
        why = counts.why_undefined()
        if why is not None:
            yield named.undefined(why)
            continue
        value, interval = correct(counts, conf_level)
        said = [f"{counts.n_good + counts.n_bad:,} labelled, {counts.n_unlabelled:,} judged without a label"]
        if not 0 <= value <= 1:
            said.append("the estimate lies outside [0, 1]: its assumption or the sample fails")
        said += [interval.reason] if interval.reason else []
        said.append(ASSUMPTIONS[method])
        yield replace(named, estimate=value, reason="; ".join(said)).with_interval(interval, conf_level)


def _counts(decided: pl.DataFrame) -> Counts:
    approved, reference = pl.col("approved"), pl.col("reference")
    (row,) = decided.select(
        approved_of_good=(approved & reference).sum(),
        n_good=reference.sum(),
        approved_of_bad=(approved & ~reference).sum(),
        n_bad=(~reference).sum(),
        approved_unlabelled=approved.filter(reference.is_null()).sum(),
        n_unlabelled=reference.is_null().sum(),
    ).iter_rows(named=True)
    return Counts(**{name: int(value or 0) for name, value in row.items()})


def _refuse_undefined(counts: Counts) -> None:
    why = counts.why_undefined()
    if why is not None:
        raise UndefinedEstimateError(why)


def _z(conf_level: float) -> float:
    return float(special.ndtri(1 - (1 - conf_level) / 2))


def _cut(low: float, high: float, error: float, method: str) -> Interval:
    if high <= 0 or low >= 1:
        return Interval.missing(method, "the whole interval lies outside [0, 1]")
    return Interval(max(low, 0.0), min(high, 1.0), error, None, None, method)
