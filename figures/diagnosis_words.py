"""What each bias is, how it comes about, what to do, and what to keep in mind: words without numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from recuse.analysis.diagnosis import Bias

__all__ = ["REMEDIES", "Remedy"]


@dataclass(frozen=True, slots=True)
class Remedy:
    """A bias in words; ``source`` is a work by its number, or says that there is none."""

    name: str
    mechanism: str
    mitigation: str
    caveat: str
    source: str


REMEDIES: Final[Mapping[Bias, Remedy]] = MappingProxyType(
    {
        "position": Remedy(
            "position bias",
            "The order in which two answers are shown enters the verdict; where they are close in quality, "
            "the slot can decide.",
            "Ask both orders, and keep the verdicts that agree or average the two. Keeping leaves "
            "comparisons out: count them.",
            "How often the slot decides depends on how close the answers are, so the rate speaks of pairs "
            "like these; and a flip may be noise, which only repeated calls in one order can tell.",
            "arXiv:2406.07791",
        ),
        "length": Remedy(
            "length bias",
            "A longer answer can look more thorough, whatever it says.",
            "Say in the rubric what length is worth, measure how verdicts go with length again, and report "
            "length-controlled rates beside the raw ones.",
            "Longer answers may win for what they say: only a probe that holds the rest fixed speaks of "
            "length, and it speaks of its own few tasks.",
            "arXiv:2404.04475",
        ),
        "self-preference": Remedy(
            "self-preference",
            "These judgments do not show one. Familiarity with text like its own has been proposed.",
            "Let a judge from another family decide, and none that wrote one of the answers.",
            "Association, not causation. The difference contains the taste of the judges it is measured "
            "against, the more so where there is only one.",
            "arXiv:2410.21819",
        ),
        "agreement": Remedy(
            "agreement at chance",
            "What is asked has no answer that these judges share, or none that the rubric pins down.",
            "Change the dimension that is judged, or its rubric. More judges of the same kind average over "
            "the same disagreement.",
            "Kappa also depends on how often each label is used: read raw and expected agreement beside it.",
            "no source: a rule of this package",
        ),
    }
)
