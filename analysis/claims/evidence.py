"""The comparisons that a claim speaks of, made ready once for every claim and every reading of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

import polars as pl

from recuse.analysis.comparisons import pair_scores, rescore
from recuse.analysis.report import pooled_over_studies
from recuse.analysis.self_preference import against_baselines
from recuse.analysis.settings import Scoring
from recuse.schema import TIERS, ComparisonFrame, Comparisons

__all__ = ["Evidence", "gather"]


@dataclass(frozen=True)
class Evidence:
    """Comparisons of one study, or of several as one, with their tasks numbered.

    What is derived from them is derived once and kept. ``scoring=None`` leaves scores as they are.
    """

    comparisons: ComparisonFrame
    tiers: tuple[str, ...]
    """Tiers in ascending order of subjectivity."""
    tasks: tuple[str, ...]
    """Names of the tasks; their places are the codes."""
    is_pooled: bool = False
    """Whether several studies are one here, with their names before those of the tasks."""
    kept: dict[tuple[str, str | None], pl.DataFrame] = field(
        default_factory=dict[tuple[str, str | None], pl.DataFrame], repr=False
    )

    @property
    def n_tasks(self) -> int:
        """Tasks of all probes."""
        return len(self.tasks)

    def scored(self, scoring: Scoring | None) -> pl.DataFrame:
        """Comparisons under a scoring rule, names as codes and ``task_id`` as its place among the tasks."""
        return self._once("scored", scoring, self._scored)

    def own(self, scoring: Scoring | None) -> pl.DataFrame:
        """Own and baseline scores of every judge's own answers."""
        return self._once("own", scoring, lambda rule: against_baselines(self._frame(rule)))

    def pairs(self, scoring: Scoring | None) -> pl.DataFrame:
        """Scores per task × pair × judge of probe ``main``, replicates averaged."""
        return self._once("pairs", scoring, lambda rule: pair_scores(self._frame(rule)))

    def _frame(self, scoring: Scoring | None) -> ComparisonFrame:
        return cast("ComparisonFrame", self.scored(scoring))

    def _scored(self, scoring: Scoring | None) -> pl.DataFrame:
        frame = self.comparisons if scoring is None else rescore(self.comparisons, scoring)
        texts = [name for name, dtype in frame.schema.items() if dtype == pl.String and name != "task_id"]
        return frame.with_columns(
            pl.col(texts).cast(pl.Categorical), pl.col("task_id").cast(pl.Enum(self.tasks))
        )

    def _once(
        self, what: str, scoring: Scoring | None, make: Callable[[Scoring | None], pl.DataFrame]
    ) -> pl.DataFrame:
        place = (what, scoring)
        if place not in self.kept:
            self.kept[place] = make(scoring)
        return self.kept[place]


def gather(
    comparisons: ComparisonFrame, studies: Sequence[str] = (), tiers: tuple[str, ...] = TIERS
) -> Evidence:
    """Take the comparisons of the studies that a claim names; several become one, tasks kept apart.

    Parameters
    ----------
    comparisons
        Under any scoring rule.
    studies
        Studies to take; none means all.
    tiers
        Tiers in ascending order of subjectivity.
    """
    chosen = comparisons.filter(pl.col("study").is_in(list(studies))) if studies else comparisons
    mine = Comparisons.validate(chosen)
    is_pooled = mine["study"].n_unique() > 1
    if is_pooled:
        mine = pooled_over_studies(mine)
    return Evidence(mine, tiers, tuple(mine["task_id"].unique().sort().to_list()), is_pooled)
