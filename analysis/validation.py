"""How often the default intervals hold what was planted, and tests reject a null that is true."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, cast

import numpy as np
import polars as pl

from recuse.analysis.agreement import agreement
from recuse.analysis.comparisons import compare
from recuse.analysis.joint import joint
from recuse.analysis.length import length_decomposition
from recuse.analysis.length_adjusted import self_preference_delta_length_adjusted
from recuse.analysis.longer_wins import longer_wins_rate
from recuse.analysis.position import position
from recuse.analysis.position_gap import position_gap
from recuse.analysis.self_preference import against_baselines, self_preference
from recuse.analysis.self_preference_contrasts import self_preference_inflation, self_preference_tier_gradient
from recuse.analysis.settings import Settings
from recuse.analysis.simulated_truth import TRUE_TASKS, true_values
from recuse.analysis.simulation import GENERATORS, JUDGES, TIERS_SIMULATED, Panel, simulate
from recuse.analysis.win_rate import win_rate
from recuse.schema import ComparisonFrame

__all__ = [
    "MEASURED",
    "NULLS",
    "SHAPES",
    "TASKS",
    "Null",
    "coverage",
    "data_sets_of",
    "summary",
    "type_one_error",
    "with_error",
]

TASKS: Final = (5, 15, 45)
SHAPES: Final[Mapping[str, Panel]] = MappingProxyType(
    {
        "balanced": Panel(),
        "unbalanced": Panel(answers=(1, 1, 2, 4)),
        "ceiling": Panel(
            quality=(3.0, 0.0, -3.0), slot=0.3, own=0.6, own_by_tier=0.4, threshold=0.15, missing=0.01
        ),
    }
)
"""One comparison of a pair on each task; one to four; and verdicts that hardly ever differ."""
AT_ONCE: Final = 50
"""Data sets of one frame. Each frame has its own seed: within one, resamples are drawn alike."""
_FOLLOWED, _SECOND = JUDGES[:2]
_PANEL: Final = ("win_rate", "krippendorff_alpha")
_OF_ONE_ANSWERER: Final = ("win_rate", "length_controlled_win_rate")

Estimator = Callable[[ComparisonFrame, Settings], pl.DataFrame]


@dataclass(frozen=True, slots=True)
class Null:
    """A hypothesis under which a test may reject in one of twenty data sets."""

    says: str
    changes: Mapping[str, object]  # what of the panel of a shape is planted otherwise
    estimator: Estimator
    tests: tuple[tuple[str, str], ...]  # estimand and test
    shapes: tuple[str, ...] = tuple(SHAPES)
    of_models: bool = False  # whether the test is one of a fitted model, which takes long


def _own_only(comparisons: ComparisonFrame, settings: Settings) -> pl.DataFrame:
    """Everything about self-preference, for the judge that is followed."""
    by_tier = against_baselines(comparisons, ("all_peers", "uninvolved")).filter(pl.col("judge") == _FOLLOWED)
    own = by_tier.with_columns(tier=pl.lit(None, dtype=pl.String))
    recused = own.filter(pl.col("baseline") == "uninvolved")
    with_tiers = by_tier.filter(pl.col("baseline") == "uninvolved")
    return pl.concat(
        [
            self_preference(_of_followed(comparisons), settings, recused),
            self_preference_inflation(own, settings),
            self_preference_tier_gradient(with_tiers, settings, TIERS_SIMULATED),
            self_preference_delta_length_adjusted(recused, settings),
        ]
    )


def _gap(comparisons: ComparisonFrame, settings: Settings) -> pl.DataFrame:
    return position_gap(comparisons, settings).filter(pl.col("judge") == _FOLLOWED)


def _joint(comparisons: ComparisonFrame, settings: Settings) -> pl.DataFrame:
    return joint(comparisons, settings).filter(pl.col("judge") == _FOLLOWED)


def _position(comparisons: ComparisonFrame, settings: Settings) -> pl.DataFrame:
    return position(_of_followed(comparisons), settings)


def _everything(comparisons: ComparisonFrame, settings: Settings) -> pl.DataFrame:
    pooled = cast("ComparisonFrame", comparisons.with_columns(tier=pl.lit(None, dtype=pl.String)))
    panel = cast("ComparisonFrame", pooled.filter(pl.col("judge").is_in(GENERATORS)))
    frames = [
        _own_only(comparisons, settings),
        win_rate(pooled, settings),
        position(_of_followed(pooled), settings),
        agreement(panel, settings),
        longer_wins_rate(_of_followed(pooled), settings),
        length_decomposition(_of_followed(pooled), settings),
    ]
    return pl.concat(frames)


def _of_followed(comparisons: ComparisonFrame) -> ComparisonFrame:
    return cast("ComparisonFrame", comparisons.filter(pl.col("judge") == _FOLLOWED))


_NO_OWN: Final = {
    "own": 0.0,
    "own_by_tier": 0.0,
    "quality": (0.0, 0.0, 0.0),
    "log_words": (0.0, 0.0, 0.0),
}
NULLS: Final = (
    Null(
        "no judge scores its own answers otherwise, and answers are alike",
        _NO_OWN,
        _own_only,
        (
            ("self_preference_delta", "dual"),
            ("self_preference_delta", "sign_flip"),
            ("self_preference_inflation", "dual"),
            ("self_preference_tier_gradient", "dual"),
            ("self_preference_tier_gradient", "permutation_of_tiers"),
            ("self_preference_delta_length_adjusted", "dual"),
        ),
    ),
    Null(
        "preferences for a slot differ between tasks and are symmetric about none",
        {"slot": 0.0, "slot_sd": 0.8},
        _position,
        (("slot_a_rate", "sign_flip_task_lean"),),
    ),
    Null(
        "the slot matters in no comparison",
        {"slot": 0.0, "slot_sd": 0.0},
        _position,
        (("slot_a_rate", "sign_test_reversals"),),
    ),
    Null(
        "every decided presentation is a fair coin of its own",
        _NO_OWN | {"slot": 0.0, "slot_sd": 0.0, "task_sd": 0.0, "taste_sd": 0.0, "length": 0.0},
        _position,
        (("slot_a_rate", "binomial_pooled"),),
    ),
    Null(
        "reversals do not depend on what other judges see, as no answer is better than another",
        _NO_OWN | {"task_sd": 0.0, "length": 0.0},
        _gap,
        (("flip_gap_slope", "dual"),),
        shapes=("balanced",),
        of_models=True,
    ),
    Null(
        "no judge scores its own answers otherwise, in tasks that differ, with judges of different tastes",
        {"own": 0.0, "own_by_tier": 0.0},
        _joint,
        (("joint_own", "dual"),),
        shapes=("balanced",),
        of_models=True,
    ),
)


def data_sets_of(
    panel: Panel, n_tasks: int, n_data_sets: int, estimator: Estimator, *, seed: int, n_resamples: int
) -> Iterator[pl.DataFrame]:
    """Simulate data sets and estimate them, some dozens at a time; the frames come one by one."""
    for first in range(0, n_data_sets, AT_ONCE):
        rng = np.random.default_rng([seed, n_tasks, first])
        size = min(AT_ONCE, n_data_sets - first)
        judgments = simulate(panel, n_data_sets=size, n_tasks=n_tasks, rng=rng, first=first)
        settings = Settings(seed=seed + first, n_resamples=n_resamples)
        yield estimator(compare(judgments), settings)


def coverage(
    shape: str,
    n_tasks: int,
    *,
    n_data_sets: int,
    seed: int,
    n_resamples: int = 1_999,
    n_drawn: int = TRUE_TASKS,
    on_step: Callable[[int], object] = lambda _: None,
) -> pl.DataFrame:
    """Share of data sets whose default interval holds the true value, and how estimates spread about it.

    Parameters
    ----------
    shape
        A key of :data:`SHAPES`.
    n_tasks
        Tasks of each data set; the gradient has half of them on either tier.
    n_data_sets, seed, n_resamples
        Simulated data sets, seed of all randomness, resamples of each bootstrap.
    n_drawn
        Tasks over which the true values are averaged.
    on_step
        Called with the number of data sets done each time.

    Returns
    -------
    pl.DataFrame
        One row per estimand: ``true``, ``mean_estimate``, ``bias``, ``rate`` (the coverage among data sets
        with an interval), its Monte Carlo ``rate_se``, ``mean_length``, ``without_interval`` (share of data
        sets), ``n_data_sets`` and ``method`` (the interval of most of them).
    """
    panel = SHAPES[shape]
    rng = np.random.default_rng([seed, n_tasks])
    truth = true_values(panel, n_tasks=n_tasks, rng=rng, n_drawn=n_drawn)
    frames: list[pl.DataFrame] = []
    for frame in data_sets_of(panel, n_tasks, n_data_sets, _everything, seed=seed, n_resamples=n_resamples):
        frames.append(_of_interest(frame))
        on_step(frame["study"].n_unique())
    return with_error("coverage", shape, n_tasks, summary(pl.concat(frames), truth))


MEASURED: Final = ("study", "estimand", "estimate", "conf_low", "conf_high", "interval")


def summary(frames: pl.DataFrame, truth: Mapping[str, float]) -> pl.DataFrame:
    """How often the intervals of each estimand hold its true value; one row per estimand."""
    values = pl.DataFrame({"estimand": list(truth), "true": list(truth.values())})
    found = frames.join(values, on="estimand")
    held = (pl.col("conf_low") <= pl.col("true") + 1e-12) & (pl.col("conf_high") >= pl.col("true") - 1e-12)
    return found.group_by("estimand", maintain_order=True).agg(
        pl.col("true").first(),
        mean_estimate=pl.col("estimate").mean(),
        bias=(pl.col("estimate") - pl.col("true")).mean(),
        rate=held.mean(),
        mean_length=(pl.col("conf_high") - pl.col("conf_low")).mean(),
        without_interval=pl.col("conf_low").is_null().mean(),
        n_data_sets=pl.len(),
        method=pl.col("interval").drop_nulls().mode(maintain_order=True).first(),
    )


def type_one_error(
    null: Null,
    shape: str,
    n_tasks: int,
    *,
    n_data_sets: int,
    seed: int,
    n_resamples: int = 1_999,
    on_step: Callable[[int], object] = lambda _: None,
) -> pl.DataFrame:
    """Share of data sets in which each test of a null hypothesis gives p at most .05 although it is true.

    A data set without a p-value counts as not rejected; ``without_interval`` is their share. Parameters and
    columns are those of :func:`coverage`, the panel being that of the shape with the null's changes.
    """
    panel = replace(SHAPES[shape], **dict(null.changes))  # type: ignore[arg-type]
    frames: list[pl.DataFrame] = []
    for frame in data_sets_of(
        panel, n_tasks, n_data_sets, null.estimator, seed=seed, n_resamples=n_resamples
    ):
        frames.append(frame.filter(_ROW_OF_INTEREST))
        on_step(frame["study"].n_unique())
    test = pl.when(pl.col("test").str.starts_with("dual_of").fill_null(value=True)).then(pl.lit("dual"))
    asked = pl.DataFrame(null.tests, schema=["estimand", "method"], orient="row")
    found = (
        pl.concat(frames)
        .with_columns(method=test.otherwise("test"))
        .join(asked, on=["estimand", "method"], maintain_order="right")
        .group_by("estimand", "method", maintain_order=True)
        .agg(
            rate=(pl.col("p_value") <= 0.05).fill_null(value=False).mean(),
            without_interval=pl.col("p_value").is_null().mean(),
            n_data_sets=pl.len(),
        )
    )
    return with_error("type I error", shape, n_tasks, found).with_columns(null=pl.lit(null.says))


_ROW_OF_INTEREST: Final = (
    pl.col("tier").is_null()
    & (pl.col("baseline").is_null() | (pl.col("baseline") == "uninvolved"))
    & (pl.col("judge_2").is_null() | (pl.col("judge_2") == _SECOND))
    & (pl.col("judge").is_null() | (pl.col("judge") == _FOLLOWED))
    & (pl.col("judge").is_null() == pl.col("estimand").is_in(_PANEL))
    & (
        pl.col("generator").is_null()
        | (pl.col("estimand").is_in(_OF_ONE_ANSWERER) & (pl.col("generator") == _FOLLOWED))
    )
)


def _of_interest(frame: pl.DataFrame) -> pl.DataFrame:
    """One row per data set and estimand: the one with the default interval."""
    test = pl.col("test")
    default = test.is_null() | test.str.starts_with("dual_of") | (test == "sign_flip_task_lean")
    return frame.filter(_ROW_OF_INTEREST & default).select(MEASURED)


def with_error(measure: str, shape: str, n_tasks: int, found: pl.DataFrame) -> pl.DataFrame:
    """Say of a summary what was measured, on which panel, and its Monte Carlo error."""
    n = pl.col("n_data_sets") * (1 - pl.col("without_interval") if measure != "type I error" else pl.lit(1.0))
    return found.select(
        pl.lit(measure).alias("measure"),
        pl.lit(shape).alias("shape"),
        pl.lit(n_tasks, dtype=pl.Int64).alias("tasks"),
        *_columns(found.columns),
        rate_se=(pl.col("rate") * (1 - pl.col("rate")) / n).sqrt(),
    )


def _columns(names: Sequence[str]) -> list[str]:
    return [name for name in names if name not in {"measure", "shape", "tasks"}]
