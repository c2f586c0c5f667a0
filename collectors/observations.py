"""What a person should know about judgments that are kept: missing swaps and verdicts, names, families."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

import polars as pl

from recuse.analysis.families import unknown_families
from recuse.collectors.names import name_notes, names_of
from recuse.collectors.set_aside import PRESENTATION
from recuse.errors import name_up_to_three

__all__ = ["observations"]


def observations(judgments: pl.DataFrame, families: Mapping[str, str]) -> list[str]:
    """Note what is unusual in judgments that are kept as they are.

    Parameters
    ----------
    judgments
        Judgments after aliases, without the rows set aside.
    families
        The study's own name patterns → families.
    """
    judges, generators = names_of(judgments)
    return [
        *_nothing_on_main(judgments),
        *_missing_verdicts(judgments),
        *_ties_without_words(judgments),
        *_missing_swaps(judgments),
        *name_notes(judges, generators),
        *_families_of_one(judges | generators, families),
    ]


def _nothing_on_main(judgments: pl.DataFrame) -> list[str]:
    probes = judgments["probe"].unique().sort().to_list()
    if "main" in probes:
        return []
    spoken = name_up_to_three(probes)
    return [f"no judgment is of probe main, of which most estimates speak: all are of {spoken}"]


def _missing_verdicts(judgments: pl.DataFrame) -> list[str]:
    if not judgments["verdict"].null_count():
        return []
    without = judgments.select("verdict", "status").filter(pl.col("verdict").is_null())
    counts = without["status"].value_counts(sort=True).iter_rows()
    spoken = ", ".join(f"{status} {count:,}" for status, count in counts)
    return [f"{without.height:,} of {judgments.height:,} presentations have no verdict ({spoken})"]


def _ties_without_words(judgments: pl.DataFrame) -> list[str]:
    """Point at ties that may stand for a verdict that could not be read."""
    if judgments["raw"].null_count() in {0, judgments.height}:
        return []
    n_ties = (
        judgments.select("verdict", "raw").filter(pl.col("verdict") == "tie", pl.col("raw").is_null()).height
    )
    if not n_ties:
        return []
    ties = "1 tie has" if n_ties == 1 else f"{n_ties:,} ties have"
    return [f"{ties} no raw text although other rows have: leave a verdict that could not be read empty"]


def _missing_swaps(judgments: pl.DataFrame) -> list[str]:
    """Count comparisons that lack one of their two orders, per study and probe.

    As in the analysis, a judge with one order in a whole probe was asked so by design.
    """
    presentations = judgments.select(PRESENTATION).filter(
        (pl.col("slot_a") != pl.col("slot_b")) | pl.col("variant_a").ne_missing(pl.col("variant_b"))
    )
    swapped = presentations.rename(
        {"slot_a": "slot_b", "slot_b": "slot_a", "variant_a": "variant_b", "variant_b": "variant_a"}
    )
    shown, asked = presentations.hash_rows(), swapped.select(PRESENTATION).hash_rows()
    alone = ~asked.is_in(shown.implode())
    if not alone.any():
        return []
    orders = presentations.with_columns(alone=alone)
    notes: list[str] = []
    for (study, probe), of_probe in orders.group_by("study", "probe", maintain_order=True):
        by_design = pl.col("alone").all().over("judge")
        place = f"{study}, probe {probe}"
        single = of_probe.filter(by_design)
        if single.height:
            who = name_up_to_three(single["judge"].unique(maintain_order=True))
            what = f"{_counted(single.height)} by {who} in one order only"
            notes.append(f"{place}: {what}, so slot and answer cannot be told apart")
        notes += [f"{place}: {note}" for note in _incomplete(of_probe.filter(~by_design))]
    return notes


def _incomplete(presentations: pl.DataFrame) -> list[str]:
    lacking = presentations.filter("alone")
    if lacking.is_empty():
        return []
    total = _counted((presentations.height + lacking.height) // 2)
    verbs = "lacks the swap and counts" if lacking.height == 1 else "lack the swap and count"
    named = name_up_to_three(
        f"{judge} on {task} ({slot_a} in slot A, {slot_b} in slot B only)"
        for judge, task, slot_a, slot_b in lacking.select("judge", "task_id", "slot_a", "slot_b").iter_rows()
    )
    return [f"{lacking.height:,} of {total} {verbs} as incomplete: {named}"]


def _counted(n_comparisons: int) -> str:
    return "1 comparison" if n_comparisons == 1 else f"{n_comparisons:,} comparisons"


def _families_of_one(names: AbstractSet[str], families: Mapping[str, str]) -> list[str]:
    unknown = unknown_families(names, families)
    if not unknown:
        return []
    noun = "name is of no known family and counts as a family of its own"
    if len(unknown) > 1:
        noun = "names are of no known family and count each as a family of its own"
    remedy = "if one belongs to another, say so under [families] in the study's file"
    return [f"{len(unknown):,} {noun}: {name_up_to_three(unknown)}; {remedy}"]
