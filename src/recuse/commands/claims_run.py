"""What ``recuse claims`` does: read, compare, climb, print, write."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console

from recuse.analysis.claims.outcomes import Outcome, judge_claims
from recuse.analysis.claims.record import ClaimsFile
from recuse.analysis.claims.rows import ladder_estimates
from recuse.analysis.comparisons import compare
from recuse.analysis.multiverse.frame import SpecificationFrame
from recuse.analysis.multiverse.summary import specification_share
from recuse.analysis.multiverse.together import multiverses
from recuse.analysis.settings import Settings
from recuse.collectors.claims import BUNDLED_CLAIMS, read_claims, sources_of
from recuse.collectors.sources import Source, load_all
from recuse.collectors.starter_claims import starter_claims
from recuse.commands.report_files import named_versions, set_aside_counts
from recuse.errors import ConfigurationError
from recuse.figures.claim_pages import claims_html, claims_json, print_claims
from recuse.figures.claim_tables import claims_table, ladder_table
from recuse.figures.claim_words import models_of
from recuse.figures.files import write_estimates, write_manifest, write_specifications, write_text
from recuse.figures.latex import typeset
from recuse.schema import Estimates

__all__ = ["run_claims", "start_claims"]

_STARTER = "claims.toml"


def run_claims(
    words: Sequence[str],
    *,
    out: Path | None,
    study_file: Path | None,
    seed: int,
    as_json: bool,
    ladders: bool,
    holm_all: bool,
) -> int:
    """Put the claims to the judgments; the exit status is 1 if one of them does not survive."""
    if out is not None and out.exists() and not out.is_dir():
        raise ConfigurationError(f"--out {out} is a file", "name a folder")
    path, given = _split(words)
    file = read_claims(path)
    source = load_all(given or _named_sources(file, path), study_file=study_file)
    settings = Settings(seed=seed)
    if out is not None:
        from recuse.figures.vega import begin_vega_bundle

        begin_vega_bundle()
    comparisons = compare(source.judgments, families=source.families)
    outcomes = judge_claims(file.claims, comparisons, settings, tiers=source.tiers, study=file.study)
    if out is not None:
        specifications = multiverses(file.claims, comparisons, tiers=source.tiers, study=file.study)
        _write(out, file, source, outcomes, settings, specifications)
    if as_json:
        sys.stdout.write(claims_json(outcomes) + "\n")
    else:
        console = Console(soft_wrap=not sys.stdout.isatty())
        print_claims(
            outcomes, console, title=file.title, over_file=holm_all, ladders=ladders, notes=source.notes
        )
        if out is not None:
            console.print(
                f"Written to {out}: claims.html, claims.json, tables, figures, estimates, specifications, "
                "manifest.json"
            )
    return int(any(outcome.verdict != "survives" for outcome in outcomes))


def start_claims(words: Sequence[str], out: Path | None, study_file: Path | None) -> None:
    """Write a starter file for a source; an existing one is left alone."""
    path, given = _split(words)
    if path != BUNDLED_CLAIMS:
        raise ConfigurationError("--init writes a file of claims and reads none", "name a SOURCE only")
    target = (out or Path()) / _STARTER
    if target.exists():
        raise ConfigurationError(f"{target} exists already", "name another folder with --out")
    source = load_all(given, study_file=study_file)
    comparisons = compare(source.judgments, families=source.families)
    write_text(target, starter_claims(comparisons, given or [source.name]))
    Console(soft_wrap=not sys.stdout.isatty()).print(f"Written to {target}; run: recuse claims {target}")


def _split(words: Sequence[str]) -> tuple[Path, list[str]]:
    """Tell the file of claims, which ends in .toml, from the sources."""
    if words and words[0].endswith(".toml"):
        return Path(words[0]), list(words[1:])
    files = [word for word in words if word.endswith(".toml")]
    if files:
        raise ConfigurationError(f"{files[0]} does not come first", "name the file of claims before SOURCE")
    return BUNDLED_CLAIMS, list(words)


def _named_sources(file: ClaimsFile, path: Path) -> list[str]:
    named = sources_of(file, path)
    if not named:
        raise ConfigurationError(
            f"{path.name} names no sources", 'name a SOURCE, or write sources = ["…"] into it'
        )
    return named


def _write(
    out: Path,
    file: ClaimsFile,
    source: Source,
    outcomes: Sequence[Outcome],
    settings: Settings,
    specifications: SpecificationFrame,
) -> None:
    from recuse.figures.claim_chart import ladder_chart
    from recuse.figures.multiverse_pages import curves, multiverse_table, share_text
    from recuse.figures.save import file_name, save_all

    names = models_of(outcome.claim for outcome in outcomes)
    multiverse = multiverse_table(outcomes, specifications)
    ladders = (ladder_table(outcome, names) for outcome in outcomes)
    tables = [claims_table(outcomes, narrow=True), multiverse, *ladders]
    for table in tables:
        write_text(out / "tables" / f"{file_name(table.key)}.tex", typeset(table))
    shares = specification_share(specifications)
    write_estimates(Estimates.validate(pl.concat([ladder_estimates(outcomes, settings), shares])), out)
    write_specifications(specifications, out)
    write_text(out / "claims.json", claims_json(outcomes) + "\n")
    choices = asdict(settings)
    manifest: dict[str, Any] = {
        "inputs": source.inputs,
        "versions": named_versions(),
        "seed": choices.pop("seed"),
        "settings": choices,
        "set_aside": set_aside_counts(source),
        "notes": source.notes,
    }
    written = write_manifest(out, **manifest)
    chart = ladder_chart(outcomes)
    drawings = (
        {}
        if chart is None
        else {path.suffix: path for path in save_all([("ladders", chart)], out / "figures")}
    )
    drawn = curves(outcomes, specifications)
    saved = save_all(((f"specification_curve_{name}", one) for name, one in drawn.items()), out / "figures")
    svgs = [path.read_text(encoding="utf-8") for path in saved if path.suffix == ".svg"]
    page = claims_html(
        outcomes,
        title=file.title,
        studies=source.judgments["study"].unique(maintain_order=True).to_list(),
        chart=None if chart is None else chart.to_dict(validate=False),
        drawing=drawings[".svg"].read_text(encoding="utf-8") if drawings else None,
        multiverse=multiverse,
        shares={outcome.claim.id: share_text(outcome, specifications) for outcome in outcomes},
        curves=dict(zip(drawn, svgs, strict=True)),
        set_aside_counts=set_aside_counts(source),
        notes=source.notes,
        manifest=_read_json(written),
    )
    write_text(out / "claims.html", page)


def _read_json(path: Path) -> dict[str, Any]:
    import json

    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content
