"""Failed checks by criterion: whether a judge rejects for the reasons that humans reject for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import polars as pl

from recuse.analysis.calibration.agreement import kappa_row
from recuse.analysis.calibration.cases import Calibration
from recuse.analysis.calibration.counts import exact_rate
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.schema import CONFIDENCE_LEVEL, EstimateFrame

__all__ = ["failed_checks"]


def failed_checks(calibration: Calibration, *, conf_level: float = CONFIDENCE_LEVEL) -> EstimateFrame:
    """Precision, recall and kappa of each criterion that a judge or the humans name as failed.

    ``check_precision``: of the cases where the judge names the criterion, the share where the humans do.
    ``check_recall``: of the cases where the humans name it, the share where the judge does. 0: never; 1:
    always. ``check_kappa``: their agreement on naming it, beyond chance. A case counts where the judge
    decided and the humans' checks are on file; cases on which exactly half of the humans name the
    criterion are left out of it (``n_dropped``). ``group`` is ``check=NAME``.

    Nothing is returned for a judge, or for humans, who recorded no check at all.
    """
    rows: list[Estimate] = []
    for judge in calibration.judges:
        mine = calibration.judged.filter(
            (pl.col("judge") == judge)
            & pl.col("approved").is_not_null()
            & pl.col("reference_checks").is_not_null()
        )
        if mine["failed_checks"].is_null().all():
            continue
        named = [
            mine[column].explode(empty_as_null=False, keep_nulls=False)
            for column in ("failed_checks", "reference_checks")
        ]
        base = Estimate(
            estimand="check_precision",
            unit="proportion",
            study=calibration.study,
            judge=judge,
            split=calibration.split,
        )
        for check in sorted({*named[0], *named[1]}):
            rows += _rows(replace(base, group=f"check={check}"), mine, check, conf_level)
    return estimate_frame(rows)


def _rows(base: Estimate, cases: pl.DataFrame, check: str, conf_level: float) -> Iterator[Estimate]:
    is_open = pl.col("open_checks").list.contains(check)
    settled = cases.filter(~is_open).select(
        judge=pl.col("failed_checks").list.contains(check).fill_null(value=False),
        humans=pl.col("reference_checks").list.contains(check),
    )
    base = replace(base, n_dropped=cases.height - settled.height)
    judge, humans = settled["judge"].to_numpy(), settled["humans"].to_numpy()
    both = int((judge & humans).sum())
    yield exact_rate(base, both, int(judge.sum()), conf_level, "the judge never names this check")
    recall = replace(base, estimand="check_recall")
    yield exact_rate(recall, both, int(humans.sum()), conf_level, "the humans never name this check")
    table = np.bincount(2 * humans.astype(np.int64) + judge, minlength=4).reshape(2, 2).astype(np.float64)
    yield kappa_row(replace(base, estimand="check_kappa", unit="coefficient"), table, conf_level)
