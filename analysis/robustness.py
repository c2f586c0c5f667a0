"""Robustness: whether a verdict stands when one of the answers is perturbed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np
import polars as pl

from recuse.analysis.askings import COMPARED, agreement_across, agreement_within, askings, n_asked
from recuse.analysis.cells import cluster_sums, each_cell, mean_of, pooled_and_by, rate_of, total
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.settings import Settings
from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = ["robustness"]

_ORIGINAL: Final = "original"
"""Variant that names an unperturbed answer, as an empty variant does."""
_CELL: Final = ("study", "probe", "judge", "tier")
_PAIR: Final = ("study", "task_id", "judge", "first", "second")
_SUMS: Final = ("kept", "asked", "same", "net", "again", "probed")
_NO_MATCH: Final = "no verdict on the unperturbed answers, in the same order, to compare with"
_ONCE: Final = "the unperturbed answers were asked once: what a mere second asking changes is not known"
_ONE_GENERATOR: Final = (
    "the probe shows an answer against its own perturbed version: no verdict without the perturbation exists"
)


def robustness(comparisons: ComparisonFrame, settings: Settings) -> EstimateFrame:
    """Robustness and consistency rates of each probe that shows an original against a perturbed answer.

    A side is original where its variant is empty or ``original``, else perturbed. By judge, probe and tier:

    - ``robustness_rate`` (baseline null). Where the two answers are by different generators: share of
      presentations whose verdict is that of the same presentation of the unperturbed answers, probe ``main``.
      Where an answer meets its own perturbed version: share of comparisons that the perturbed version does
      not win (ties, flips and unstable pairs count as not won). 1: the perturbation never moves the verdict.
    - ``consistency_rate``: share of equal verdicts among pairs of askings of the unperturbed presentations.
    - ``robustness_rate`` (baseline ``test_retest_agreement``): the first less the second, on presentations
      with both. 0: the perturbation changes no more than a second asking does; negative: it changes more.

    ``n_comparisons`` counts presentations compared (comparisons, of one generator), ``n_dropped`` those of
    the probe without a verdict or without a match. Nothing is returned of probes without a perturbed answer
    beside an original one.

    References
    ----------
    Robustness rate and consistency rate: arXiv:2410.02736; here with tasks as clusters, and the two on the
    same presentations.
    """
    probes = comparisons.filter(pl.col("probe") != "main").with_columns(
        **{f"{side}_is_original": _is_original(side) for side in ("first", "second")}
    )
    originals = pl.col("first_is_original").cast(pl.Int8) + pl.col("second_is_original").cast(pl.Int8)
    one_generator = pl.col("first") == pl.col("second")
    rows: list[Estimate] = []
    rng = settings.rng("robustness_rate")
    between = probes.filter(~one_generator & (originals < 2))
    if between.height:
        for keys, cell in each_cell(pooled_and_by(_matched(between, comparisons)), _CELL):
            rows += _between_rows(keys, cell, settings, rng)
    within = probes.filter(one_generator & (originals == 1))
    if within.height:
        for keys, cell in each_cell(pooled_and_by(_not_won(within)), _CELL):
            rows += _within_rows(keys, cell, settings, rng)
    return estimate_frame(rows)


def _is_original(side: str) -> pl.Expr:
    return pl.col(f"{side}_variant").cast(pl.String).fill_null(_ORIGINAL) == _ORIGINAL


def _matched(between: pl.DataFrame, comparisons: ComparisonFrame) -> pl.DataFrame:
    """Task sums of equal verdicts with and without the perturbation, and among second askings without."""
    main = comparisons.filter(pl.col("probe") == "main", _is_original("first"), _is_original("second")).join(
        between.select(_PAIR).unique(), on=_PAIR, how="semi"
    )
    counts = [f"{slot}_{choice}" for slot in "ab" for choice in ("first", "second", "tie")]
    before = askings(main).select(*_PAIR, pl.col(counts).name.prefix("main_"))
    both = (
        askings(between)
        .join(before, on=_PAIR, how="left")
        .with_columns(pl.col(f"main_{name}").fill_null(0) for name in counts)
    )
    exprs: dict[str, pl.Expr] = {}
    for slot in "ab":
        there = (n_asked(slot) > 0) & (n_asked(slot, "main_") > 0)
        twice = there & (n_asked(slot, "main_") > 1)
        kept, same = agreement_across(f"{slot}_", f"main_{slot}_"), agreement_within(slot, "main_")
        exprs |= {
            f"kept_{slot}": pl.when(there).then(kept),
            f"asked_{slot}": there.cast(pl.Int64),
            f"same_{slot}": pl.when(twice).then(same),
            f"net_{slot}": pl.when(twice).then(kept - same),
            f"again_{slot}": twice.cast(pl.Int64),
            f"probed_{slot}": (n_asked(slot) > 0).cast(pl.Int64),
        }
    return (
        both.with_columns(**exprs)
        .select(*COMPARED, **{name: pl.sum_horizontal(f"{name}_a", f"{name}_b") for name in _SUMS})
        .group_by(*_CELL, "task_id")
        .agg(pl.col(_SUMS).sum())
        .sort("task_id")
    )


def _between_rows(
    keys: dict[str, Any], cell: pl.DataFrame, settings: Settings, rng: np.random.Generator
) -> Iterator[Estimate]:
    base = Estimate(estimand="robustness_rate", unit="proportion", **keys)
    asked, again = total(cell, "asked"), total(cell, "again")
    row = replace(
        base,
        n_comparisons=asked,
        n_dropped=total(cell, "probed") - asked,
        reason=None if asked else _NO_MATCH,
    )
    yield rate_of(row, cluster_sums(cell, "kept", "asked"), settings, rng)
    row = replace(
        base,
        n_comparisons=again,
        n_dropped=total(cell, "probed") - again,
        reason=None if again else _ONCE if asked else _NO_MATCH,
    )
    consistent = replace(row, estimand="consistency_rate")
    yield rate_of(consistent, cluster_sums(cell, "same", "again"), settings, rng)
    net = replace(row, unit="difference", baseline="test_retest_agreement")
    yield mean_of(net, cluster_sums(cell, "net", "again"), settings, rng, bounds=(-1.0, 1.0), test=True)


def _not_won(within: pl.DataFrame) -> pl.DataFrame:
    resolution = pl.col("resolution").cast(pl.String)
    known = resolution != "incomplete"
    verdict = pl.coalesce(
        pl.col("verdict_first_in_a")
        .cast(pl.String)
        .replace_strict({"a": "first", "b": "second", "tie": "tie"}),
        pl.col("verdict_first_in_b")
        .cast(pl.String)
        .replace_strict({"a": "second", "b": "first", "tie": "tie"}),
    )
    perturbed = pl.when("first_is_original").then(pl.lit("second")).otherwise(pl.lit("first"))
    won = resolution.is_in(["win", "single"]) & (verdict == perturbed)
    return (
        within.group_by(*_CELL, "task_id")
        .agg(
            kept=(known & ~won).sum().cast(pl.Int64),
            asked=known.sum().cast(pl.Int64),
            n=pl.len().cast(pl.Int64),
        )
        .sort("task_id")
    )


def _within_rows(
    keys: dict[str, Any], cell: pl.DataFrame, settings: Settings, rng: np.random.Generator
) -> Iterator[Estimate]:
    row = Estimate(
        estimand="robustness_rate",
        unit="proportion",
        n_comparisons=total(cell, "asked"),
        n_dropped=total(cell, "n") - total(cell, "asked"),
        reason=None if total(cell, "asked") else "no comparison with a verdict in both orders",
        **keys,
    )
    yield rate_of(row, cluster_sums(cell, "kept", "asked"), settings, rng)
    if keys["tier"] is None:
        net = replace(row, unit="difference", baseline="test_retest_agreement", reason=None)
        yield net.undefined(_ONE_GENERATOR)
