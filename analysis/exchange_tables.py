"""Judgments in the tables that other programs read, so that a result can be checked elsewhere."""

from __future__ import annotations

from typing import Final

import polars as pl

from recuse.analysis.agreement import labelled
from recuse.schema import ComparisonFrame, JudgmentFrame

__all__ = ["RATING_KEYS", "battles_table", "long_table", "ratings_table"]

RATING_KEYS: Final = (
    "study", "task_id", "tier", "first", "first_variant", "second", "second_variant", "replicate",
)  # fmt: skip
"""Columns of a table of ratings that name the item; the others are raters."""
_LABELS: Final = ("first", "second", "neither")
_WINNERS: Final = {"a": "model_a", "b": "model_b", "tie": "tie"}


def long_table(judgments: JudgmentFrame) -> pl.DataFrame:
    """Give the judgments, one row per presentation, without the columns that hold nothing.

    Parameters
    ----------
    judgments
        Any judgments.

    Returns
    -------
    polars.DataFrame
        The columns of the schema of judgments; ``verdict`` is as shown. It is itself a source.
    """
    filled = [name for name in judgments.columns if judgments[name].null_count() < judgments.height]
    words = pl.selectors.enum().cast(pl.String)
    return judgments.select(pl.col(filled)).with_columns(words)


def ratings_table(comparisons: ComparisonFrame) -> pl.DataFrame:
    """Give a table of raters: one row per item, one column per judge, as irr and irrCAC in R take it.

    An item is a comparison of probe ``main``; a rating is the answer that wins in both orders (or in the one
    asked by design), ``first`` or ``second`` by name, or ``neither`` (tie, flip, unstable). Null: the judge
    did not see the item, or one of its orders has no verdict.

    Parameters
    ----------
    comparisons
        Comparisons; only those of two generators on probe ``main`` are rated.

    Returns
    -------
    polars.DataFrame
        ``RATING_KEYS``, then the judges in the order of their names. A judge named like a key has its column
        called ``judge NAME``.

    Notes
    -----
    Krippendorff's alpha and Cohen's kappa of this table, as other programs compute them, are those of
    ``convention="article"``: which answer is *first* is a matter of its name, and by default this package
    averages the marginals of *first* and *second* before chance agreement.
    """
    names = pl.Series(_LABELS)
    rated = labelled(comparisons).with_columns(label=pl.lit(names).gather(pl.col("label").cast(pl.UInt32)))
    wide = rated.with_columns(
        judge=pl.when(pl.col("judge").is_in(RATING_KEYS))
        .then(pl.concat_str(pl.lit("judge "), "judge"))
        .otherwise(pl.col("judge"))
    ).pivot("judge", index=RATING_KEYS, values="label", sort_columns=True)
    return wide.sort(RATING_KEYS)


def battles_table(judgments: JudgmentFrame) -> pl.DataFrame:
    """Give battles as the arena publishes them: one row per presentation of probe ``main`` with a verdict.

    Parameters
    ----------
    judgments
        Judgments. Those without a verdict, of other probes or of two answers of one generator are no battle.

    Returns
    -------
    polars.DataFrame
        ``question_id, model_a, model_b, winner`` (``model_a``, ``model_b``, ``tie``), ``judge, turn`` (1),
        ``language`` (the tier takes its place) and ``study``.
    """
    battles = judgments.filter(
        (pl.col("probe") == "main") & pl.col("verdict").is_not_null() & (pl.col("slot_a") != pl.col("slot_b"))
    )
    return battles.select(
        question_id="task_id",
        model_a="slot_a",
        model_b="slot_b",
        winner=pl.col("verdict").cast(pl.String).replace(_WINNERS),
        judge="judge",
        turn=pl.lit(1),
        language="tier",
        study="study",
    )
