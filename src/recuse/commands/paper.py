"""``recuse paper``: a LaTeX article whose every number, table and figure is made from the estimates."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from recuse.analysis.claims.record import ClaimsFile
    from recuse.collectors.sources import Source

__all__ = ["app", "paper"]

app = typer.Typer(add_completion=False)
_BUNDLED: Final = "three-judges"
_WRAPPED: Final = 0.56
"""Share of the line that a claim's words take in the table of claims."""
_AT_MOST: Final = 40
"""Problems that are printed; all are counted."""


@app.command()
def paper(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SOURCE]...",
            help="A bundled study (three-judges, pilot), a cache, a study folder or a file of judgments.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the paper; made when missing.")] = Path("recuse-paper"),
    init: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Lay the paper out in DIR: text to change, numbers made; no PDF."),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Hold the text in DIR to its estimates, and stop."),
    ] = None,
    study_file: Annotated[
        Path | None, typer.Option("--study", help="A study.toml with aliases, families and tiers.")
    ] = None,
    claims: Annotated[
        Path | None,
        typer.Option(
            metavar="CLAIMS.toml", help="Claims whose verdicts the paper tells.", show_default=False
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of every resampling.")] = 0,
    *,
    no_pdf: Annotated[bool, typer.Option("--no-pdf", help="Make everything but the PDF.")] = False,
) -> None:
    """Make figures, tables and numbers of a study, then the PDF of a paper on it.

    With no SOURCE: the paper on the bundled three-judges study. For another SOURCE the text speaks of any
    study and is yours to change: a paper.tex that is there stays, and only what is generated is made anew.

    --check exits 1 if a number was typed, a macro or a statement has no estimate behind it, or paper.pdf is
    older than what it is made from.
    """
    from recuse.commands.terminal import say
    from recuse.errors import ConfigurationError

    if check is not None:
        if sources or init is not None:
            raise ConfigurationError("--check looks at a paper that is there", "leave out SOURCE and --init")
        problems = _problems(check)
        say(*problems[:_AT_MOST])
        if problems:
            say(f"{len(problems):,} problem{'' if len(problems) == 1 else 's'}")
            raise typer.Exit(1)
        say("Every number has its estimate, and paper.pdf is of these estimates.")
        return
    folder = out if init is None else init
    if folder.exists() and not folder.is_dir():
        raise ConfigurationError(f"{folder} is a file", "name a folder")
    file = _claims_of(sources or [_BUNDLED], claims)
    _generate(folder, sources or [_BUNDLED], study_file, seed)
    _tell_claims(folder, study_file, file, seed)
    if init is not None or no_pdf:
        say(f"Laid out in {folder}: paper.tex to change; recuse paper SOURCE --out {folder} makes the PDF")
        return
    from recuse.paper.typesetting import typeset

    pdf = typeset(folder)
    problems = _problems(folder)
    say(*problems[:_AT_MOST], f"Written: {pdf}")
    if problems:
        raise typer.Exit(1)


def _generate(folder: Path, sources: Sequence[str], study_file: Path | None, seed: int) -> None:
    """Lay out the text and make everything that it reads in."""
    from recuse.collectors.sources import load_all
    from recuse.commands.report import estimate, progress, settings_of
    from recuse.commands.report_files import write_files
    from recuse.figures.files import write_text
    from recuse.figures.latex import typeset as typeset_table
    from recuse.figures.paper_tables import paper_tables
    from recuse.figures.paper_words import paper_words
    from recuse.paper.skeleton import lay_out

    source: Source = load_all(sources, study_file=study_file)
    settings = settings_of("resolved", "default", "default", seed)
    with progress() as step:
        comparisons, estimates = estimate(source, settings, step, pooled=False)
        write_files(folder, source, comparisons, estimates, settings, step)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for table in paper_tables(estimates):
        write_text(folder / "tables" / f"{table.key}.tex", typeset_table(table))
    for name, text in paper_words(estimates, manifest).items():
        write_text(folder / "words" / f"{name}.tex", text)
    lay_out(folder, source.name)


def _claims_of(sources: Sequence[str], claims: Path | None) -> tuple[ClaimsFile, list[str]] | None:
    """Read the claims and name the sources that they are put to; None without claims."""
    from recuse.collectors.claims import BUNDLED_CLAIMS, read_claims, sources_of

    if claims is not None:
        return read_claims(claims), list(sources)
    if list(sources) != [_BUNDLED]:
        return None
    file = read_claims(BUNDLED_CLAIMS)
    return file, sources_of(file, BUNDLED_CLAIMS)


def _tell_claims(
    folder: Path, study_file: Path | None, claims: tuple[ClaimsFile, list[str]] | None, seed: int
) -> None:
    """Put the claims to the judgments and write what becomes of them; without claims, nothing."""
    from recuse.analysis.claims.outcomes import judge_claims
    from recuse.analysis.comparisons import compare
    from recuse.analysis.settings import Settings
    from recuse.collectors.sources import load_all
    from recuse.figures.claim_words import answer
    from recuse.figures.files import write_text
    from recuse.figures.latex import escape, typeset
    from recuse.figures.paper_claims import paper_claims_table
    from recuse.figures.paper_words import GENERATED

    words, table = folder / "words" / "claims.tex", folder / "tables" / "paper_claims.tex"
    if claims is None:
        write_text(words, GENERATED)
        table.unlink(missing_ok=True)
        return
    file, sources = claims
    judged = load_all(sources, study_file=study_file)
    comparisons = compare(judged.judgments, families=judged.families)
    outcomes = judge_claims(
        file.claims, comparisons, Settings(seed=seed), tiers=judged.tiers, study=file.study
    )
    write_text(words, f"{GENERATED}{escape(answer(outcomes))}%\n")
    write_text(table, typeset(paper_claims_table(outcomes), wrapped=_WRAPPED))


def _problems(folder: Path) -> list[str]:
    """Say everything that keeps the paper in a folder from being that of its estimates."""
    import polars as pl

    from recuse.errors import SourceError
    from recuse.figures.numbers import number_keys, numbers_tex
    from recuse.paper.check import check_text, entries_of
    from recuse.paper.typesetting import stale
    from recuse.schema import Estimates

    for name in ("paper.tex", "numbers.tex", "estimates.parquet"):
        if not (folder / name).is_file():
            raise SourceError(folder, f"there is no {name}", f"recuse paper --init {folder} SOURCE makes it")
    estimates = Estimates.validate(pl.read_parquet(folder / "estimates.parquet"))
    entries = entries_of((folder / "numbers.tex").read_text(encoding="utf-8"))
    there = {entry: text for entry, text in entries.items() if entry[0] != "Count"}
    problems: list[str] = []
    if there != entries_of(numbers_tex(estimates)):
        problems.append("numbers.tex: it is not made from estimates.parquet")
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.tex"))}
    rows = estimates.lazy().collect().to_dicts()
    problems += check_text(texts, entries, dict(zip(number_keys(rows), rows, strict=True)))
    return problems + stale(folder)
