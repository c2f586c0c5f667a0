"""Position against the quality gap: whether a judge flips more where other judges see two equals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np
import polars as pl

from recuse.analysis.cells import cluster_sums, each_cell, rate_of, task_codes, total
from recuse.analysis.comparisons import varying
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.inference.interval import Interval
from recuse.analysis.inference.jackknife import jackknife_interval
from recuse.analysis.inference.logistic_jackknife import coefficients_without_each
from recuse.analysis.settings import Settings
from recuse.errors import UndefinedEstimateError
from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = ["GAPS", "position_gap"]

GAPS: Final = ("0-25", "25-50", "50-75", "75-100")
"""Bins of the gap in percent, the upper end left out except for the last."""
_PAIR: Final = ("study", "task_id", "first", "first_variant", "second", "second_variant")
_NO_OTHER: Final = "no other judge has a score on a comparison that this one has in both orders"
_SLOPE: Final = "flip_gap_slope"


def position_gap(comparisons: ComparisonFrame, settings: Settings) -> EstimateFrame:
    """Flip rate as a function of the quality gap that the other judges see, and its test; probe ``main``.

    The gap of a comparison for a judge is the distance of the other judges' mean score from a draw,
    twice over: 0 where they see two equals or contradict each other, 1 where all name one answer.

    - ``flip_rate_by_gap``: flips among complete comparisons, by judge and bin of the gap (group ``gap=0-25``
      to ``gap=75-100``, in percent).
    - ``flip_gap_slope``: coefficient of the gap in a logistic regression (Firth's penalty) of flipping on it,
      in logits from gap 0 to gap 1; negative: flips become rarer as the gap grows. The interval and the test
      of slope 0 are the task jackknife's with t(G - 1), so that they are robust to clustering by task. A null
      judge is all judges, each with an intercept of its own and one slope.

    ``n_comparisons`` counts complete comparisons (every replicate) with a gap, ``n_dropped`` complete ones
    without. The gap comes from judges that flip too, so that noise in it pulls the slope toward 0.

    References
    ----------
    Position bias and the answer quality gap: arXiv:2406.07791 (there the gap is one of win rates).
    """
    counted = _with_gaps(comparisons)
    rng = settings.rng("flip_rate_by_gap")
    rows: list[Estimate] = []
    for keys, cell in each_cell(counted, ["study", "judge"]):
        base = Estimate(estimand=_SLOPE, unit="logit", scoring=settings.scoring, **keys)
        rows.append(_slope(base, cell, settings))
        known = cell.filter(pl.col("gap").is_not_null())
        bins = _binned(known).group_by("bin", "task_id").agg(pl.col("flips", "n").sum()).sort("task_id")
        for bin_keys, of_bin in each_cell(bins, ["bin"]):
            row = replace(
                base,
                estimand="flip_rate_by_gap",
                unit="proportion",
                group=f"gap={GAPS[int(bin_keys['bin'])]}",
                n_comparisons=total(of_bin, "n"),
            )
            rows.append(rate_of(row, cluster_sums(of_bin, "flips", "n"), settings, rng))
    for keys, cell in each_cell(counted, ["study"]):
        if cell["judge"].n_unique() > 1:
            base = Estimate(estimand=_SLOPE, unit="logit", scoring=settings.scoring, **keys)
            rows.append(_slope(base, cell, settings))
    return estimate_frame(rows)


def _with_gaps(comparisons: ComparisonFrame) -> pl.DataFrame:
    """Flips and complete comparisons per study, judge, task and gap; a null gap where nobody else scored."""
    complete = pl.col("resolution").is_in(["win", "tie", "flip", "unstable"])
    main = comparisons.filter((pl.col("probe") == "main") & (pl.col("first") != pl.col("second"))).select(
        *_PAIR,
        "judge",
        "replicate",
        score=pl.col("score_first"),
        flips=(pl.col("resolution") == "flip").cast(pl.Int64),
        n=complete.cast(pl.Int64),
    )
    if main["replicate"].n_unique() > 1:
        main = main.group_by(*_PAIR, "judge").agg(pl.col("score").mean(), pl.col("flips", "n").sum())
    pair = varying(main, _PAIR)
    others = pl.col("score").count().over(pair) - pl.col("score").is_not_null()
    mean = (pl.col("score").sum().over(pair) - pl.col("score").fill_null(0.0)) / others
    return (
        main.with_columns(gap=pl.when(others > 0).then((2 * mean - 1).abs().round(9)))
        .filter(pl.col("n") > 0)
        .group_by("study", "judge", "task_id", "gap")
        .agg(pl.col("flips", "n").sum())
        .sort("study", "judge", "task_id", "gap")
    )


def _binned(known: pl.DataFrame) -> pl.DataFrame:
    n_bins = len(GAPS)
    place = (pl.col("gap") * n_bins).floor().clip(0, n_bins - 1).cast(pl.Int64)
    return known.with_columns(bin=place)


def _slope(base: Estimate, cell: pl.DataFrame, settings: Settings) -> Estimate:
    known = cell.filter(pl.col("gap").is_not_null())
    row = replace(
        base,
        n_comparisons=total(known, "n"),
        n_tasks=known["task_id"].n_unique(),
        n_dropped=total(cell, "n") - total(known, "n"),
    )
    reason = _undefined(known)
    if reason is not None:
        return row.undefined(reason)
    task = task_codes(known["task_id"])
    trials = known["n"].cast(pl.Float64).to_numpy()
    share = known["flips"].cast(pl.Float64).to_numpy() / trials
    design = np.column_stack([known["gap"].to_numpy(), *_intercepts(known)])
    try:
        coefficients, without = coefficients_without_each(design, share, trials, task)
    except UndefinedEstimateError as error:
        return row.undefined(str(error))
    slope = float(coefficients[0])
    if without is None:
        said = "without one of the tasks the slope is not identified"
        return replace(row, estimate=slope).with_interval(
            Interval.missing("jackknife", said), settings.conf_level, test=True
        )
    found = jackknife_interval(slope, without[:, 0], bounds=None, conf_level=settings.conf_level)
    return replace(row, estimate=slope).with_interval(found, settings.conf_level, test=True)


def _undefined(known: pl.DataFrame) -> str | None:
    flips = total(known, "flips")
    if known.is_empty():
        return _NO_OTHER
    if flips in {0, total(known, "n")}:
        return "no comparison flips" if flips == 0 else "every comparison flips"
    if known["gap"].n_unique() < 2:
        return "the other judges see the same gap everywhere"
    return None


def _intercepts(known: pl.DataFrame) -> Iterator[Any]:
    for judge in known["judge"].cast(pl.String).unique().sort().to_list():
        yield (known["judge"].cast(pl.String) == judge).cast(pl.Float64).to_numpy()
