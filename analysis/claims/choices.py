"""The choices under which a claim's quantity is read off the judgments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recuse.analysis.claims.record import (
    Agreement,
    Beats,
    Claim,
    LongerWins,
    Ranking,
    Rate,
    SelfPreference,
    SelfPreferenceGradient,
)
from recuse.analysis.settings import Scoring

__all__ = ["BaselineName", "Choices", "has_baseline", "has_length", "has_scoring"]

BaselineName = Literal["all_peers", "uninvolved", "uninvolved_family", "human"]


@dataclass(frozen=True, slots=True)
class Choices:
    """One defensible way of reading a claim; what a claim does not depend on changes nothing."""

    scoring: Scoring | None = "resolved"
    """None leaves the scores of the comparisons as they are."""
    baseline: BaselineName = "all_peers"
    """Whom a judge is compared with; for a claim over all judges, who is on the panel."""
    cluster: Literal["task", "comparison"] = "task"
    """What is taken as independent."""
    length_adjusted: bool = False
    """Whether the quantity is taken at equal length of both answers."""
    naive: bool = False
    """Slot and length rates over presentations whose other order is missing too; kappa with *first* as
    the side that sorts first by name."""
    interval: str = "default"


def has_baseline(claim: Claim) -> bool:
    """Tell whether recusal can change who is asked: a delta, or a verdict of all judges on two generators."""
    if isinstance(claim, SelfPreference | SelfPreferenceGradient):
        return True
    if isinstance(claim, LongerWins):
        return claim.judge is None and not claim.controlled
    over_all = isinstance(claim, Beats | Ranking) or (isinstance(claim, Rate) and claim.rate == "win_rate")
    return over_all and getattr(claim, "judge", None) is None


def has_length(claim: Claim) -> bool:
    """Tell whether it can be taken at equal length: a delta, a delta's gradient, one pair's score."""
    return isinstance(claim, SelfPreference | SelfPreferenceGradient | Beats)


def has_scoring(claim: Claim) -> bool:
    """Tell whether the score of flips and unstable pairs enters."""
    if isinstance(claim, LongerWins):
        return claim.controlled
    if isinstance(claim, Rate):
        return claim.rate == "win_rate"
    return not isinstance(claim, Agreement) and not claim.kind.startswith("slot_")
