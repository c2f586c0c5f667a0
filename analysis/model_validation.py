"""What the joint model makes of planted logits, and the slope of flips on the gap of its true value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import polars as pl

from recuse.analysis.joint import joint
from recuse.analysis.position_gap import position_gap
from recuse.analysis.settings import Settings
from recuse.analysis.simulated_truth import TRUE_TASKS, true_gap_slope
from recuse.analysis.simulation import JUDGES, Panel
from recuse.analysis.validation import MEASURED, SHAPES, data_sets_of, summary, with_error
from recuse.schema import ComparisonFrame

__all__ = ["GAP_SHAPES", "gap_coverage", "joint_recovery"]

GAP_SHAPES: Final = ("balanced", "unbalanced")
"""Shapes in which the slope is measured: at the ceiling hardly a verdict flips."""
_FOLLOWED: Final = JUDGES[0]
_ONE_JUDGE: Final = "joint_own of one judge"
_PLANTED: Final = Panel(task_sd=0.0, taste_sd=0.0, slot_sd=0.0, own_by_tier=0.0)


def joint_recovery(
    n_tasks: int, *, n_data_sets: int, seed: int, on_step: Callable[[int], object] = lambda _: None
) -> pl.DataFrame:
    """Share of data sets in which the joint model's intervals hold the logits that were planted.

    The panel is the balanced one without the terms that the model does not have: nothing varies between
    tasks, tastes or tiers. Then each planted logit is the true value. Effects are those that all judges
    share, and the first judge's own-answer term from the model with terms of each judge; the strength is
    that of the first generator. Columns are those of :func:`recuse.analysis.validation.coverage`.
    """
    panel = _PLANTED
    truth = {
        "bt_strength": panel.quality[0] - float(np.mean(panel.quality)),
        "joint_slot": panel.slot,
        "joint_own": panel.own,
        _ONE_JUDGE: panel.own,
        "joint_length": panel.length,
    }
    alone = (pl.col("judge") == _FOLLOWED) & (pl.col("estimand") == "joint_own")
    shared = pl.col("judge").is_null() & (pl.col("generator").is_null() | (pl.col("generator") == _FOLLOWED))
    frames: list[pl.DataFrame] = []
    for frame in data_sets_of(panel, n_tasks, n_data_sets, joint, seed=seed, n_resamples=99):
        named = pl.when(alone).then(pl.lit(_ONE_JUDGE)).otherwise("estimand").alias("estimand")
        wanted = (shared | alone.fill_null(value=False)) & (pl.col("estimand") != "joint_family")
        frames.append(frame.filter(wanted).with_columns(named).select(MEASURED))
        on_step(frame["study"].n_unique())
    return with_error("recovery", "planted", n_tasks, summary(pl.concat(frames), truth))


def gap_coverage(
    shape: str,
    n_tasks: int,
    *,
    n_data_sets: int,
    seed: int,
    n_drawn: int = TRUE_TASKS,
    on_step: Callable[[int], object] = lambda _: None,
) -> pl.DataFrame:
    """Share of data sets in which the interval of the first judge's slope of flips holds its true value.

    The true value is what the logistic regression of its flips on the gap tends to; see
    :func:`recuse.analysis.simulated_truth.true_gap_slope`. Parameters and columns are those of
    :func:`recuse.analysis.validation.coverage`.
    """
    panel = SHAPES[shape]
    rng = np.random.default_rng([seed, n_tasks])
    truth = {"flip_gap_slope": true_gap_slope(panel, rng=rng, n_drawn=n_drawn)}

    def slope(comparisons: ComparisonFrame, settings: Settings) -> pl.DataFrame:
        found = position_gap(comparisons, settings)
        return found.filter(pl.col("judge") == _FOLLOWED, pl.col("estimand") == "flip_gap_slope")

    frames: list[pl.DataFrame] = []
    for frame in data_sets_of(panel, n_tasks, n_data_sets, slope, seed=seed, n_resamples=99):
        frames.append(frame.select(MEASURED))
        on_step(frame.height)
    return with_error("coverage", shape, n_tasks, summary(pl.concat(frames), truth))
