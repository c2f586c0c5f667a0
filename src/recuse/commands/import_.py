"""``recuse import``: judgments in a known format into a cache; labels and scores of them into files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from recuse.errors import ConfigurationError, UnknownNameError

if TYPE_CHECKING:
    from recuse.cache.records import Record
    from recuse.collectors.importers.declaration import ImportFormat
    from recuse.collectors.importers.reading import Imported
    from recuse.collectors.importers.table import TableMapping
    from recuse.collectors.sources import Source
    from recuse.schema import JudgmentFrame

__all__ = ["app"]

app = typer.Typer(add_completion=False)

_IN_THE_SCHEMA: Final = "file"
"""``source`` of judgments from a file in the schema, whichever its format."""
_TABLE: Final = "table"

_Column = Annotated[str | None, typer.Option(metavar="COLUMN", help="table: the column of the file.")]
_Words = Annotated[
    list[str] | None, typer.Option(metavar="WORD", help="table: a word for this verdict; may be repeated.")
]


@app.command("import")
def import_(
    file_format: Annotated[
        str | None, typer.Argument(metavar="FORMAT", help="One of those that --list names.")
    ] = None,
    path: Annotated[
        Path | None, typer.Argument(metavar="PATH", help="A file, or a folder of such files.")
    ] = None,
    into: Annotated[
        Path | None, typer.Option(metavar="CACHE", help="The cache's directory, made if there is none.")
    ] = None,
    study: Annotated[Path | None, typer.Option(help="A study.toml: the study's name and aliases.")] = None,
    labels: Annotated[
        Path | None, typer.Option(help="A .csv or .parquet file for labels, which recuse calibrate reads.")
    ] = None,
    scores: Annotated[Path | None, typer.Option(help="A .csv or .parquet file for scores.")] = None,
    task: _Column = None,
    judge: _Column = None,
    slot_a: _Column = None,
    slot_b: _Column = None,
    verdict: _Column = None,
    verdict_a: _Words = None,
    verdict_b: _Words = None,
    verdict_tie: _Words = None,
    column: Annotated[
        list[str] | None, typer.Option(metavar="NAME=COLUMN", help="table: any other column, as tier=level.")
    ] = None,
    constant: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="table: one value for all rows, as judge_kind=human."),
    ] = None,
    mapping: Annotated[Path | None, typer.Option(help="table: a mapping that was saved.")] = None,
    *,
    listed: Annotated[bool, typer.Option("--list", help="List the formats, and stop.")] = False,
) -> None:
    """Bring judgments into a cache: each under the hash of what was asked, none twice, none over another.

    Exit status 1 when the cache already holds another judgment for something that was asked; all the others
    are in then. The options of a table make a mapping, which is saved beside the file as NAME.table.toml;
    table:PATH is a SOURCE from then on.
    """
    from recuse.collectors.importers.registry import IMPORTERS
    from recuse.collectors.readers import FORMATS

    if listed:
        _list_formats()
        return
    if file_format is None or path is None or (into is None and labels is None and scores is None):
        raise ConfigurationError(
            "recuse import needs a format, a path and --into CACHE (or --labels FILE, --scores FILE)",
            "recuse import --list names the formats",
        )
    if file_format not in {*FORMATS, *IMPORTERS}:
        raise UnknownNameError("format", file_format, {*FORMATS, *IMPORTERS})
    given = {"task_id": task, "judge": judge, "slot_a": slot_a, "slot_b": slot_b, "verdict": verdict}
    words = {"a": verdict_a, "b": verdict_b, "tie": verdict_tie}
    options = (*given.values(), *words.values(), column, constant, mapping)
    if file_format != _TABLE and any(options):
        raise ConfigurationError(
            f"a mapping of columns is for the format table, not {file_format}", "leave out its options"
        )
    declared, made = None, None
    if any(options):
        columns = {name: said for name, said in given.items() if said}
        verdicts = {name: said for name, said in words.items() if said}
        declared, made = _mapped(mapping, columns, verdicts, column or [], constant or [])
    status = _import(file_format, path, into, study, labels, scores, declared)
    if made is not None:
        _save_mapping(made, path, mapping)
    raise typer.Exit(status)


def _mapped(
    saved: Path | None,
    columns: dict[str, str],
    verdicts: dict[str, list[str]],
    further: list[str],
    constants: list[str],
) -> tuple[ImportFormat, TableMapping]:
    """Make the declaration of a table from the options, and the mapping that they are."""
    from recuse.collectors.importers import table

    content = table.read_mapping(saved).model_dump() if saved else {}
    content["columns"] = {
        **content.get("columns", {}),
        **columns,
        **dict(table.pair_of("--column", words) for words in further),
    }
    content["constants"] = {
        **content.get("constants", {}),
        **dict(table.pair_of("--constant", words) for words in constants),
    }
    content["verdicts"] = {**content.get("verdicts", {}), **verdicts}
    made = table.checked_mapping(content, "the mapping")
    return table.table_format(made), made


def _save_mapping(made: TableMapping, path: Path, saved: Path | None) -> None:
    """Keep a mapping by which a file could be read, beside that file."""
    from recuse.collectors.importers import table
    from recuse.commands.terminal import say

    beside = table.mapping_beside(path)
    if not path.is_file() or beside == saved:
        return
    try:
        table.write_mapping(made, beside)
    except OSError as error:
        say(f"Mapping not saved: {beside}: {error.strerror}")
    else:
        say(f"Mapping saved as {beside}; table:{path} reads the file by it")


def _import(
    file_format: str,
    path: Path,
    into: Path | None,
    study: Path | None,
    labels: Path | None,
    scores: Path | None,
    declared: ImportFormat | None,
) -> int:
    from recuse.collectors.readers import FORMATS
    from recuse.collectors.sources import import_source, load
    from recuse.commands.terminal import say

    imported = None
    if file_format in FORMATS:
        source: Source | None = load(
            str(path) if path.is_dir() else f"{file_format}:{path}", study_file=study
        )
    else:
        imported, source = import_source(file_format, path, study, declared)
    say(*_files(imported, labels, scores))
    if into is None:
        say(*(_told(source) if source else []))
        return 0
    if source is None:
        raise ConfigurationError(
            f"{path} holds labels of single answers and no judgments of pairs",
            f"recuse import {file_format} {path} --labels FILE writes them for recuse calibrate",
        )
    return _store(source, into, _IN_THE_SCHEMA if file_format in FORMATS else file_format)


def _store(source: Source, into: Path, own_name: str) -> int:
    from recuse.cache.store import Store
    from recuse.commands.terminal import counting, say
    from recuse.errors import name_up_to_three

    n_judgments = source.judgments.height
    with Store(into, create=True) as store, counting("storing", n_judgments) as count:
        report = store.put_many(_records(source.judgments, own_name), on_batch=count)
    say(f"{into}: {report.n_added:,} judgments added, {report.n_present:,} already there")
    say(*_told(source))
    if report.conflicts:
        say(
            f"recuse: {len(report.conflicts):,} judgments not stored: {into} has another outcome under their "
            f"addresses ({name_up_to_three(report.conflicts)}); give repetitions their own replicate, or "
            "import into a new cache",
            error=True,
        )
    return 1 if report.conflicts else 0


def _files(imported: Imported | None, labels: Path | None, scores: Path | None) -> list[str]:
    """Write labels and scores, and say what was written."""
    from recuse.cache.frame_files import write_frame

    said: list[str] = []
    for path, noun in ((labels, "labels"), (scores, "scores")):
        if path is None:
            continue
        frame = getattr(imported, noun, None)
        if frame is None:
            reason = "no human is among the judges" if noun == "labels" else "the format has no numbers"
            raise ConfigurationError(f"there are no {noun} in it: {reason}", f"leave out --{noun}")
        write_frame(frame, path)
        said.append(f"{frame.height:,} {noun} written to {path}")
    return said


def _records(judgments: JudgmentFrame, own_name: str) -> Iterator[Record]:
    from recuse.cache.records import imported_judgment

    for row in judgments.iter_rows(named=True):
        yield imported_judgment({**row, "source": row["source"] or own_name})


def _told(source: Source) -> list[str]:
    counts = source.set_aside.group_by("rule", maintain_order=True).len()
    lines = [f"{n:,} rows set aside: {rule}" for rule, n in counts.iter_rows()]
    if source.families:
        lines.append("The families of study.toml stay in that file: name it again with recuse report --study")
    return lines + [f"Note: {note}" for note in source.notes]


def _list_formats() -> None:
    from recuse.collectors.importers.registry import IMPORTERS, format_named
    from recuse.collectors.readers import FORMATS
    from recuse.commands.terminal import tabulate

    own = "judgments in the schema of this package"
    rows = [(name, own, f"recuse import {name} judgments.{name} --into CACHE") for name in FORMATS]
    rows += [
        (declared.name, declared.title, f"recuse import {declared.name} {declared.example}")
        for declared in map(format_named, IMPORTERS)
    ]
    tabulate(("format", "what it reads", "example"), rows, n_names=3)
