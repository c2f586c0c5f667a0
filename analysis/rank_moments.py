"""Moments of the sums behind rankings: what resampling very many tasks needs of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from recuse.analysis.cells import each_cell
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.inference.clusters import FloatArray
from recuse.analysis.inference.many_tasks import NORMAL
from recuse.analysis.ranking import MOST_RESAMPLES, WinRates, ranking_rows, ratio, task_matrix
from recuse.analysis.settings import Settings
from recuse.schema import EstimateFrame

__all__ = ["RankMoments", "rank_moments", "rankings_of"]


@dataclass(frozen=True, slots=True)
class RankMoments:
    """Totals over the tasks of one study of scores and counts by judge and generator, and of products."""

    names: list[tuple[str, ...]]  # (m,) judge and generator of each column
    total: FloatArray  # (2m,) sums of scores, then counts of scored comparisons
    crossed: FloatArray  # (2m, 2m) sums of products
    judges: list[str]  # (J,)
    shared: FloatArray  # (J, J) tasks scored by both judges
    n_tasks: int

    def __add__(self, other: RankMoments) -> RankMoments:
        """Moments over the tasks of both."""
        names = sorted({*self.names, *other.names})
        judges = sorted({*self.judges, *other.judges})
        total, crossed = np.zeros(2 * len(names)), np.zeros((2 * len(names), 2 * len(names)))
        shared = np.zeros((len(judges), len(judges)))
        for one in (self, other):
            column = [names.index(name) for name in one.names]
            place = np.array([*column, *(len(names) + index for index in column)])
            total[place] += one.total
            crossed[np.ix_(place, place)] += one.crossed
            judge = [judges.index(name) for name in one.judges]
            shared[np.ix_(judge, judge)] += one.shared
        return RankMoments(names, total, crossed, judges, shared, self.n_tasks + other.n_tasks)


def rank_moments(sides: pl.DataFrame) -> dict[str, RankMoments]:
    """Moments by study of the scores that :func:`recuse.analysis.win_rate.side_scores` sums by task."""
    found: dict[str, RankMoments] = {}
    for keys, study in each_cell(sides, ["study"]):
        names, sums, counts = task_matrix(study)
        stacked = np.column_stack([sums, counts])
        judges = sorted({judge for judge, _ in names})
        scored = np.column_stack(
            [counts[:, [judge == name for judge, _ in names]].any(1) for name in judges]
        ).astype(np.float64)
        found[keys["study"]] = RankMoments(
            names, stacked.sum(0), stacked.T @ stacked, judges, scored.T @ scored, len(stacked)
        )
    return found


def rankings_of(moments: dict[str, RankMoments], settings: Settings) -> EstimateFrame:
    """Estimate :func:`recuse.analysis.ranking.rankings` where tasks are too many to be resampled one by one.

    The totals over a resample of G tasks are sums of G independent draws. With tens of thousands of tasks
    their joint distribution is normal, with the tasks' own covariance; it is drawn from instead.
    """
    rng = settings.rng("rank")
    rows: list[Estimate] = []
    for study in sorted(moments):
        found = moments[study]
        m = len(found.names)
        covariance = found.crossed - np.outer(found.total, found.total) / found.n_tasks
        n_resamples = min(settings.n_resamples, MOST_RESAMPLES)
        drawn = rng.multivariate_normal(
            found.total, covariance, n_resamples, check_valid="ignore", method="eigh"
        )
        # A generator that nobody scored has no spread, and rounding must not give it any.
        drawn[:, np.diag(covariance) <= 0] = found.total[np.diag(covariance) <= 0]
        win_rates = WinRates(
            names=found.names,
            n_comparisons=found.total[m:],
            judges=found.judges,
            shared=found.shared,
            whole=ratio(found.total[:m], found.total[m:])[None],
            resampled=ratio(drawn[:, :m], drawn[:, m:]),
            note=NORMAL,
        )
        rows += ranking_rows(win_rates, {"study": study}, settings)
    return estimate_frame(rows)
