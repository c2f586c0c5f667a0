"""Every estimand of a report, in one frame."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, cast

import polars as pl
from threadpoolctl import threadpool_limits

from recuse.analysis.agreement import agreement
from recuse.analysis.answer_length import mean_words
from recuse.analysis.extra_judgments import judgments_to_identify
from recuse.analysis.inference.multiplicity import benjamini_hochberg
from recuse.analysis.interval_halving import halving
from recuse.analysis.involvement import uninvolved_share
from recuse.analysis.joint import joint
from recuse.analysis.length import length_decomposition
from recuse.analysis.length_adjusted import self_preference_delta_length_adjusted
from recuse.analysis.length_probe import long_wins_score
from recuse.analysis.longer_wins import longer_wins_rate
from recuse.analysis.position import position
from recuse.analysis.position_gap import position_gap
from recuse.analysis.ranking import rankings
from recuse.analysis.repetition_probe import padded_wins_score
from recuse.analysis.robustness import robustness
from recuse.analysis.row_codes import coded
from recuse.analysis.self_preference import against_baselines, self_preference
from recuse.analysis.self_preference_contrasts import self_preference_inflation, self_preference_tier_gradient
from recuse.analysis.settings import Settings
from recuse.analysis.stability import stability
from recuse.analysis.win_rate import side_scores, win_rate
from recuse.schema import TIERS, ComparisonFrame, Comparisons, EstimateFrame, Estimates

__all__ = [
    "ESTIMANDS",
    "adjusted",
    "estimate_all",
    "pooled_over_studies",
    "side_by_side",
    "with_names_as_codes",
]

ESTIMANDS: Final[Mapping[str, Callable[[ComparisonFrame, Settings], EstimateFrame]]] = {
    "words": mean_words,
    "position": position,
    "agreement": agreement,
    "longer wins": longer_wins_rate,
    "length probe": long_wins_score,
    "repetition probe": padded_wins_score,
    "position against gap": position_gap,
    "joint model": joint,
    "stability": stability,
    "robustness": robustness,
}
"""What a progress display may call it → the function that estimates it.

Self-preference, length decomposition and win rates come before them: the longest, or with shared sums.
"""
_POOLED: Final = "(pooled)"
_AT_ONCE: Final = 2
"""Parts at a time: the longest one, self-preference, runs beside all others."""


def estimate_all(
    comparisons: ComparisonFrame,
    settings: Settings,
    *,
    tiers: tuple[str, ...] = TIERS,
    on_step: Callable[[str], object] = lambda _: None,
    only: Collection[str] | None = None,
) -> EstimateFrame:
    """Estimate everything that these comparisons define; what they do not keeps its row and a reason.

    Parameters
    ----------
    comparisons
        From :func:`recuse.analysis.comparisons.compare`, under the scoring rule of ``settings``.
    tiers
        Tiers in ascending order of subjectivity.
    on_step
        Called with the name of each part when it is estimated, from any thread, for a progress display.
    only
        Names of the parts to estimate; all of them by default.

    Notes
    -----
    Parts are estimated side by side; each draws from streams of its own, so that this changes no number.
    ``p_adjusted`` is Benjamini–Hochberg within a family: one study, estimand, probe, baseline and test,
    over its judges, pooled rows and rows by tier apart.
    """
    comparisons = cast("ComparisonFrame", coded(with_names_as_codes(comparisons)))
    parts: dict[str, Callable[[], list[EstimateFrame]]] = {
        "self-preference": lambda: _self_preferences(comparisons, settings, tiers),
        "length decomposition": lambda: [length_decomposition(comparisons, settings)],
        "win rates": lambda: _win_rates(comparisons, settings),
    }
    parts |= {name: partial(_one, estimand, comparisons, settings) for name, estimand in ESTIMANDS.items()}

    wanted = {name: part for name, part in parts.items() if only is None or name in only}
    return Estimates.validate(adjusted(pl.concat(side_by_side(wanted, on_step))))


def side_by_side(
    parts: Mapping[str, Callable[[], list[EstimateFrame]]],
    on_step: Callable[[str], object],
    *,
    longest: Collection[str] = (),
) -> list[EstimateFrame]:
    """Estimate parts of a report, two at a time; give their frames in the order of the parts.

    ``on_step`` is called with the name of each part when it is estimated, from any thread. The ``longest``
    are begun first.
    """

    def make(name: str) -> list[EstimateFrame]:
        frames = parts[name]()
        on_step(name)
        return frames

    # The parts share the cores already: threads of the linear algebra would only wait for each other.
    with threadpool_limits(1), ThreadPoolExecutor(_AT_ONCE) as pool:
        started = {
            name: pool.submit(make, name) for name in sorted(parts, key=lambda name: name not in longest)
        }
        return [frame for name in parts for frame in started[name].result()]


def _one(
    estimand: Callable[[ComparisonFrame, Settings], EstimateFrame],
    comparisons: ComparisonFrame,
    settings: Settings,
) -> list[EstimateFrame]:
    return [estimand(comparisons, settings)]


def _win_rates(comparisons: ComparisonFrame, settings: Settings) -> list[EstimateFrame]:
    sides = side_scores(comparisons)
    return [win_rate(comparisons, settings, sides), rankings(sides, settings)]


def _self_preferences(
    comparisons: ComparisonFrame, settings: Settings, tiers: tuple[str, ...]
) -> list[EstimateFrame]:
    own = against_baselines(comparisons)
    return [
        self_preference(comparisons, settings, own),
        self_preference_inflation(own, settings),
        self_preference_tier_gradient(own, settings, tiers),
        self_preference_delta_length_adjusted(own, settings),
        uninvolved_share(own, settings),
        judgments_to_identify(own, settings),
        halving(comparisons, own, settings),
    ]


def with_names_as_codes(comparisons: ComparisonFrame) -> ComparisonFrame:
    """Give the frame categories for its texts: every estimand groups by them, and codes group faster."""
    texts = [name for name, dtype in comparisons.schema.items() if dtype == pl.String]
    coded = comparisons.with_columns(pl.col(texts).cast(pl.Categorical))
    return cast("ComparisonFrame", coded)


def pooled_over_studies(comparisons: ComparisonFrame) -> ComparisonFrame:
    """Name all studies one, with tasks of different studies kept apart.

    A task is named ``study/task``; a slash in the name of a study is written ``%2F``, so that no two tasks
    get one name.
    """
    study = (
        pl.col("study").str.replace_all("%", "%25", literal=True).str.replace_all("/", "%2F", literal=True)
    )
    pooled = comparisons.with_columns(task_id=study + pl.lit("/") + pl.col("task_id"), study=pl.lit(_POOLED))
    return Comparisons.validate(pooled)


def adjusted(estimates: pl.DataFrame) -> pl.DataFrame:
    """Adjust p-values within their families, and take the name of studies pooled together away."""
    # Judges on either side of ten tasks have intervals, and so tests, of two names in one family.
    test = pl.when(pl.col("test").str.starts_with("dual_of_")).then(pl.lit("dual")).otherwise("test")
    family = [
        "study",
        "estimand",
        "probe",
        "baseline",
        test.alias("kind_of_test"),
        pl.col("tier").is_null().alias("pooled"),
        pl.col("judge").is_null().alias("over_judges"),
    ]
    return estimates.with_columns(
        p_adjusted=pl.col("p_value")
        .map_batches(
            lambda p: pl.Series(benjamini_hochberg(p.to_list()), dtype=pl.Float64), return_dtype=pl.Float64
        )
        .over(family)
    ).with_columns(study=pl.when(pl.col("study") != _POOLED).then("study"))
