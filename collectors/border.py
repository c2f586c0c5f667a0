"""Raw table to judgments: typed, completed by the defaults, checked once, and trusted from then on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import polars as pl

from recuse.collectors.addresses import KEY_FIELDS, judgment_ids
from recuse.collectors.columns import refuse_rows, typed_columns
from recuse.collectors.observations import observations
from recuse.collectors.readers import ROW, RawTable
from recuse.collectors.second_tables import with_answers, with_tasks
from recuse.collectors.set_aside import listed, set_aside
from recuse.collectors.study import StudyFile
from recuse.errors import SourceError, name_up_to_three, printable
from recuse.schema import JudgmentFrame, Judgments

__all__ = [
    "REFUSALS",
    "REQUIRED",
    "Admitted",
    "Refusal",
    "about_aliases",
    "admit",
    "refuse_two_facts",
    "renamed",
    "with_defaults",
]

REQUIRED: Final = ("task_id", "judge", "slot_a", "slot_b", "verdict")
"""Columns that a file of judgments must have."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """What rows must not say; one of them stops the reading."""

    needed: str
    failing: pl.Expr
    remedy: str
    shown: tuple[str, ...]


REFUSALS: Final = (
    Refusal(
        "a row without a usable verdict leaves it empty (tie is a verdict), and a row with one has status ok",
        pl.col("verdict").is_not_null() & (pl.col("status") != "ok"),
        "empty the verdict or correct the status",
        ("verdict", "status"),
    ),
    Refusal(
        "a row of status ok has a verdict",
        pl.col("verdict").is_null() & (pl.col("status") == "ok"),
        "give its verdict or the status that says why there is none",
        ("task_id", "judge"),
    ),
    Refusal(
        "replicate counts from 0", pl.col("replicate") < 0, "number repetitions 0, 1, 2, …", ("replicate",)
    ),
    *(
        Refusal(
            f"{length}_{slot} cannot be negative",
            pl.col(f"{length}_{slot}") < 0,
            "correct it or leave it empty",
            (f"{length}_{slot}",),
        )
        for length in ("words", "chars", "tokens")
        for slot in "ab"
    ),
)
"""Checked in this order on typed rows, before anything is set aside."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """What the border lets in, what it set aside, and what it noticed."""

    judgments: JudgmentFrame
    set_aside: pl.DataFrame
    notes: tuple[str, ...]


def admit(
    table: RawTable,
    *,
    study: str,
    about: StudyFile | None = None,
    answers: RawTable | None = None,
    tasks: RawTable | None = None,
) -> Admitted:
    """Turn a raw table into judgments.

    Parameters
    ----------
    table
        A file's rows: ``task_id, judge, slot_a, slot_b, verdict`` and any other column of the schema.
    study
        Name of the study where the rows do not give one.
    about
        The study's own file: aliases and families.
    answers, tasks
        Second tables with lengths, and with tiers, rewards and categories.

    Returns
    -------
    Admitted
        The judgments in the order of the rows; the rows set aside, each with its rule; and notes.

    Raises
    ------
    SourceError
        A column is missing or holds the wrong kind of value.
    JudgmentsError
        Rows contradict the schema; they are named by their number.
    """
    about = about or StudyFile()
    table, blank = _without_blank_rows(table)
    wanted = {name: _plain(column.dtype) for name, column in Judgments.columns().items()}
    rows, notes = typed_columns(table, wanted, REQUIRED, may_be_empty=["verdict"])
    rows = with_defaults(rows, study)
    for refusal in REFUSALS:
        refuse_rows(rows, refusal.failing, refusal.needed, refusal.remedy, table, refusal.shown)
    rows = _with_ids(rows)
    rows, named = renamed(rows, about.aliases)
    notes += about_aliases(about.aliases, named)
    if answers is not None:
        rows, said = with_answers(rows, answers, about.aliases)
        notes += said
    if tasks is not None:
        rows, said = with_tasks(rows, tasks)
        notes += said
    refuse_two_facts(rows, table.name)
    rows, gone = set_aside(rows)
    if rows.is_empty():
        raise SourceError(
            table.name, "no judgment is left once rows are set aside", _reasons(pl.concat([blank, gone]))
        )
    if "judgment_id" in table.frame.columns:
        _refuse_shared_addresses(rows, table)
    judgments = Judgments.validate(rows.drop(ROW), cast=True)
    notes += observations(judgments, about.families)
    return Admitted(judgments, pl.concat([blank, gone]), tuple(map(printable, notes)))


def _plain(dtype: pl.DataType) -> pl.DataType:
    """Read words as text first: a cast to an enum would not say which word is unknown."""
    return pl.String() if isinstance(dtype, pl.Enum) else dtype


def _without_blank_rows(table: RawTable) -> tuple[RawTable, pl.DataFrame]:
    filled = [
        (pl.col(name) != "") if dtype == pl.String else pl.col(name).is_not_null()
        for name, dtype in table.frame.schema.items()
        if name != ROW
    ]
    is_filled = pl.any_horizontal(filled).fill_null(value=False)
    blank = table.frame.filter(~is_filled)
    kept = table.frame.filter(is_filled) if blank.height else table.frame
    return (
        RawTable(kept, table.name, table.unit, table.sha256),
        listed(blank.select(ROW), "blank", "no field of the row is filled"),
    )


def with_defaults(rows: pl.DataFrame, study: str) -> pl.DataFrame:
    """Fill what a file of judgments leaves out; columns that are not there are not made."""
    default_status = pl.when(pl.col("verdict").is_null()).then(pl.lit("parse_failed")).otherwise(pl.lit("ok"))
    defaults = {
        "study": pl.lit(study),
        "probe": pl.lit("main"),
        "judge_kind": pl.lit("model"),
        "replicate": pl.lit(0),
        "status": default_status,
    }
    return rows.with_columns(
        pl.col(name).fill_null(default) for name, default in defaults.items() if name in rows.columns
    )


def _with_ids(rows: pl.DataFrame) -> pl.DataFrame:
    """Address what the file leaves without an address, by the names that were asked: before any alias."""
    n_without = rows["judgment_id"].null_count()
    if n_without == 0:
        return rows
    computed = judgment_ids(rows.select(KEY_FIELDS))
    if n_without == rows.height:
        return rows.with_columns(computed)
    return rows.with_columns(pl.col("judgment_id").fill_null(computed))


def renamed(rows: pl.DataFrame, aliases: Mapping[str, str]) -> tuple[pl.DataFrame, dict[str, int]]:
    """Write the names that count in place of aliases, and count the rows that name each alias."""
    names = ("judge", "slot_a", "slot_b")
    n_rows = {alias: rows.filter(pl.any_horizontal(pl.col(*names) == alias)).height for alias in aliases}
    return rows.with_columns(pl.col(*names).replace(dict(aliases))), n_rows


def about_aliases(aliases: Mapping[str, str], n_rows: Mapping[str, int]) -> list[str]:
    """Say of each alias what it counts as and how many judgments name it."""
    notes: list[str] = []
    for alias, name in aliases.items():
        found = f"{n_rows[alias]:,} judgments name it" if n_rows[alias] else "no judgment names it"
        notes.append(f"alias {alias} counts as {name}: {found}")
    return notes


def refuse_two_facts(rows: pl.DataFrame, where: str) -> None:
    """Refuse a task with two tiers (or rewards, or categories) in one probe, and a judge of two kinds.

    Raises
    ------
    SourceError
        The rows of one task, or of one judge, differ.
    """
    task = ("study", "task_id", "probe")
    for noun, fact, owner in (
        ("task", "tier", task),
        ("task", "rewards", task),
        ("task", "category", task),
        ("judge", "judge_kind", ("study", "judge")),
    ):
        if rows[fact].n_unique() == 1:
            continue
        distinct = rows.select(*owner, fact).unique(maintain_order=True)
        several = distinct.filter(distinct.select(owner).is_duplicated())
        if several.is_empty():
            continue
        named = [
            f"{owned} ({', '.join(sorted(values))})"
            for owned, values in several.group_by(*owner, maintain_order=True)
            .agg(pl.col(fact).fill_null("none"))
            .select(owner[1], fact)
            .iter_rows()
        ]
        having = f"1 {noun} has" if len(named) == 1 else f"{len(named):,} {noun}s have"
        raise SourceError(
            where,
            f"a {noun} has one {fact}, and {having} several: {name_up_to_three(named)}",
            "make its rows agree",
        )


def _refuse_shared_addresses(rows: pl.DataFrame, table: RawTable) -> None:
    if rows["judgment_id"].n_unique() < rows.height:
        needed = "a judgment_id names one presentation"
        remedy = "leave judgment_id empty to have it computed"
        refuse_rows(rows, pl.col("judgment_id").is_duplicated(), needed, remedy, table, ["judgment_id"])


def _reasons(gone: pl.DataFrame) -> str:
    counts = gone.group_by("rule", "why", maintain_order=True).len().iter_rows()
    return "; ".join(f"{rule} ({why}): {count:,}" for rule, why, count in counts)
