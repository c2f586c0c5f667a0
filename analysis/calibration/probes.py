"""Controlled experiments with a judge that sees one case at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from recuse.analysis.calibration.cases import Calibration
from recuse.analysis.calibration.counts import exact_rate
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.inference.clusters import ClusterSums
from recuse.analysis.inference.rates import rate_interval
from recuse.schema import CONFIDENCE_LEVEL, EstimateFrame

__all__ = ["probe_rates"]

_NEEDED: Final = "no case has both labels of this probe"


def probe_rates(calibration: Calibration, *, conf_level: float = CONFIDENCE_LEVEL) -> EstimateFrame:
    """Measure what moves a judge and should not: length, a second asking, the order of the answers.

    - probe ``length``: each case is shown as a short correct and as a long wrong text, so that the right
      verdicts are known. ``false_rejection_rate`` of the short, ``false_approval_rate`` of the long (group
      ``variant=…``), and ``long_wins_score``: 1 where the judge approves only the long wrong text, ½ where
      both or neither, 0 where only the short correct one; ½ is a judge that does not tell them apart.
    - probe ``repetition``: ``test_retest_agreement``, the mean share of equal verdicts among all pairs of
      askings of one case; 1: always the same verdict.
    - probe ``swap``: ``position_consistency``, the share of cases with the same verdict in both orders.

    ``n_tasks`` counts cases, ``n_presentations`` verdicts, ``n_dropped`` cases on which the judge abstained
    so that nothing can be compared. Nothing is returned for a probe that a judge was not given.

    Notes
    -----
    Intervals are exact where each case gives one yes or no; for the score, and for more than two askings,
    the jackknife over cases on the logit scale.
    """
    models = calibration.labels.filter(pl.col("rater_kind") == "model")
    rows: list[Estimate] = []
    for judge in calibration.judges:
        base = Estimate(
            estimand="long_wins_score",
            unit="proportion",
            study=calibration.study,
            judge=judge,
            split=calibration.split,
        )
        mine = models.filter(pl.col("judge") == judge)
        rows += _length(replace(base, probe="length"), mine, conf_level)
        rows += _repetition(replace(base, probe="repetition"), mine, conf_level)
        rows += _swap(replace(base, probe="swap"), mine, conf_level)
    return estimate_frame(rows)


def _length(base: Estimate, labels: pl.DataFrame, conf_level: float) -> Iterator[Estimate]:
    cases = _both(labels.filter(pl.col("probe") == "length"), "short_correct", "long_wrong")
    if not cases.height:
        return
    for variant, estimand, errs in (
        ("short_correct", "false_rejection_rate", ~pl.col("short_correct")),
        ("long_wrong", "false_approval_rate", pl.col("long_wrong")),
    ):
        n_decided = cases.height - cases[variant].null_count()
        wrong = int(cases.select(errs.sum()).item())
        row = replace(base, estimand=estimand, group=f"variant={variant}", n_dropped=cases.height - n_decided)
        yield exact_rate(row, wrong, n_decided, conf_level, "the judge abstained on all of them")
    decided = cases.drop_nulls()
    row = replace(base, n_tasks=decided.height, n_dropped=cases.height - decided.height)
    if not decided.height:
        yield row.undefined(_NEEDED)
        return
    score = (1 + decided["long_wrong"].cast(pl.Int8) - decided["short_correct"].cast(pl.Int8)).to_numpy() / 2
    yield _mean_rate(row, score, conf_level)


def _repetition(base: Estimate, labels: pl.DataFrame, conf_level: float) -> Iterator[Estimate]:
    asked = (
        labels.filter(pl.col("probe").is_in(["main", "repetition"]))
        .group_by("case_id", "variant")
        .agg(n=pl.len(), n_yes=pl.col("approved").sum(), n_decided=pl.col("approved").count())
        .filter(pl.col("n") > 1)
    )
    if not asked.height:
        return
    yes, decided = pl.col("n_yes").cast(pl.Int64), pl.col("n_decided").cast(pl.Int64)
    no = decided - yes
    pairs = asked.filter(decided > 1).select(
        "case_id",
        "n_decided",
        equal=(yes * (yes - 1) + no * (no - 1)) // 2,
        pairs=decided * (decided - 1) // 2,
    )
    row = replace(
        base,
        estimand="test_retest_agreement",
        n_tasks=pairs.height,
        n_presentations=int(pairs["n_decided"].sum()),
        n_dropped=asked.height - pairs.height,
    )
    if not pairs.height:
        yield row.undefined(_NEEDED)
        return
    share = (pairs["equal"] / pairs["pairs"]).to_numpy()
    yield _mean_rate(row, share, conf_level)


def _mean_rate(row: Estimate, shares: npt.NDArray[np.float64], conf_level: float) -> Estimate:
    """Fill a row with the mean of one share in [0, 1] per case."""
    sums = ClusterSums(shares.astype(np.float64), np.ones(len(shares)))
    interval = rate_interval(sums, conf_level=conf_level)
    return replace(row, estimate=sums.estimate).with_interval(interval, conf_level)


def _swap(base: Estimate, labels: pl.DataFrame, conf_level: float) -> Iterator[Estimate]:
    swapped = labels.filter(pl.col("probe") == "swap")
    if not swapped.height:
        return
    as_given = swapped.filter(pl.col("variant") == "as_given")
    main = labels.filter(
        (pl.col("probe") == "main") & ~pl.col("case_id").is_in(as_given["case_id"].to_list())
    ).with_columns(variant=pl.lit("as_given"))
    both = pl.concat([swapped, main]).with_columns(
        verdict=pl.coalesce("choice", pl.col("approved").cast(pl.String))
    )
    cases = _both(both, "as_given", "swapped", "verdict").filter(
        pl.col("case_id").is_in(swapped["case_id"].unique().to_list())
    )
    decided = cases.drop_nulls()
    row = replace(
        base,
        estimand="position_consistency",
        n_presentations=2 * decided.height,
        n_dropped=cases.height - decided.height,
    )
    same = int((decided["as_given"] == decided["swapped"]).sum())
    yield exact_rate(row, same, decided.height, conf_level, _NEEDED)


def _both(labels: pl.DataFrame, one: str, other: str, column: str = "approved") -> pl.DataFrame:
    """Set the first verdict under each of two variants side by side, by case; null: abstained or missing."""
    first = labels.sort("replicate").group_by("case_id", maintain_order=True)
    return first.agg(
        pl.col(column).filter(pl.col("variant") == variant).first().alias(variant) for variant in (one, other)
    ).sort("case_id")
