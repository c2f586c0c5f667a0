"""Verbosity: whether a judge of single answers approves the longer ones."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import polars as pl

from recuse.analysis.calibration.cases import Calibration
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.inference.interval import Interval
from recuse.schema import CONFIDENCE_LEVEL, EstimateFrame

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["verbosity"]

_UNITS: Final = ("tokens", "words")
_OUTCOME: Final = "approved"
_FEWEST: Final = 4
"""Fisher's interval of a correlation needs more than three cases beyond what is held fixed."""


def verbosity(calibration: Calibration, *, conf_level: float = CONFIDENCE_LEVEL) -> EstimateFrame:
    """Correlation of a judge's approval with the length of the case, plain and at equal case type.

    - ``verbosity_correlation``: point-biserial correlation of approved (1) or rejected (0) with the number of
      tokens, or of words where tokens are not all known; ``group`` names which. -1: shorter cases are
      approved; 0: approval and length do not go together; 1: longer cases are.
    - ``verbosity_partial_correlation``: the same at equal case type (baseline null), and at equal case type
      and human reference (baseline ``human_reference``): what is left where length is no sign of quality.

    A null judge is the humans' reference itself, since a correct answer may well be a longer one.
    ``n_tasks`` counts cases, ``n_dropped`` cases without a verdict, a length or a reference where it is
    needed. Nothing is returned where no case has a length.

    Notes
    -----
    Cases count as independent; the interval is Fisher's.
    """
    known = calibration.labels.filter(pl.col("probe") == "main").group_by("case_id").agg(pl.col(_UNITS).max())
    unit = max(_UNITS, key=lambda name: known[name].count())
    if not known[unit].count():
        return estimate_frame([])
    lengths = known.select("case_id", length=unit)
    humans = calibration.cases.select("case_id", "case_type", "reference", approved="reference")
    base = Estimate(
        estimand="verbosity_correlation",
        unit="correlation",
        study=calibration.study,
        split=calibration.split,
        group=f"length={unit}",
    )
    rows = _rows(base, humans.join(lengths, on="case_id", how="left"), conf_level, [None])
    for judge in calibration.judges:
        mine = calibration.judged.filter(pl.col("judge") == judge)
        judged = mine.select("case_id", "case_type", "reference", "approved").join(
            lengths, on="case_id", how="left"
        )
        rows += _rows(replace(base, judge=judge), judged, conf_level, [None, "human_reference"])
    return estimate_frame(rows)


def _rows(
    base: Estimate, cases: pl.DataFrame, conf_level: float, baselines: Sequence[str | None]
) -> list[Estimate]:
    rows = [_correlated(base, cases, [], conf_level)]
    for baseline in baselines:
        held = ["case_type"] if baseline is None else ["case_type", "reference"]
        row = replace(base, estimand="verbosity_partial_correlation", baseline=baseline)
        rows.append(_correlated(row, cases, held, conf_level))
    return rows


def _correlated(base: Estimate, cases: pl.DataFrame, held: Sequence[str], conf_level: float) -> Estimate:
    import pingouin as pg

    known = cases.drop_nulls([_OUTCOME, "length", *held])
    row = replace(base, n_tasks=known.height, n_dropped=cases.height - known.height)
    table = _numeric(known, held)
    covariates = [name for name in table.columns if name not in {_OUTCOME, "length"}]
    reason = _undefined(table, known, len(covariates))
    if reason is not None:
        return row.undefined(reason)
    if covariates:
        found = pg.partial_corr(table, x="length", y=_OUTCOME, covar=covariates)
    else:
        found = pg.corr(table["length"], table[_OUTCOME])
    r, p_value = float(found["r"].iloc[0]), float(found["p_val"].iloc[0])
    effective = known.height - len(covariates)
    low, high = pg.compute_esci(
        stat=r, nx=effective, ny=effective, eftype="r", confidence=conf_level, decimals=12
    )
    interval = Interval(float(low), float(high), None, None, None, "fisher_z")
    found_row = replace(row, estimate=r, p_value=p_value, test="correlation_t")
    return found_row.with_interval(interval, conf_level)


def _numeric(known: pl.DataFrame, held: Sequence[str]) -> pd.DataFrame:
    """Numbers only; a covariate of k values becomes k - 1 columns of 0 and 1, constant ones none."""
    import pandas as pd

    columns = {
        _OUTCOME: known[_OUTCOME].cast(pl.Float64).to_numpy(),
        "length": known["length"].cast(pl.Float64).to_numpy(),
    }
    for name in held:
        for value in known[name].unique().sort().to_list()[1:]:
            columns[f"{name}={value}"] = (known[name] == value).cast(pl.Float64).to_numpy()
    return pd.DataFrame(columns)


def _undefined(table: pd.DataFrame, known: pl.DataFrame, n_covariates: int) -> str | None:
    """Say why no correlation exists: too few cases, or nothing that varies once the rest is held fixed."""
    import numpy as np

    if known.height - n_covariates < _FEWEST:
        return f"{known.height} cases with a verdict and a length: too few for a correlation"
    if known[_OUTCOME].n_unique() < 2:
        return "every case has the same verdict: nothing to correlate"
    if known["length"].n_unique() < 2:
        return "every case is equally long: nothing to correlate"
    fixed = np.column_stack([np.ones(known.height), table.iloc[:, 2:].to_numpy()])
    for name, noun in ((_OUTCOME, "the verdict"), ("length", "the length")):
        values = table[name].to_numpy()
        fitted = fixed @ np.linalg.lstsq(fixed, values, rcond=None)[0]
        if np.square(values - fitted).sum() <= 1e-12 * max(1.0, np.square(values).sum()):
            return f"what is held fixed decides {noun}: nothing is left to correlate"
    return None
