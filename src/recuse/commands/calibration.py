"""What ``recuse calibrate`` does: read, open what may be opened, estimate, ask the gates, print, write."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import polars as pl
from rich.console import Console

from recuse.analysis.calibration.cases import Calibration, calibration_of
from recuse.analysis.calibration.gates import Gate, GateResult, evaluate_gates
from recuse.analysis.calibration.observations import observations
from recuse.analysis.calibration.reference import adjudicators_of
from recuse.analysis.calibration.report import calibration_estimates
from recuse.analysis.calibration.versions import compare_versions
from recuse.analysis.inference.interval import check_level
from recuse.cache.openings import (
    Opening,
    case_digests,
    log_openings,
    now,
    openings_of,
    spoken_openings,
)
from recuse.collectors.gates import read_gates
from recuse.collectors.label_sets import pair_labels, with_humans_of, with_judged
from recuse.collectors.labels import LabelSource, read_labels
from recuse.collectors.worked_example import EXAMPLES
from recuse.errors import ConfigurationError
from recuse.figures.card_pages import card_html, card_latex, card_markdown, print_card
from recuse.figures.files import safe_for_spreadsheets, write_estimates, write_text
from recuse.figures.judge_card import About, JudgeCard, judge_card
from recuse.figures.version_tables import Version, version_card
from recuse.schema import EstimateFrame, Estimates

__all__ = ["run_calibration", "run_comparison"]

_CACHE: Final = "recuse-cache"


@dataclass(frozen=True, slots=True)
class _Choices:
    """Options that both commands share."""

    gates: list[Gate]
    adjudicator: str | None
    cache: Path
    conf_level: float
    split: str


def run_calibration(
    labels: str,
    *,
    judged: str | None,
    pairs: bool,
    candidate: str | None,
    gates: Path | None,
    adjudicator: str | None,
    out: Path | None,
    cache: Path | None,
    conf_level: float,
    held_out: bool,
) -> int:
    """Calibrate every judge of a file of labels; the exit status is 1 if a blocking gate does not pass."""
    choices = _choices(labels, gates, adjudicator, cache, conf_level, held_out=held_out)
    if candidate is not None and not pairs:
        raise ConfigurationError("a candidate belongs to judgments of pairs", "add --pairs")
    source = pair_labels(labels, candidate) if pairs else read_labels(labels)
    if judged is not None:
        source = with_judged(source, read_labels(judged, split=choices.split), choices.split)
    calibration = _calibration(source, choices)
    opened = _opened([source], [calibration], choices)
    estimates = calibration_estimates(calibration, conf_level=conf_level)
    console = _console()
    passed = True
    for place, judge in enumerate(calibration.judges):
        results = _asked(choices, calibration, estimates, judge)
        passed &= _may_pass(results)
        about = _about(source, calibration, judge, opened)
        card = judge_card(_of_judge(estimates, judge), about, results)
        if place:
            console.print()
        print_card(card, console)
        _write_card(card, f"judge-card-{_slug(judge)}", out)
    if out is not None:
        write_estimates(estimates, out)
        console.print(f"Written to {out}: judge cards, estimates", soft_wrap=True)
    return 0 if passed else 1


def run_comparison(
    old: str,
    new: str,
    *,
    gates: Path | None,
    adjudicator: str | None,
    out: Path | None,
    cache: Path | None,
    conf_level: float,
    held_out: bool,
) -> int:
    """Compare two versions of a judge; the exit status is 1 if a blocking gate does not pass."""
    choices = _choices(new, gates, adjudicator, cache, conf_level, held_out=held_out)
    old_source, new_source = with_humans_of(read_labels(old), read_labels(new))
    before, after = _calibration(old_source, choices), _calibration(new_source, choices)
    opened = _opened([old_source, new_source], [before, after], choices)
    estimates = calibration_estimates(after, conf_level=conf_level)
    console = _console()
    passed = True
    frames: list[pl.DataFrame] = [estimates]
    for place, (judge_old, judge_new) in enumerate(_judges_to_compare(before, after)):
        comparison = compare_versions(before, after, judge_old, judge_new, conf_level=conf_level)
        results = _asked(choices, after, estimates, judge_new)
        passed &= _may_pass(results)
        about = _about(new_source, after, judge_new, opened)
        about = replace(about, notes=(*dict.fromkeys([*old_source.notes, *about.notes]),))
        versions = _version(old_source, before, judge_old), _version(new_source, after, judge_new)
        card = version_card(comparison, versions[0], versions[1], about, results)
        if place:
            console.print()
        print_card(card, console)
        frames.append(comparison.estimates)
        _write_card(card, f"comparison-{_slug(judge_new)}", out)
        if out is not None:
            changed = safe_for_spreadsheets(comparison.changed)
            write_text(out / f"changed-cases-{_slug(judge_new)}.csv", changed.write_csv())
    if out is not None:
        write_estimates(Estimates.validate(pl.concat(frames)), out)
        console.print(f"Written to {out}: comparison, changed cases, estimates", soft_wrap=True)
    return 0 if passed else 1


def _may_pass(results: Sequence[GateResult]) -> bool:
    return all(result.outcome == "passes" or not result.gate.blocking for result in results)


def _choices(
    labels: str,
    gates: Path | None,
    adjudicator: str | None,
    cache: Path | None,
    conf_level: float,
    *,
    held_out: bool,
) -> _Choices:
    check_level(conf_level)
    beside = Path() if labels in EXAMPLES or not Path(labels).exists() else Path(labels).parent
    return _Choices(
        gates=[] if gates is None else read_gates(gates),
        adjudicator=adjudicator,
        cache=cache or beside / _CACHE,
        conf_level=conf_level,
        split="held_out" if held_out else "dev",
    )


def _calibration(source: LabelSource, choices: _Choices) -> Calibration:
    return calibration_of(
        source.labels,
        study=source.name,
        split=choices.split,
        adjudicators=adjudicators_of(source.labels, choices.adjudicator),
    )


def _opened(
    sources: Sequence[LabelSource], calibrations: Sequence[Calibration], choices: _Choices
) -> list[str]:
    """Log an opening where the held-out cases are looked at, before anything is computed of them."""
    held_out = pl.concat([source.labels for source in sources]).filter(
        (pl.col("split") == "held_out") & (pl.col("probe") == "main")
    )
    if held_out.is_empty():
        return ["None in these labels."]
    digests = case_digests(held_out.select("case_id", "case_type").unique().iter_rows())
    versions = [
        (source.name, judge, *_versions(calibration, judge))
        for source, calibration in zip(sources, calibrations, strict=True)
        for judge in calibration.judges
    ]
    before = openings_of(choices.cache, digests)
    if choices.split == "held_out":
        at = now()
        openings = [
            Opening(at, study, judge, version, rubric, digests) for study, judge, version, rubric in versions
        ]
        log_openings(choices.cache, openings)
    rubrics = [rubric for *_, rubric in versions]
    return spoken_openings(before, openings_of(choices.cache, digests), rubrics)


def _versions(calibration: Calibration, judge: str) -> tuple[str | None, str | None]:
    mine = calibration.labels.filter((pl.col("judge") == judge) & (pl.col("rater_kind") == "model"))
    found = [
        ", ".join(sorted(mine[name].drop_nulls().unique())) or None
        for name in ("judge_version", "rubric_version")
    ]
    return found[0], found[1]


def _asked(
    choices: _Choices, calibration: Calibration, estimates: EstimateFrame, judge: str
) -> list[GateResult]:
    return evaluate_gates(
        choices.gates, estimates, judge, case_types=calibration.case_types, conf_level=choices.conf_level
    )


def _about(source: LabelSource, calibration: Calibration, judge: str, opened: Sequence[str]) -> About:
    version, rubric = _versions(calibration, judge)
    n_unlabelled = int((calibration.cases["basis"] == "nobody").sum())
    cases = f"{calibration.cases.height - n_unlabelled:,} cases"
    if n_unlabelled:
        cases += f" and {n_unlabelled:,} judged without a human label"
    notes = (*source.notes, *observations(calibration, source.labels))
    return About(source.name, judge, calibration.split, version, rubric, cases, notes, tuple(opened))


def _version(source: LabelSource, calibration: Calibration, judge: str) -> Version:
    return Version(judge, source.name, *_versions(calibration, judge))


def _judges_to_compare(before: Calibration, after: Calibration) -> list[tuple[str, str]]:
    old, new = before.judges, after.judges
    if len(old) == len(new) == 1:
        return [(old[0], new[0])]
    shared = [(judge, judge) for judge in new if judge in old]
    if not shared:
        raise ConfigurationError(
            f"no judge is in both files: {', '.join(old)} in OLD, {', '.join(new)} in NEW",
            "give each file one judge, or the same names",
        )
    return shared


def _of_judge(estimates: EstimateFrame, judge: str) -> EstimateFrame:
    """Keep what concerns one judge, and the humans."""
    concerns = (
        (pl.col("judge") == judge) | pl.col("judge").is_null() | (pl.col("baseline") == "between_humans")
    )
    return Estimates.validate(estimates.filter(concerns))


def _console() -> Console:
    return Console(soft_wrap=not sys.stdout.isatty())


def _write_card(card: JudgeCard, name: str, out: Path | None) -> None:
    if out is None:
        return
    for suffix, render in (("html", card_html), ("md", card_markdown), ("tex", card_latex)):
        write_text(out / f"{name}.{suffix}", render(card))


def _slug(name: str) -> str:
    """Make a file's name of a judge's; what is lost is made up for by a hash, so that no two share one."""
    plain = re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-.")[:60]
    return plain if plain == name else f"{plain or 'judge'}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
