"""``recuse report``: judgments in; terminal summary, report, figures, tables, estimates and manifest out."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recuse.commands.report_files import Account, Step, account_of, write_files, write_page
from recuse.errors import ConfigurationError

if TYPE_CHECKING:
    from rich.console import Console

    from recuse.analysis.settings import Settings
    from recuse.collectors.partitions import Partitions
    from recuse.collectors.sources import Source
    from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = ["STEPS", "app", "estimate", "progress", "report", "settings_of"]

app = typer.Typer(add_completion=False)
STEPS = 13
"""Steps of a report for the progress display."""
_FILES = "report.html, figures/, tables/, estimates, comparisons, numbers.tex, manifest.json"


class Convention(StrEnum):
    """Whose choices: this package's, or the source article's."""

    default = "default"
    article = "article"


class Scoring(StrEnum):
    """What a comparison is worth to a side."""

    resolved = "resolved"
    averaged = "averaged"
    consistent = "consistent"


class Output(StrEnum):
    """What goes to the terminal."""

    text = "text"
    json = "json"


@app.command()
def report(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SOURCE]...",
            help="A bundled study (three-judges, pilot, local-panel), a cache, a study folder, a file, a "
            "folder of Parquet files, or the address of Parquet (s3://, gs://, az://, https://).",
            show_default=False,
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the files; made when missing.")] = Path("recuse-out"),
    study_file: Annotated[
        Path | None, typer.Option("--study", help="A study.toml with aliases, families and tiers.")
    ] = None,
    scoring: Annotated[Scoring, typer.Option(help="Score of flips and unstable pairs.")] = Scoring.resolved,
    interval: Annotated[
        str,
        typer.Option(
            help="default, bootstrap-t, bootstrap-t-equal-tailed, percentile, bca, cr2, wild or rows."
        ),
    ] = "default",
    convention: Annotated[
        Convention, typer.Option(help="article: the source article's own intervals and tests.")
    ] = Convention.default,
    seed: Annotated[int, typer.Option(min=0, help="Seed of every resampling.")] = 0,
    output: Annotated[Output, typer.Option("--format", help="What to print.")] = Output.text,
    *,
    pooled: Annotated[bool, typer.Option("--pooled", help="Pool several studies beside each.")] = False,
    joint: Annotated[
        bool, typer.Option("--joint", help="Fit the joint model above 100,000 judgments too.")
    ] = False,
    joint_by_tier: Annotated[
        bool, typer.Option("--joint-by-tier", help="Strengths of the joint model by tier too.")
    ] = False,
    joint_uninvolved: Annotated[
        bool, typer.Option("--joint-uninvolved", help="Strengths by uninvolved judges alone too.")
    ] = False,
    show_set_aside: Annotated[
        bool, typer.Option("--show-set-aside", help="List every row that was set aside, and stop.")
    ] = False,
    stream: Annotated[
        bool | None,
        typer.Option(
            "--stream/--no-stream",
            help="Read Parquet in parts that fit into memory. By default from 2,000,000 rows.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Estimate what the judgments say, and whether it holds when involved judges are recused.

    With no SOURCE: the bundled three-judges study. Writes report.html, figures/, tables/, estimates,
    comparisons, numbers.tex and manifest.json into the folder of --out.
    """
    from rich.console import Console

    from recuse.collectors.partitions import to_stream
    from recuse.collectors.sources import load_all
    from recuse.figures.save import begin_drawing
    from recuse.figures.vega import begin_vega_bundle

    console = Console(soft_wrap=not sys.stdout.isatty())
    settings = replace(
        settings_of(scoring.value, interval, convention.value, seed),
        joint=joint,
        joint_by_tier=joint_by_tier,
        joint_uninvolved=joint_uninvolved,
    )
    partitions = to_stream(sources or [], wanted=stream)
    if partitions is not None:
        _streamed(partitions, study_file, out, settings, output, console, pooled, show_set_aside)
        return
    source = load_all(sources or ["three-judges"], study_file=study_file)
    if show_set_aside:
        _list_set_aside(source, console)
        return
    begin_vega_bundle()
    begin_drawing()
    with progress() as step:
        comparisons, estimates = estimate(source, settings, step, pooled=pooled)
        charts = write_files(out, source, comparisons, estimates, settings, step)
        step("report")
        write_page(out, account_of(source, comparisons), estimates, charts)
    _tell(out, account_of(source, comparisons), estimates, output, console)


def _streamed(
    partitions: Partitions,
    study_file: Path | None,
    out: Path,
    settings: Settings,
    output: Output,
    console: Console,
    pooled: bool,  # noqa: FBT001
    show_set_aside: bool,  # noqa: FBT001
) -> None:
    from recuse.commands.report_streamed import report_streamed

    if show_set_aside:
        raise ConfigurationError(
            "rows that are set aside are counted and not listed where a source is read in parts",
            "give --no-stream to read it whole",
        )
    account, estimates = report_streamed(partitions, study_file, out, settings, pooled=pooled)
    _tell(out, account, estimates, output, console)


def _tell(out: Path, account: Account, estimates: EstimateFrame, output: Output, console: Console) -> None:
    """Print the summary, or the estimates as JSON."""
    if output is Output.json:
        sys.stdout.write(estimates.write_json() + "\n")
        return
    from recuse.figures.terminal import print_report

    print_report(estimates, set_aside_counts=account.set_aside, notes=account.notes, console=console)
    console.print(
        f"Written to {out}: report.html, figures, tables, estimates, comparisons, numbers.tex, manifest.json"
    )
    missing = out / "extra_judgments.csv"
    if missing.exists():
        judge = "an uninvolved judge and one of an uninvolved family"
        console.print(f"Judge calls that would give every comparison {judge}: {missing}")


def settings_of(scoring: str, interval: str, convention: str, seed: int) -> Settings:
    """Return the choices that the options name.

    Raises
    ------
    UnknownNameError
        An interval that there is not.
    ConfigurationError
        Intervals over comparisons are asked for without the convention that takes them.
    """
    from typing import cast

    from recuse.analysis.inference.interval import method_named
    from recuse.analysis.settings import Convention as Choice
    from recuse.analysis.settings import Scoring as Rule
    from recuse.analysis.settings import Settings

    method_named(interval)
    if interval == "rows" and convention != "article":
        raise ConfigurationError(
            "the interval rows takes comparisons as independent", "ask for it with --convention article"
        )
    return Settings(
        scoring=cast("Rule", scoring), interval=interval, convention=cast("Choice", convention), seed=seed
    )


def estimate(
    source: Source, settings: Settings, step: Step, *, pooled: bool
) -> tuple[ComparisonFrame, EstimateFrame]:
    """Bring the source's judgments together and estimate what they define."""
    import polars as pl

    from recuse.analysis.comparisons import compare
    from recuse.analysis.report import estimate_all, pooled_over_studies
    from recuse.schema import Estimates

    step("comparisons")
    comparisons = compare(source.judgments, scoring=settings.scoring, families=source.families)
    estimates = estimate_all(comparisons, settings, tiers=source.tiers, on_step=step)
    if pooled and comparisons["study"].n_unique() > 1:
        over_all = estimate_all(pooled_over_studies(comparisons), settings, tiers=source.tiers)
        estimates = Estimates.validate(pl.concat([estimates, over_all]))
    return comparisons, estimates


def _list_set_aside(source: Source, console: Console) -> None:
    if source.set_aside.is_empty():
        console.print("Nothing was set aside.")
        return
    for row in source.set_aside.iter_rows(named=True):
        console.print(
            f"{row['study']} row {row['row']}: {row['rule']} ({row['why']}): {row['task_id']}, "
            f"judge {row['judge']}, {row['slot_a']} against {row['slot_b']}, verdict {row['verdict']}",
            markup=False,
            highlight=False,
        )


@contextmanager
def progress(steps: int = STEPS) -> Generator[Step]:
    """Show a bar on a terminal's stderr; say nothing in a pipe."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=steps)
        yield lambda name: bar.update(task, advance=1, description=name)
