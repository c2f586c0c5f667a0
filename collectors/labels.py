"""Files of labels: CSV, JSONL or Parquet in, one typed frame out, or one line that says what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from recuse.collectors.columns import refuse_rows, typed_columns
from recuse.collectors.importers.registry import IMPORTERS, format_named
from recuse.collectors.readers import ROW, RawTable, read_table, stem_of
from recuse.collectors.worked_example import EXAMPLES
from recuse.errors import JudgmentsError, SourceError, name_up_to_three
from recuse.labels import LABEL_KEYS, LABEL_PROBES, LABEL_VARIANTS, RATER_KINDS, SPLITS, LabelFrame, Labels

__all__ = ["APPROVAL_WORDS", "REQUIRED", "LabelSource", "read_labels"]

REQUIRED: Final = ("case_id", "case_type", "split", "rater", "rater_kind", "approved")
"""Columns that a file of labels must have."""
APPROVAL_WORDS: Final[Mapping[str, bool | None]] = {
    "true": True, "1": True, "1.0": True, "yes": True, "approved": True,
    "false": False, "0": False, "0.0": False, "no": False, "rejected": False,
    "": None, "abstained": None,
}  # fmt: skip
"""What ``approved`` may say, in any case of letters; empty is an abstention."""
_FOLDER: Final = Path(__file__).parent / "data" / "worked-example"
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "split": SPLITS,
    "rater_kind": RATER_KINDS,
    "probe": LABEL_PROBES,
}
_SEPARATOR: Final = ";"
_LENGTHS: Final = ("words", "tokens")
_WHOLE: Final = ("replicate", *_LENGTHS)


@dataclass(frozen=True, slots=True)
class LabelSource:
    """Labels as they came in."""

    name: str
    """Name of the study: the file's stem, or the example's name."""
    labels: LabelFrame
    notes: tuple[str, ...]
    """What was noticed and left as it is."""
    sha256: str
    """Hash of the bytes on disk."""


def read_labels(source: str, *, split: str | None = None) -> LabelSource:
    """Read one file of labels.

    Parameters
    ----------
    source
        A CSV, JSONL or Parquet file (the first two may be gzipped) with the columns ``REQUIRED`` and any
        other of the schema; the name of a bundled example; or FORMAT:PATH of an importer.
    split
        The split of rows that name none, for a file of judged cases nobody has labelled.

    Raises
    ------
    SourceError
        The file cannot be opened or read, or lacks a column.
    JudgmentsError
        Rows contradict the schema of labels: an approval in other words, the same rater twice on one case,
        a case in both splits. They are named by their number.
    """
    file_format, _, rest = source.partition(":")
    if file_format in IMPORTERS:
        table, notes_of_format = _imported(file_format, Path(rest))
        return _labels_of(table, stem_of(Path(rest)), notes_of_format)
    path = _FOLDER / f"{source}.csv" if source in EXAMPLES else Path(source)
    if not path.exists():
        raise SourceError(
            source,
            "there is no such file or bundled example",
            f"check the path; the bundled examples are {', '.join(EXAMPLES)}",
        )
    table = read_table(path)
    if split is not None and "split" not in table.frame.columns:
        table = _with_frame(table, table.frame.with_columns(split=pl.lit(split)))
    notes: list[str] = []
    if source in EXAMPLES:
        notes.append(f"{source} is synthetic: no human and no model gave these labels")
    return _labels_of(table, stem_of(path), notes)


def _labels_of(table: RawTable, name: str, before: Sequence[str]) -> LabelSource:
    rows, notes = _typed(table)
    _refuse_contradictions(rows, table)
    labels = Labels.validate(rows.drop(ROW), cast=True)
    return LabelSource(name, labels, (*before, *notes), table.sha256)


def _imported(file_format: str, path: Path) -> tuple[RawTable, tuple[str, ...]]:
    """Read the labels in a published format of judgments."""
    from recuse.collectors.importers.reading import read_format

    imported = read_format(format_named(file_format), path)
    if imported.labels is None:
        raise SourceError(path, "no human is among its judges", "it is for recuse report")
    sha256 = next(iter(imported.inputs.values()))
    frame = imported.labels.with_row_index(ROW, offset=1)
    return RawTable(frame, path.name, "label", sha256), imported.notes


def _typed(table: RawTable) -> tuple[pl.DataFrame, list[str]]:
    raw = table.frame
    checks = _checks(raw, table)
    as_text = [
        pl.col(name).cast(pl.String)
        for name in ("approved", "case_id", "choice", "rubric_version", "judge_version")
        if name in raw.columns and not raw.schema[name].is_nested()
    ]
    table = _with_frame(table, raw.with_columns(as_text).drop("failed_checks", strict=False))
    wanted = {
        name: pl.Int64() if name in _WHOLE else pl.String()
        for name in Labels.column_names()
        if name != "failed_checks"
    }
    rows, notes = typed_columns(table, wanted, REQUIRED, may_be_empty=["approved"])
    rows = rows.with_columns(
        pl.col("probe").fill_null("main"), pl.col("replicate").fill_null(0), checks.alias("failed_checks")
    )
    for name, words in _WORDS.items():
        needed = f"{name} is {' or '.join(words)}, in lower case"
        refuse_rows(rows, ~pl.col(name).is_in(words), needed, "write one of these", table, [name])
    refuse_rows(
        rows, pl.col("replicate") < 0, "replicate counts from 0", "number repetitions 0, 1, 2, …", table
    )
    for unit in _LENGTHS:
        refuse_rows(rows, pl.col(unit) < 0, f"{unit} counts from 0", "correct it or leave it empty", table)
    for probe, variants in LABEL_VARIANTS.items():
        refuse_rows(
            rows,
            (pl.col("probe") == probe) & ~pl.col("variant").is_in(variants).fill_null(value=False),
            f"variant of probe {probe} is {' or '.join(variants)}",
            "write one of these",
            table,
            ["variant"],
        )
    return _with_approvals(rows, table), notes


def _with_approvals(rows: pl.DataFrame, table: RawTable) -> pl.DataFrame:
    word = pl.col("approved").fill_null("").str.strip_chars().str.to_lowercase()
    refuse_rows(
        rows,
        ~word.is_in(list(APPROVAL_WORDS)),
        "approved is true or false (or 1 or 0, yes or no, approved or rejected), and empty for an abstention",
        "write one of these; an answer that could not be read is no verdict: leave it empty",
        table,
        ["rater", "approved"],
    )
    return rows.with_columns(approved=word.replace_strict(APPROVAL_WORDS, return_dtype=pl.Boolean))


def _checks(raw: pl.DataFrame, table: RawTable) -> pl.Series:
    """Read the failed checks: a list, or names with semicolons between them; empty is null."""
    if "failed_checks" not in raw.columns:
        return pl.Series([None] * raw.height, dtype=pl.List(pl.String))
    given = raw["failed_checks"]
    if given.dtype == pl.Null:
        return given.cast(pl.List(pl.String))
    if given.dtype == pl.String:
        given = given.str.split(_SEPARATOR)
    elif not isinstance(given.dtype, pl.List) or given.dtype.inner not in {pl.String(), pl.Null()}:
        raise SourceError(
            table.name,
            f"column failed_checks holds values of type {given.dtype}",
            "write a list of names, or names with semicolons between them",
        )
    names = given.cast(pl.List(pl.String)).list.eval(pl.element().str.strip_chars()).alias("names")
    named = names.list.eval(pl.element().filter(pl.element() != "").unique(maintain_order=True))
    if raw["failed_checks"].dtype == pl.String:
        return named.set(named.list.len() == 0, None)
    return named


def _refuse_contradictions(rows: pl.DataFrame, table: RawTable) -> None:
    repeated = pl.struct(*LABEL_KEYS).is_duplicated()
    refuse_rows(
        rows,
        repeated,
        "a rater labels a case once",
        "remove the rows that are not meant, or number repetitions in a column replicate",
        table,
        ["case_id", "rater"],
    )
    facts = (("split", "case_id"), ("case_type", "case_id"), ("rater_kind", "rater"))
    for fact, owner in (*facts, *((unit, "case_id") for unit in _LENGTHS)):
        of = rows.filter(pl.col("probe") == "main") if fact in _LENGTHS else rows
        several = of.group_by(owner, maintain_order=True).agg(pl.col(fact).drop_nulls().unique().sort())
        several = several.filter(pl.col(fact).list.len() > 1)
        if several.is_empty():
            continue
        noun = owner.removesuffix("_id")
        named = [f"{owned} ({', '.join(map(str, values))})" for owned, values in several.iter_rows()]
        raise JudgmentsError(
            f"a {noun} has one {fact}; some have several ({name_up_to_three(named)})",
            [
                f"{table.unit} {row:,}"
                for row in rows.filter(pl.col(owner).is_in(several[owner].to_list()))[ROW]
            ],
            "make its rows agree",
            table.name,
        )


def _with_frame(table: RawTable, frame: pl.DataFrame) -> RawTable:
    return RawTable(frame, table.name, table.unit, table.sha256)
