"""Everything that is estimated of a calibration, in one frame."""

from __future__ import annotations

import polars as pl

from recuse.analysis.calibration.agreement import agreement_with_humans
from recuse.analysis.calibration.cases import Calibration
from recuse.analysis.calibration.checks import failed_checks
from recuse.analysis.calibration.errors import error_rates
from recuse.analysis.calibration.prevalence import pass_rates
from recuse.analysis.calibration.probes import probe_rates
from recuse.analysis.calibration.verbosity import verbosity
from recuse.schema import CONFIDENCE_LEVEL, EstimateFrame, Estimates

__all__ = ["calibration_estimates", "types_worst_first"]


def calibration_estimates(calibration: Calibration, *, conf_level: float = CONFIDENCE_LEVEL) -> EstimateFrame:
    """Estimate the errors, agreement, failed checks, pass rates, probes and verbosity of one split."""
    parts = [
        estimand(calibration, conf_level=conf_level)
        for estimand in (
            error_rates,
            agreement_with_humans,
            failed_checks,
            pass_rates,
            probe_rates,
            verbosity,
        )
    ]
    return Estimates.validate(pl.concat(parts))


def types_worst_first(estimates: EstimateFrame, judge: str) -> list[str]:
    """Order the case types by how often a judge approves what humans reject, the worst first.

    By rate; among equal rates the one shown by more cases first, and among rates of 0 the one shown by
    fewer. Types without a human-rejected case come last: nothing is known of them.
    """
    rates = estimates.filter(
        (pl.col("estimand") == "false_approval_rate")
        & (pl.col("judge") == judge)
        & (pl.col("probe") == "main")
        & (pl.col("scoring") == "decided")
        & pl.col("group").is_not_null()
    ).sort(
        ["estimate", "conf_low", "conf_high", "group"],
        descending=[True, True, True, False],
        nulls_last=True,
    )
    return rates["group"].str.strip_prefix("case_type=").to_list()
