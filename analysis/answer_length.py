"""Mean words of each generator's answers."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from recuse.analysis.cells import cluster_sums, each_cell, mean_of, pooled_and_by, total
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.patterns import patterns
from recuse.analysis.settings import Settings
from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = ["mean_words", "mean_words_of", "word_sums"]


def mean_words(comparisons: ComparisonFrame, settings: Settings) -> EstimateFrame:
    """Mean number of words of a generator's answers in probe ``main``, each answer counted once.

    The interval is CR2 by task unless another is asked for: word counts repeat in no pattern, which makes
    a bootstrap dear, and nothing is claimed from them.

    ``n_tasks`` counts the tasks answered, ``n_dropped`` the answers without a word count.
    """
    return mean_words_of(patterns(word_sums(comparisons)), settings)


def word_sums(comparisons: ComparisonFrame) -> pl.DataFrame:
    """Sum the words of each generator's answers by task; ``n`` answers have a count, ``dropped`` none."""
    main = comparisons.filter((pl.col("probe") == "main") & (pl.col("first") != pl.col("second")))
    sides = [
        main.select(
            "study", "task_id", "tier", generator=side, variant=f"{side}_variant", words=f"words_{side}"
        )
        for side in ("first", "second")
    ]
    answers = (
        pl.concat(sides)
        .group_by("study", "task_id", "tier", "generator", "variant")
        .agg(pl.col("words").max())
        .with_columns(n=pl.col("words").is_not_null().cast(pl.Int64), dropped=pl.col("words").is_null())
        .with_columns(pl.col("words").fill_null(0))
    )
    return answers.group_by("study", "task_id", "tier", "generator").agg(
        pl.col("words", "n").sum(), pl.col("dropped").sum().cast(pl.Int64)
    )


def mean_words_of(sums: pl.DataFrame, settings: Settings) -> EstimateFrame:
    """Estimate :func:`mean_words` from patterns of :func:`word_sums`."""
    rng = settings.rng("mean_words")
    settings = replace(settings, interval="cr2") if settings.interval == "default" else settings
    rows: list[Estimate] = []
    for keys, cell in each_cell(pooled_and_by(sums), ["study", "tier", "generator"]):
        row = Estimate(estimand="mean_words", unit="words", n_dropped=total(cell, "dropped"), **keys)
        if not total(cell, "n"):
            row = row.undefined("no word counts in the judgments")
        rows.append(mean_of(row, cluster_sums(cell, "words", "n"), settings, rng))
    return estimate_frame(rows)
