"""Judgments of pairs as labels: whether each rater prefers the answer that the record names second."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

__all__ = ["paired_labels"]


def paired_labels(frame: pl.DataFrame, first: Sequence[str]) -> pl.DataFrame | None:
    """Make labels of judgments among whose judges is a human.

    Parameters
    ----------
    frame
        Judgments as imported, with ``case_id`` where a case is not the task.
    first
        Per row, the slot in which the answer stood that the record names first.

    Returns
    -------
    polars.DataFrame or None
        One row per judgment: ``approved`` is whether the rater picked the second answer (a tie is no
        approval, no verdict an abstention), ``choice`` what it picked: ``first``, ``second`` or ``neither``.
        An order that shows the second answer first is probe ``swap``. None without a human judge.
    """
    if "judge_kind" not in frame.columns or not (frame["judge_kind"] == "human").any():
        return None
    columns = frame.columns
    shown_first = pl.Series("first", first)
    verdict = pl.col("verdict")
    choice = (
        pl.when(verdict == "tie")
        .then(pl.lit("neither"))
        .when(verdict == pl.col("first"))
        .then(pl.lit("first"))
        .when(verdict.is_not_null())
        .then(pl.lit("second"))
    )
    swapped = (pl.col("first") == "b") & (pl.col("judge_kind").fill_null("model") != "human")
    return frame.with_columns(shown_first).select(
        case_id=pl.col("case_id") if "case_id" in columns else pl.col("task_id"),
        case_type=pl.col("category").fill_null("pair") if "category" in columns else pl.lit("pair"),
        split=pl.lit("dev"),
        rater=pl.col("judge"),
        rater_kind=pl.col("judge_kind").fill_null("model"),
        approved=choice == "second",
        choice=choice,
        probe=pl.when(swapped).then(pl.lit("swap")).otherwise(pl.lit("main")),
        variant=pl.when(swapped).then(pl.lit("swapped")),
        replicate=pl.col("replicate").cast(pl.Int64).fill_null(0) if "replicate" in columns else pl.lit(0),
    )
