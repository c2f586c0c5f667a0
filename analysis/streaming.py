"""Every estimand of a report on judgments that come in parts and are never held all at once.

Each part holds whole tasks. It is reduced to patterns of task sums, and patterns add up over parts; what
needs single comparisons (refitted models, integer programs) is estimated on a sample of whole tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from recuse.analysis.agreement import agreement_of, agreement_sums
from recuse.analysis.answer_length import mean_words_of, word_sums
from recuse.analysis.comparisons import COMPARISON_KEYS, pair_scores
from recuse.analysis.extra_judgments import judgments_to_identify
from recuse.analysis.interval_halving import halving
from recuse.analysis.involvement import involvement_sums, uninvolved_share_of
from recuse.analysis.length_adjusted import self_preference_delta_length_adjusted
from recuse.analysis.longer_wins import longer_wins_of, longer_wins_sums
from recuse.analysis.patterns import PatternSums
from recuse.analysis.position import position_of, position_sums
from recuse.analysis.rank_moments import RankMoments, rank_moments, rankings_of
from recuse.analysis.ranking import rankings
from recuse.analysis.report import adjusted, estimate_all, side_by_side, with_names_as_codes
from recuse.analysis.row_codes import coded
from recuse.analysis.self_preference import against_baselines, delta_sums, judges_there, self_preference_of
from recuse.analysis.self_preference_contrasts import (
    inflation_sums,
    self_preference_inflation_of,
    self_preference_tier_gradient_of,
)
from recuse.analysis.settings import Settings
from recuse.analysis.task_sample import TaskSample
from recuse.analysis.win_rate import side_scores, win_rate_of, win_rate_sums
from recuse.errors import ConfigurationError
from recuse.schema import TIERS, ComparisonFrame, Comparisons, EstimateFrame, Estimates

__all__ = ["Gathered", "PartSums", "estimate_gathered", "estimate_parts", "gather", "sums_of_part"]

_OF_TASKS: Final[Mapping[str, Callable[[pl.DataFrame], pl.DataFrame]]] = {
    "words": word_sums,
    "position": position_sums,
    "agreement": agreement_sums,
    "longer wins": longer_wins_sums,
}
_OF_OWN: Final[Mapping[str, Callable[[pl.DataFrame], pl.DataFrame]]] = {
    "deltas": delta_sums,
    "inflation": inflation_sums,
    "involvement": involvement_sums,
}
_OF_SAMPLE: Final = (
    "length decomposition",
    "length probe",
    "repetition probe",
    "position against gap",
    "joint model",
    "stability",
    "robustness",
)
"""Parts of a report that need single comparisons."""
_SAMPLED: Final = "models on a sample of tasks"


@dataclass(frozen=True, slots=True)
class PartSums:
    """What the tasks of one part add to the estimates."""

    comparisons: pl.DataFrame
    """The part itself, coded."""
    patterns: dict[str, list[pl.DataFrame]]
    ranks: dict[str, RankMoments]


@dataclass(slots=True)
class Gathered:
    """What is kept of the parts: patterns of task sums, and two samples of whole tasks."""

    sums: dict[str, PatternSums] = field(default_factory=dict[str, PatternSums])
    """Part of a report → its patterns."""
    ranks: dict[str, RankMoments] = field(default_factory=dict[str, RankMoments])
    """Study → moments of the sums behind its rankings."""
    main: TaskSample = field(default_factory=TaskSample)
    """Comparisons of probe ``main``."""
    probes: TaskSample = field(default_factory=TaskSample)
    """Comparisons of all other probes."""

    def add(self, sums: PartSums) -> None:
        """Take in a part of whole tasks that no other part has; parts come in the same order each time."""
        part = sums.comparisons
        for name, patterns in sums.patterns.items():
            self.sums.setdefault(name, PatternSums()).add(*patterns)
        for study, moments in sums.ranks.items():
            before = self.ranks.get(study)
            self.ranks[study] = moments if before is None else before + moments
        is_main = part["probe"] == "main"
        if is_main.all():
            self.main.add(part)
        else:
            self.main.add(part.filter(is_main))
            self.probes.add(part.filter(~is_main))


def estimate_parts(
    parts: Iterable[ComparisonFrame],
    settings: Settings,
    *,
    tiers: tuple[str, ...] = TIERS,
    on_step: Callable[[str], object] = lambda _: None,
) -> EstimateFrame:
    """Estimate what :func:`recuse.analysis.report.estimate_all` does, from parts of the comparisons.

    Parameters
    ----------
    parts
        Comparisons under the scoring rule of ``settings``, each part with whole tasks.
    settings
        The choices of the run. Intervals over comparisons (``rows``, the article's convention) need all of
        them at once.
    tiers
        Tiers in ascending order of subjectivity.
    on_step
        Called with the name of each part of the report when it is estimated.

    Raises
    ------
    ConfigurationError
        Intervals over comparisons are asked for.

    Notes
    -----
    Means, rates, agreement and self-preference use every task, and come out as from the whole. Refitted
    models, stability, probes and counts of judgments to ask use a sample of whole tasks where there are more
    than :data:`~recuse.analysis.task_sample.MOST_COMPARISONS` comparisons; their rows say so, and count what
    they used.
    """
    refuse_rows(settings)
    gathered = Gathered()
    for part in parts:
        gather(gathered, part)
    return estimate_gathered(gathered, settings, tiers=tiers, on_step=on_step)


def refuse_rows(settings: Settings) -> None:
    """Refuse intervals that take single comparisons, before anything is read.

    Raises
    ------
    ConfigurationError
        The settings ask for them.
    """
    if settings.interval == "rows" or settings.convention == "article":
        raise ConfigurationError(
            "the article's convention resamples comparisons, which are not held when judgments are streamed",
            "leave the convention, or read a smaller source whole with --no-stream",
        )


def gather(gathered: Gathered, part: pl.DataFrame) -> None:
    """Add comparisons of whole tasks that no other part has to what is kept."""
    gathered.add(sums_of_part(part))


def sums_of_part(part: pl.DataFrame) -> PartSums:
    """Sum comparisons of whole tasks: all that estimates on every task need of them.

    Takes names as texts, or coded by :func:`recuse.analysis.row_codes.with_codes_of`.
    """
    frame = coded(part)
    pairs = pair_scores(frame)
    own = against_baselines(frame, pairs=pairs, with_lengths=False)
    sides = side_scores(frame, pairs)
    found = {name: [sums(frame)] for name, sums in _OF_TASKS.items()}
    found["win rates"] = [win_rate_sums(frame, sides)]
    found |= {name: [sums(own)] for name, sums in _OF_OWN.items()}
    found["deltas"].append(judges_there(frame))
    return PartSums(frame, found, rank_moments(sides))


def estimate_gathered(
    gathered: Gathered,
    settings: Settings,
    *,
    tiers: tuple[str, ...] = TIERS,
    on_step: Callable[[str], object] = lambda _: None,
) -> EstimateFrame:
    """Estimate everything from what was kept of the parts."""
    sums = gathered.sums
    if not sums:
        return Estimates.create_empty()
    deltas = sums["deltas"].total()
    parts: dict[str, Callable[[], list[EstimateFrame]]] = {
        "self-preference": lambda: [self_preference_of(deltas, settings)],
        "contrasts of self-preference": lambda: [
            self_preference_inflation_of(sums["inflation"].total(), settings),
            self_preference_tier_gradient_of(deltas, settings, tiers),
            uninvolved_share_of(sums["involvement"].total(), settings),
        ],
        "win rates": lambda: [
            win_rate_of(sums["win rates"].total(), settings),
            _ranked(gathered, settings),
        ],
        "words": lambda: [mean_words_of(sums["words"].total(), settings)],
        "position": lambda: [position_of(sums["position"].total(), settings)],
        "agreement": lambda: [agreement_of(sums["agreement"].total(), settings)],
        "longer wins": lambda: [longer_wins_of(sums["longer wins"].total(), settings)],
        _SAMPLED: lambda: _of_sample(gathered, settings, tiers),
    }
    frames = side_by_side(parts, on_step, longest=[_SAMPLED, "agreement"])
    return Estimates.validate(adjusted(pl.concat(frames)))


def _ranked(gathered: Gathered, settings: Settings) -> EstimateFrame:
    whole = gathered.main.comparisons() if gathered.main.is_whole else None
    if whole is None:
        return rankings_of(gathered.ranks, settings)
    return rankings(side_scores(Comparisons.validate(whole)), settings)


def _of_sample(gathered: Gathered, settings: Settings, tiers: tuple[str, ...]) -> list[EstimateFrame]:
    kept = [sample.comparisons() for sample in (gathered.main, gathered.probes)]
    there = pl.concat([frame for frame in kept if frame is not None]).sort(COMPARISON_KEYS)
    sample = with_names_as_codes(Comparisons.validate(there))
    own = against_baselines(sample)
    made = [
        estimate_all(sample, settings, tiers=tiers, only=_OF_SAMPLE),
        self_preference_delta_length_adjusted(own, settings),
        judgments_to_identify(own, settings),
        halving(sample, own, settings, sampled=gathered.main.n_kept / max(1, gathered.main.n_tasks)),
    ]
    return [_said(pl.concat(made), gathered)]


def _said(frame: pl.DataFrame, gathered: Gathered) -> EstimateFrame:
    """Add to the reason of each row on how many of the tasks it rests, where that is not all."""
    reason = pl.col("reason")
    for sample, rows in (
        (gathered.main, pl.col("probe") == "main"),
        (gathered.probes, pl.col("probe") != "main"),
    ):
        if sample.is_whole:
            continue
        words = f"on a sample of {sample.n_kept:,} of {sample.n_tasks:,} tasks, drawn by their names"
        more = pl.concat_str(pl.lit(words), reason, separator="; ", ignore_nulls=True)
        reason = pl.when(rows).then(more).otherwise(reason)
    return Estimates.validate(frame.with_columns(reason=reason))
