"""The same evidence under other choices: scores, ties, one order at a time, one judge fewer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, cast

import polars as pl

from recuse.analysis.claims.evidence import Evidence
from recuse.analysis.comparisons import pair_scores, rescore
from recuse.analysis.multiverse.grid import Group, Ties
from recuse.analysis.self_preference import against_baselines
from recuse.analysis.settings import Scoring
from recuse.schema import ComparisonFrame

__all__ = ["Variants"]

_IN_A: Final = {"a": 1.0, "b": 0.0, "tie": 0.5}
_IN_B: Final = {"a": 0.0, "b": 1.0, "tie": 0.5}
_NEITHER: Final = ("tie", "flip", "unstable")


@dataclass(frozen=True, slots=True)
class Variants:
    """Evidence under other choices, each made once and shared by all claims about the same studies."""

    evidence: Evidence
    made: dict[tuple[str | bool | None, ...], Evidence] = field(
        default_factory=dict[tuple[str | bool | None, ...], Evidence], repr=False
    )

    def under(
        self,
        group: Group,
        *,
        scoring: Scoring | None,
        ties: Ties | None,
        without_judge: str | None = None,
        by_presentation: bool = False,
    ) -> Evidence:
        """Evidence whose scores and counts follow the choices.

        Parameters
        ----------
        group
            What is counted: scores, slot verdicts, other tallies or labels.
        scoring
            Rule of the scores.
        ties
            ``kept`` as half (or as the label *neither*), or ``dropped``: comparisons that end in a tie are
            left out; of slot verdicts the presentations; of labels every comparison without a winner.
        without_judge
            Judge whose verdicts are left out.
        by_presentation
            One row per presentation instead of one per comparison (averaged scores).
        """
        place = (group, scoring, ties, without_judge, by_presentation)
        if place not in self.made:
            frame = self._frame(group, scoring, ties)
            if without_judge is not None:
                frame = frame.filter(pl.col("judge") != without_judge)
            self.made[place] = (
                self._by_presentation(frame, ties) if by_presentation else self._of({("scored", None): frame})
            )
        return self.made[place]

    def _of(self, kept: dict[tuple[str, str | None], pl.DataFrame]) -> Evidence:
        return replace(self.evidence, kept=kept)

    def _frame(self, group: Group, scoring: Scoring | None, ties: Ties | None) -> pl.DataFrame:
        frame = self.evidence.scored(None)
        if group == "scores" and scoring is not None:
            frame = frame.with_columns(rescore(self.evidence.comparisons, scoring)["score_first"])
        if group == "scores" and ties == "dropped":
            tied = (pl.col("resolution") == "tie") | (
                (pl.col("resolution") == "single") & (pl.col("n_ties") > 0)
            )
            return frame.with_columns(score_first=pl.when(~tied).then("score_first"))
        if group == "labels" and ties == "dropped":
            tied = pl.col("resolution").is_in(_NEITHER) | (
                (pl.col("resolution") == "single") & (pl.col("n_ties") > 0)
            )
            return frame.filter(~tied)
        if group == "slots" and ties == "kept":
            return frame.with_columns(pl.col("n_slot_a", "n_slot_b") * 2 + pl.col("n_ties"))
        return frame

    def _by_presentation(self, frame: pl.DataFrame, ties: Ties | None) -> Evidence:
        """Take each order as a comparison of its own."""
        halves: list[ComparisonFrame] = []
        for order, scores in (("verdict_first_in_a", _IN_A), ("verdict_first_in_b", _IN_B)):
            shown = pl.col(order).cast(pl.String)
            counted = shown if ties != "dropped" else pl.when(shown != "tie").then(shown)
            score = counted.replace_strict(scores, return_dtype=pl.Float64)
            there = frame.filter(pl.col(order).is_not_null()).with_columns(score_first=score)
            halves.append(cast("ComparisonFrame", there))
        return self._of(
            {
                ("scored", None): pl.concat(cast("list[pl.DataFrame]", halves)),
                ("pairs", None): pl.concat([pair_scores(half) for half in halves]),
                ("own", None): pl.concat([against_baselines(half) for half in halves]),
            }
        )
