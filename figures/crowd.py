"""Which judges a rendering shows one by one, where a study has more of them than a reader can look at.

A crowd of voters, each a judge, makes thousands of rows: every one of them stands in the estimates, and a
page, a table or a figure shows those who judged most.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

import polars as pl

from recuse.schema import EstimateFrame

__all__ = ["AT_MOST", "Crowd", "crowd_of"]

AT_MOST: Final = 20
"""Judges of a study that are shown one by one."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """The estimates of the judges that are shown, and who is not."""

    estimates: EstimateFrame
    """All rows that speak of no single judge, and those of the judges shown."""
    judges: Mapping[str | None, int]
    """Study → how many judges it has, where these are not all shown."""

    def said(self, study: str | None) -> str:
        """Say who is shown of a study's judges; nothing where all are."""
        if study not in self.judges:
            return ""
        return (
            f"Of {self.judges[study]:,} judges {AT_MOST} are shown: first those with an estimate of their "
            "self-preference, then those with most comparisons. The others stand in the estimates alone."
        )

    def remarks(self) -> list[str]:
        """Say it once for each study, by name where there are several."""
        several = self.estimates["study"].n_unique() > 1
        return [
            (f"{study or 'all studies pooled'}: " if several else "") + self.said(study)
            for study in self.judges
        ]


def crowd_of(estimates: pl.DataFrame) -> Crowd:
    """Choose the judges that are shown one by one: in each study at most ``AT_MOST``.

    First come judges with an estimate of their self-preference, then those with most comparisons; equal
    ones by name.
    """
    own = (pl.col("estimand") == "self_preference_delta") & pl.col("estimate").is_not_null()
    alone = estimates.filter(pl.col("judge").is_not_null() & pl.col("judge_2").is_null())
    ranked = (
        alone.group_by("study", "judge")
        .agg(own.any().alias("own"), pl.col("n_comparisons").max().fill_null(0).alias("n"))
        .sort("own", "n", "judge", descending=[True, True, False])
        .with_columns(place=pl.int_range(pl.len()).over("study"), of=pl.len().over("study"))
    )
    crowded = ranked.filter(pl.col("of") > AT_MOST)
    if crowded.is_empty():
        return Crowd(cast("EstimateFrame", estimates), {})
    hidden = crowded.filter(pl.col("place") >= AT_MOST).select("study", "judge")
    shown = estimates
    for column in ("judge", "judge_2"):
        shown = shown.join(
            hidden, left_on=["study", column], right_on=["study", "judge"], how="anti",
            nulls_equal=True, maintain_order="left",
        )  # fmt: skip
    counts = crowded.select("study", "of").unique().sort("study", nulls_last=True)
    return Crowd(cast("EstimateFrame", shown), dict(counts.iter_rows()))
