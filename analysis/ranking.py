"""Rank of each generator under each judge, and Kendall's tau between judges' rankings."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl

from recuse.analysis.cells import each_cell
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.inference.bootstrap import resampled_totals
from recuse.analysis.inference.clusters import FloatArray
from recuse.analysis.settings import Settings
from recuse.analysis.win_rate import side_scores
from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = ["kendall_tau_b", "rank_kendall_tau", "ranks", "win_rank"]

_MOST_RESAMPLES = 1_999
_TIES = 1e-9


def win_rank(comparisons: ComparisonFrame, settings: Settings) -> EstimateFrame:
    """Rank of each generator by its win rate under one judge, over all tasks of probe ``main``.

    1 is the highest win rate; equal win rates share the mean of their ranks. The interval holds the
    percentiles of the rank over resampled tasks: a rank is a step function of the win rates, so no
    interval with measured coverage is claimed, and it says how firmly these tasks order these generators.
    """
    rng = settings.rng("rank")
    rows: list[Estimate] = []
    for keys, cell in each_cell(side_scores(comparisons), ["study", "judge"]):
        names, sums, counts = _task_matrix(cell, ["generator"])
        observed = ranks(_ratio(sums.sum(0), counts.sum(0))[None])[0]
        resampled = ranks(_resampled(sums, counts, settings, rng))
        low, high = _limits(resampled, settings.conf_level)
        for index, (generator,) in enumerate(names):
            row = Estimate(
                estimand="rank",
                unit="rank",
                scoring=settings.scoring,
                generator=generator,
                n_comparisons=int(counts[:, index].sum()),
                n_tasks=len(sums),
                **keys,
            )
            rows.append(_with_percentiles(row, observed[index], low[index], high[index], settings))
    return estimate_frame(rows)


def rank_kendall_tau(comparisons: ComparisonFrame, settings: Settings) -> EstimateFrame:
    """Kendall's tau-b between two judges' win rates of the same generators.

    1: the same order; -1: the reverse; 0: as many pairs of generators in the same order as not.
    With few generators it can take few values (3 generators without ties: -1, -1/3, 1/3, 1).
    ``n_comparisons`` counts the scored comparisons of both judges.
    """
    rng = settings.rng("rank_kendall_tau")
    rows: list[Estimate] = []
    for keys, study in each_cell(side_scores(comparisons), ["study"]):
        names, sums, counts = _task_matrix(study, ["judge", "generator"])
        observed = _ratio(sums.sum(0), counts.sum(0))[None]
        resampled = _resampled(sums, counts, settings, rng)
        columns = {name: index for index, name in enumerate(names)}
        for one, other in combinations(sorted({judge for judge, _ in names}), 2):
            shared = [g for j, g in names if j == one and (other, g) in columns]
            left, right = ([columns[judge, g] for g in shared] for judge in (one, other))
            row = Estimate(
                estimand="rank_kendall_tau",
                unit="correlation",
                scoring=settings.scoring,
                judge=one,
                judge_2=other,
                n_comparisons=int(counts[:, left + right].sum()) // 2,
                n_tasks=len(sums),
                **keys,
            )
            if len(shared) < 2:
                rows.append(row.undefined("fewer than two generators judged by both"))
                continue
            tau = float(kendall_tau_b(observed[:, left], observed[:, right])[0])
            if np.isnan(tau):
                rows.append(row.undefined("a judge gives all generators the same win rate: tau is 0/0"))
                continue
            low, high = _limits(
                kendall_tau_b(resampled[:, left], resampled[:, right])[:, None], settings.conf_level
            )
            if len(shared) < 4:
                row = replace(row, reason=f"{len(shared)} generators: tau can take few values")
            rows.append(_with_percentiles(row, tau, low[0], high[0], settings))
    return estimate_frame(rows)


def ranks(win_rates: FloatArray) -> FloatArray:
    """Rank the columns of each row, 1 for the largest; equal values share the mean rank, NaN stays NaN."""
    ahead = win_rates[:, None, :] - win_rates[:, :, None]
    place: FloatArray = 0.5 + (ahead > _TIES).sum(2) + 0.5 * (np.abs(ahead) <= _TIES).sum(2)
    place[np.isnan(win_rates)] = np.nan
    return place


def kendall_tau_b(left: FloatArray, right: FloatArray) -> FloatArray:
    """Kendall's tau-b of each row of two tables of shape (B, k); NaN where one side is all ties."""
    one, two = np.triu_indices(left.shape[1], 1)
    signs_left, signs_right = _signs(left[:, one] - left[:, two]), _signs(right[:, one] - right[:, two])
    pairs = np.sqrt(np.abs(signs_left).sum(1) * np.abs(signs_right).sum(1))
    with np.errstate(invalid="ignore", divide="ignore"):
        tau: FloatArray = np.where(pairs > 0, (signs_left * signs_right).sum(1) / pairs, np.nan)
    return tau


def _signs(differences: FloatArray) -> FloatArray:
    return np.where(np.abs(differences) <= _TIES, 0.0, np.sign(differences))


def _task_matrix(cell: pl.DataFrame, by: list[str]) -> tuple[list[tuple[str, ...]], FloatArray, FloatArray]:
    sums = cell.group_by("task_id", *by).agg(pl.col("score").sum(), pl.len().alias("n")).sort(by)
    columns = sums.select(by).unique().sort(by)
    column_of = sums.join(columns.with_row_index("column"), on=by, how="left", maintain_order="left")[
        "column"
    ].to_numpy()
    task_of = (sums["task_id"].rank("dense").cast(pl.Int64) - 1).to_numpy()
    shape = (int(task_of.max(initial=-1)) + 1, columns.height)
    score, count = np.zeros(shape), np.zeros(shape)
    score[task_of, column_of] = sums["score"].to_numpy()
    count[task_of, column_of] = sums["n"].to_numpy()
    return [tuple(name) for name in columns.rows()], score, count


def _resampled(
    sums: FloatArray, counts: FloatArray, settings: Settings, rng: np.random.Generator
) -> FloatArray:
    n_resamples = min(settings.n_resamples, _MOST_RESAMPLES)
    totals = resampled_totals(np.column_stack([sums, counts]), rng=rng, n_resamples=n_resamples)
    return _ratio(totals[:, : sums.shape[1]], totals[:, sums.shape[1] :])


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    ratio: FloatArray = np.divide(
        numerator, denominator, out=np.full_like(numerator, np.nan), where=denominator > 0
    )
    return ratio


def _limits(
    resampled: FloatArray, conf_level: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    tails = [(1 - conf_level) / 2, (1 + conf_level) / 2]
    undefined = np.isnan(resampled).all(0)
    resampled = np.where(undefined, 0.0, resampled)
    low, high = np.nanquantile(resampled, tails, axis=0, method="inverted_cdf")
    return np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)


def _with_percentiles(row: Estimate, value: float, low: float, high: float, settings: Settings) -> Estimate:
    if np.isnan(low) or np.isnan(high):
        return replace(row, estimate=float(value), reason="no resample of tasks defines it")
    return replace(
        row,
        estimate=float(value),
        conf_low=float(low),
        conf_high=float(high),
        conf_level=settings.conf_level,
        interval="percentile",
    )
