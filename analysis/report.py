"""Every estimand of a report, in one frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, cast

import polars as pl

from recuse.analysis.agreement import agreement
from recuse.analysis.answer_length import mean_words
from recuse.analysis.extra_judgments import judgments_to_identify
from recuse.analysis.inference.multiplicity import benjamini_hochberg
from recuse.analysis.interval_halving import halving
from recuse.analysis.involvement import uninvolved_share
from recuse.analysis.length import length_decomposition
from recuse.analysis.length_adjusted import self_preference_delta_length_adjusted
from recuse.analysis.length_probe import long_wins_score
from recuse.analysis.longer_wins import longer_wins_rate
from recuse.analysis.position import position
from recuse.analysis.ranking import rankings
from recuse.analysis.repetition_probe import padded_wins_score
from recuse.analysis.self_preference import against_baselines, self_preference
from recuse.analysis.self_preference_contrasts import self_preference_inflation, self_preference_tier_gradient
from recuse.analysis.settings import Settings
from recuse.analysis.win_rate import side_scores, win_rate
from recuse.schema import TIERS, ComparisonFrame, Comparisons, EstimateFrame, Estimates

__all__ = ["ESTIMANDS", "estimate_all", "pooled_over_studies"]

ESTIMANDS: Final[Mapping[str, Callable[[ComparisonFrame, Settings], EstimateFrame]]] = {
    "words": mean_words,
    "position": position,
    "agreement": agreement,
    "longer wins": longer_wins_rate,
    "length decomposition": length_decomposition,
    "length probe": long_wins_score,
    "repetition probe": padded_wins_score,
}
"""What a progress display may call it → the function that estimates it.

Win rates and self-preference come beside them: their estimands share what is summed up once.
"""
_POOLED: Final = "(pooled)"


def estimate_all(
    comparisons: ComparisonFrame,
    settings: Settings,
    *,
    tiers: tuple[str, ...] = TIERS,
    on_step: Callable[[str], object] = lambda _: None,
) -> EstimateFrame:
    """Estimate everything that these comparisons define; what they do not keeps its row and a reason.

    Parameters
    ----------
    comparisons
        From :func:`recuse.analysis.comparisons.compare`, under the scoring rule of ``settings``.
    tiers
        Tiers in ascending order of subjectivity.
    on_step
        Called with the name of each part before it is estimated, for a progress display.

    Notes
    -----
    ``p_adjusted`` is Benjamini–Hochberg within a family: one study, estimand, probe, baseline and test,
    over its judges, pooled rows and rows by tier apart.
    """
    comparisons = _with_names_as_codes(comparisons)
    on_step("win rates")
    sides = side_scores(comparisons)
    frames: list[pl.DataFrame] = [
        win_rate(comparisons, settings, sides),
        rankings(sides, settings),
    ]
    for name, estimand in ESTIMANDS.items():
        on_step(name)
        frames.append(estimand(comparisons, settings))
    on_step("self-preference")
    own = against_baselines(comparisons)
    frames += [
        self_preference(comparisons, settings, own),
        self_preference_inflation(own, settings),
        self_preference_tier_gradient(own, settings, tiers),
        self_preference_delta_length_adjusted(own, settings),
    ]
    on_step("involvement")
    frames += [
        uninvolved_share(own, settings),
        judgments_to_identify(own, settings),
        halving(comparisons, own, settings),
    ]
    return Estimates.validate(_adjusted(pl.concat(frames)))


def _with_names_as_codes(comparisons: ComparisonFrame) -> ComparisonFrame:
    """Give the frame categories for its texts: every estimand groups by them, and codes group faster."""
    texts = [name for name, dtype in comparisons.schema.items() if dtype == pl.String]
    coded = comparisons.with_columns(pl.col(texts).cast(pl.Categorical))
    return cast("ComparisonFrame", coded)


def pooled_over_studies(comparisons: ComparisonFrame) -> ComparisonFrame:
    """Name all studies one, with tasks of different studies kept apart."""
    pooled = comparisons.with_columns(
        task_id=pl.col("study") + pl.lit("/") + pl.col("task_id"), study=pl.lit(_POOLED)
    )
    return Comparisons.validate(pooled)


def _adjusted(estimates: pl.DataFrame) -> pl.DataFrame:
    family = ["study", "estimand", "probe", "baseline", "test", pl.col("tier").is_null().alias("pooled")]
    return estimates.with_columns(
        p_adjusted=pl.col("p_value")
        .map_batches(
            lambda p: pl.Series(benjamini_hochberg(p.to_list()), dtype=pl.Float64), return_dtype=pl.Float64
        )
        .over(family)
    ).with_columns(study=pl.when(pl.col("study") != _POOLED).then("study"))
