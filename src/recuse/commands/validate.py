"""``recuse validate``: simulate judges with planted biases; see what the estimators make of them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from recuse.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl

__all__ = ["app", "validate"]

app = typer.Typer(add_completion=False)

_FILE: Final = "validation.csv"
_DIGITS: Final = 5
_NAMED: Final = 12


@app.command()
def validate(
    data_sets: Annotated[
        int, typer.Option("--data-sets", min=2, help="Simulated data sets for each cell of the tables.")
    ] = 1_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the simulation and of every resampling.")] = 0,
    tasks: Annotated[
        list[int] | None,
        typer.Option(min=2, help="Tasks of a data set; may be repeated.", show_default="5, 15 and 45"),
    ] = None,
    shapes: Annotated[
        list[str] | None,
        typer.Option("--shape", help="balanced, unbalanced or ceiling; may be repeated.", show_default="all"),
    ] = None,
    resamples: Annotated[int, typer.Option(min=99, help="Resamples of each bootstrap.")] = 1_999,
    *,
    models: Annotated[
        bool, typer.Option("--models", help="Only the joint model and the slope of flips on the gap.")
    ] = False,
    out: Annotated[Path, typer.Option(help="Folder for validation.csv and the figure.")] = Path(
        "recuse-validation"
    ),
    show: Annotated[
        Path | None,
        typer.Option(help="Print and draw what an earlier run measured, from its validation.csv."),
    ] = None,
) -> None:
    """Measure, on judges with planted biases, how far the estimates and intervals are to be trusted.

    Each data set holds four judges, three of which judge their own answers, with planted quality, slot
    preference, self-preference, length preference, correlation within tasks, ties and missing verdicts.
    Printed are the share of data sets whose default interval holds the true value, the mean estimate beside
    the true value, and how often each test rejects its own null hypothesis although it is true.

    Writes validation.csv and the figure as validation.svg, .pdf and .png. 1,000 data sets take some 20
    minutes, fitted models (--models) as long again; --data-sets 100 shows the pattern.
    """
    from recuse.commands.terminal import say
    from recuse.figures.save import save_all
    from recuse.figures.validation_chart import validation_chart

    if out.exists() and not out.is_dir():
        raise ConfigurationError(f"--out {out} is a file", "name a folder")
    measured = (
        _measured(shapes, tasks, models=models, data_sets=data_sets, seed=seed, resamples=resamples)
        if show is None
        else _read(show)
    )
    out.mkdir(parents=True, exist_ok=True)
    measured.write_csv(out / _FILE)
    save_all([("validation", validation_chart(measured))], out)
    _print(measured)
    say("", f"Written to {out}: {_FILE}, validation.svg, validation.pdf, validation.png")


def _measured(
    shapes: Sequence[str] | None,
    tasks: Sequence[int] | None,
    *,
    models: bool,
    data_sets: int,
    seed: int,
    resamples: int,
) -> pl.DataFrame:
    import polars as pl

    from recuse.analysis.validation import SHAPES, TASKS
    from recuse.commands.terminal import counting
    from recuse.errors import UnknownNameError

    for shape in shapes or ():
        if shape not in SHAPES:
            raise UnknownNameError("shape", shape, SHAPES)
    cells = [(shape, n) for n in sorted(set(tasks or TASKS)) for shape in dict.fromkeys(shapes or SHAPES)]
    how = {"n_data_sets": data_sets, "seed": seed}
    runs = [] if models else _of_means(cells, {**how, "n_resamples": resamples})
    runs += _of_models(cells, how)
    with counting("data sets", data_sets * len(runs)) as step:
        frames = [run(on_step=step) for run in runs]
    found = pl.concat([*frames, pl.DataFrame(schema={"null": pl.String})], how="diagonal")
    return found.with_columns(pl.col(pl.Float64).round(_DIGITS)).sort("measure", "tasks", maintain_order=True)


def _of_means(cells: Sequence[tuple[str, int]], how: Mapping[str, Any]) -> list[Callable[..., pl.DataFrame]]:
    """Coverage and tests of all that is no fitted model, one run for each cell of the tables."""
    from recuse.analysis.validation import NULLS, coverage, type_one_error

    tested = [
        partial(type_one_error, null, *cell, **how)
        for cell in cells
        for null in NULLS
        if cell[0] in null.shapes and not null.of_models
    ]
    return [*(partial(coverage, *cell, **how) for cell in cells), *tested]


def _of_models(cells: Sequence[tuple[str, int]], how: Mapping[str, Any]) -> list[Callable[..., pl.DataFrame]]:
    """Coverage and tests of the joint model and of the slope of flips on the gap."""
    from recuse.analysis.model_validation import GAP_SHAPES, gap_coverage, joint_recovery
    from recuse.analysis.validation import NULLS, type_one_error

    return [
        *(partial(gap_coverage, *cell, **how) for cell in cells if cell[0] in GAP_SHAPES),
        *(partial(joint_recovery, n, **how) for n in dict.fromkeys(n for _, n in cells)),
        *(
            partial(type_one_error, null, *cell, **how)
            for cell in cells
            for null in NULLS
            if cell[0] in null.shapes and null.of_models
        ),
    ]


def _read(file: Path) -> pl.DataFrame:
    import polars as pl

    from recuse.errors import SourceError

    needed = {"measure", "shape", "tasks", "estimand", "true", "mean_estimate", "rate", "rate_se", "null"}
    if not file.is_file():
        raise SourceError(file, "there is no such file", "name the validation.csv of an earlier run")
    try:
        measured = pl.read_csv(file)
    except pl.exceptions.PolarsError as error:
        raise SourceError(file, f"no table of a validation ({error})") from error
    lacking = needed - set(measured.columns)
    if lacking:
        raise SourceError(
            file, f"no column {', '.join(sorted(lacking))}", "name the validation.csv of an earlier run"
        )
    return measured


def _print(measured: pl.DataFrame) -> None:
    import polars as pl

    from recuse.commands.terminal import say
    from recuse.figures.validation_chart import TESTS

    covered = measured.filter(pl.col("measure") == "coverage")
    tested = measured.filter(pl.col("measure") == "type I error").with_columns(
        method=pl.col("method").replace(TESTS)
    )
    planted = measured.filter(pl.col("measure") == "recovery")
    if covered.height:
        say("Coverage of the default 95 % intervals, in %, by tasks and shape of the data", "")
        _wide(covered, ["estimand"])
        say("", "Recovery: true value and mean estimate, at the largest number of tasks", "")
        _recovery(covered.filter(pl.col("tasks") == pl.col("tasks").max()))
        say("")
    if planted.height:
        say("The joint model and the logits planted: mean estimate, and coverage in %", "")
        _joint(planted)
        say("")
    if tested.height:
        say("Type I error at a nominal 5 %, in %, each test under its own null hypothesis", "")
        _wide(tested, ["estimand", "method"])
        say("", *_nulls(tested))
    say(*_outside(measured))


def _wide(part: pl.DataFrame, keys: list[str]) -> None:
    from recuse.commands.terminal import tabulate

    cells = part.select("tasks", "shape").unique(maintain_order=True).rows()
    found = {
        (*(row[key] for key in keys), row["tasks"], row["shape"]): row["rate"] for row in part.to_dicts()
    }
    rows = [
        [*names, *(_percent(found.get((*names, *cell))) for cell in cells)]
        for names in part.select(keys).unique(maintain_order=True).rows()
    ]
    tabulate([*keys, *(f"{n} {shape}" for n, shape in cells)], rows, n_names=len(keys))


def _recovery(part: pl.DataFrame) -> None:
    from recuse.commands.terminal import tabulate

    shapes = part["shape"].unique(maintain_order=True).to_list()
    header = ["estimand", *(f"{shape} {what}" for shape in shapes for what in ("true", "mean"))]
    found = {(row["estimand"], row["shape"]): row for row in part.to_dicts()}
    rows = [
        [
            estimand,
            *(
                _value(found[estimand, shape][name] if (estimand, shape) in found else None)
                for shape in shapes
                for name in ("true", "mean_estimate")
            ),
        ]
        for estimand in part["estimand"].unique(maintain_order=True).to_list()
    ]
    tabulate(header, rows, n_names=1)


def _joint(planted: pl.DataFrame) -> None:
    from recuse.commands.terminal import tabulate

    tasks = planted["tasks"].unique(maintain_order=True).sort().to_list()
    found = {(row["estimand"], row["tasks"]): row for row in planted.to_dicts()}
    rows: list[list[str]] = []
    for estimand in planted["estimand"].unique(maintain_order=True).to_list():
        there = [found[estimand, n] for n in tasks]
        cells = [(_value(row["mean_estimate"]), _percent(row["rate"])) for row in there]
        rows.append([estimand, _value(there[0]["true"]), *(cell for pair in cells for cell in pair)])
    heads = [f"{n} tasks {what}" for n in tasks for what in ("mean", "coverage")]
    tabulate(["estimand", "planted", *heads], rows, n_names=1)


def _nulls(tested: pl.DataFrame) -> list[str]:
    said = tested.select("null", "method", "estimand").unique(maintain_order=True).rows()
    lines: list[str] = []
    for told in dict.fromkeys(null for null, _, _ in said):
        methods = dict.fromkeys(method for null, method, _ in said if null == told)
        of = dict.fromkeys(estimand for null, _, estimand in said if null == told)
        lines.append(f"Null of {', '.join(methods)} ({', '.join(of)}): {told}.")
    return lines


def _outside(measured: pl.DataFrame) -> list[str]:
    import polars as pl

    covered = measured.filter(pl.col("measure") == "coverage")
    tested = measured.filter(pl.col("measure") == "type I error")
    below = covered.filter(pl.col("rate") < 0.92).sort("rate")
    above = tested.filter(pl.col("rate") > 0.065).sort("rate", descending=True)
    lines = [
        f"{below.height} of {covered.height} coverages are below 92 %{_listed(below)}.",
        f"{above.height} of {tested.height} type I errors are above 6.5 %{_listed(above)}.",
    ]
    few = covered.filter(pl.col("without_interval") > 0.01).sort("without_interval", descending=True)
    if few.height:
        row = few.row(0, named=True)
        most = f"{_percent(row['without_interval'])} % ({row['estimand']}, {_cell(row)})"
        lines.append(
            f"{few.height} cells lack the interval in more than 1 % of data sets, at most {most}: "
            "their rows say why, and coverage is that of the others."
        )
    return lines


def _listed(rows: pl.DataFrame) -> str:
    named = [
        f"{row['estimand']} {_percent(row['rate'])} ({_cell(row)})" for row in rows.head(_NAMED).to_dicts()
    ]
    more = f"; {rows.height - _NAMED} more" if rows.height > _NAMED else ""
    return f": {'; '.join(named)}{more}" if named else ""


def _cell(row: dict[str, Any]) -> str:
    return f"{row['tasks']} tasks, {row['shape']}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _value(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}".replace("-", "−")
