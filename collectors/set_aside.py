"""Which rows are kept out of the judgments, by which rule, and why; each is listed, none is dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from recuse.collectors.readers import ROW

__all__ = ["PRESENTATION", "RULES", "SET_ASIDE", "Rule", "listed", "set_aside"]

PRESENTATION: Final = (
    "study", "task_id", "probe", "judge", "slot_a", "slot_b", "variant_a", "variant_b", "replicate",
)  # fmt: skip
"""What makes two rows the same presentation."""
SET_ASIDE: Final[dict[str, pl.DataType]] = {
    "rule": pl.String(), "why": pl.String(), "study": pl.String(), "row": pl.Int64(), "task_id": pl.String(),
    "judge": pl.String(), "slot_a": pl.String(), "slot_b": pl.String(), "verdict": pl.String(),
}  # fmt: skip
"""Columns of the list of rows set aside."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One reason to set rows aside."""

    name: str
    why: str
    applies: pl.Expr
    """True for the rows that go, among those that earlier rules left."""
    repeats_only: bool = False
    """The rule speaks of rows whose presentation occurs more than once, and is shown only these."""


_VERDICTS_OF_KEY: Final = pl.col("verdict").drop_nulls().n_unique().over(*PRESENTATION)

RULES: Final = (
    Rule(
        "self_comparison",
        "both slots show the same answer, which probe main cannot ask",
        (pl.col("probe") == "main")
        & (pl.col("slot_a") == pl.col("slot_b"))
        & pl.col("variant_a").eq_missing(pl.col("variant_b")),
    ),
    Rule(
        "conflicting",
        "the same presentation has several verdicts that differ; give repetitions their own replicate",
        _VERDICTS_OF_KEY > 1,
        repeats_only=True,
    ),
    Rule(
        "retried",
        "an attempt without a verdict at a presentation that has one",
        pl.col("verdict").is_null() & (_VERDICTS_OF_KEY == 1),
        repeats_only=True,
    ),
    Rule(
        "duplicate",
        "the same presentation with the same verdict occurs before",
        pl.int_range(pl.len()).over(*PRESENTATION) > 0,
        repeats_only=True,
    ),
)
"""The rules in the order in which they are applied."""


def set_aside(rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Part the rows into those that are kept and those that a rule sets aside.

    Parameters
    ----------
    rows
        Typed judgments with ``ROW``.

    Returns
    -------
    tuple
        The rows kept, in their order; and the list of those set aside, one row each (``SET_ASIDE``).
    """
    lists: list[pl.DataFrame] = []
    repeats: pl.DataFrame | None = None
    for rule in RULES:
        shown = rows
        if rule.repeats_only:
            shown = repeats = _repeats(rows) if repeats is None else repeats
        gone = shown.filter(rule.applies)
        if not gone.is_empty():
            lists.append(listed(gone, rule.name, rule.why))
            rows = rows.join(gone.select(ROW), on=ROW, how="anti", maintain_order="left")
            repeats = None
    return rows, pl.concat([pl.DataFrame(schema=SET_ASIDE), *lists])


def _repeats(rows: pl.DataFrame) -> pl.DataFrame:
    keys = rows.select(PRESENTATION)
    if keys.hash_rows().n_unique() == rows.height:
        return rows.clear()
    return rows.filter(keys.is_duplicated())


def listed(rows: pl.DataFrame, rule: str, why: str) -> pl.DataFrame:
    """Write rows into the list of what is set aside; columns that they lack are null."""
    known = {"rule": pl.lit(rule), "why": pl.lit(why), "row": pl.col(ROW)}
    return rows.select(
        known.get(name, pl.col(name) if name in rows.columns else pl.lit(None)).cast(dtype).alias(name)
        for name, dtype in SET_ASIDE.items()
    )
