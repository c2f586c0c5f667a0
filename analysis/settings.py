"""How an analysis is to be run: the choices that every estimand takes and every row names."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from recuse.schema import CONFIDENCE_LEVEL

__all__ = ["Convention", "Scoring", "Settings"]

Scoring = Literal["resolved", "averaged", "consistent"]
Convention = Literal["default", "article"]


@dataclass(frozen=True, slots=True)
class Settings:
    """The choices of one run.

    ``convention="article"`` resamples comparisons instead of tasks, uses the pooled binomial first and
    calls *first* the side that sorts first by name, so that published numbers come out to the digit.
    ``joint`` fits the joint model to any number of judgments; ``joint_by_tier`` and ``joint_uninvolved`` add
    strengths by tier, and strengths on the verdicts of uninvolved judges alone.
    """

    scoring: Scoring = "resolved"
    convention: Convention = "default"
    interval: str = "default"
    conf_level: float = CONFIDENCE_LEVEL
    n_resamples: int = 9_999
    seed: int = 0
    joint: bool = False
    joint_by_tier: bool = False
    joint_uninvolved: bool = False

    def rng(self, estimand: str) -> np.random.Generator:
        """Give each estimand its own stream, so that adding one changes no number of another."""
        return np.random.default_rng([self.seed, zlib.crc32(estimand.encode())])

    def with_scoring(self, scoring: Scoring) -> Settings:
        """Return the same choices under another scoring rule."""
        return replace(self, scoring=scoring)
