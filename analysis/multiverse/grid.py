"""The grid of defensible choices: what can be chosen for a claim, and which combinations make no sense."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from recuse.analysis.claims.choices import BaselineName, has_baseline, has_scoring
from recuse.analysis.claims.record import (
    Agreement,
    Claim,
    LongerWins,
    Rate,
    SlotPreference,
    SlotPreferenceGradient,
)
from recuse.analysis.inference.specifications import Unit
from recuse.analysis.settings import Scoring

__all__ = [
    "CHOICES",
    "CLUSTERS",
    "SAME_JUDGES",
    "Cell",
    "Group",
    "Ties",
    "grid",
    "group_of",
    "usual_ties",
    "why_not",
]

Ties: TypeAlias = Literal["kept", "dropped"]
Group: TypeAlias = Literal["scores", "slots", "tallies", "labels"]
"""Scores of comparisons; slot-A verdicts; other counted presentations or comparisons; labels."""
SCORINGS: Final[tuple[Scoring, ...]] = ("resolved", "averaged", "consistent")
BASELINES: Final[tuple[BaselineName, ...]] = ("all_peers", "uninvolved", "uninvolved_family", "human")
CLUSTERS: Final[tuple[Unit, ...]] = ("task", "comparison", "row")
TIES: Final[tuple[Ties, ...]] = ("kept", "dropped")
CHOICES: Final = ("scoring", "baseline", "cluster", "ties", "left_out")
"""Choices that a specification names, in the order in which a reader meets them."""
SAME_JUDGES: Final = "it asks the same judges as baseline uninvolved"
"""Why a baseline by family is no specification of its own where all judges are of different families."""
_USUAL_TIES: Final[Mapping[Group, Ties | None]] = MappingProxyType(
    {"scores": "kept", "labels": "kept", "slots": "dropped", "tallies": None}
)
_BY_PRESENTATION: Final = ("slot_a_rate", "tie_rate")


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination of choices on one body of judges; None where a claim leaves no choice."""

    scoring: Scoring | None
    baseline: BaselineName | None
    ties: Ties | None
    without_judge: str | None


def group_of(claim: Claim) -> Group:
    """Tell what the claim's quantity is counted from."""
    if isinstance(claim, Agreement):
        return "labels"
    if isinstance(claim, SlotPreference | SlotPreferenceGradient):
        return "slots"
    if isinstance(claim, Rate) and claim.rate == "slot_a_rate":
        return "slots"
    return "scores" if has_scoring(claim) else "tallies"


def usual_ties(claim: Claim) -> Ties | None:
    """How ties are treated by default: kept as half or as a label of their own, left out of slot rates."""
    return _USUAL_TIES[group_of(claim)]


def grid(claim: Claim, judges: Sequence[str]) -> list[Cell]:
    """Every combination of scoring, baseline, tie rule and judge left out; units and tasks come beside it.

    ``judges`` are those whose absence can matter; leaving one out goes with every other choice.
    """
    scorings = SCORINGS if has_scoring(claim) else (None,)
    baselines = BASELINES if has_baseline(claim) else (None,)
    ties = (None,) if group_of(claim) == "tallies" else TIES
    return [
        Cell(*choice) for choice in product(scorings, baselines, ties, (None, *_that_matter(claim, judges)))
    ]


def why_not(claim: Claim, cell: Cell, cluster: Unit) -> str | None:
    """Why a combination makes no sense whatever the data; null where it does."""
    if cluster != "row":
        return None
    group = group_of(claim)
    if group == "labels":
        return "a label belongs to both orders of a comparison: there is no row of one presentation"
    if group == "slots" and cell.ties == "kept":
        return "half a verdict is no row of 0 or 1"
    if group == "scores" and cell.scoring != "averaged":
        return "a score over both orders belongs to the comparison: one presentation has none"
    if isinstance(claim, Rate) and group == "tallies" and claim.rate not in _BY_PRESENTATION:
        return "it counts comparisons: there is no row of one presentation"
    return None


def _that_matter(claim: Claim, judges: Sequence[str]) -> list[str]:
    mine = getattr(claim, "judge", None)
    if has_baseline(claim):
        return [judge for judge in judges if judge != mine]
    over_all = mine is None and isinstance(claim, Agreement | LongerWins)
    return list(judges) if over_all else []
