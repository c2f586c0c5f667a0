"""Labels of single answers: rows completed to the columns of a file of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import polars as pl

__all__ = ["single_labels"]

_TYPES: Final = {
    "case_id": pl.String(), "case_type": pl.String(), "split": pl.String(), "rater": pl.String(),
    "rater_kind": pl.String(), "approved": pl.Boolean(), "choice": pl.String(), "evidence": pl.String(),
    "judge_version": pl.String(), "probe": pl.String(), "replicate": pl.Int64(),
}  # fmt: skip


def single_labels(rows: Sequence[Mapping[str, object]]) -> pl.DataFrame:
    """Complete rows of labels: all in the split ``dev`` and of probe ``main``.

    Parameters
    ----------
    rows
        ``case_id, case_type, rater, rater_kind, approved`` and what else is known.

    Returns
    -------
    polars.DataFrame
        A case that a rater labels again has the next number as ``replicate``.
    """
    defaults = {"split": "dev", "probe": "main", "replicate": 0}
    frame = pl.DataFrame([{**defaults, **row} for row in rows], schema=_TYPES)
    again = pl.int_range(pl.len()).over("case_id", "rater", "judge_version")
    repeated = pl.when(again > 0).then(pl.lit("repetition")).otherwise(pl.col("probe"))
    return frame.with_columns(replicate=again, probe=repeated)
