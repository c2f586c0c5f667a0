"""``recuse calibrate``: a judge beside human labels, and one version of it beside the next."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer
import typer.core

__all__ = ["app"]

_DEFAULT: Final = "labels"


class _LabelsFirst(typer.core.TyperGroup):
    """A group whose first command need not be named: ``recuse calibrate LABELS``."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        if not args or args[0] not in self.commands:
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(cls=_LabelsFirst, add_completion=False, rich_markup_mode=None)

Labels = Annotated[
    str, typer.Argument(metavar="LABELS", help="A CSV, JSONL or Parquet file of labels, or worked-example.")
]
HeldOut = Annotated[
    bool, typer.Option("--held-out", help="Open the held-out cases. It is written down that you did.")
]
Gates = Annotated[Path | None, typer.Option(help="A TOML file with lists blocking and review of gates.")]
Adjudicator = Annotated[
    str | None, typer.Option(help="The human rater whose label settles a case (default: adjudicator).")
]
Cache = Annotated[
    Path | None, typer.Option(help="Where openings of held-out cases are logged (default: beside LABELS).")
]
Out = Annotated[Path | None, typer.Option(help="Folder for the judge cards and the estimates.")]
Level = Annotated[float, typer.Option("--conf-level", help="Two-sided confidence level.")]


@app.callback()
def calibrate() -> None:
    """Set a judge beside human labels before it approves anything."""


@app.command(_DEFAULT)
def calibrate_labels(
    labels: Labels = "worked-example",
    judged: Annotated[
        str | None, typer.Option(help="More labels of the judge, on cases that no human labelled.")
    ] = None,
    gates: Gates = None,
    adjudicator: Adjudicator = None,
    out: Out = None,
    cache: Cache = None,
    conf_level: Level = 0.95,
    candidate: Annotated[
        str | None, typer.Option(help="With --pairs: the generator that is the candidate.")
    ] = None,
    *,
    pairs: Annotated[
        bool,
        typer.Option("--pairs", help="LABELS is a SOURCE of judgments of pairs: is the candidate better?"),
    ] = False,
    held_out: HeldOut = False,
) -> None:
    """Estimate a judge's errors by case type, agreement, pass rates and probes; ask the gates.

    The word labels may be left out: recuse calibrate LABELS. LABELS has a row per case and rater: case_id,
    case_type, split (dev, held_out), rater, rater_kind (human, model), approved (empty: abstained). Only
    split dev is looked at unless --held-out is given.

    With --out: judge-card-NAME.html, .md and .tex per judge, estimates.parquet and estimates.csv.
    Exit status: 0; 1 if a blocking gate does not pass; 2 if it could not run.

    recuse calibrate compare OLD NEW sets two versions of a judge side by side.
    """
    from recuse.commands.calibration import run_calibration

    status = run_calibration(
        labels,
        judged=judged,
        pairs=pairs,
        candidate=candidate,
        gates=gates,
        adjudicator=adjudicator,
        out=out,
        cache=cache,
        conf_level=conf_level,
        held_out=held_out,
    )
    raise typer.Exit(status)


@app.command("compare")
def compare_versions(
    old: Annotated[str, typer.Argument(metavar="OLD", help="Labels with the old version of the judge.")],
    new: Annotated[
        str, typer.Argument(metavar="NEW", help="Labels with the new version, on the same cases.")
    ],
    gates: Gates = None,
    adjudicator: Adjudicator = None,
    out: Out = None,
    cache: Cache = None,
    conf_level: Level = 0.95,
    *,
    held_out: HeldOut = False,
) -> None:
    """Compare two versions of a judge on the same cases: exact McNemar per error and case type, and gates.

    Human labels may be in either file. The gates are asked of the new version. Exit status: 0; 1 if a
    blocking gate does not pass; 2 if it could not run.
    """
    from recuse.commands.calibration import run_comparison

    status = run_comparison(
        old,
        new,
        gates=gates,
        adjudicator=adjudicator,
        out=out,
        cache=cache,
        conf_level=conf_level,
        held_out=held_out,
    )
    raise typer.Exit(status)
