"""The tables that may lie beside judgments: lengths of answers; tiers, rewards and categories of tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import polars as pl

from recuse.collectors.columns import refuse_rows, typed_columns
from recuse.collectors.readers import RawTable

__all__ = ["with_answers", "with_tasks"]

_LENGTHS: Final = ("words", "chars", "tokens")
_TASK_FACTS: Final = ("tier", "rewards", "category")
_TEXT: Final = pl.String()
_ANSWERS: Final[Mapping[str, pl.DataType]] = {
    **dict.fromkeys(("study", "task_id", "probe", "generator", "variant"), _TEXT),
    **dict.fromkeys(_LENGTHS, pl.Int64()),
}
_TASKS: Final[Mapping[str, pl.DataType]] = dict.fromkeys(("study", "task_id", "probe", *_TASK_FACTS), _TEXT)


def with_answers(
    judgments: pl.DataFrame, table: RawTable, aliases: Mapping[str, str]
) -> tuple[pl.DataFrame, list[str]]:
    """Fill the lengths of both slots from a table of answers where the judgments do not give them.

    Parameters
    ----------
    judgments
        Typed judgments.
    table
        One row per answer: ``task_id, generator`` and, as far as known, ``study, probe, variant, words,
        chars, tokens``. Without a ``probe`` an answer is of probe ``main``.
    aliases
        The study's aliases, applied to the generators.

    Returns
    -------
    tuple
        The judgments, and notes: answers without judgments, slots without an answer, lengths that differ.

    Raises
    ------
    SourceError, JudgmentsError
        The table cannot be read, counts less than nothing, or gives one answer two lengths.
    """
    answers, notes = typed_columns(table, _ANSWERS, ("task_id", "generator"))
    answers = answers.with_columns(
        pl.col("probe").fill_null("main"), pl.col("generator").replace(dict(aliases))
    )
    for length in _LENGTHS:
        needed = f"{length} cannot be negative"
        refuse_rows(answers, pl.col(length) < 0, needed, "correct the table", table, [length])
    key = _key(answers, ("task_id", "probe", "generator", "variant"))
    answers = _one_row_each(answers, key, _LENGTHS, "answer", table, ("task_id", "generator"))
    lacking = pl.lit(value=False)
    shown: list[pl.DataFrame] = []
    for slot in ("a", "b"):
        there = {"generator": f"slot_{slot}", "variant": f"variant_{slot}"}
        names = [there.get(name, name) for name in key]
        shown.append(judgments.select(names).rename(dict(zip(names, key, strict=True))))
        lengths = answers.select(*key, *_LENGTHS).rename({n: f"{n}_answer_{slot}" for n in _LENGTHS})
        lengths = lengths.with_columns(pl.lit(value=True).alias(f"found_{slot}"))
        judgments = judgments.join(
            lengths, left_on=names, right_on=key, how="left", nulls_equal=True, maintain_order="left"
        )
        judgments, said = _filled(judgments, {f"{n}_{slot}": f"{n}_answer_{slot}" for n in _LENGTHS}, table)
        notes += said
        lacking |= pl.col(f"found_{slot}").is_null()
    n_without = judgments.filter(lacking).height
    n_unused = answers.join(pl.concat(shown).unique(), on=key, how="anti", nulls_equal=True).height
    if n_without:
        notes.append(
            f"{table.name}: {n_without:,} of {judgments.height:,} judgments show an answer that it lacks"
        )
    if n_unused:
        notes.append(f"{table.name}: {n_unused:,} of {answers.height:,} answers are in no judgment")
    return judgments.drop("found_a", "found_b"), notes


def with_tasks(judgments: pl.DataFrame, table: RawTable) -> tuple[pl.DataFrame, list[str]]:
    """Fill tier, rewards and category from a table of tasks where the judgments do not give them.

    Parameters
    ----------
    judgments
        Typed judgments.
    table
        One row per task: ``task_id`` and, as far as known, ``study, probe, tier, rewards, category``. Without
        a column ``probe`` a task is the same in every probe.

    Returns
    -------
    tuple
        The judgments, and notes: judgments of tasks that the table lacks, facts that differ.

    Raises
    ------
    SourceError, JudgmentsError
        The table cannot be read, or says two things of one task.
    """
    tasks, notes = typed_columns(table, _TASKS, ("task_id",))
    columns = ["task_id", "probe"] if "probe" in table.frame.columns else ["task_id"]
    tasks = tasks.with_columns(pl.col("probe").fill_null("main"))
    key = _key(tasks, columns)
    tasks = _one_row_each(tasks, key, _TASK_FACTS, "task", table, ("task_id",))
    facts = tasks.select(*key, *_TASK_FACTS).rename({name: f"{name}_task" for name in _TASK_FACTS})
    facts = facts.with_columns(pl.lit(value=True).alias("found"))
    judgments = judgments.join(facts, on=key, how="left", maintain_order="left")
    judgments, said = _filled(judgments, {name: f"{name}_task" for name in _TASK_FACTS}, table)
    notes += said
    n_without = judgments["found"].null_count()
    if n_without:
        notes.append(
            f"{table.name}: {n_without:,} of {judgments.height:,} judgments are of a task that it lacks"
        )
    return judgments.drop("found"), notes


def _key(table: pl.DataFrame, names: Sequence[str]) -> list[str]:
    return [*names] if table["study"].null_count() == table.height else ["study", *names]


def _one_row_each(
    rows: pl.DataFrame,
    key: Sequence[str],
    facts: Sequence[str],
    noun: str,
    table: RawTable,
    shown: Sequence[str],
) -> pl.DataFrame:
    distinct = rows.unique([*key, *facts], keep="first", maintain_order=True)
    needed = f"each {noun} is described once or the same way twice"
    twice = pl.struct(*key).is_duplicated()
    refuse_rows(distinct, twice, needed, "keep the row that is right", table, shown)
    return distinct


def _filled(
    judgments: pl.DataFrame, pairs: Mapping[str, str], table: RawTable
) -> tuple[pl.DataFrame, list[str]]:
    notes: list[str] = []
    for own, other in pairs.items():
        n_differ = judgments.filter(pl.col(own) != pl.col(other)).height
        if n_differ:
            rows = "1 row" if n_differ == 1 else f"{n_differ:,} rows"
            notes.append(f"{table.name}: {own} differs from that of the judgments in {rows}; theirs counts")
    filled = judgments.with_columns(pl.coalesce(own, other).alias(own) for own, other in pairs.items())
    return filled.drop(pairs.values()), notes
