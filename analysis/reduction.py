"""Judgments to one row of counts per comparison, in whatever engine holds them.

Written once as narwhals expressions, so that polars, DuckDB, Dask and Spark run the same definition. Nothing
but keys, facts and 64-bit integers leaves an engine: sums of floats would depend on the order in which it
adds them, counts do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import narwhals as nw

from recuse.schema import STATUSES, VERDICTS

__all__ = [
    "COUNTS",
    "FACTS",
    "READ_TEXTS",
    "READ_WHOLE",
    "REDUCED",
    "REDUCED_KEYS",
    "REDUCED_LENGTHS",
    "reduced",
    "said",
]

REDUCED_KEYS: Final = (
    "study", "task_id", "probe", "judge", "judge_kind", "replicate", "first", "first_variant", "second",
    "second_variant",
)  # fmt: skip
"""What names a comparison."""
FACTS: Final = ("tier", "category", "rewards")
"""What a task is, the same in each of its rows."""
REDUCED_LENGTHS: Final = ("words_first", "words_second", "chars_first", "chars_second")
OUTCOMES: Final = (*VERDICTS, *STATUSES[1:])
COUNTS: Final[Mapping[str, tuple[str, str]]] = {
    f"first_in_{slot}_{outcome}": (slot, outcome) for slot in ("a", "b") for outcome in OUTCOMES
}
"""Column → the slot in which the first side stood, and the verdict as shown or else the status."""
REDUCED: Final = (*REDUCED_KEYS, *FACTS, *REDUCED_LENGTHS, "n_presentations", *COUNTS)
"""The columns of a reduced table, in order."""

_BASE: Final = 8
"""One integer counts all outcomes, each in an octal digit of its own: one sum instead of fourteen."""
_NO_OUTCOME: Final = len(OUTCOMES)
"""The digit for what is neither verdict nor status."""
_DIGITS_PER_SLOT: Final = len(OUTCOMES) + 1
READ_TEXTS: Final = (
    "study", "task_id", "probe", "judge", "judge_kind", "slot_a", "slot_b", "variant_a", "variant_b",
    "verdict", "status", *FACTS,
)  # fmt: skip
"""Columns of judgments that are read and hold texts."""
READ_WHOLE: Final = ("replicate", "words_a", "words_b", "chars_a", "chars_b")
"""Columns of judgments that are read and hold whole numbers."""
_NAMES: Final = frozenset({"judge", "slot_a", "slot_b"})
_SHOWN: Final[Mapping[str, str]] = {
    "first": "slot", "first_variant": "variant", "words_first": "words", "chars_first": "chars",
    "second": "slot", "second_variant": "variant", "words_second": "words", "chars_second": "chars",
}  # fmt: skip
"""Column of a side → the column of slot A or B, less its ending."""


def reduced(
    judgments: nw.LazyFrame[Any], *, study: str, aliases: Mapping[str, str] | None = None
) -> nw.LazyFrame[Any]:
    """Count the presentations of each comparison by slot and outcome.

    Parameters
    ----------
    judgments
        One row per presentation, in any engine: ``task_id, judge, slot_a, slot_b, verdict`` and any other
        column of the schema of judgments. An empty text counts as null, and null as what a file of judgments
        means by it: probe ``main``, judge kind ``model``, replicate 0, status ``ok`` or ``parse_failed``.
    study
        Name of the study where the rows do not give one.
    aliases
        Another name of a model → the name that counts. Pairs are ordered by the names that count.

    Returns
    -------
    narwhals.LazyFrame
        The columns ``REDUCED``, rows in no particular order. ``first`` is the side that sorts first by
        (generator, variant), no variant before any. ``first_in_a_tie`` counts presentations with that side in
        slot A and the verdict ``tie``, ``first_in_b_error`` those with it in slot B that failed; verdicts are
        as shown. Two equal sides stand as *first in A*. Lengths are the largest over the presentations, null
        where none has one. A comparison whose rows disagree on a fact of their task has a row for each.

        ``n_presentations`` is the number of rows. The counts add up to it unless a row's verdict and status
        are no outcome (it is in no count), or eight rows or more repeat each other, which no count can hold.
        Both are for the caller to refuse.

    Notes
    -----
    Comparisons are the coarsest rows from which every estimand follows: agreement needs what two judges said
    on one comparison, self-preference what the judges of one pair said, and a claim scores them anew.
    """
    defaults = {"study": study, "probe": "main", "judge_kind": "model"}
    typed = dict(_typed(judgments.collect_schema(), defaults, aliases or {}))
    keys = [name for name in (*REDUCED_KEYS, *FACTS) if _shown(name) in typed]
    largest = [name for name in REDUCED_LENGTHS if _shown(name) in typed]
    grouped = (
        judgments.select(**typed)
        .with_columns(swapped=_swapped(with_variants="variant_a" in typed))
        .select(**{name: _of_side(name) for name in [*keys, *largest]}, packed=_packed("status" in typed))
        .group_by(*keys)
        .agg(*(nw.col(name).max() for name in largest), nw.col("packed").sum(), n_presentations=nw.len())
    )
    return _completed(grouped, frozenset({*keys, *largest}), defaults)


def _typed(
    there: nw.Schema, defaults: Mapping[str, str], aliases: Mapping[str, str]
) -> Iterator[tuple[str, nw.Expr]]:
    """Give each column its type; a text that is null becomes its default, or else the empty text."""
    for name in (*READ_TEXTS, *READ_WHOLE):
        other = {"a": f"{name[:-1]}b", "b": f"{name[:-1]}a"}.get(name[-1], name)
        if name not in there and other not in there:
            continue
        column, dtype = nw.col(name), there.get(name)
        if dtype is None:
            column, dtype = _nothing(nw.col(other)), there[other]
        if name in READ_WHOLE:
            if dtype == nw.String:
                column = nw.when(column != "").then(column)
            whole = column if dtype == nw.Int64 else column.cast(nw.Int64)
            yield name, whole.fill_null(0) if name == "replicate" else whole
            continue
        text = (column if dtype == nw.String else column.cast(nw.String)).fill_null("")
        if name in defaults:
            text = nw.when(text == "").then(nw.lit(defaults[name])).otherwise(text)
        yield name, _renamed(text, aliases) if name in _NAMES else text


def _renamed(text: nw.Expr, aliases: Mapping[str, str]) -> nw.Expr:
    found = text
    for alias, name in aliases.items():
        found = nw.when(text == alias).then(nw.lit(name)).otherwise(found)
    return found


def _shown(name: str, slot: str = "a") -> str:
    """Name the column of judgments that a column of comparisons comes from."""
    return f"{_SHOWN[name]}_{slot}" if name in _SHOWN else name


def _swapped(*, with_variants: bool) -> nw.Expr:
    """Tell where the side that sorts first stands in slot B."""
    before = nw.col("slot_b") < nw.col("slot_a")
    if not with_variants:
        return before
    same = nw.col("slot_b") == nw.col("slot_a")
    return before | (same & (nw.col("variant_b") < nw.col("variant_a")))


def _of_side(name: str) -> nw.Expr:
    if name not in _SHOWN:
        return nw.col(name)
    as_shown, otherwise = ("a", "b") if "first" in name else ("b", "a")
    swapped, shown = nw.col(_shown(name, otherwise)), nw.col(_shown(name, as_shown))
    return nw.when(nw.col("swapped")).then(swapped).otherwise(shown)


def _packed(with_status: bool) -> nw.Expr:  # noqa: FBT001
    """Write a presentation as 1 in the digit of its slot and outcome."""
    verdict, status = nw.col("verdict"), nw.col("status")
    found = _digit(_NO_OUTCOME)
    if with_status:
        for outcome in STATUSES[2:]:
            stated = (status == outcome) & (verdict == "")
            found = nw.when(stated).then(_digit(OUTCOMES.index(outcome))).otherwise(found)
    unread = verdict == ""
    if with_status:
        unread &= (status == "") | (status == "parse_failed")
    found = nw.when(unread).then(_digit(OUTCOMES.index("parse_failed"))).otherwise(found)
    for word in VERDICTS:
        said = verdict == word
        if with_status:
            said &= (status == "") | (status == "ok")
        found = nw.when(said).then(_digit(OUTCOMES.index(word))).otherwise(found)
    slot = nw.when(nw.col("swapped")).then(_digit(_DIGITS_PER_SLOT)).otherwise(_digit(0))
    return found * slot


def _digit(place: int) -> nw.Expr:
    return nw.lit(_BASE**place, dtype=nw.Int64)


def _nothing(column: nw.Expr) -> nw.Expr:
    """Give nulls of a column's type: engines differ in what type a null of their own has."""
    return nw.when(column.is_null()).then(column)


def _completed(
    grouped: nw.LazyFrame[Any], has: frozenset[str], defaults: Mapping[str, str]
) -> nw.LazyFrame[Any]:
    """Write the counts out, and every column that the judgments did not have."""
    packed, n_presentations = nw.col("packed").cast(nw.Int64), nw.col("n_presentations").cast(nw.Int64)
    columns: dict[str, nw.Expr] = {}
    for name in REDUCED:
        if name in COUNTS:
            slot, outcome = COUNTS[name]
            place = OUTCOMES.index(outcome) + (_DIGITS_PER_SLOT if slot == "b" else 0)
            columns[name] = ((packed // _BASE**place) % _BASE).cast(nw.Int64)
        elif name == "n_presentations":
            columns[name] = n_presentations
        elif name in has:
            column = nw.col(name)
            is_text = name not in {*REDUCED_LENGTHS, "replicate"}
            columns[name] = nw.when(column != "").then(column) if is_text else column
        elif name in defaults:
            columns[name] = nw.lit(defaults[name])
        elif name == "replicate":
            columns[name] = nw.lit(0, dtype=nw.Int64)
        else:
            columns[name] = _nothing(n_presentations if name in REDUCED_LENGTHS else nw.col("task_id"))
    return grouped.select(**columns)


def said(judgments: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Count the rows of each verdict and status, to name what is no outcome.

    Parameters
    ----------
    judgments
        As for ``reduced``.

    Returns
    -------
    narwhals.LazyFrame
        ``verdict, status, n``; ``""`` where there is none.
    """
    there = judgments.collect_schema().names()
    words = {
        name: nw.col(name).cast(nw.String).fill_null("") for name in ("verdict", "status") if name in there
    }
    counted = judgments.select(**words).group_by(*words).agg(n=nw.len())
    return counted if "status" in words else counted.with_columns(status=nw.lit(""))
