"""SOURCE for an engine: files that it can open itself, their columns checked before it starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from recuse.analysis.exchange_tables import long_table
from recuse.analysis.reduction import READ_TEXTS, READ_WHOLE
from recuse.cache.database import DATABASE
from recuse.collectors.border import REQUIRED
from recuse.collectors.bundled import BUNDLED
from recuse.collectors.engines.files import FORMATS, Files, Groups
from recuse.collectors.object_store import is_address
from recuse.collectors.partitions import ParquetFile, parquet_of
from recuse.collectors.readers import format_of, stem_of
from recuse.collectors.reduced_tables import is_reduced
from recuse.collectors.sources import IMPORTERS, load
from recuse.collectors.study import StudyFile, read_study_file
from recuse.collectors.unread import unread_beside, unread_notes
from recuse.errors import SourceError, name_up_to_three

__all__ = ["Found", "find"]


@dataclass(frozen=True, slots=True)
class Found:
    """What a source comes to for an engine."""

    files: Files
    study: str
    """Name of the study where the rows do not give one."""
    aliases: Mapping[str, str]
    notes: tuple[str, ...]


def find(source: str, *, engine: str, study_file: Path | None, scratch: Path) -> Found:
    """Find the files of a source and check that an engine can reduce them.

    Parameters
    ----------
    source
        A Parquet, CSV or JSONL file; a folder of Parquet, also with hive partitions; a study's folder; or a
        bundled study. What has second tables (answers, tasks) is read whole and put down as Parquet.
    engine
        The engine's name, for messages.
    study_file
        A ``study.toml`` with aliases and a name.
    scratch
        A folder for what is put down.

    Raises
    ------
    SourceError
        There is nothing of the kind, a column is missing, or one holds the wrong kind of value.
    """
    path = _path_of(source)
    if source in BUNDLED or (path.is_dir() and _has_second_tables(path)):
        return _loaded(source, study_file, scratch)
    partitions = parquet_of(source)
    groups: Groups
    if partitions is not None:
        name, groups, folder = source, _groups(partitions.files), partitions.folder
        tables = {file.name: file.columns for file in partitions.files}
        file_format, stem, notes = "parquet", partitions.name, unread_beside(partitions)
        if is_address(source) and engine != "polars":
            raise SourceError(name, f"{engine} opens files of this machine", "take --engine polars")
    else:
        file, folder = _only_file(source, path)
        name, stem, groups = file.name, stem_of(file), ((dict[str, str | None](), (str(file),)),)
        file_format = source.partition(":")[0] if source != str(path) else format_of(file) or ""
        tables = {name: _header(file, file_format)}
        notes = unread_notes(folder, [file]) if folder else ()
    columns = _checked(name, engine, tables, groups[0][0])
    own = folder / "study.toml" if folder else None
    about = study_file or (own if own and own.exists() else None)
    study = read_study_file(about)[0] if about else StudyFile()
    files = Files(name, file_format, columns, groups)
    return Found(files, study.name or stem, study.aliases, notes)


def _path_of(source: str) -> Path:
    prefix, separator, rest = source.partition(":")
    return Path(rest) if separator and prefix in FORMATS else Path(source)


def _has_second_tables(folder: Path) -> bool:
    if (folder / DATABASE).exists():
        return False
    return any(format_of(path) and stem_of(path) in {"answers", "tasks"} for path in folder.iterdir())


def _loaded(source: str, study_file: Path | None, scratch: Path) -> Found:
    whole = load(source, study_file=study_file)
    path = scratch / "judgments.parquet"
    frame = long_table(whole.judgments)
    frame.write_parquet(path)
    columns = frozenset(frame.columns) & {*READ_TEXTS, *READ_WHOLE}
    notes = (
        *whole.notes,
        *([f"{whole.set_aside.height:,} rows set aside"] if whole.set_aside.height else []),
    )
    files = Files(source, "parquet", columns, (({}, (str(path),)),))
    return Found(files, whole.name, {}, notes)


def _groups(files: Sequence[ParquetFile]) -> Groups:
    paths: dict[tuple[tuple[str, str | None], ...], list[str]] = {}
    for file in files:
        paths.setdefault(tuple(file.keys.items()), []).append(file.address)
    return tuple((dict(keys), tuple(below)) for keys, below in paths.items())


def _only_file(source: str, path: Path) -> tuple[Path, Path | None]:
    """Give the one file of a source that is no Parquet, and the folder that it speaks for."""
    if path.is_dir():
        own = [file for file in sorted(path.iterdir()) if format_of(file) and stem_of(file) == "judgments"]
        if len(own) == 1:
            return own[0], path
        if len(own) > 1:
            names = ", ".join(file.name for file in own)
            raise SourceError(source, f"it holds judgments {len(own)} times: {names}", "keep one of them")
        problem = "it is a cache" if (path / DATABASE).exists() else "it holds no Parquet"
        raise SourceError(source, f"an engine opens Parquet, CSV or JSONL, and {problem}", _export(source))
    if source.partition(":")[0] in IMPORTERS or (
        path.is_file() and not format_of(path) and str(path) == source
    ):
        raise SourceError(
            source, "an engine opens Parquet, CSV or JSONL in the columns of judgments", _export(source)
        )
    if not path.is_file():
        known = ", ".join(BUNDLED)
        raise SourceError(
            source, "there is no such file, folder or bundled study", f"check the path; bundled are {known}"
        )
    return path, None


def _export(source: str) -> str:
    return f"recuse export {source} --out judgments.parquet writes one"


def _header(path: Path, file_format: str) -> Mapping[str, pl.DataType]:
    try:
        if file_format == "csv":
            return pl.scan_csv(path, infer_schema=False, glob=False).collect_schema()
        return pl.scan_ndjson(path).collect_schema()
    except (OSError, pl.exceptions.PolarsError) as error:
        raise SourceError(path.name, "it is empty, or not what its name says", "write it again") from error


def _checked(
    name: str, engine: str, tables: Mapping[str, Mapping[str, pl.DataType]], keys: Mapping[str, str | None]
) -> frozenset[str]:
    """Give the columns in the files that are read."""
    read = {*READ_TEXTS, *READ_WHOLE}
    first, first_columns = next(iter(tables.items()))
    if is_reduced(first_columns):
        raise SourceError(name, "it is a reduced table already", "every command takes it as a source")
    columns = frozenset(read & set(first_columns))
    for other, its_columns in tables.items():
        differing = columns ^ (read & set(its_columns))
        if differing:
            raise SourceError(
                name,
                f"its files differ in their columns: {other} from {first} in {', '.join(sorted(differing))}",
                "give all the same columns",
            )
        _refuse_kinds(other, its_columns)
    missing = [column for column in REQUIRED if column not in columns and column not in keys]
    if missing:
        noun, verb = ("column", "is") if len(missing) == 1 else ("columns", "are")
        has = name_up_to_three(first_columns)
        raise SourceError(
            first,
            f"{noun} {', '.join(missing)} {verb} missing, without which {engine} has nothing to reduce",
            f"a file of judgments has {', '.join(REQUIRED)}, and this one has {has}",
        )
    return columns


def _refuse_kinds(name: str, columns: Mapping[str, pl.DataType]) -> None:
    for column, dtype in columns.items():
        fine = dtype.is_integer() or isinstance(dtype, pl.String | pl.Null)
        if column in READ_WHOLE and not fine:
            needed = "whole numbers"
        elif column in READ_TEXTS and not (fine or isinstance(dtype, pl.Categorical | pl.Enum)):
            needed = "text"
        else:
            continue
        raise SourceError(
            name,
            f"column {column} holds values of type {dtype} and needs {needed}",
            "recuse export writes them so",
        )
