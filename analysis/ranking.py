"""Rank of each generator under each judge, and Kendall's tau between judges' rankings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from recuse.analysis.cells import each_cell, task_codes
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.grouping import cells_of
from recuse.analysis.inference.bootstrap import resampled_totals
from recuse.analysis.inference.clusters import FloatArray
from recuse.analysis.row_codes import GENERATOR, JUDGE, TASK
from recuse.analysis.settings import Settings
from recuse.schema import EstimateFrame

__all__ = [
    "MOST_RESAMPLES",
    "WinRates",
    "kendall_tau_b",
    "ranking_rows",
    "rankings",
    "ranks",
    "ratio",
    "task_matrix",
]

MOST_RESAMPLES = 999
_TIES = 1e-9


def rankings(sides: pl.DataFrame, settings: Settings) -> EstimateFrame:
    """Rank of each generator under each judge, and Kendall's tau-b between two judges' win rates.

    ``rank``: 1 is the highest win rate over all tasks of probe ``main``; equal win rates share the mean
    of their ranks. ``rank_kendall_tau``: 1 the same order of generators; -1 the reverse; 0 as many pairs
    of generators in the same order as not. With few generators it can take few values (3 generators
    without ties: -1, -1/3, 1/3, 1).

    ``sides`` comes from :func:`recuse.analysis.win_rate.side_scores`. ``n_comparisons`` counts the
    scored comparisons of the generator, or half of those of both judges; ``n_tasks`` the tasks with any.

    Notes
    -----
    Intervals hold the percentiles over resampled tasks, all judges on the same ones. Both quantities are
    step functions of the win rates, so no interval with measured coverage is claimed; these say how firmly
    the tasks at hand order these generators.
    """
    rng = settings.rng("rank")
    rows: list[Estimate] = []
    for keys, study in each_cell(sides, ["study"]):
        names, sums, counts = task_matrix(study)
        judges = sorted({judge for judge, _ in names})
        of_judge = [[judge == name for judge, _ in names] for name in judges]
        scored = np.column_stack([counts[:, columns].any(1) for columns in of_judge]).astype(np.float64)
        win_rates = WinRates(
            names=names,
            n_comparisons=counts.sum(0),
            judges=judges,
            shared=scored.T @ scored,
            whole=ratio(sums.sum(0), counts.sum(0))[None],
            resampled=_resampled(sums, counts, settings, rng),
        )
        rows += ranking_rows(win_rates, keys, settings)
    return estimate_frame(rows)


@dataclass(frozen=True, slots=True)
class WinRates:
    """Win rates of one study: a column per judge and generator."""

    names: list[tuple[str, ...]]
    n_comparisons: FloatArray  # (columns,) scored comparisons
    judges: list[str]
    shared: FloatArray  # (J, J) tasks scored by both judges
    whole: FloatArray  # (1, columns) observed
    resampled: FloatArray  # (B, columns)
    note: str | None = None
    """What a reader of the intervals should know."""

    def n_tasks(self, *judges: str) -> int:
        """Tasks that one of one or two judges scored."""
        place = [self.judges.index(judge) for judge in judges]
        both = self.shared[place[0], place[-1]] if len(place) > 1 else 0.0
        return int(sum(self.shared[index, index] for index in place) - both)


def ranking_rows(win_rates: WinRates, keys: dict[str, Any], settings: Settings) -> Iterator[Estimate]:
    """Rank the generators of one study under each judge, and compare the rankings of each two judges."""
    for judge in win_rates.judges:
        yield from _rank_rows(win_rates, judge, keys, settings)
    for pair in combinations(win_rates.judges, 2):
        yield _tau_row(win_rates, pair, keys, settings)


def _rank_rows(
    win_rates: WinRates, judge: str, keys: dict[str, Any], settings: Settings
) -> Iterator[Estimate]:
    columns = [index for index, (name, _) in enumerate(win_rates.names) if name == judge]
    observed = ranks(win_rates.whole[:, columns])[0]
    low, high = _limits(ranks(win_rates.resampled[:, columns]), settings.conf_level)
    for place, column in enumerate(columns):
        row = Estimate(
            estimand="rank",
            unit="rank",
            scoring=settings.scoring,
            judge=judge,
            generator=win_rates.names[column][1],
            n_comparisons=int(win_rates.n_comparisons[column]),
            n_tasks=win_rates.n_tasks(judge),
            reason=win_rates.note,
            **keys,
        )
        yield _with_percentiles(row, observed[place], low[place], high[place], settings)


def _tau_row(
    win_rates: WinRates, pair: tuple[str, str], keys: dict[str, Any], settings: Settings
) -> Estimate:
    place = {name: index for index, name in enumerate(win_rates.names)}
    shared = [name for judge, name in win_rates.names if judge == pair[0] and (pair[1], name) in place]
    left, right = ([place[judge, name] for name in shared] for judge in pair)
    row = Estimate(
        estimand="rank_kendall_tau",
        unit="correlation",
        scoring=settings.scoring,
        judge=pair[0],
        judge_2=pair[1],
        n_comparisons=int(win_rates.n_comparisons[left + right].sum()) // 2,
        n_tasks=win_rates.n_tasks(*pair),
        reason=win_rates.note,
        **keys,
    )
    if len(shared) < 2:
        return row.undefined("fewer than two generators judged by both")
    tau = float(kendall_tau_b(win_rates.whole[:, left], win_rates.whole[:, right])[0])
    if np.isnan(tau):
        return row.undefined("a judge gives all generators the same win rate: tau is 0/0")
    taus = kendall_tau_b(win_rates.resampled[:, left], win_rates.resampled[:, right])
    low, high = _limits(taus[:, None], settings.conf_level)
    if len(shared) < 4:
        few = f"{len(shared)} generators: tau can take few values"
        row = replace(row, reason="; ".join(said for said in (few, row.reason) if said))
    return _with_percentiles(row, tau, low[0], high[0], settings)


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


def task_matrix(sides: pl.DataFrame) -> tuple[list[tuple[str, ...]], FloatArray, FloatArray]:
    """Lay out the scores and counts of one study as tasks × columns, shapes (G, m) and (G, m).

    A column is named by a judge and a generator. Tasks and columns are in alphabetical order.
    """
    columns = cells_of(sides[JUDGE].to_numpy(), sides[GENERATOR].to_numpy())
    tasks = cells_of(sides[TASK].to_numpy())
    by = sides.select(pl.col("judge", "generator").gather(columns.first).cast(pl.String)).rows()
    names = sorted(set(by))
    place = {name: index for index, name in enumerate(names)}
    column = np.array([place[name] for name in by], dtype=np.int64)[columns.index]
    task = task_codes(sides["task_id"][tasks.first])
    shape = (int(task.max(initial=-1)) + 1, len(names))
    flat = task[tasks.index] * len(names) + column
    score, count = (
        np.bincount(flat, sides[name].to_numpy(), shape[0] * shape[1])
        .reshape(shape)
        .astype(np.float64, copy=False)
        for name in ("score", "n")
    )
    return names, score, count


def _resampled(
    sums: FloatArray, counts: FloatArray, settings: Settings, rng: np.random.Generator
) -> FloatArray:
    n_resamples = min(settings.n_resamples, MOST_RESAMPLES)
    totals = resampled_totals(np.column_stack([sums, counts]), rng=rng, n_resamples=n_resamples)
    return ratio(totals[:, : sums.shape[1]], totals[:, sums.shape[1] :])


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Divide sums by counts; NaN where the count is 0."""
    found: FloatArray = np.divide(
        numerator, denominator, out=np.full_like(numerator, np.nan), where=denominator > 0
    )
    return found


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
