"""``recuse import``: judgments in a known format into a cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from recuse.errors import ConfigurationError, UnknownNameError

if TYPE_CHECKING:
    from recuse.cache.records import Record
    from recuse.collectors.sources import Source
    from recuse.schema import JudgmentFrame

__all__ = ["app"]

app = typer.Typer(add_completion=False)

_IN_THE_SCHEMA: Final = "file"
"""``source`` of judgments from a file in the schema, whichever its format."""


@app.command("import")
def import_(
    file_format: Annotated[
        str | None, typer.Argument(metavar="FORMAT", help="One of those that --list names.")
    ] = None,
    path: Annotated[
        Path | None, typer.Argument(metavar="PATH", help="A file, or the folder of a study.")
    ] = None,
    into: Annotated[
        Path | None, typer.Option(metavar="CACHE", help="The cache's directory, made if there is none.")
    ] = None,
    study: Annotated[Path | None, typer.Option(help="A study.toml: the study's name and aliases.")] = None,
    *,
    listed: Annotated[bool, typer.Option("--list", help="List the formats, and stop.")] = False,
) -> None:
    """Bring judgments into a cache: each under the hash of what was asked, none twice, none over another.

    Exit status 1 when the cache already holds another judgment for something that was asked; all the others
    are in then.
    """
    from recuse.collectors.readers import FORMATS
    from recuse.collectors.sources import IMPORTERS

    if listed:
        _list_formats()
        return
    if file_format is None or path is None or into is None:
        raise ConfigurationError(
            "recuse import needs a format, a path and --into CACHE", "recuse import --list names the formats"
        )
    if file_format not in {*FORMATS, *IMPORTERS}:
        raise UnknownNameError("format", file_format, {*FORMATS, *IMPORTERS})
    raise typer.Exit(_import(file_format, path, into, study))


def _import(file_format: str, path: Path, into: Path, study: Path | None) -> int:
    from recuse.cache.store import Store
    from recuse.collectors.readers import FORMATS
    from recuse.collectors.sources import load
    from recuse.commands.terminal import counting, say
    from recuse.errors import name_up_to_three

    is_folder = file_format in FORMATS and path.is_dir()
    source = load(str(path) if is_folder else f"{file_format}:{path}", study_file=study)
    own_name = _IN_THE_SCHEMA if file_format in FORMATS else file_format
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
    import importlib

    from recuse.collectors.readers import FORMATS
    from recuse.collectors.sources import IMPORTERS
    from recuse.commands.terminal import tabulate

    rows = [(name, "judgments in the schema of this package") for name in FORMATS]
    for name, module in IMPORTERS.items():
        summary = (importlib.import_module(module).__doc__ or "").strip().split("\n")[0]
        rows.append((name, summary))
    tabulate(("format", "what it reads"), rows, n_names=2)
