"""Raw columns to typed ones: what a file's values must look like, and which rows do not."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import polars as pl

from recuse.collectors.readers import ROW, RawTable
from recuse.errors import JudgmentsError, SourceError
from recuse.schema import JUDGE_KINDS, REWARDS, STATUSES, VERDICTS

__all__ = ["WORDS", "refuse_rows", "typed_columns"]

WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "verdict": VERDICTS,
    "status": STATUSES,
    "judge_kind": JUDGE_KINDS,
    "rewards": REWARDS,
}
"""Columns that hold one of a few words."""
_NO_VERDICT: Final = frozenset({"null", "none", "nan", "na", "n/a", "error", "-", "missing"})
_EXACT: Final = 2**53
"""Whole numbers from here on may have been rounded on their way through a float."""


def typed_columns(
    table: RawTable,
    wanted: Mapping[str, pl.DataType],
    required: Sequence[str],
    may_be_empty: Sequence[str] = (),
) -> tuple[pl.DataFrame, list[str]]:
    """Give a raw table the wanted columns in their types.

    Parameters
    ----------
    table
        A file's rows.
    wanted
        Column → type. A column that the file does not have becomes null.
    required
        Columns that must be there, with a value in every row.
    may_be_empty
        Those of the required columns whose values may be empty.

    Returns
    -------
    tuple
        The typed frame (with ``ROW``), and notes: columns left out, NaN read as null.

    Raises
    ------
    SourceError
        A required column is missing, or a column holds a kind of value that it cannot hold.
    JudgmentsError
        Single values do not fit their column; the rows are named.
    """
    _refuse_missing(table, wanted, required)
    notes: list[str] = []
    columns: list[pl.Series] = [table.frame[ROW].cast(pl.Int64)]
    for name, dtype in wanted.items():
        if name not in table.frame.columns:
            columns.append(pl.Series(name, [None], dtype=dtype).new_from_index(0, table.frame.height))
            continue
        columns.append(_typed(table, name, dtype, notes))
    frame = pl.DataFrame(columns)
    for name in required:
        if name in may_be_empty:
            continue
        remedy = "fill it in or remove the row"
        refuse_rows(frame, pl.col(name).is_null(), f"every row needs a {name}", remedy, table)
    left_out = [name for name in table.frame.columns if name not in wanted and name != ROW]
    if left_out:
        notes.append(_left_out(table, left_out, wanted))
    return frame, notes


def refuse_rows(
    frame: pl.DataFrame,
    failing: pl.Expr,
    needed: str,
    remedy: str,
    table: RawTable,
    shown: Sequence[str] = (),
) -> None:
    """Raise ``JudgmentsError`` with the rows that fail, each with the values in ``shown``."""
    bad = frame.filter(failing)
    if bad.is_empty():
        return
    offenders = [
        f"{table.unit} {number:,}" + (f" ({', '.join(map(_quoted, values))})" if values else "")
        for number, *values in bad.select(ROW, *shown).iter_rows()
    ]
    raise JudgmentsError(needed, offenders, remedy, table.name)


def _quoted(value: object) -> str:
    if value is None:
        return "none"
    text = str(value)
    return repr(text if len(text) <= 40 else text[:39] + "…")


def _refuse_missing(table: RawTable, wanted: Mapping[str, pl.DataType], required: Sequence[str]) -> None:
    there = [name for name in table.frame.columns if name != ROW]
    missing = [name for name in required if name not in there]
    if not missing:
        return
    if len(there) == 1:
        for separator, spoken in ((";", "semicolons"), ("\t", "tabs")):
            if separator in there[0]:
                raise SourceError(
                    table.name,
                    f"its fields are separated by {spoken}",
                    "save it with commas between the fields",
                )
    noun, verb = ("column", "is") if len(missing) == 1 else ("columns", "are")
    unused = {name.strip().lower(): name for name in there if name not in wanted}
    hints: list[str] = []
    for name in missing:
        near = difflib.get_close_matches(name, unused, n=1, cutoff=0.55)
        if near:
            hints.append(f"{unused[near[0]]!r} to {name}")
    renames = f"perhaps rename {', '.join(hints)}; " if hints else ""
    mapped = "; recuse import table reads any table by a mapping" if "verdict" in required else ""
    raise SourceError(
        table.name,
        f"{noun} {', '.join(missing)} {verb} missing",
        f"{renames}a file of this kind has {', '.join(required)}, "
        f"and this one has {', '.join(there)}{mapped}",
    )


def _left_out(table: RawTable, names: Sequence[str], wanted: Mapping[str, pl.DataType]) -> str:
    said: list[str] = []
    for name in names:
        absent = [column for column in wanted if column not in table.frame.columns]
        near = difflib.get_close_matches(name.strip().lower(), absent, n=1, cutoff=0.8)
        said.append(f"{name!r} (is it {near[0]}?)" if near else repr(name))
    return f"{table.name}: not in the schema and left out: {', '.join(said)}"


def _typed(table: RawTable, name: str, dtype: pl.DataType, notes: list[str]) -> pl.Series:
    raw = table.frame[name]
    if raw.dtype == pl.String:
        raw = raw.set(raw == "", None)
    convert = _CONVERSIONS[dtype.base_type()]
    values = convert(raw)
    if values is None:
        raise SourceError(
            table.name,
            f"column {name} holds {_spoken(raw.dtype)}",
            f"it needs {_NEEDED[dtype.base_type()]}: write it that way",
        )
    if dtype.is_float() or dtype.is_integer():
        values = _without_nan(table, raw, values, notes)
    checked = pl.DataFrame([table.frame[ROW], raw.alias("raw"), values.alias("value")])
    lost = pl.col("value").is_null() & pl.col("raw").is_not_null()
    if raw.dtype.is_float():
        lost &= pl.col("raw").is_not_nan()
    if dtype.is_float():
        lost |= pl.col("value").is_infinite()
    needed = f"{name} is {_NEEDED[dtype.base_type()]}, or empty"
    refuse_rows(checked, lost, needed, "correct the value or leave it empty", table, ["raw"])
    if name in WORDS:
        _refuse_unknown_words(table, name, values)
    return values.alias(name)


def _without_nan(table: RawTable, raw: pl.Series, values: pl.Series, notes: list[str]) -> pl.Series:
    n_nan = int(raw.is_nan().sum()) if raw.dtype.is_float() else 0
    if values.dtype.is_float():
        n_nan = int(values.is_nan().sum())
        values = values.fill_nan(None)
    if n_nan:
        notes.append(f"{table.name}: {n_nan:,} NaN in {raw.name} read as empty")
    return values


def _refuse_unknown_words(table: RawTable, name: str, values: pl.Series) -> None:
    known = WORDS[name]
    spoken = f"{', '.join(known[:-1])} or {known[-1]}"
    unknown = values.filter(~values.is_in(known)).unique().drop_nulls().to_list()
    if not unknown:
        return
    if name == "verdict":
        needed = f"a verdict is {spoken}, in lower case and as shown, and empty where there is none"
        remedy = _verdict_remedy(unknown)
    else:
        needed = f"{name} is {spoken}, in lower case"
        remedy = "write one of these"
    checked = pl.DataFrame([table.frame[ROW], values.alias("value")])
    refuse_rows(checked, ~pl.col("value").is_in(known), needed, remedy, table, ["value"])


def _verdict_remedy(unknown: Sequence[str]) -> str:
    if all(word.strip().lower() in _NO_VERDICT for word in unknown):
        return "leave the verdict empty and let status say why (parse_failed, refused, error, abstained)"
    if all(word.strip().lower() in VERDICTS for word in unknown):
        return "write them in lower case without blanks, if they name the slot as it was shown"
    return (
        "say for each word which slot it names as shown, and rewrite the column; "
        "recuse import --list shows the formats that are read as they are"
    )


def _spoken(dtype: pl.DataType) -> str:
    return f"nested values ({dtype})" if dtype.is_nested() else f"values of type {dtype}"


def _to_text(raw: pl.Series) -> pl.Series | None:
    if raw.dtype == pl.Boolean or raw.dtype.is_float() or raw.dtype.is_nested() or raw.dtype == pl.Binary:
        return raw.cast(pl.String) if raw.null_count() == len(raw) else None
    if raw.dtype.is_temporal():
        return raw.dt.to_string("iso:strict")
    text = raw.cast(pl.String)
    return text.set(text == "", None)


def _to_whole(raw: pl.Series) -> pl.Series | None:
    if raw.dtype == pl.String:
        whole = raw.cast(pl.Int64, strict=False)
        return whole if whole.null_count() == raw.null_count() else whole.fill_null(_rounded(raw))
    if raw.dtype.is_float():
        return _rounded(raw)
    if raw.dtype.is_integer() or raw.dtype == pl.Null:
        return raw.cast(pl.Int64, strict=False)
    return None


def _rounded(raw: pl.Series) -> pl.Series:
    numbers = raw.cast(pl.Float64, strict=False)
    is_whole = (numbers == numbers.floor()) & (numbers.abs() < _EXACT)
    return numbers.set(~is_whole.fill_null(value=False), None).cast(pl.Int64)


def _to_number(raw: pl.Series) -> pl.Series | None:
    if raw.dtype == pl.String or raw.dtype.is_numeric() or raw.dtype == pl.Null:
        return raw.cast(pl.Float64, strict=False)
    return None


_CONVERSIONS: Final[Mapping[type[pl.DataType], Callable[[pl.Series], pl.Series | None]]] = {
    pl.String: _to_text,
    pl.Int64: _to_whole,
    pl.Float64: _to_number,
}
_NEEDED: Final[Mapping[type[pl.DataType], str]] = {
    pl.String: "text",
    pl.Int64: "a whole number",
    pl.Float64: "a finite number",
}
