"""The split of the variance of verdicts into task, judge, order and replicate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
import polars as pl

from recuse.analysis.askings import COMPARED, n_asked
from recuse.analysis.cells import each_cell, pooled_and_by
from recuse.analysis.estimates import Estimate
from recuse.analysis.inference.clusters import FloatArray
from recuse.analysis.inference.jackknife import jackknife_interval
from recuse.analysis.settings import Settings

__all__ = ["variance_shares"]

_CELL: Final = ("study", "probe", "tier")
_COMPONENTS: Final = ("task", "judge", "order", "replicate")
_NOTHING: Final = "no comparison was asked again in both orders"
_TIES: Final = "every verdict is a tie: there is no variance to split"
_ONE_JUDGE: Final = "one judge only: its taste is part of the share of tasks"


def variance_shares(asked: pl.DataFrame, settings: Settings) -> list[Estimate]:
    """Shares of the variance of verdicts that task, judge, order and replicate account for; they add up to 1.

    A verdict is ½ for the first side, -½ for the second, 0 for a tie; its variance is taken about 0, so that
    it does not matter which side is called first. By the law of total variance, per comparison:

    - ``component=task``: the square of what these judges say on average over orders and askings;
    - ``component=judge``: the variance between these judges' averages (rows over all judges only);
    - ``component=order``: the variance between the averages of a judge's two orders;
    - ``component=replicate``: the variance between askings of one presentation.

    Each is estimated without bias from products of different askings, so that a share near 0 can come out
    negative; it is not cut. A null judge is all judges of a comparison; with one judge its taste counts as
    part of the task.

    Parameters
    ----------
    asked
        From :func:`recuse.analysis.askings.askings`; used are comparisons asked at least twice in each order.
    settings
        The choices of the run.
    """
    is_complete = (n_asked("a") > 1) & (n_asked("b") > 1)
    levels = _levels(asked.filter(is_complete))
    incomplete = asked.filter(~is_complete)
    by_judge = levels.with_columns(task="judge_level", n_judges=pl.lit(1, pl.Int64))
    rows: list[Estimate] = []
    for sums, cell in ((_over_judges(levels), _CELL), (by_judge, (*_CELL, "judge"))):
        tasks = sums.group_by(*cell, "task_id", maintain_order=True).agg(
            pl.col("task", "judge_level", "order_level", "whole").sum(),
            pl.len().cast(pl.Int64).alias("n"),
            pl.col("n_judges").max(),
        )
        for keys, sums_of_cell in each_cell(pooled_and_by(tasks).sort("task_id"), cell):
            given = [pl.col(name) == value for name, value in keys.items() if value is not None]
            rows += _cell_rows(keys, sums_of_cell, incomplete.filter(given).height, settings)
    return rows or _without(asked)


def _levels(complete: pl.DataFrame) -> pl.DataFrame:
    """Per comparison and judge: squared averages over both orders, over one, and of single verdicts."""
    exprs: dict[str, pl.Expr] = {}
    for slot in "ab":
        n = n_asked(slot)
        lean = (pl.col(f"{slot}_first") - pl.col(f"{slot}_second")) / 2
        squares = (pl.col(f"{slot}_first") + pl.col(f"{slot}_second")) / 4
        exprs[f"mean_{slot}"] = lean / n
        exprs[f"again_{slot}"] = (lean * lean - squares) / (n * (n - 1))
        exprs[f"square_{slot}"] = squares / n
    again = (pl.col("again_a") + pl.col("again_b")) / 2
    return complete.with_columns(**exprs).select(
        *COMPARED,
        mean=(pl.col("mean_a") + pl.col("mean_b")) / 2,
        judge_level=again / 2 + pl.col("mean_a") * pl.col("mean_b") / 2,
        order_level=again,
        whole=(pl.col("square_a") + pl.col("square_b")) / 2,
    )


def _over_judges(levels: pl.DataFrame) -> pl.DataFrame:
    n = pl.len().cast(pl.Int64)
    crossed = pl.col("mean").sum() ** 2 - (pl.col("mean") ** 2).sum()
    return levels.group_by([name for name in COMPARED if name != "judge"], maintain_order=True).agg(
        task=(crossed + pl.col("judge_level").sum()) / (n * n),
        n_judges=n,
        **{name: pl.col(name).mean() for name in ("judge_level", "order_level", "whole")},
    )


def _cell_rows(
    keys: dict[str, Any], cell: pl.DataFrame, dropped: int, settings: Settings
) -> Iterator[Estimate]:
    levels = [cell[name].to_numpy() for name in ("task", "judge_level", "order_level", "whole")]
    parts = [levels[0], *(upper - lower for lower, upper in pairwise(levels))]
    whole = levels[3]
    for component, part in zip(_COMPONENTS, parts, strict=True):
        if component == "judge" and keys.get("judge") is not None:
            continue
        row = Estimate(
            estimand="variance_share",
            unit="variance share",
            group=f"component={component}",
            n_comparisons=int(cell["n"].sum()),
            n_tasks=cell.height,
            n_dropped=dropped,
            **keys,
        )
        if not whole.sum():
            yield row.undefined(_TIES)
        elif component == "judge" and max(cell["n_judges"].to_list()) < 2:
            yield row.undefined(_ONE_JUDGE)
        else:
            yield _share(row, part, whole, settings)


def _share(row: Estimate, part: FloatArray, whole: FloatArray, settings: Settings) -> Estimate:
    estimate = float(part.sum() / whole.sum())
    rest = whole.sum() - whole
    with np.errstate(divide="ignore", invalid="ignore"):
        without = np.where(rest > 0, (part.sum() - part) / rest, np.nan)
    interval = jackknife_interval(estimate, without, bounds=(-1.0, 1.0), conf_level=settings.conf_level)
    return replace(row, estimate=estimate).with_interval(interval, settings.conf_level)


def _without(asked: pl.DataFrame) -> list[Estimate]:
    there = asked.select(pl.col("study", "probe").cast(pl.String)).unique().sort("study", "probe")
    return [
        Estimate(
            estimand="variance_share",
            unit="variance share",
            study=study,
            probe=probe,
            group=f"component={name}",
        ).undefined(_NOTHING)
        for study, probe in there.rows()
        for name in _COMPONENTS
    ]
