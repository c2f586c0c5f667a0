"""Reduced tables as a source: counts per comparison turned back into the presentations that they count."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import polars as pl

from recuse.analysis.reduction import COUNTS, FACTS, REDUCED, REDUCED_KEYS
from recuse.collectors.columns import refuse_rows, typed_columns
from recuse.collectors.readers import ROW, RawTable
from recuse.schema import VERDICTS

__all__ = ["REDUCED_TYPES", "is_reduced", "presentations"]

REDUCED_TYPES: Final = pl.Schema(
    {name: pl.String() if name in {*REDUCED_KEYS, *FACTS} - {"replicate"} else pl.Int64() for name in REDUCED}
)
"""Columns of a reduced table in their order → type."""
_REQUIRED: Final = ("task_id", "judge", "first", "second", "n_presentations", *COUNTS)
_MOST: Final = 7
"""What a count holds at most (``recuse.analysis.reduction``)."""
_SIDES: Final = {
    "slot": ("first", "second"),
    "variant": ("first_variant", "second_variant"),
    "words": ("words_first", "words_second"),
    "chars": ("chars_first", "chars_second"),
}


def is_reduced(columns: Collection[str]) -> bool:
    """Tell a reduced table by its columns."""
    return set(_REQUIRED) <= set(columns)


def presentations(table: RawTable) -> tuple[RawTable, list[str]]:
    """Give one row per presentation of a reduced table, in the columns of judgments; any other as it is.

    Parameters
    ----------
    table
        A file's rows. A reduced table has the columns ``recuse.analysis.reduction.REDUCED``; keys that have a
        default, facts and lengths may be missing.

    Returns
    -------
    tuple
        The presentations, numbered from 1 in the order of the rows that count them; and notes.

    Raises
    ------
    SourceError
        A column is missing or holds the wrong kind of value.
    JudgmentsError
        Counts do not add up to ``n_presentations``, or are none that a reduction writes.
    """
    if not is_reduced(table.frame.columns):
        return table, []
    frame, notes = typed_columns(table, REDUCED_TYPES, _REQUIRED)
    counts = pl.concat_list(*COUNTS).list
    refuse_rows(
        frame,
        (counts.min() < 0) | (counts.max() > _MOST),
        f"the counts of a reduced table lie between 0 and {_MOST}",
        "reduce the judgments again",
        table,
        ["task_id", "judge"],
    )
    refuse_rows(
        frame,
        counts.sum() != pl.col("n_presentations"),
        "the counts of a row add up to its n_presentations",
        "reduce the judgments again",
        table,
        ["task_id", "judge"],
    )
    shown = pl.concat(_presented(frame, name) for name in COUNTS).sort(ROW, maintain_order=True)
    numbered = shown.with_columns(pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias(ROW))
    said = (
        f"{table.name} is a reduced table of {frame.height:,} comparisons: it counts verdicts and holds no "
        "raw text, judgment_id, tokens, log-probabilities or provenance"
    )
    return RawTable(numbered, table.name, "presentation", table.sha256), [said, *notes]


def _presented(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Write out the presentations that one column counts."""
    stood, outcome = COUNTS[name]
    has_verdict = outcome in VERDICTS
    repeated = frame.filter(pl.col(name) > 0).select(pl.all().repeat_by(name).explode())
    sides = {
        f"{what}_{slot}": pl.col(first if slot == stood else second)
        for what, (first, second) in _SIDES.items()
        for slot in "ab"
    }
    return repeated.select(
        ROW,
        *(pl.col(key) for key in REDUCED_KEYS if key not in _SIDES["slot"] + _SIDES["variant"]),
        *FACTS,
        **sides,
        verdict=pl.lit(outcome if has_verdict else None, dtype=pl.String),
        status=pl.lit("ok" if has_verdict else outcome),
    )
