"""What the presentations of a comparison come to: its resolution, and its score under a rule."""

from __future__ import annotations

from typing import Final

import polars as pl

from recuse.analysis.reduction import COUNTS
from recuse.analysis.settings import Scoring
from recuse.errors import UnknownNameError
from recuse.schema import RESOLUTIONS, SCORINGS

__all__ = ["VERDICT_CODE", "resolve", "score", "unpacked"]

VERDICT_CODE: Final = {"a": 0, "b": 1, "tie": 2}


def unpacked(outcomes: pl.DataFrame) -> pl.DataFrame:
    """Bring the counts of a reduced table into the form in which presentations are gathered."""
    codes: dict[str, pl.Expr] = {}
    for slot in "ab":
        code = pl.lit(None, dtype=pl.UInt8)
        for name, (stood, outcome) in COUNTS.items():
            if stood == slot and outcome in VERDICT_CODE:
                said = pl.lit(VERDICT_CODE[outcome], dtype=pl.UInt8)
                code = pl.when(pl.col(name) > 0).then(said).otherwise(code)
        codes[f"code_in_{slot}"] = code
    return outcomes.select("n_presentations", **codes)


def resolve(outcomes: pl.DataFrame) -> pl.DataFrame:
    """Name what two presentations come to, from ``code_in_a, code_in_b, n_presentations, one_order``."""
    in_a, in_b = pl.col("code_in_a"), pl.col("code_in_b")
    only = pl.coalesce(in_a, in_b)
    decided_once = pl.col("one_order") & only.is_not_null()
    resolution = (
        pl.when(decided_once)
        .then(pl.lit("single"))
        .when(in_a.is_null() | in_b.is_null())
        .then(pl.lit("incomplete"))
        .when((in_a == 2) & (in_b == 2))
        .then(pl.lit("tie"))
        .when((in_a == 2) | (in_b == 2))
        .then(pl.lit("unstable"))
        .when(in_a == in_b)
        .then(pl.lit("flip"))
        .otherwise(pl.lit("win"))
    )
    counts = {
        name: (
            (in_a == code).fill_null(value=False).cast(pl.UInt8) + (in_b == code).fill_null(value=False)
        ).cast(pl.UInt8)
        for name, code in (("n_slot_a", 0), ("n_slot_b", 1), ("n_ties", 2))
    }
    verdicts = pl.Enum(["a", "b", "tie"])
    return outcomes.with_columns(
        resolution.cast(pl.Enum(RESOLUTIONS)).alias("resolution"),
        **counts,
        verdict_first_in_a=in_a.replace_strict({0: "a", 1: "b", 2: "tie"}, return_dtype=verdicts),
        verdict_first_in_b=in_b.replace_strict({0: "a", 1: "b", 2: "tie"}, return_dtype=verdicts),
        n_presentations=pl.col("n_presentations").cast(pl.UInt8),
    )


def score(frame: pl.DataFrame, scoring: Scoring) -> pl.DataFrame:
    """Score what is resolved.

    Raises
    ------
    UnknownNameError
        There is no such rule.
    """
    if scoring not in SCORINGS:
        raise UnknownNameError("scoring rule", scoring, SCORINGS)
    first_in_a = pl.col("verdict_first_in_a").cast(pl.String).replace_strict({"a": 1.0, "b": 0.0, "tie": 0.5})
    first_in_b = pl.col("verdict_first_in_b").cast(pl.String).replace_strict({"a": 0.0, "b": 1.0, "tie": 0.5})
    resolution = pl.col("resolution").cast(pl.String)
    split = 0.5 if scoring == "resolved" else None
    unresolved = (first_in_a + first_in_b) / 2 if scoring == "averaged" else pl.lit(split, dtype=pl.Float64)
    score = (
        pl.when(resolution == "single")
        .then(pl.coalesce(first_in_a, first_in_b))
        .when(resolution == "win")
        .then(first_in_a)
        .when(resolution == "tie")
        .then(0.5)
        .when(resolution.is_in(["flip", "unstable"]))
        .then(unresolved)
    )
    return frame.with_columns(score_first=score)
