"""In how many specifications a claim holds: over all, and by each choice."""

from __future__ import annotations

from typing import Final

import polars as pl

from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.multiverse.frame import SpecificationFrame
from recuse.analysis.multiverse.grid import CHOICES
from recuse.schema import EstimateFrame

__all__ = ["holds_by_choice", "specification_share"]

_COUNTS: Final = {
    "n": pl.len().cast(pl.Int64),
    "n_feasible": pl.col("holds").is_not_null().sum().cast(pl.Int64),
    "n_holds": pl.col("holds").sum().cast(pl.Int64),
    "n_on_side": (pl.col("holds").is_not_null() & (pl.col("effect") > 0)).sum().cast(pl.Int64),
    "lowest": pl.col("estimate").filter(pl.col("holds").is_not_null()).min(),
    "median": pl.col("estimate").filter(pl.col("holds").is_not_null()).median(),
    "highest": pl.col("estimate").filter(pl.col("holds").is_not_null()).max(),
}


def specification_share(specifications: SpecificationFrame) -> EstimateFrame:
    """Share of the feasible specifications in which each claim holds.

    0: under no defensible combination of choices; 1: under all of them. It weighs every combination alike and
    is a description of how much depends on the choices: no interval, no test. ``group`` names the claim,
    ``n_dropped`` counts infeasible combinations, ``n_comparisons`` and ``n_tasks`` are the most that any
    specification rests on. Null where no specification is feasible.

    References
    ----------
    Steegen, Tuerlinckx, Gelman and Vanpaemel (2016), Perspectives on Psychological Science 11(5); Simonsohn,
    Simmons and Nelson (2020), Nature Human Behaviour 4. This project leaves their joint test out.
    """
    counted = (
        specifications.lazy()
        .group_by("claim", maintain_order=True)
        .agg(
            **_COUNTS,
            comparisons=pl.col("n_comparisons").filter(pl.col("cluster") != "row").max(),
            tasks=pl.col("n_tasks").max(),
        )
        .collect()
    )
    rows: list[Estimate] = []
    for one in counted.to_dicts():
        row = Estimate(
            estimand="specification_share",
            unit="proportion",
            group=f"claim={one['claim']}",
            estimate=one["n_holds"] / one["n_feasible"] if one["n_feasible"] else None,
            n_comparisons=one["comparisons"],
            n_tasks=one["tasks"],
            n_dropped=one["n"] - one["n_feasible"],
            reason=f"{one['n_holds']:,} of {one['n_feasible']:,} feasible specifications, "
            f"{one['n_on_side']:,} on the claimed side of the null",
        )
        rows.append(row if one["n_feasible"] else row.undefined("no specification is feasible"))
    return estimate_frame(rows)


def holds_by_choice(specifications: SpecificationFrame) -> pl.DataFrame:
    """Count by claim, choice and level how many specifications there are and in how many the claim holds.

    Returns
    -------
    pl.DataFrame
        ``claim``, ``choice`` (null: over all), ``level``, ``n``, ``n_feasible``, ``n_holds``, ``n_on_side``,
        and the ``lowest``, ``median`` and ``highest`` estimate of the feasible ones.
    """
    frame = specifications.lazy().collect()
    parts = [frame.group_by("claim", maintain_order=True).agg(**_COUNTS)]
    for choice in CHOICES:
        there = frame.filter(pl.col(choice).is_not_null())
        parts.append(
            there.group_by("claim", pl.col(choice).alias("level"), maintain_order=True)
            .agg(**_COUNTS)
            .with_columns(choice=pl.lit(choice))
        )
    columns = ["claim", "choice", "level", *_COUNTS]
    return pl.concat(parts, how="diagonal").select(columns)
