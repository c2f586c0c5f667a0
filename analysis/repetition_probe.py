"""The repetition probe: whether an answer beats itself once it is padded by saying things again."""

from __future__ import annotations

from typing import Final

import polars as pl

from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.settings import Settings
from recuse.analysis.variant_scores import version_scores
from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = ["padded_wins_score"]

_PADDED: Final = "padded"
_TWO_GENERATORS: Final = (
    "the probe compares answers of different generators: an answer and its padded version are by one"
)


def padded_wins_score(comparisons: ComparisonFrame, settings: Settings) -> EstimateFrame:
    """Mean score of an answer padded by repetition against the same answer, probe ``repetition``.

    0: the padded version loses every comparison; 1: it wins every one; ½: no preference on average, ties and
    flips included. It says nothing new, so that above ½ length alone is rewarded. By judge, and with a null
    judge over all judges; ``group`` is null (all tasks), ``rewards=…`` or ``task=…``.

    The padded version is the one of variant ``padded``, or else the one of more words. ``n_dropped`` counts
    comparisons without a score, or in which neither version is the padded one. Nothing is returned without
    such a probe; a probe of that name between different generators is no such probe, and its row says so.
    """
    probe = comparisons.filter(pl.col("probe") == "repetition")
    first, second = (pl.col(f"{side}_variant").cast(pl.String) == _PADDED for side in ("first", "second"))
    longer = pl.when(pl.col("words_first") != pl.col("words_second")).then(
        pl.col("words_first") > pl.col("words_second")
    )
    padded = pl.coalesce(
        pl.when(first & ~second.fill_null(value=False)).then(statement=True),
        pl.when(second & ~first.fill_null(value=False)).then(statement=False),
        longer,
    )
    rows = version_scores(
        comparisons,
        settings,
        estimand="padded_wins_score",
        probe="repetition",
        first_is_it=padded,
        missing="no comparison with a score in which one version is the padded one",
    )
    told = {(row.study, row.judge) for row in rows}
    others = probe.select(pl.col("study", "judge").cast(pl.String)).unique().sort("study", "judge").rows()
    rows += [
        Estimate(
            estimand="padded_wins_score", unit="proportion", study=study, judge=judge, probe="repetition"
        ).undefined(_TWO_GENERATORS)
        for study, judge in others
        if (study, judge) not in told
    ]
    return estimate_frame(rows)
