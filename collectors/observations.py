"""What a person should know about judgments that are kept: missing swaps and verdicts, names, families."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

import polars as pl

from recuse.analysis.families import unknown_families
from recuse.collectors.names import name_notes, names_of
from recuse.collectors.set_aside import PRESENTATION
from recuse.errors import name_up_to_three

__all__ = ["about_names", "about_orders", "about_probes", "about_verdicts", "observations"]


def observations(judgments: pl.DataFrame, families: Mapping[str, str]) -> list[str]:
    """Note what is unusual in judgments that are kept as they are.

    Parameters
    ----------
    judgments
        Judgments after aliases, without the rows set aside.
    families
        The study's own name patterns → families.
    """
    statuses: dict[str, int] = {}
    if judgments["verdict"].null_count():
        without = judgments.select("verdict", "status").filter(pl.col("verdict").is_null())
        statuses = dict(without["status"].value_counts(sort=True).iter_rows())
    judges, generators = names_of(judgments)
    return [
        *about_probes(set(judgments["probe"].unique().to_list())),
        *about_verdicts(statuses, judgments.height),
        *_ties_without_words(judgments),
        *_missing_swaps(judgments),
        *about_names(judges, generators, families),
    ]


def about_probes(probes: AbstractSet[str]) -> list[str]:
    """Say that nothing is on probe main, where it is so."""
    if "main" in probes:
        return []
    spoken = name_up_to_three(sorted(probes))
    return [f"no judgment is of probe main, of which most estimates speak: all are of {spoken}"]


def about_verdicts(without: Mapping[str, int], n_presentations: int) -> list[str]:
    """Say how many presentations have no verdict; ``without`` counts them by status."""
    total = sum(without.values())
    if not total:
        return []
    spoken = ", ".join(f"{status} {count:,}" for status, count in without.items())
    return [f"{total:,} of {n_presentations:,} presentations have no verdict ({spoken})"]


def about_orders(
    place: str, single: int, by: Sequence[str], lacking: int, total: int, named: Sequence[str]
) -> Iterator[str]:
    """Say which comparisons of a study's probe have one order.

    Parameters
    ----------
    place
        Study and probe, as shown.
    single, by
        Comparisons of judges that were asked one order only, and these judges.
    lacking, total
        Comparisons without their swap among those of all other judges.
    named
        Those that lack it, named; where they are too many to name, as many as were kept.
    """
    if single:
        what = f"{_counted(single)} by {name_up_to_three(by)} in one order only"
        yield f"{place}: {what}, so slot and answer cannot be told apart"
    if lacking:
        verbs = "lacks the swap and counts" if lacking == 1 else "lack the swap and count"
        spoken = name_up_to_three(named) if len(named) == lacking else _first_of(named, lacking)
        yield f"{place}: {lacking:,} of {_counted(total)} {verbs} as incomplete{spoken and ': '}{spoken}"


def about_names(
    judges: AbstractSet[str], generators: AbstractSet[str], families: Mapping[str, str]
) -> list[str]:
    """Say which names look alike and which are of no known family."""
    return [*name_notes(judges, generators), *_families_of_one(judges | generators, families)]


def _first_of(named: Sequence[str], total: int) -> str:
    shown = named[:3]
    more = f" and {total - len(shown):,} more" if shown and total > len(shown) else ""
    return ", ".join(shown) + more


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
    # No presentation occurs twice, so that every one has its swap exactly if the two are the same set.
    if shown.sum() == asked.sum() and shown.min() == asked.min() and shown.max() == asked.max():
        return []
    alone = ~asked.is_in(shown.implode())
    if not alone.any():
        return []
    place = ("study", "probe")
    by_judge = (
        presentations.select(*place, "judge", alone=alone)
        .group_by(*place, "judge", maintain_order=True)
        .agg(n=pl.len(), lacking=pl.col("alone").sum())
    )
    rows_alone = presentations.filter(alone)
    notes: list[str] = []
    for (study, probe), of_probe in by_judge.group_by(place, maintain_order=True):
        single = of_probe.filter(pl.col("lacking") == pl.col("n"))
        rest = of_probe.filter(pl.col("lacking") < pl.col("n"))
        lacking = rows_alone.filter(
            pl.col("study") == study, pl.col("probe") == probe, pl.col("judge").is_in(rest["judge"].implode())
        )
        named = [
            f"{judge} on {task} ({slot_a} in slot A, {slot_b} in slot B only)"
            for judge, task, slot_a, slot_b in lacking.select(
                "judge", "task_id", "slot_a", "slot_b"
            ).iter_rows()
        ]
        total = (int(rest["n"].sum()) + lacking.height) // 2
        n_single, by = int(single["n"].sum()), single["judge"].to_list()
        notes += about_orders(f"{study}, probe {probe}", n_single, by, lacking.height, total, named)
    return notes


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
