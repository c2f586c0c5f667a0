"""Judgments of pairs as labels: whether a rater would let a candidate replace the other answer."""

from __future__ import annotations

import polars as pl

from recuse.errors import UnknownNameError
from recuse.labels import LabelFrame, Labels
from recuse.schema import ComparisonFrame

__all__ = ["labels_of_pairs"]

_CHOICES = {"a": "first", "b": "second", "tie": "neither"}
_SWAPPED = {"a": "second", "b": "first", "tie": "neither"}


def labels_of_pairs(comparisons: ComparisonFrame, candidate: str | None = None) -> LabelFrame:
    """Turn comparisons of probe ``main`` into labels that say whether a candidate is the better answer.

    One of the two answers is the candidate; the other is what it would replace. ``approved`` is true where
    the candidate wins and false where it loses or ties, since a tie shows no improvement. A judge that was
    asked in both orders and contradicts itself (flip, unstable), or has no verdict in one of them, abstains:
    it has given no verdict on the pair. ``choice`` keeps what was picked: ``first``, ``second`` (by name) or
    ``neither``.

    Both presentations of a judge asked in both orders are kept too, as probe ``swap``.

    Parameters
    ----------
    comparisons
        Comparisons under any scoring rule.
    candidate
        The generator that is the candidate, in the pairs that it takes part in; None: in every pair the
        generator that sorts second by name.

    Returns
    -------
    LabelFrame
        A case is a task and its pair; its type is the task's category, else its tier, else ``pair``. All
        cases are in split ``dev``: such sources say nothing of a split.

    Raises
    ------
    UnknownNameError
        No comparison has an answer of the candidate.

    Notes
    -----
    Which of two answers is the candidate decides which error is called which. Read the two errors of such
    labels as *lets a worse candidate through* and *keeps a better candidate out*, and name the candidate.
    """
    main = comparisons.filter((pl.col("probe") == "main") & (pl.col("first") != pl.col("second")))
    if candidate is not None:
        names = {*main["first"], *main["second"]}
        if candidate not in names:
            raise UnknownNameError("candidate", candidate, names)
        main = main.filter((pl.col("first") == candidate) | (pl.col("second") == candidate))
    side = pl.when(pl.col("first") == (candidate or "")).then(pl.lit("first")).otherwise(pl.lit("second"))
    in_a = pl.col("verdict_first_in_a").cast(pl.String).replace_strict(_CHOICES, return_dtype=pl.String)
    in_b = pl.col("verdict_first_in_b").cast(pl.String).replace_strict(_SWAPPED, return_dtype=pl.String)
    resolved = pl.col("resolution").is_in(["win", "tie", "single"])
    rows = main.with_columns(_case_id(main), side=side, in_a=in_a, in_b=in_b).with_columns(
        choice=pl.when(resolved).then(pl.coalesce("in_a", "in_b"))
    )
    both_orders = rows.filter(
        (pl.col("resolution") != "single") & (pl.col("judge_kind").cast(pl.String) == "model")
    )
    parts = [_labels(rows, "choice", "main", None)]
    parts += [
        _labels(both_orders, column, "swap", variant)
        for column, variant in (("in_a", "as_given"), ("in_b", "swapped"))
    ]
    return Labels.validate(pl.concat(parts), cast=True)


def _case_id(main: pl.DataFrame) -> pl.Expr:
    """Name a case by its task, and by its pair and study too where these alone would not tell them apart."""
    sides = [
        pl.concat_str(name, pl.lit(" "), pl.col(f"{name}_variant").fill_null("")).str.strip_chars()
        for name in ("first", "second")
    ]
    pair = pl.concat_str(sides[0], pl.lit(" against "), sides[1])
    name = pl.col("task_id")
    if main.group_by("study", "task_id").agg(pair.n_unique().alias("n"))["n"].max() != 1:
        name = pl.concat_str(name, pl.lit(": "), pair)
    if main["study"].n_unique() > 1:
        name = pl.concat_str("study", pl.lit("/"), name)
    return name.alias("case_id")


def _labels(rows: pl.DataFrame, column: str, probe: str, variant: str | None) -> pl.DataFrame:
    return rows.select(
        "case_id",
        case_type=pl.coalesce("category", "tier", pl.lit("pair")),
        split=pl.lit("dev"),
        rater="judge",
        rater_kind=pl.col("judge_kind").cast(pl.String),
        approved=pl.col(column) == pl.col("side"),
        failed_checks=pl.lit(None, pl.List(pl.String)),
        evidence=pl.lit(None, pl.String),
        rubric_version=pl.lit(None, pl.String),
        judge_version=pl.lit(None, pl.String),
        choice=column,
        probe=pl.lit(probe),
        variant=pl.lit(variant, pl.String),
        replicate="replicate",
        words=pl.lit(None, pl.Int64),
        tokens=pl.lit(None, pl.Int64),
    )
