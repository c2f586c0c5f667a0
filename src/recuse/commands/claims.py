"""``recuse claims``: put published claims on the ladder, and see which survive."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["app", "claims"]

app = typer.Typer(add_completion=False)


class Output(StrEnum):
    """What goes to the terminal."""

    text = "text"
    json = "json"


@app.command()
def claims(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CLAIMS.toml] [SOURCE]...",
            help="A file of claims (default: the bundled study's), and the judgments to put them to.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for claims.html, claims.json, tables, figures and estimates.")
    ] = None,
    study_file: Annotated[
        Path | None, typer.Option("--study", help="A study.toml with aliases, families and tiers.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of every resampling.")] = 0,
    output: Annotated[Output, typer.Option("--format", help="What to print.")] = Output.text,
    *,
    ladders: Annotated[bool, typer.Option("--ladders", help="Print every rung of every claim.")] = False,
    holm_all: Annotated[
        bool, typer.Option("--holm-all", help="Show Holm's correction over the whole file beside.")
    ] = False,
    init: Annotated[
        bool,
        typer.Option("--init", help="Write a commented starter file, claims.toml, for SOURCE, and stop."),
    ] = False,
) -> None:
    """Put each claim on a ladder of demands and give it a verdict.

    As published; both orders resolved; tasks as clusters; uninvolved judges; uninvolved families; at equal
    length; human judges; corrected for how many were claimed. The last of these up to equal length that the
    judgments allow decides.

    Without a file: the bundled claims. Without a SOURCE: the sources that the file names.

    Exit status: 0 if all survive; 1 if some do not; 2 if it could not run.
    """
    from recuse.commands.claims_run import run_claims, start_claims

    if init:
        start_claims(words or [], out, study_file)
        return
    status = run_claims(
        words or [],
        out=out,
        study_file=study_file,
        seed=seed,
        as_json=output is Output.json,
        ladders=ladders,
        holm_all=holm_all,
    )
    raise typer.Exit(status)
