"""Sources larger than memory: read in parts, checked, and left on disk as one reduced table in parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from recuse.analysis.coded import Coded
from recuse.collectors import chunks
from recuse.collectors.ahead import made_ahead
from recuse.collectors.chunks import Part, Split, parts_of, split_tasks, task_hash
from recuse.collectors.merging import merged
from recuse.collectors.part_border import PartBorder
from recuse.collectors.partitions import ParquetFile, Partitions
from recuse.collectors.readers import RawTable, format_of, read_table, stem_of
from recuse.collectors.reduced_tables import is_reduced
from recuse.collectors.repeats import without_repeats
from recuse.collectors.study import StudyFile, own_study_file, read_study_file
from recuse.collectors.tally import Tally
from recuse.collectors.whole_parquet import identity_of
from recuse.errors import SourceError, printable

__all__ = ["StreamedSource", "stream"]

_NOT_LOOKED_AT: Final = (
    "read in parts: raw texts and judgment_id are not looked at, and rows set aside are counted, not listed"
)
_TABLES: Final = ("rows", "tasks", "kinds", "outcomes")
"""Files of a part, as :class:`recuse.analysis.coded.Coded` has them."""


@dataclass(frozen=True, slots=True)
class StreamedSource:
    """A source whose comparisons lie in files of some hundred thousand rows, each of whole tasks."""

    name: str
    """Name of the study, or of the studies."""
    parts: tuple[Path, ...]
    """Folders with reduced tables in numbers, in the folder that was given."""
    one_order: pl.DataFrame
    """``study, probe, judge`` of those asked in one order by design."""
    families: Mapping[str, str]
    set_aside: Mapping[str, int]
    """Rule → rows set aside."""
    notes: tuple[str, ...]
    inputs: Mapping[str, str]
    """File name → SHA-256 of its bytes; of an address, what is known of it instead."""
    tiers: tuple[str, ...]
    n_studies: int

    def reduced(self) -> Iterator[Coded]:
        """Read the reduced tables, one at a time."""
        for folder in self.parts:
            tables = {name: pl.read_parquet(folder / f"{name}.parquet") for name in _TABLES}
            rows = tables["rows"]
            if "kind" not in rows.columns:
                rows = rows.insert_column(
                    1, pl.int_range(rows.height, dtype=pl.UInt32, eager=True).alias("kind")
                )
            yield Coded(rows, tables["tasks"]["task_id"], tables["kinds"], tables["outcomes"])


def stream(
    partitions: Partitions,
    into: Path,
    *,
    study_file: Path | None = None,
    most: int | None = None,
    on_part: Callable[[str], object] = lambda _: None,
) -> StreamedSource:
    """Reduce a source part by part, each of whole tasks, into files of a folder.

    Parameters
    ----------
    partitions
        The files, from :func:`recuse.collectors.partitions.parquet_of`.
    into
        An empty folder on a disk with room for the reduced table.
    study_file
        A ``study.toml`` to use instead of the folder's own.
    most
        Rows in memory at a time; ``PART`` by default.
    on_part
        Called with the name of each part before it is read, for a progress display.

    Raises
    ------
    SourceError, JudgmentsError, ConfigurationError
        What the border of a source that is read whole raises; nothing is estimated before all rows passed.
    """
    about, inputs, border = _border(partitions, study_file)
    tally = Tally()
    tally.remarks += _checked_columns(partitions.files, border)
    most = most or chunks.PART
    if any(is_reduced(file.columns) for file in partitions.files):
        most //= 2  # each comparison is written out as its presentations
        tally.remarks.append("reduced tables hold no raw text, judgment_id, tokens or provenance")
    parts = parts_of(partitions.files, most)
    on_part("tasks of each part")
    split = split_tasks(parts, border.study)
    paths: list[Path] = []

    def keep(reduced: Coded) -> None:
        kept, gone = without_repeats(reduced)
        tally.set_aside.update(gone)
        if kept.rows.is_empty():
            return
        tally.add(kept)
        paths.append(_put(kept, into / f"part-{len(paths)}"))

    for whole in _whole_tasks(parts, split, border, tally, into, most, on_part):
        keep(whole)
    if not paths:
        gone = (
            "; ".join(f"{rule}: {count:,}" for rule, count in tally.set_aside.items())
            or "its files are empty"
        )
        raise SourceError(border.where, "no judgment is left once rows are set aside", gone)
    tally.refuse_two_kinds(border.where)
    notes = [
        _NOT_LOOKED_AT,
        *_about_tables(border),
        *_about_split(split, parts),
        *tally.notes(about.aliases, about.families),
    ]
    return StreamedSource(
        name=", ".join(tally.studies),
        parts=tuple(paths),
        one_order=tally.one_order(),
        families=about.families,
        set_aside=dict(sorted(Counter(tally.set_aside).items())),
        notes=tuple(map(printable, notes)),
        inputs=inputs,
        tiers=about.tiers,
        n_studies=len(tally.studies),
    )


def _border(partitions: Partitions, study_file: Path | None) -> tuple[StudyFile, dict[str, str], PartBorder]:
    inputs = {file.name: identity_of(file) for file in partitions.files}
    folder = partitions.folder
    prefix = "" if folder is None else f"{partitions.name}/"
    tables: dict[str, RawTable] = {}
    about = StudyFile()
    if folder is not None:
        for path in sorted(folder.iterdir()):
            if path.is_file() and format_of(path) and stem_of(path) in {"answers", "tasks"}:
                tables[stem_of(path)] = read_table(path)
                inputs[prefix + path.name] = tables[stem_of(path)].sha256
        study_file = study_file or own_study_file(folder)
    if study_file is not None:
        about, inputs[prefix + study_file.name] = read_study_file(study_file)
    study = about.name or partitions.name
    where = partitions.files[0].name if len(partitions.files) == 1 else partitions.name
    return about, inputs, PartBorder(study, about, where, tables.get("answers"), tables.get("tasks"))


def _checked_columns(files: Sequence[ParquetFile], border: PartBorder) -> list[str]:
    """Check each layout once; files of one layout say the same."""
    layouts = {frozenset(file.all_columns().items()): file for file in reversed(files)}
    return [note for file in reversed(layouts.values()) for note in border.check_columns(file)]


def _whole_tasks(
    parts: Sequence[Part],
    split: Split,
    border: PartBorder,
    tally: Tally,
    into: Path,
    most: int,
    on_part: Callable[[str], object],
) -> Iterator[Coded]:
    """Reduce the parts; tasks with rows in several are held back, and brought together at the end."""
    n_buckets = -(-split.n_rows // most)
    held: dict[int, list[Path]] = {bucket: [] for bucket in range(n_buckets)}

    def numbered() -> Iterator[Part]:
        for number, part in enumerate(parts, start=1):
            on_part(f"part {number:,} of {len(parts):,}")
            yield part

    for number, (reduced, noticed) in enumerate(made_ahead(border.reduce, numbered())):
        tally.remarks += noticed.remarks
        tally.aliases.update(noticed.aliases)
        if not n_buckets:
            yield reduced
            continue
        is_split = _tasks_of(reduced).is_in(split.tasks.implode())
        if is_split.any():
            pieces = reduced.decoded(is_split).group_by(
                task_hash(pl.col("study"), pl.col("task_id")) % n_buckets
            )
            for key, piece in pieces:
                path = into / f"held-{key[0]}-{number}.parquet"
                piece.write_parquet(path, compression="lz4", statistics=False)
                held[int(str(key[0]))].append(path)
        yield reduced.only(~is_split)
    for paths in held.values():
        on_part("tasks of several parts")
        if paths:
            yield merged(pl.concat(pl.read_parquet(path) for path in paths), border.where)
        for path in paths:
            path.unlink()


def _tasks_of(reduced: Coded) -> pl.Series:
    """Hash the task of each row, as :func:`recuse.collectors.chunks.task_hash` does."""
    study = reduced.kinds.select(pl.col("study").cast(pl.String).hash(1)).to_series()
    task = reduced.tasks.hash(2)
    return study.gather(reduced.rows["kind"]) ^ task.gather(reduced.rows["task"])


def _put(reduced: Coded, folder: Path) -> Path:
    """Write a table that is read once and soon."""
    folder.mkdir()
    rows = reduced.rows.drop("kind") if reduced.has_own_kinds() else reduced.rows
    tables = (rows, reduced.tasks.to_frame("task_id"), reduced.kinds, reduced.outcomes)
    for name, table in zip(_TABLES, tables, strict=True):
        table.write_parquet(folder / f"{name}.parquet", compression="lz4", statistics=False)
    return folder


def _about_tables(border: PartBorder) -> list[str]:
    names = [table.name for table in (border.answers, border.tasks) if table is not None]
    if not names:
        return []
    return [f"{' and '.join(names)}: what they lack, or say otherwise than the judgments, is not counted"]


def _about_split(split: Split, parts: Sequence[Part]) -> list[str]:
    if split.tasks.is_empty():
        return []
    tasks = "1 task has" if len(split.tasks) == 1 else f"{len(split.tasks):,} tasks have"
    note = (
        f"{tasks} rows in several of the {len(parts):,} parts that were read; they were brought together in "
        "temporary files (files that hold whole tasks need none)"
    )
    return [note]
