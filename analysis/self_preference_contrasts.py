"""Contrasts of self-preference deltas: inflation between baselines, and the gradient over tiers."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import polars as pl

from recuse.analysis.cells import cluster_sums, each_cell, mean_of, total
from recuse.analysis.comparisons import tier_order
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.grouping import cells_of
from recuse.analysis.inference.clusters import ClusterSums
from recuse.analysis.inference.differences import difference_interval, permutation_note, permutation_p
from recuse.analysis.inference.means import cut
from recuse.analysis.involvement import RECUSALS
from recuse.analysis.patterns import patterns, task_patterns
from recuse.analysis.row_codes import JUDGE, PAIR, STRATUM, TASK, coded, codes_in
from recuse.analysis.self_preference import delta_sums
from recuse.analysis.settings import Settings
from recuse.schema import TIERS, EstimateFrame

__all__ = [
    "inflation_sums",
    "self_preference_inflation",
    "self_preference_inflation_of",
    "self_preference_tier_gradient",
    "self_preference_tier_gradient_of",
]

_UNIDENTIFIED: Final = "no comparison has a judge of this baseline"


def self_preference_inflation(own: pl.DataFrame, settings: Settings) -> EstimateFrame:
    """How much of the all-peers delta comes from involved judges, by judge.

    Mean over the comparisons that have an uninvolved judge of (mean score by the uninvolved - mean score
    by all peers) of the judge's own answer: the all-peers delta less the uninvolved delta, on the same
    comparisons. 0: recusal changes nothing; positive: the all-peers delta is too large by that much.

    Parameters
    ----------
    own
        From :func:`recuse.analysis.self_preference.against_baselines`.

    Notes
    -----
    In a complete design of three generator-judges the inflations average to half the mean uninvolved
    delta. That is an identity of the design, not evidence.
    """
    return self_preference_inflation_of(patterns(inflation_sums(own)), settings)


def inflation_sums(own: pl.DataFrame) -> pl.DataFrame:
    """Sum the inflation of each comparison by judge, baseline and task; ``n`` of ``n_own`` have one.

    Gives patterns of tasks.
    """
    own = coded(own)
    task, judge, pair = (own[name].to_numpy() for name in (TASK, JUDGE, PAIR))
    peers = own["peers"].to_numpy()
    baseline = own["baseline"]
    comparison = cells_of(task, judge, pair)
    all_peers = np.full(comparison.n, np.nan)
    is_all = (baseline == "all_peers").to_numpy()
    all_peers[comparison.index[is_all]] = peers[is_all]
    inflation = np.where(own["own"].is_null().to_numpy(), np.nan, peers - all_peers[comparison.index])
    recused = np.flatnonzero(sum((baseline == name).to_numpy() for name in RECUSALS))
    inflation = inflation[recused]
    known = ~np.isnan(inflation)
    of_judge = [judge[recused], codes_in(own, ["baseline"])[recused]]
    cells = cells_of(task[recused], *of_judge)
    sums = {
        "inflation": cells.sum(np.where(known, inflation, 0.0)),
        "n": cells.count(known),
        "n_own": cells.count(),
    }
    names = {name: own[name][recused] for name in ("study", "judge", "baseline")}
    return task_patterns(names, cells, [own[STRATUM].to_numpy()[recused], *of_judge], sums)


def self_preference_inflation_of(sums: pl.DataFrame, settings: Settings) -> EstimateFrame:
    """Estimate :func:`self_preference_inflation` from patterns of :func:`inflation_sums`."""
    told: dict[tuple[str | None, ...], Estimate] = {}
    rows: list[Estimate] = []
    for cell_keys, cell in each_cell(sums, ["study", "judge", "baseline"]):
        row = Estimate(
            estimand="self_preference_inflation",
            unit="difference",
            scoring=settings.scoring,
            n_comparisons=total(cell, "n"),
            n_dropped=total(cell, "n_own") - total(cell, "n"),
            **cell_keys,
        )
        if not total(cell, "n"):
            rows.append(row.undefined(_UNIDENTIFIED))
            continue
        part = cluster_sums(cell, "inflation", "n")
        same = (cell_keys["study"], cell_keys["judge"], str(row.n_dropped), _digits(part))
        if same not in told:
            rng = settings.rng("self_preference_inflation")
            told[same] = mean_of(row, part, settings, rng, bounds=(-1.0, 1.0), test=True)
        rows.append(replace(told[same], baseline=cell_keys["baseline"]))
    return estimate_frame(rows)


def self_preference_tier_gradient(
    own: pl.DataFrame, settings: Settings, tiers: tuple[str, ...] = TIERS
) -> EstimateFrame:
    """Delta on the most subjective tier less delta on the most objective one, by judge and baseline.

    Positive: self-preference is larger where taste decides. Tasks of the two tiers are independent
    strata. One row carries the interval and its dual test, one the permutation of tier labels over tasks
    (null: tasks are exchangeable between the two tiers). ``group`` names the two tiers.
    """
    return self_preference_tier_gradient_of(patterns(delta_sums(own)), settings, tiers)


def self_preference_tier_gradient_of(
    sums: pl.DataFrame, settings: Settings, tiers: tuple[str, ...] = TIERS
) -> EstimateFrame:
    """Estimate :func:`self_preference_tier_gradient` from patterns of the deltas' sums."""
    there = sums.filter(pl.col("baseline").is_not_null())
    order = tier_order(there["tier"], tiers)
    rows: list[Estimate] = []
    told: dict[tuple[str | None, ...], list[Estimate]] = {}
    for keys, cell in each_cell(there, ["study", "judge", "baseline"]):
        row = Estimate(
            estimand="self_preference_tier_gradient",
            unit="difference",
            scoring=settings.scoring,
            n_dropped=total(cell, "n_own") - total(cell, "n"),
            **keys,
        )
        if len(order) < 2:
            rows.append(row.undefined("fewer than two tiers"))
            continue
        ends = [cell.filter(pl.col("tier") == tier) for tier in (order[-1], order[0])]
        parts = [cluster_sums(end, "delta", "n") for end in ends]
        row = replace(
            row,
            group=f"{order[-1]} - {order[0]}",
            n_comparisons=sum(total(end, "n") for end in ends),
            n_tasks=parts[0].n_clusters + parts[1].n_clusters,
        )
        same = (keys["study"], keys["judge"], str(row.n_dropped), *(_digits(part) for part in parts))
        made = told.get(same) or _gradient_rows(row, parts[0], parts[1], settings)
        told[same] = made
        rows += [replace(one, baseline=keys["baseline"]) for one in made]
    return estimate_frame(rows)


def _gradient_rows(row: Estimate, high: ClusterSums, low: ClusterSums, settings: Settings) -> list[Estimate]:
    rng = settings.rng("self_preference_tier_gradient")
    if high.estimate is None or low.estimate is None:
        return [row.undefined("a tier without an identified comparison")]
    row = replace(row, estimate=high.estimate - low.estimate)
    interval = difference_interval(
        high,
        low,
        method="default" if settings.interval == "rows" else settings.interval,
        conf_level=settings.conf_level,
        n_resamples=settings.n_resamples,
        rng=rng,
    )
    p_value = permutation_p(high, low, rng, settings.n_resamples)
    return [
        row.with_interval(cut(interval, (-2.0, 2.0)), settings.conf_level, test=True),
        replace(row, test="permutation_of_tiers", p_value=p_value, reason=permutation_note(high, low)),
    ]


def _digits(sums: ClusterSums) -> str:
    """Write sums as text, by which baselines of the same judges are known to be one."""
    return b"/".join(part.tobytes() for part in (sums.numerator, sums.denominator, sums.tasks)).hex()
