"""The files of ``recuse report``: what is written, whether the source was read whole or in parts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from recuse.errors import ConfigurationError

if TYPE_CHECKING:
    from recuse.analysis.settings import Settings
    from recuse.collectors.sources import Source
    from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = [
    "Account",
    "Step",
    "account_of",
    "named_versions",
    "refuse_file",
    "set_aside_counts",
    "write_files",
    "write_page",
    "write_results",
]

_NAMED_VERSIONS = ("recuse", "polars", "numpy", "scipy", "altair", "vl-convert-python")


class Step(Protocol):
    """Tells a progress display what is being done."""

    def __call__(self, name: str, /) -> object:
        """Name the next step."""


@dataclass(frozen=True, slots=True)
class Account:
    """What page, manifest and numbers say of a source beside its estimates."""

    inputs: Mapping[str, str]
    set_aside: Mapping[str, int]
    notes: tuple[str, ...]
    size: Mapping[str, int]
    """Counts of the study."""


def set_aside_counts(source: Source) -> dict[str, int]:
    """Count the rows set aside, per rule."""
    counts = source.set_aside.group_by("rule").len().sort("rule")
    return {str(rule): int(n) for rule, n in counts.rows()}


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
    from recuse.figures.files import write_comparisons, write_judgment_plan

    refuse_file(out)
    step("estimates and tables")
    write_comparisons(comparisons, out)
    write_judgment_plan(judgment_plan(comparisons, families=source.families), out)
    return write_results(out, account_of(source, comparisons), estimates, settings, step)


def refuse_file(out: Path) -> None:
    """Refuse a file where a folder is needed.

    Raises
    ------
    ConfigurationError
        ``out`` is a file.
    """
    if out.exists() and not out.is_dir():
        raise ConfigurationError(f"--out {out} is a file", "name a folder")


def write_results(
    out: Path, account: Account, estimates: EstimateFrame, settings: Settings, step: Step
) -> dict[str, tuple[dict[str, Any], str]]:
    """Write estimates, tables, numbers, manifest and figures; return each figure's two forms."""
    from recuse.figures.charts import all_charts
    from recuse.figures.files import write_estimates, write_manifest, write_text
    from recuse.figures.latex import tables
    from recuse.figures.numbers import numbers_tex
    from recuse.figures.save import file_name, save_all

    write_estimates(estimates, out)
    for name, table in tables(estimates).items():
        write_text(out / "tables" / f"{file_name(name)}.tex", table)
    write_text(out / "numbers.tex", numbers_tex(estimates, _counts(account, settings)))
    choices = asdict(settings)
    write_manifest(
        out,
        inputs=account.inputs,
        versions=named_versions(),
        seed=choices.pop("seed"),
        settings=choices,
        set_aside=account.set_aside,
        notes=account.notes,
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


def account_of(source: Source, comparisons: ComparisonFrame) -> Account:
    """Bring together what is said of a source that was loaded whole."""
    from recuse.analysis.counts import study_counts

    return Account(source.inputs, set_aside_counts(source), source.notes, study_counts(comparisons))


def _counts(account: Account, settings: Settings) -> dict[str, str]:
    """Give the size of the study and the settings of the run as numbers.tex prints them."""
    counts = {
        **account.size,
        "set_aside": sum(account.set_aside.values()),
        "resamples": settings.n_resamples,
        "seed": settings.seed,
    }
    return {name: f"{count:,}" for name, count in counts.items()} | {
        "conf_level": f"{100 * settings.conf_level:g} %",
        "scoring": settings.scoring,
    }


def write_page(
    out: Path, account: Account, estimates: EstimateFrame, charts: Mapping[str, tuple[dict[str, Any], str]]
) -> None:
    """Write report.html from what is in the folder already."""
    from recuse.figures.files import write_text
    from recuse.figures.html import report_html

    page = report_html(
        estimates,
        charts={name: specification for name, (specification, _) in charts.items()},
        static={name: drawing for name, (_, drawing) in charts.items()},
        set_aside_counts=account.set_aside,
        notes=account.notes,
        manifest=json.loads((out / "manifest.json").read_text(encoding="utf-8")),
    )
    write_text(out / "report.html", page)


def named_versions() -> dict[str, str]:
    """Give the versions that a result depends on."""
    import platform
    from importlib.metadata import version

    return {"python": platform.python_version()} | {name: version(name) for name in _NAMED_VERSIONS}
