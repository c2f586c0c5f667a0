"""The length probe: whether the longer of two answers by one generator to one task wins."""

from __future__ import annotations

import polars as pl

from recuse.analysis.estimates import estimate_frame
from recuse.analysis.settings import Settings
from recuse.analysis.variant_scores import version_scores
from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = ["long_scores", "long_wins_score"]

_WORDS = ("long", "short")


def long_wins_score(comparisons: ComparisonFrame, settings: Settings) -> EstimateFrame:
    """Mean score of the long answer against the short one by the same generator, probe ``length``.

    0: the short answer wins every comparison; 1: the long one does; ½: no preference on average, ties
    and flips included. By judge, and with a null judge over all judges; ``group`` is null (all probe
    tasks), ``rewards=…`` (what the task rewards) or ``task=…``.

    Which side is long says its variant (``long``, ``short``), or else the word counts. ``n_dropped``
    counts comparisons without a score, or without a longer side. Where the long answer wins all, or none,
    a second row gives the exact interval over comparisons: it speaks of these tasks only.
    """
    return estimate_frame(
        version_scores(
            comparisons,
            settings,
            estimand="long_wins_score",
            probe="length",
            first_is_it=_first_is_long(),
            missing="no comparison with a score and a longer side",
        )
    )


def long_scores(comparisons: pl.DataFrame) -> pl.DataFrame:
    """Add ``score``, that of the long answer, to the comparisons of the length probe; null without one."""
    first_is_long = _first_is_long()
    return comparisons.filter(
        (pl.col("probe") == "length") & (pl.col("first") == pl.col("second"))
    ).with_columns(
        score=pl.when(first_is_long).then("score_first").when(~first_is_long).then(1 - pl.col("score_first"))
    )


def _first_is_long() -> pl.Expr:
    return pl.coalesce(
        pl.when(pl.col("first_variant") == _WORDS[0]).then(statement=True),
        pl.when(pl.col("second_variant") == _WORDS[0]).then(statement=False),
        pl.when(pl.col("words_first") != pl.col("words_second")).then(
            pl.col("words_first") > pl.col("words_second")
        ),
    )
