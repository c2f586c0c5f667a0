"""Names as readers know them: display names of models, order and names of tiers and baselines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from recuse.schema import TIERS

__all__ = ["BASELINES", "baseline_name", "display_names", "plain", "tier_order"]

LONGEST: Final = 40
"""Characters of a display name; longer ones are cut in the middle, where versions rarely stand."""

BASELINES: Final[Mapping[str, str]] = {
    "all_peers": "all other judges",
    "uninvolved": "uninvolved judges",
    "uninvolved_family": "uninvolved families",
    "human": "human judges",
}
"""Baselines in the order in which figures show them."""


def plain(text: str) -> str:
    """Text on one line: control characters and runs of white space become one space."""
    return re.sub(r"[\s\x00-\x1f\x7f]+", " ", text).strip()


def display_names(models: Iterable[str]) -> dict[str, str]:
    """Short names of models, each different from every other.

    A provider's prefix goes, ``gpt`` is written GPT, and a version's hyphens become a point after Claude.
    Two models that would share a short name keep their identifiers; if those are too long to print,
    they are numbered in the order of their identifiers.

    >>> display_names(["openai/gpt-5.5", "anthropic/claude-sonnet-4-6"])
    {'anthropic/claude-sonnet-4-6': 'Claude Sonnet 4.6', 'openai/gpt-5.5': 'GPT-5.5'}
    """
    ordered = sorted(set(models))
    short = {model: _shorten(_name(model)) for model in ordered}
    taken = list(short.values())
    named = {
        model: name if taken.count(name) == 1 else _shorten(plain(model)) for model, name in short.items()
    }
    shown: dict[str, str] = {}
    used: set[str] = set()
    for model, name in named.items():
        unique, number = name, 2
        while unique in used:
            unique, number = f"{name} ({number})", number + 1
        used.add(unique)
        shown[model] = unique
    return shown


def baseline_name(baseline: str) -> str:
    """Whom a judge is compared with, in words."""
    return BASELINES.get(baseline, plain(baseline).replace("_", " "))


def tier_order(tiers: Iterable[str]) -> list[str]:
    """Tiers from objective to subjective, then any others by name."""
    return sorted(set(tiers), key=lambda tier: (TIERS.index(tier) if tier in TIERS else len(TIERS), tier))


def _name(model: str) -> str:
    name = plain(model).rstrip("/").rsplit("/", maxsplit=1)[-1] or plain(model) or "(no name)"
    if name.startswith("claude-"):
        words = re.sub(r"(?<=\d)-(?=\d{1,2}(?:-|$))", ".", name).split("-")
        return " ".join(word.capitalize() for word in words)
    if name.startswith("gpt-"):
        return "GPT" + name.removeprefix("gpt")
    return "G" + name[1:] if name.startswith(("grok-", "gemini-", "gemma-")) else name


def _shorten(name: str) -> str:
    if len(name) <= LONGEST:
        return name
    half = (LONGEST - 1) // 2
    return f"{name[:half]}…{name[-half:]}"
