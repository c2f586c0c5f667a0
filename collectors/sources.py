"""What SOURCE means: a bundled study, a study's folder, a cache, a file, or FORMAT:PATH."""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from recuse.cache.database import DATABASE
from recuse.collectors.border import admit
from recuse.collectors.bundled import BUNDLED, DEFAULT, folder_of
from recuse.collectors.caches import read_cache
from recuse.collectors.importers.detection import detect, first_record, has_own_columns
from recuse.collectors.importers.registry import IMPORTERS, format_named
from recuse.collectors.object_store import is_address
from recuse.collectors.partitions import LARGE, Partitions, parquet_at, parquet_in
from recuse.collectors.readers import FORMATS, ROW, RawTable, format_of, read_table, stem_of
from recuse.collectors.reduced_tables import presentations
from recuse.collectors.shared_names import refuse_other_families, refuse_shared_studies
from recuse.collectors.study import StudyFile, own_study_file, read_study_file
from recuse.collectors.unread import judgment_files, unread_beside, unread_notes
from recuse.collectors.whole_parquet import read_whole
from recuse.errors import ConfigurationError, SourceError, UnknownNameError, name_up_to_three
from recuse.schema import TIERS, JudgmentFrame, Judgments

if TYPE_CHECKING:
    from recuse.collectors.importers.declaration import ImportFormat
    from recuse.collectors.importers.reading import Imported

__all__ = ["IMPORTERS", "Source", "import_source", "load", "load_all", "load_frame"]


_LARGE = "{:,} rows read whole: recuse report reads Parquet in parts, recuse reduce makes a smaller source"


@dataclass(frozen=True, slots=True)
class Source:
    """Judgments as they came in, with everything a reader of the results should know about it."""

    name: str
    """Name of the study, or of the studies."""
    judgments: JudgmentFrame
    families: Mapping[str, str]
    """The study's own name patterns → families."""
    set_aside: pl.DataFrame
    """One row per row set aside: rule, why, study, row, task_id, judge, slot_a, slot_b, verdict."""
    notes: tuple[str, ...]
    """What was noticed and left as it is."""
    inputs: Mapping[str, str]
    """File name → SHA-256 of its bytes."""
    tiers: tuple[str, ...] = TIERS
    """Tiers in ascending order of subjectivity."""


def load(source: str = DEFAULT, *, study_file: Path | None = None) -> Source:
    """Load the judgments that SOURCE names.

    Parameters
    ----------
    source
        A bundled study (``three-judges``, ``pilot``); a study's folder (``judgments`` as CSV, JSONL or
        Parquet, beside it optionally ``answers``, ``tasks`` and ``study.toml``); a cache's directory; a file
        of judgments; a folder of Parquet files at any depth, or an address of them (``s3://``, ``gs://``,
        ``az://``, ``https://``); or ``FORMAT:PATH``.
    study_file
        A ``study.toml`` to use instead of the folder's own, or beside a single file.

    Raises
    ------
    SourceError
        The source cannot be found, opened or read.
    CacheError
        A cache is damaged, or rows of it may not be read.
    JudgmentsError
        Rows contradict the schema of judgments.
    ConfigurationError
        The study's file cannot be followed.
    """
    if source in BUNDLED:
        return _from_folder(folder_of(source), study_file)
    if is_address(source):
        return _from_partitions(parquet_at(source), study_file)
    file_format, separator, rest = source.partition(":")
    if separator and file_format in IMPORTERS:
        return _from_importer(file_format, Path(rest), study_file)
    if separator and file_format in FORMATS:
        return _from_file(Path(rest), study_file, file_format)
    path = Path(source)
    if path.is_dir():
        return _from_folder(path, study_file)
    if path.exists():
        return _from_file(path, study_file, None)
    if separator and "/" not in file_format and Path(rest).exists():
        raise UnknownNameError("format", file_format, {*FORMATS, *IMPORTERS})
    near = difflib.get_close_matches(source, BUNDLED, n=1)
    remedy = f"check the path; the bundled studies are {', '.join(BUNDLED[:-1])} and {BUNDLED[-1]}"
    if near:
        remedy = f"did you mean {near[0]}?"
    raise SourceError(source, "there is no such file, directory or bundled study", remedy)


def load_frame(judgments: pl.DataFrame, name: str = "frame", study_file: Path | None = None) -> Source:
    """Take a frame as a source: the columns of a file, checked as a file's are.

    ``name`` is the study's where no column says it.

    Raises
    ------
    JudgmentsError
        Rows contradict the schema of judgments.
    """
    sha256 = hashlib.sha256(judgments.write_ipc(None).getvalue()).hexdigest()
    table = RawTable(judgments.with_row_index(ROW, offset=1), name, "row", sha256)
    return _admitted({"judgments": table}, name, study_file, prefix="")


def load_all(sources: Sequence[str], *, study_file: Path | None = None) -> Source:
    """Load several sources into one; their studies keep their names.

    Parameters
    ----------
    sources
        Any number of SOURCEs; none means the bundled study.
    study_file
        A ``study.toml`` for a single source.

    Raises
    ------
    ConfigurationError
        Two sources hold a study of one name, or give one name pattern two families; or a study file is given
        with several sources.
    """
    if len(sources) <= 1:
        return load(*sources, study_file=study_file)
    if study_file is not None:
        raise ConfigurationError(
            "a study file speaks of one source, and there are several",
            "put a study.toml into each study's folder",
        )
    loaded = [load(source) for source in sources]
    refuse_shared_studies(sources, [one.judgments["study"] for one in loaded])
    families: dict[str, str] = {}
    inputs: dict[str, str] = {}
    for one in loaded:
        refuse_other_families(families, one.families)
        families |= one.families
        taken = set(inputs)
        inputs |= {f"{one.name}: {name}" if name in taken else name: sha for name, sha in one.inputs.items()}
    return Source(
        name=", ".join(one.name for one in loaded),
        judgments=Judgments.validate(pl.concat([one.judgments for one in loaded])),
        families=families,
        set_aside=pl.concat([one.set_aside for one in loaded]),
        notes=tuple(f"{one.name}: {note}" for one in loaded for note in one.notes),
        inputs=inputs,
        tiers=tuple(dict.fromkeys(tier for one in loaded for tier in one.tiers)),
    )


def _from_folder(folder: Path, study_file: Path | None) -> Source:
    name = folder.resolve().name
    if (folder / DATABASE).exists():
        return _admitted({"judgments": read_cache(folder)}, name, study_file, prefix="")
    tables = {stem: _only_table(folder, stem) for stem in ("judgments", "answers", "tasks")}
    if tables["judgments"] is None:
        guessed = _guessed(folder, study_file)
        if guessed is not None:
            return guessed
        if (partitions := parquet_in(folder)) is not None:
            return _from_partitions(partitions, study_file)
        if len(only := judgment_files(folder)) == 1:
            return _from_file(only[0], study_file or own_study_file(folder), None)
        there = sorted(path.name for path in folder.iterdir() if format_of(path))
        remedy = f"a study's folder holds judgments.csv (or .jsonl, .parquet), a cache holds {DATABASE}"
        remedy += f"; to read one of its files, name it: {name_up_to_three(there)}" if there else ""
        raise SourceError(folder, "the directory is neither a study nor a cache", remedy)
    paths = {stem: path for stem, path in tables.items() if path is not None}
    read = {stem: read_table(path) for stem, path in paths.items()}
    source = _admitted(read, name, study_file or own_study_file(folder), prefix=f"{name}/")
    return _noted(source, unread_notes(folder, paths.values()))


def _from_partitions(partitions: Partitions, study_file: Path | None) -> Source:
    table, inputs = read_whole(partitions)
    folder = partitions.folder
    prefix = f"{partitions.name}/" if folder else ""
    beside = {stem: folder and _only_table(folder, stem) for stem in ("answers", "tasks")}
    read = {stem: read_table(path) for stem, path in beside.items() if path is not None}
    about = study_file or (folder and own_study_file(folder))
    source = _admitted({"judgments": table, **read}, partitions.name, about, prefix)
    others = {name: known for name, known in source.inputs.items() if name != prefix + table.name}
    return _noted(dataclasses.replace(source, inputs=inputs | others), unread_beside(partitions))


def _noted(source: Source, notes: tuple[str, ...]) -> Source:
    return dataclasses.replace(source, notes=(*notes, *source.notes))


def _only_table(folder: Path, stem: str) -> Path | None:
    found = sorted(path for path in folder.iterdir() if format_of(path) and stem_of(path) == stem)
    if len(found) > 1:
        raise SourceError(
            folder,
            f"the folder holds {stem} {len(found)} times: {', '.join(path.name for path in found)}",
            "keep one of them",
        )
    return found[0] if found else None


def _from_file(path: Path, study_file: Path | None, file_format: str | None) -> Source:
    if file_format is None and not has_own_columns(path):
        guessed = _guessed(path, study_file)
        if guessed is not None:
            return guessed
        _refuse_unknown_document(path)
    table = read_table(path, file_format)
    source = _admitted({"judgments": table}, stem_of(path), study_file, prefix="")
    beside = [
        other.name
        for other in sorted(path.parent.iterdir())
        if path.stem.startswith("judgments") and format_of(other) and stem_of(other) in {"answers", "tasks"}
    ]
    if not beside:
        return source
    note = f"{' and '.join(beside)} beside {path.name} not read; name the folder {path.parent} to use them"
    return _noted(source, (note,))


def _refuse_unknown_document(path: Path) -> None:
    """Refuse a file that only an importer could read, and none does."""
    if Path(path.name.removesuffix(".gz")).suffix.lower() not in {".json", ".tsv", ".eval"}:
        return
    has = name_up_to_three(first_record(path) or ["no field that can be seen"])
    raise SourceError(
        path,
        f"it is of no format that is known: it has {has}",
        "recuse import --list names the formats, and recuse import table maps any table",
    )


def _guessed(path: Path, study_file: Path | None) -> Source | None:
    """Read a file or folder in the format that it seems to be in, and say so first."""
    guess = detect(path)
    if guess is None:
        return None
    declared, shape = guess
    source = _from_importer(declared.name, path, study_file)
    note = (
        f"{path.name} is read as {declared.name} ({declared.title}: {shape.name}), a guess from its fields; "
        f"write {declared.name}:{path} to be sure"
    )
    return _noted(source, (note,))


def _from_importer(name: str, path: Path, study_file: Path | None) -> Source:
    _, source = import_source(name, path, study_file)
    if source is None:
        raise SourceError(
            path,
            "it holds labels of single answers and no judgments of pairs",
            f"recuse calibrate {name}:{path} reads them",
        )
    return source


def import_source(
    name: str, path: Path, study_file: Path | None = None, declared: ImportFormat | None = None
) -> tuple[Imported, Source | None]:
    """Read a file or folder in a published format.

    Parameters
    ----------
    name
        Name of the format.
    path
        The file or folder.
    study_file
        A ``study.toml`` with the study's name and aliases.
    declared
        The declaration, where it is not the one of that name: a table with its mapping.

    Returns
    -------
    tuple
        Everything the importer read; and the judgments as a source, None where it holds only labels of
        single answers.

    Raises
    ------
    SourceError
        The path cannot be read, or is of another format.
    JudgmentsError
        Rows contradict the schema of judgments.
    ConfigurationError
        The study's file or a table's mapping cannot be followed.
    """
    from recuse.collectors.importers.reading import read_format

    imported = read_format(declared or format_named(name), path)
    if imported.judgments is None:
        return imported, None
    own_name = next((name for file in imported.format.files if file == path.name), None)
    stem = own_name or (path.resolve().name if path.is_dir() else _stem(path))
    source = _admitted({"judgments": imported.judgments}, stem, study_file, prefix="")
    extra = {key: value for key, value in source.inputs.items() if key != imported.judgments.name}
    files = [path / name for name in imported.inputs] if path.is_dir() else []
    unread = unread_notes(path, files, deep=True) if path.is_dir() else ()
    return imported, dataclasses.replace(
        source,
        notes=(*unread, *imported.notes, *source.notes),
        set_aside=pl.concat([imported.set_aside, source.set_aside]),
        inputs={**imported.inputs, **extra},
    )


def _stem(path: Path) -> str:
    return stem_of(path) if format_of(path) else Path(path.name.removesuffix(".gz")).stem


def _admitted(tables: Mapping[str, RawTable], name: str, about: Path | None, prefix: str) -> Source:
    inputs = {prefix + table.name: table.sha256 for table in tables.values()}
    study = StudyFile()
    if about is not None:
        study, sha256 = read_study_file(about)
        inputs[prefix + about.name] = sha256
    judgments, told = presentations(tables["judgments"])
    admitted = admit(
        judgments,
        study=study.name or name,
        about=study,
        answers=tables.get("answers"),
        tasks=tables.get("tasks"),
    )
    names = admitted.judgments["study"].unique(maintain_order=True).to_list()
    large = [_LARGE.format(n_rows)] if (n_rows := admitted.judgments.height) >= LARGE else []
    return Source(
        name=", ".join(names),
        judgments=admitted.judgments,
        families=study.families,
        set_aside=admitted.set_aside,
        notes=(*large, *told, *admitted.notes),
        inputs=inputs,
        tiers=study.tiers,
    )
