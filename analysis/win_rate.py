"""Win rate of a generator: its mean score, by judge and over all judges."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl

from recuse.analysis.cells import cluster_sums, each_cell, pooled_and_by, rate_of, total
from recuse.analysis.comparisons import of_pairs, pair_scores
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.grouping import cells_of
from recuse.analysis.patterns import patterns, task_patterns
from recuse.analysis.row_codes import FIRST, GENERATOR, JUDGE, SECOND, STRATUM, TASK, coded, codes_in
from recuse.analysis.settings import Settings
from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = ["side_scores", "win_rate", "win_rate_of", "win_rate_sums"]

_SUMS: Final = ("score", "n", "n_presentations", "n_dropped")


def win_rate(
    comparisons: ComparisonFrame, settings: Settings, sides: pl.DataFrame | None = None
) -> EstimateFrame:
    """Mean score of each generator's answers in probe ``main``.

    0: it loses every comparison; 1: it wins every one; ½ is what a generator gets that ties, or whose
    comparisons flip, throughout. Against these opponents only: win rates of different opponents do not
    compare. Rows with a null judge are over all model judges (over the humans where there are no
    others), each task × pair × judge weighing equally, involved judges included.

    ``n_comparisons`` counts task × pair × judge after averaging replicates, ``n_presentations`` the
    verdicts behind them, ``n_dropped`` the comparisons without a score under the scoring rule.
    """
    return win_rate_of(patterns(win_rate_sums(comparisons, sides)), settings)


def win_rate_of(sums: pl.DataFrame, settings: Settings) -> EstimateFrame:
    """Estimate :func:`win_rate` from patterns of :func:`win_rate_sums`."""
    panel = "model" if (sums["judge_kind"] == "model").any() else "human"
    sums = sums.filter(pl.col("judge").is_not_null() | (pl.col("judge_kind") == panel)).drop("judge_kind")
    rng = settings.rng("win_rate")
    rows: list[Estimate] = []
    for keys, cell in each_cell(pooled_and_by(sums), ["study", "judge", "tier", "generator"]):
        row = Estimate(
            estimand="win_rate",
            unit="proportion",
            scoring=settings.scoring,
            n_comparisons=total(cell, "n"),
            n_presentations=total(cell, "n_presentations"),
            n_dropped=total(cell, "n_dropped"),
            **keys,
        )
        if not total(cell, "n"):
            row = row.undefined("no comparison with a score")
        rows.append(rate_of(row, cluster_sums(cell, "score", "n"), settings, rng))
    return estimate_frame(rows)


def side_scores(comparisons: pl.DataFrame, pairs: pl.DataFrame | None = None) -> pl.DataFrame:
    """Sum the scores of each generator's answers, one row per task × judge × generator.

    ``score`` is the sum over the ``n`` scored pairs, ``n_presentations`` the verdicts behind them. ``pairs``
    is :func:`recuse.analysis.comparisons.pair_scores` of the same comparisons, coded, where it is at hand.
    """
    pairs = pair_scores(coded(comparisons)) if pairs is None else pairs
    task, judge = (np.tile(pairs[name].to_numpy(), 2) for name in (TASK, JUDGE))
    generator = np.concatenate([pairs[FIRST].to_numpy(), pairs[SECOND].to_numpy()])
    score = pairs["score_first"].to_numpy()
    cells = cells_of(task, judge, generator)
    rows = cells.first % max(1, pairs.height)
    names = pl.concat([pairs["first"], pairs["second"]]).alias("generator")
    return pl.DataFrame(
        [
            *(pairs[name][rows] for name in ("study", "task_id", "tier", "judge", "judge_kind")),
            names[cells.first],
            pl.Series("score", cells.sum(np.concatenate([score, 1 - score]))),
            pl.Series("n", cells.count()),
            pl.Series("n_presentations", cells.whole_sum(np.tile(pairs["n_presentations"].to_numpy(), 2))),
            pl.Series("n_dropped", np.zeros(cells.n, dtype=np.int64)),
            *(pairs[name][rows] for name in (TASK, STRATUM, JUDGE)),
            pl.Series(GENERATOR, generator[cells.first]),
        ]
    )


def win_rate_sums(comparisons: pl.DataFrame, sides: pl.DataFrame | None = None) -> pl.DataFrame:
    """Sum scores by judge, generator and task, and (there ``judge`` is null) over the judges of a kind.

    ``sides`` is :func:`side_scores` of the same comparisons, where it is at hand. Gives patterns of tasks.
    """
    frame = coded(comparisons)
    scored = side_scores(frame) if sides is None else sides
    sums = pl.concat([scored, *_unscored(frame)], how="diagonal").with_columns(pl.col(_SUMS).fill_null(0))
    task, stratum, judge, generator = (sums[name].to_numpy() for name in (TASK, STRATUM, JUDGE, GENERATOR))
    kind = codes_in(sums, ["judge_kind"])
    names = {name: sums[name] for name in ("study", "tier", "judge", "judge_kind", "generator")}
    found: list[pl.DataFrame] = []
    for who, named in ((kind, names | {"judge": None}), (judge, names)):
        cells = cells_of(task, who, generator)
        totals = {name: cells.sum(sums[name].to_numpy()) for name in _SUMS}
        whole = {name: totals[name].astype(np.int64) for name in _SUMS[1:]}
        found.append(task_patterns(named, cells, [stratum, who, generator], {**totals, **whole}))
    return pl.concat(found)


def _unscored(frame: pl.DataFrame) -> list[pl.DataFrame]:
    """List each side of a comparison without a score."""
    main = of_pairs(frame)
    if not main["score_first"].null_count():
        return []
    keys = ["study", "task_id", "tier", "judge", "judge_kind", TASK, STRATUM, JUDGE]
    lost = main.select(*keys, FIRST, SECOND, "first", "second", "score_first").filter(
        pl.col("score_first").is_null()
    )
    one = pl.lit(1, dtype=pl.Int64)
    return [
        lost.select(*keys, pl.col(code).alias(GENERATOR), generator=side, n_dropped=one)
        for side, code in (("first", FIRST), ("second", SECOND))
    ]
