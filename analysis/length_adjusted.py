"""Length-adjusted self-preference: the delta where both answers are equally long."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from recuse.analysis.cells import each_cell, task_codes
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.inference.interval import Interval
from recuse.analysis.inference.regression import intercept_interval
from recuse.analysis.settings import Settings
from recuse.schema import EstimateFrame

__all__ = ["self_preference_delta_length_adjusted", "with_log_ratio"]

_NO_LENGTHS = "no comparison with a baseline score and the lengths of both answers"


def self_preference_delta_length_adjusted(own: pl.DataFrame, settings: Settings) -> EstimateFrame:
    """Self-preference delta at equal lengths of the two answers, by judge and baseline.

    The comparison's difference (own score less the baseline's) is regressed on log(own length / opponent's
    length); the intercept is the delta where both are equally long. In words, or in characters where a
    judge's words are not all known. Positive: the judge scores its own answers higher than the baseline
    does also at equal length.

    ``own`` comes from :func:`recuse.analysis.self_preference.against_baselines`. ``n_dropped`` counts the
    judge's own comparisons without a baseline score or without lengths. The interval is CR2 by task.
    """
    rows: list[Estimate] = []
    fitted: dict[tuple[str, str, bytes, bytes], tuple[float | None, Interval]] = {}
    for keys, cell in each_cell(own, ["study", "judge", "baseline"]):
        known = with_log_ratio(cell.filter(pl.col("delta").is_not_null()), "own", "opponent")
        row = Estimate(
            estimand="self_preference_delta_length_adjusted",
            unit="difference",
            scoring=settings.scoring,
            n_comparisons=known.height,
            n_dropped=cell.height - known.height,
            **keys,
        )
        if known.is_empty():
            rows.append(row.undefined(_NO_LENGTHS))
            continue
        ratio = known["log_ratio"].to_numpy()
        task = task_codes(known["task_id"])
        row = replace(row, n_tasks=int(task.max()) + 1)
        delta = known["delta"].to_numpy()
        # Baselines of the same judges on the same comparisons are fitted once.
        same = (keys["study"], keys["judge"], ratio.tobytes(), delta.tobytes())
        if same not in fitted:
            fitted[same] = intercept_interval(ratio[:, None], delta, task, conf_level=settings.conf_level)
        estimate, interval = fitted[same]
        if estimate is None:
            rows.append(row.undefined(interval.reason or "not identified"))
            continue
        rows.append(replace(row, estimate=estimate).with_interval(interval, settings.conf_level, test=True))
    return estimate_frame(rows)


def with_log_ratio(rows: pl.DataFrame, one: str, other: str) -> pl.DataFrame:
    """Add ``log_ratio``, the log of one side's length over the other's; rows without lengths are left out.

    Parameters
    ----------
    rows
        With ``words_…`` and ``chars_…`` of both sides.
    one, other
        How the columns of the two sides end.
    """
    words = not rows[f"words_{one}"].has_nulls() and not rows[f"words_{other}"].has_nulls()
    mine, theirs = (pl.col(f"{'words' if words else 'chars'}_{side}") for side in (one, other))
    return rows.filter(mine > 0, theirs > 0).with_columns(log_ratio=(mine / theirs).log())
