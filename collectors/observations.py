"""What a person should know about judgments that are kept: missing swaps and verdicts, names, families."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

from recuse.analysis.families import unknown_families
from recuse.collectors.names import name_notes
from recuse.errors import name_up_to_three

__all__ = ["observations"]

_COMPARISON: Final = ("study", "probe", "task_id", "judge", "replicate", "first", "second")


def observations(judgments: pl.DataFrame, families: Mapping[str, str]) -> list[str]:
    """Note what is unusual in judgments that are kept as they are.

    Parameters
    ----------
    judgments
        Judgments after aliases, without the rows set aside.
    families
        The study's own name patterns → families.
    """
    return [
        *_missing_verdicts(judgments),
        *_missing_swaps(judgments),
        *name_notes(judgments),
        *_families_of_one(judgments, families),
    ]


def _missing_verdicts(judgments: pl.DataFrame) -> list[str]:
    without = judgments.filter(pl.col("verdict").is_null())
    if without.is_empty():
        return []
    counts = without["status"].value_counts(sort=True).iter_rows()
    spoken = ", ".join(f"{status} {count:,}" for status, count in counts)
    return [f"{without.height:,} of {judgments.height:,} presentations have no verdict ({spoken})"]


def _missing_swaps(judgments: pl.DataFrame) -> list[str]:
    """Count comparisons that lack one of their two orders, per study and probe."""
    side_a, side_b = (
        pl.concat_str(f"slot_{slot}", pl.lit("\x1f"), pl.col(f"variant_{slot}").fill_null(""))
        for slot in "ab"
    )
    sides = judgments.select(
        *_COMPARISON[:5], "slot_a", "slot_b", first=pl.min_horizontal(side_a, side_b),
        second=pl.max_horizontal(side_a, side_b), a_first=side_a <= side_b,
    ).filter(pl.col("first") != pl.col("second"))  # fmt: skip
    comparisons = sides.group_by(*_COMPARISON, maintain_order=True).agg(
        one_order=pl.col("a_first").all() | ~pl.col("a_first").any(),
        pair=pl.format("{} against {}", pl.col("slot_a").first(), pl.col("slot_b").first()),
    )
    notes: list[str] = []
    for (study, probe), group in comparisons.group_by("study", "probe", maintain_order=True):
        lacking = group.filter("one_order")
        if lacking.is_empty():
            continue
        place, total = f"{study}, probe {probe}", f"{group.height:,} comparisons"
        if lacking.height == group.height:
            notes.append(f"{place}: {total} of one order only, so slot and answer cannot be told apart")
            continue
        named = name_up_to_three(
            f"{judge} on {task}, {pair}"
            for judge, task, pair in lacking.select("judge", "task_id", "pair").iter_rows()
        )
        notes.append(f"{place}: {lacking.height:,} of {total} lack the swap and count as incomplete: {named}")
    return notes


def _families_of_one(judgments: pl.DataFrame, families: Mapping[str, str]) -> list[str]:
    models = judgments.filter(pl.col("judge_kind") == "model")["judge"]
    names = pl.concat([models, judgments["slot_a"], judgments["slot_b"]]).unique().to_list()
    unknown = unknown_families(names, families)
    if not unknown:
        return []
    noun = "name is of no known family and counts as a family of its own"
    if len(unknown) > 1:
        noun = "names are of no known family and count each as a family of its own"
    remedy = "if one belongs to another, say so under [families] in the study's file"
    return [f"{len(unknown):,} {noun}: {name_up_to_three(unknown)}; {remedy}"]
