"""Names that look alike: pointed out, never merged."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Final

import polars as pl

from recuse.errors import name_up_to_three

__all__ = ["look_alikes", "name_notes", "names_of"]

_VERSION: Final = re.compile(
    r"([-@:](\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4}|\d{2}-\d{2}|preview|latest|free|beta|exp|v\d+:\d+))+$"
)
"""Dates and channels that a provider hangs onto the name of one model."""


def look_alikes(names: Iterable[str]) -> list[tuple[str, ...]]:
    """Group names that differ only in provider prefix, spelling of separators, case or a version's date.

    Examples
    --------
    >>> look_alikes(["gpt-4", "openai/gpt-4", "gpt-4-0613", "grok-4.3"])
    [('gpt-4', 'gpt-4-0613', 'openai/gpt-4')]
    """
    groups: dict[str, list[str]] = {}
    for name in sorted(set(names)):
        groups.setdefault(_stem(name), []).append(name)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def _stem(name: str) -> str:
    bare = name.strip().lower().rsplit("/", 1)[-1]
    return _VERSION.sub("", re.sub(r"[\s_.]+", "-", bare))


def names_of(judgments: pl.DataFrame) -> tuple[set[str], set[str]]:
    """Give the names of the model judges and of the generators."""
    kinds = judgments["judge_kind"].unique().to_list()
    if kinds == ["model"]:
        humans = pl.Series(dtype=pl.String)
    else:
        humans = judgments.select("judge", "judge_kind").filter(pl.col("judge_kind") == "human")["judge"]
    judges, in_a, in_b = (set(judgments[name].unique().to_list()) for name in ("judge", "slot_a", "slot_b"))
    return judges - set(humans.unique().to_list()), in_a | in_b


def name_notes(judges: AbstractSet[str], generators: AbstractSet[str]) -> list[str]:
    """Say which judges look like a generator of another name, and which other names look alike.

    Parameters
    ----------
    judges, generators
        Names of the models, after the study's aliases.
    """
    of_a_judge: list[str] = []
    others: list[str] = []
    for group in look_alikes(judges | generators):
        spoken = " / ".join(name if name == name.strip() else repr(name) for name in group)
        crosses = any(
            judge != generator for judge in judges & {*group} for generator in generators & {*group}
        )
        (of_a_judge if crosses else others).append(spoken)
    notes: list[str] = []
    if of_a_judge:
        notes.append(
            f"a judge has nearly the name of a generator: {'; '.join(of_a_judge)}. They count as different "
            "models; if they are one, say so under [aliases] in the study's file"
        )
    if others:
        notes.append(f"names that look alike count as different models: {name_up_to_three(others)}")
    return notes
