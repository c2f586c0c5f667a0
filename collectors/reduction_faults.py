"""What a reduction shows to be wrong with the judgments: one line each, with what fails counted and named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from recuse.analysis.reduction import COUNTS, FACTS, REDUCED_LENGTHS
from recuse.errors import SourceError, name_up_to_three
from recuse.schema import JUDGE_KINDS, REWARDS, STATUSES, VERDICTS

__all__ = ["refuse_faults"]


@dataclass(frozen=True, slots=True)
class _Fault:
    """Comparisons that no judgments may come to."""

    failing: pl.Expr
    problem: str
    remedy: str
    shown: tuple[str, ...] = ("judge", "task_id")


_REPEATED: Final = (pl.max_horizontal(*COUNTS) > 1) | pl.any_horizontal(
    pl.sum_horizontal(name for name, (stood, _) in COUNTS.items() if stood == slot) > 1 for slot in "ab"
)
_FAULTS: Final = (
    _Fault(
        pl.any_horizontal(pl.col("task_id", "judge", "first", "second").is_null()),
        "no task_id, judge, slot_a or slot_b",
        "fill them in or remove the rows",
        ("task_id", "judge", "first", "second"),
    ),
    _Fault(
        pl.col("replicate") < 0,
        "a negative replicate",
        "number repetitions 0, 1, 2, …",
        ("judge", "task_id", "replicate"),
    ),
    _Fault(
        ~pl.col("judge_kind").is_in(JUDGE_KINDS),
        "a judge_kind that is none",
        f"write {' or '.join(JUDGE_KINDS)}",
        ("judge", "judge_kind"),
    ),
    _Fault(
        ~pl.col("rewards").is_in(REWARDS),
        "a value in rewards that is none",
        f"write {' or '.join(REWARDS)}, or nothing",
        ("task_id", "rewards"),
    ),
    _Fault(
        pl.any_horizontal(pl.col(REDUCED_LENGTHS) < 0),
        "a negative length",
        "correct it or leave it empty",
        ("task_id", "words_first", "words_second", "chars_first", "chars_second"),
    ),
    _Fault(
        _REPEATED | (pl.sum_horizontal(*COUNTS) != pl.col("n_presentations")),
        "a presentation more than once",
        "number repetitions in the column replicate, or have recuse export set repeated rows aside",
        ("judge", "task_id", "first", "second"),
    ),
)
"""In this order; whether each row has an outcome is looked at before the last."""


_WORDS: Final[tuple[tuple[pl.Expr, list[str], str, str], ...]] = (
    (
        ~pl.col("verdict").is_in([*VERDICTS, ""]),
        ["verdict"],
        "a verdict that is none",
        f"write {', '.join(VERDICTS)} as shown, or nothing and a status",
    ),
    (
        ~pl.col("status").is_in([*STATUSES, ""]),
        ["status"],
        "a status that is none",
        f"write {', '.join(STATUSES)}",
    ),
    (
        (pl.col("verdict") != "") & ~pl.col("status").is_in(["ok", ""]),
        ["verdict", "status"],
        "a verdict and a status other than ok",
        "empty the verdict or correct the status",
    ),
    (
        (pl.col("verdict") == "") & (pl.col("status") == "ok"),
        [],
        "the status ok and no verdict",
        "give the verdict or the status that says why there is none",
    ),
)
"""Which of the counted words fail, what of them is shown, and what to say."""


def refuse_faults(counted: pl.LazyFrame, words: Callable[[], pl.DataFrame], name: str) -> None:
    """Refuse what is no table of judgments.

    Parameters
    ----------
    counted
        The reduced table.
    words
        Gives ``recuse.analysis.reduction.said`` of the judgments; asked where a row has no outcome.
    name
        What messages call the source.

    Raises
    ------
    SourceError
        Something fails.
    """
    failing = {str(place): fault.failing.fill_null(value=False).sum() for place, fault in enumerate(_FAULTS)}
    found = counted.select(pl.len().alias("n"), **failing).collect(engine="streaming").row(0, named=True)
    if not found["n"]:
        raise SourceError(name, "it has no rows", "give at least one judgment")
    for place, fault in enumerate(_FAULTS):
        n_failing = found[str(place)]
        if fault is _FAULTS[-1] and n_failing:
            _refuse_words(words(), name)
        if n_failing:
            _refuse(counted.filter(fault.failing), n_failing, fault, name)
    _refuse_two_facts(counted, name)


def _refuse(failing: pl.LazyFrame, n_failing: int, fault: _Fault, name: str) -> None:
    first = failing.select(fault.shown).head(3).collect().rows()
    shown = [f"({', '.join('none' if value is None else str(value) for value in row)})" for row in first]
    more = f" and {n_failing - len(shown):,} more" if n_failing > len(shown) else ""
    columns = ", ".join(fault.shown)
    raise SourceError(
        name,
        f"{_having(n_failing, 'comparison')} {fault.problem}: {', '.join(shown)}{more} ({columns})",
        fault.remedy,
    )


def _refuse_words(words: pl.DataFrame, name: str) -> None:
    """Name the verdicts and statuses that are none, and those that contradict each other."""
    counted = words.sort("n", "verdict", "status", descending=[True, False, False])
    for failing, columns, problem, remedy in _WORDS:
        there = counted.filter(failing)
        if there.is_empty():
            continue
        shown = there.select(columns).unique(maintain_order=True).rows()
        said = f": {name_up_to_three(' with '.join(map(repr, row)) for row in shown)}" if columns else ""
        raise SourceError(name, f"{_having(int(there['n'].sum()), 'row')} {problem}{said}", remedy)


def _having(n: int, noun: str) -> str:
    return f"1 {noun} has" if n == 1 else f"{n:,} {noun}s have"


def _refuse_two_facts(counted: pl.LazyFrame, name: str) -> None:
    """Refuse a task with two tiers (or rewards, or categories) in one probe, and a judge of two kinds."""
    task = ["study", "task_id", "probe"]
    _refuse_several(counted, task, FACTS, "task", name)
    _refuse_several(counted, ["study", "judge"], ("judge_kind",), "judge", name)


def _refuse_several(
    counted: pl.LazyFrame, owner: list[str], facts: Sequence[str], noun: str, name: str
) -> None:
    described = counted.select(*owner, *facts).unique().collect(engine="streaming")
    several = described.filter(described.select(owner).is_duplicated())
    if several.is_empty():
        return
    for fact in facts:
        values = several.group_by(owner).agg(pl.col(fact).fill_null("none").unique().sort()).sort(owner)
        named = [
            f"{owned} ({', '.join(found)})"
            for owned, found in values.filter(pl.col(fact).list.len() > 1).select(owner[1], fact).iter_rows()
        ]
        if named:
            raise SourceError(
                name,
                f"a {noun} has one {fact}; {_having(len(named), noun)} several: {name_up_to_three(named)}",
                "make its rows agree",
            )
