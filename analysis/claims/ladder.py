"""The ladder: one claim read under one demand after another, from how it was published upward."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from recuse.analysis.claims.changes import Change, change
from recuse.analysis.claims.choices import BaselineName, Choices, has_baseline, has_length
from recuse.analysis.claims.evaluation import Evaluation, evaluate
from recuse.analysis.claims.evidence import Evidence
from recuse.analysis.claims.record import Agreement, Claim, LongerWins, Rate
from recuse.analysis.settings import Settings

__all__ = ["NAIVE", "RUNGS", "Rung", "climb", "deciding"]

NAIVE: Final = Choices(scoring="averaged", cluster="comparison", naive=True)
"""As most publications read it: presentations averaged, all peers, rows independent."""
RUNGS: Final[Mapping[str, Choices]] = MappingProxyType(
    {
        "published": NAIVE,
        "resolved": Choices(cluster="comparison"),
        "clustered": Choices(),
        "uninvolved": Choices(baseline="uninvolved"),
        "uninvolved_family": Choices(baseline="uninvolved_family"),
        "length_adjusted": Choices(length_adjusted=True),
        "human": Choices(baseline="human"),
    }
)
"""Rungs from the lowest; the last is shown and decides nothing."""
_RECUSED: Final = ("uninvolved", "uninvolved_family")


@dataclass(frozen=True, slots=True)
class Rung:
    """One rung: what the claim's quantity comes to there, and how far that is from the rung before."""

    name: str
    evaluation: Evaluation | None
    """None where the rung does not apply, or needs one that is not identified."""
    why_not: str | None = None
    """Why it is not applicable, or why there is no number."""
    change: Change | None = None
    """Against the last rung before that has an estimate."""
    n_lost: int | None = None
    """Comparisons (by each judge asked) fewer than on that rung."""
    applies: bool = True

    @property
    def is_identified(self) -> bool:
        """Whether there are an estimate and an interval."""
        return self.evaluation is not None and self.evaluation.is_identified


def climb(claim: Claim, evidence: Evidence, settings: Settings) -> tuple[Rung, ...]:
    """Evaluate a claim on every rung.

    Parameters
    ----------
    claim
        What is claimed.
    evidence
        For the claim's studies.
    settings
        Level, resamples and seed.

    Returns
    -------
    tuple
        All rungs, those that do not apply included. The length-adjusted one keeps the strictest baseline
        that has an interval, or else an estimate.
    """
    rungs: list[Rung] = []
    estimated: BaselineName | None = None
    identified: BaselineName | None = None
    last: Evaluation | None = None
    for name, usual in RUNGS.items():
        why_not = _not_applicable(name, claim)
        if why_not is not None:
            rungs.append(Rung(name, None, why_not, applies=False))
            continue
        strictest = identified or estimated
        choices = usual
        if name == "length_adjusted" and strictest is not None:
            choices = replace(usual, baseline=strictest)
        if name == "length_adjusted" and has_baseline(claim) and strictest is None:
            rungs.append(Rung(name, None, "no uninvolved judge to compare with"))
            continue
        found = evaluate(claim, evidence, choices, settings)
        if found.estimate is None:
            rungs.append(Rung(name, found, found.reason))
            continue
        moved = None if last is None else change(last, found, settings)
        lost = None if last is None else last.n_comparisons - found.n_comparisons
        rungs.append(Rung(name, found, None if found.is_identified else found.reason, moved, lost))
        if name != "human":
            last = found
        if name in _RECUSED:
            estimated = choices.baseline
            identified = choices.baseline if found.is_identified else identified
    return tuple(rungs)


def deciding(claim: Claim, rungs: tuple[Rung, ...]) -> Rung | None:
    """Find the last rung through length adjustment that applies and has an estimate and an interval.

    A claim that recusal bears on is decided on an uninvolved rung or above it, or not at all; any other on
    the rung of tasks as clusters or above it, never on rows taken as independent.
    """
    names = list(RUNGS)
    lowest = names.index("uninvolved" if has_baseline(claim) else "clustered")
    highest = names.index("length_adjusted")
    candidates = [
        rung for rung in rungs if lowest <= names.index(rung.name) <= highest and rung.is_identified
    ]
    return candidates[-1] if candidates else None


def _not_applicable(name: str, claim: Claim) -> str | None:
    if name in {*_RECUSED, "human"} and not has_baseline(claim):
        return _no_baseline(claim)
    if name == "length_adjusted" and not has_length(claim):
        return _no_length(claim)
    return None


def _no_baseline(claim: Claim) -> str:
    if isinstance(claim, LongerWins) and claim.controlled:
        return "both answers are by one generator: no judge has a stake in one of them"
    if isinstance(claim, Agreement):
        return "it speaks of the judges themselves"
    return "it speaks of this judge's own verdicts: nobody else is asked"


def _no_length(claim: Claim) -> str:
    if isinstance(claim, LongerWins):
        return "length is what it is about"
    if claim.kind.startswith("slot_") or (isinstance(claim, Rate) and claim.rate != "win_rate"):
        return "both orders are asked, so that each slot shows the longer answer equally often"
    if isinstance(claim, Agreement):
        return "it speaks of agreement, whatever that rests on"
    return "equal length is defined for one pair of answers, and not for a win rate over several"
