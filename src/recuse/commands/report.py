"""``recuse report``: judgments in; terminal summary, report, figures, tables, estimates and manifest out."""

from __future__ import annotations

import json
import sys
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from recuse.errors import ConfigurationError

if TYPE_CHECKING:
    from rich.console import Console

    from recuse.analysis.settings import Settings
    from recuse.collectors.sources import Source
    from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = ["app", "estimate", "progress", "report", "set_aside_counts", "settings_of", "write_files"]

app = typer.Typer(add_completion=False)
_PARTS = 13
_NAMED_VERSIONS = ("recuse", "polars", "numpy", "scipy", "altair", "vl-convert-python")
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


class Step(Protocol):
    def __call__(self, name: str, /) -> object: ...


@app.command()
def report(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SOURCE]...",
            help="A bundled study (three-judges, pilot, local-panel), a cache, a study folder or a file.",
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
) -> None:
    """Estimate what the judgments say, and whether it holds when involved judges are recused.

    With no SOURCE: the bundled three-judges study. Writes report.html, figures/, tables/, estimates,
    comparisons, numbers.tex and manifest.json into the folder of --out.
    """
    from rich.console import Console

    from recuse.collectors.sources import load_all
    from recuse.figures.vega import begin_vega_bundle

    console = Console(soft_wrap=not sys.stdout.isatty())
    source = load_all(sources or ["three-judges"], study_file=study_file)
    if show_set_aside:
        _list_set_aside(source, console)
        return
    settings = replace(
        settings_of(scoring.value, interval, convention.value, seed),
        joint=joint,
        joint_by_tier=joint_by_tier,
        joint_uninvolved=joint_uninvolved,
    )
    begin_vega_bundle()
    with progress() as step:
        comparisons, estimates = estimate(source, settings, step, pooled=pooled)
        charts = write_files(out, source, comparisons, estimates, settings, step)
        step("report")
        _write_page(out, source, estimates, charts)
    if output is Output.json:
        sys.stdout.write(estimates.write_json() + "\n")
        return
    from recuse.figures.terminal import print_report

    print_report(estimates, set_aside_counts=set_aside_counts(source), notes=source.notes, console=console)
    console.print(
        f"Written to {out}: report.html, figures, tables, estimates, comparisons, numbers.tex, manifest.json"
    )
    missing = out / "extra_judgments.csv"
    if missing.exists():
        console.print(f"Judge calls that would give every comparison an uninvolved judge: {missing}")


def set_aside_counts(source: Source) -> dict[str, int]:
    """Count the rows set aside, per rule."""
    counts = source.set_aside.group_by("rule").len().sort("rule")
    return {str(rule): int(n) for rule, n in counts.rows()}


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


def write_files(
    out: Path,
    source: Source,
    comparisons: ComparisonFrame,
    estimates: EstimateFrame,
    settings: Settings,
    step: Step,
) -> dict[str, tuple[dict[str, Any], str]]:
    """Write everything but the page; return the specification and the drawing of each figure."""
    from recuse.analysis.judgment_plan import judgment_plan
    from recuse.figures.charts import all_charts
    from recuse.figures.files import (
        write_comparisons,
        write_estimates,
        write_judgment_plan,
        write_manifest,
        write_text,
    )
    from recuse.figures.latex import tables
    from recuse.figures.numbers import numbers_tex
    from recuse.figures.save import file_name, save_all

    if out.exists() and not out.is_dir():
        raise ConfigurationError(f"--out {out} is a file", "name a folder")
    step("estimates and tables")
    write_estimates(estimates, out)
    write_comparisons(comparisons, out)
    write_judgment_plan(judgment_plan(comparisons, families=source.families), out)
    for name, table in tables(estimates).items():
        write_text(out / "tables" / f"{file_name(name)}.tex", table)
    write_text(out / "numbers.tex", numbers_tex(estimates, _counts(source, comparisons, settings)))
    choices = asdict(settings)
    write_manifest(
        out,
        inputs=source.inputs,
        versions=named_versions(),
        seed=choices.pop("seed"),
        settings=choices,
        set_aside=set_aside_counts(source),
        notes=source.notes,
    )
    step("figures")
    specifications: dict[str, dict[str, Any]] = {}

    def specified() -> Iterator[tuple[str, dict[str, Any]]]:
        for name, chart in all_charts(estimates).items():
            specifications[name] = chart.to_dict(validate=False)
            yield name, specifications[name]

    files = save_all(specified(), out / "figures")
    drawings = {path.stem: path.read_text(encoding="utf-8") for path in files if path.suffix == ".svg"}
    return {name: (chart, drawings[file_name(name)]) for name, chart in specifications.items()}


def _counts(source: Source, comparisons: ComparisonFrame, settings: Settings) -> dict[str, str]:
    """Give the size of the study and the settings of the run as numbers.tex prints them."""
    from recuse.analysis.counts import study_counts

    counts = study_counts(comparisons) | {
        "set_aside": source.set_aside.height,
        "resamples": settings.n_resamples,
        "seed": settings.seed,
    }
    return {name: f"{count:,}" for name, count in counts.items()} | {
        "conf_level": f"{100 * settings.conf_level:g} %",
        "scoring": settings.scoring,
    }


def _write_page(
    out: Path, source: Source, estimates: EstimateFrame, charts: Mapping[str, tuple[dict[str, Any], str]]
) -> None:
    from recuse.figures.files import write_text
    from recuse.figures.html import report_html

    page = report_html(
        estimates,
        charts={name: specification for name, (specification, _) in charts.items()},
        static={name: drawing for name, (_, drawing) in charts.items()},
        set_aside_counts=set_aside_counts(source),
        notes=source.notes,
        manifest=json.loads((out / "manifest.json").read_text(encoding="utf-8")),
    )
    write_text(out / "report.html", page)


def named_versions() -> dict[str, str]:
    import platform
    from importlib.metadata import version

    return {"python": platform.python_version()} | {name: version(name) for name in _NAMED_VERSIONS}


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
def progress() -> Generator[Step]:
    """Show a bar on a terminal's stderr; say nothing in a pipe."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=_PARTS)
        yield lambda name: bar.update(task, advance=1, description=name)
