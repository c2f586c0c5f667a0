"""A run of claims as a page, as JSON, and in the terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from recuse.analysis.claims.changes import Change
from recuse.analysis.claims.ladder import Rung
from recuse.analysis.claims.outcomes import Outcome
from recuse.analysis.inference.interval import Interval
from recuse.figures.claim_tables import as_published, claims_table, ladder_table, where_decided
from recuse.figures.claim_words import MEANINGS, answer, models_of, points, reasoning, statement, survivors
from recuse.figures.html import chart_words, data_uri, json_for_script, page_environment
from recuse.figures.names import plain
from recuse.figures.table import Table
from recuse.figures.terminal import print_table
from recuse.figures.vega import vega_bundle
from recuse.figures.wording import NOTHING, p_text

__all__ = ["claims_html", "claims_json", "print_claims"]

_STYLES: Final = {
    "survives": "bold green",
    "weakens": "yellow",
    "falls": "red",
    "reverses": "bold red",
    "not identifiable": "dim",
}


def print_claims(
    outcomes: Sequence[Outcome],
    console: Console,
    *,
    title: str = "",
    over_file: bool = False,
    ladders: bool = False,
    notes: Sequence[str] = (),
) -> None:
    """Print the answer, the table of claims and, if asked for, every ladder.

    Parameters
    ----------
    outcomes
        From :func:`recuse.analysis.claims.outcomes.judge_claims`.
    console
        Where to print. In a pipe no line is wrapped and a claim is one line.
    title
        What the claims are.
    over_file
        Whether to show Holm's correction over the whole file beside.
    ladders
        Whether to print every rung of every claim.
    notes
        What a reader has to know about these judgments.
    """
    piped = not console.is_terminal
    if title:
        console.print(Text(plain(title), style="bold"), soft_wrap=piped)
    console.print(Text(answer(outcomes), style="bold"), soft_wrap=piped)
    if survivors(outcomes):
        console.print(Text(survivors(outcomes)), soft_wrap=piped)
    console.print()
    table = claims_table(outcomes, over_file=over_file)
    if piped:
        print_table(table, console)
    else:
        console.print(_folded(outcomes, over_file=over_file))
        console.print(Text(table.note, style="dim"))
    names = models_of(outcome.claim for outcome in outcomes)
    for outcome in outcomes if ladders else ():
        console.print()
        print_table(ladder_table(outcome, names), console, strong=lambda row: row[0].startswith("▸"))
    for note in notes:
        console.print(Text(f"Note: {note}"), soft_wrap=piped)


def _folded(outcomes: Sequence[Outcome], *, over_file: bool) -> RichTable:
    """Lay the table out for a terminal: a claim folds into its column, and shares it with its name."""
    names = models_of(outcome.claim for outcome in outcomes)
    grid = RichTable(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 1, 0))
    for name in ("Verdict", "Claim"):
        grid.add_column(name, overflow="fold")
    for name in ("As published", "Where it is decided", "Holm", *(("Holm, file",) if over_file else ())):
        grid.add_column(name, justify="right")
    for outcome in outcomes:
        there, decided_on = where_decided(outcome)
        verdict = Text(outcome.verdict + ("*" if outcome.is_supported is False else ""))
        verdict.stylize(_STYLES[outcome.verdict])
        claim = Text(plain(outcome.claim.says) or statement(outcome.claim, names))
        claim.append(f"\n{plain(outcome.claim.id)}", style="dim")
        if outcome.bias_to_overturn is not None:
            naive = outcome.rungs[0].evaluation
            unit = "proportion" if naive is None else naive.unit
            claim.append(
                f" · {points(outcome.bias_to_overturn, unit)} of bias would overturn it", style="dim"
            )
        decided = Text(there)
        decided.append("\n" + decided_on.replace(", ", ",\n"), style="dim")
        if outcome.reason is not None:
            decided = Text(plain(outcome.reason), style="dim")
        cells = [
            verdict,
            claim,
            Text(as_published(outcome).replace(" [", "\n[")),
            decided,
            Text(p_text(outcome.p_adjusted, name=False)),
        ]
        beside = [Text(p_text(outcome.p_over_file, name=False))] if over_file else []
        grid.add_row(*cells, *beside)
    return grid


def claims_html(
    outcomes: Sequence[Outcome],
    *,
    title: str,
    studies: Sequence[str],
    chart: Mapping[str, Any] | None = None,
    drawing: str | None = None,
    multiverse: Table | None = None,
    shares: Mapping[str, str] | None = None,
    curves: Mapping[str, str] | None = None,
    set_aside_counts: Mapping[str, int] | None = None,
    notes: Sequence[str] = (),
    manifest: Mapping[str, Any] | None = None,
) -> str:
    """Render the claims as one self-contained page: the answer, the claims, the ladders, the rules.

    Parameters
    ----------
    outcomes
        In the order in which they are shown.
    title, studies
        What the claims are, and the studies they are put to.
    chart, drawing
        The ladders as a Vega-Lite specification, and as SVG for where scripts are off.
    multiverse, shares, curves
        Under how many specifications each claim holds: over all claims, and by a claim's id in a sentence and
        as a specification curve (SVG).
    set_aside_counts, notes, manifest
        As in a report.
    """
    names = models_of(outcome.claim for outcome in outcomes)
    claims = [
        {
            "place": place,
            "id": plain(outcome.claim.id),
            "says": plain(outcome.claim.says) or statement(outcome.claim, names),
            "statement": statement(outcome.claim, names),
            "verdict": outcome.verdict,
            "unsupported": outcome.is_supported is False,
            "published": as_published(outcome),
            "there": where_decided(outcome)[0],
            "decided_on": where_decided(outcome)[1] if outcome.reason is None else plain(outcome.reason),
            "p": p_text(outcome.p_adjusted, name=False),
            "p_file": p_text(outcome.p_over_file, name=False),
            "verdict_file": outcome.verdict_over_file,
            "bias": _bias(outcome),
            "reasoning": reasoning(outcome),
            "ladder": ladder_table(outcome, names),
            "share": (shares or {}).get(outcome.claim.id),
            "curve": _curve(curves, outcome.claim.id),
        }
        for place, outcome in enumerate(outcomes)
    ]
    figures = {"chart-0": dict(chart)} if chart is not None else None
    told = chart_words(chart or {}) or ["Ladders"]
    figure = {
        "place": 0,
        "title": told[0],
        "alt": " ".join([*told, "The numbers are in the ladders below."]),
        "image": None if drawing is None else data_uri(drawing),
        "drawn": chart is not None,
        "table": None,
        "table_caption": None,
    }
    return (
        page_environment()
        .get_template("claims.html.j2")
        .render(
            title=title,
            studies=list(studies),
            answer=answer(outcomes),
            survivors=survivors(outcomes),
            claims=claims,
            multiverse=multiverse,
            meanings=MEANINGS,
            note=claims_table(outcomes).note,
            figure=None if chart is None and drawing is None else figure,
            specifications=None if figures is None else json_for_script(figures),
            bundle=None if figures is None else vega_bundle(),
            set_aside={rule: count for rule, count in (set_aside_counts or {}).items() if count},
            notes=list(notes),
            manifest=json.dumps(manifest, indent=2, ensure_ascii=False) if manifest else None,
        )
    )


def _curve(curves: Mapping[str, str] | None, claim: str) -> str | None:
    return data_uri(curves[claim]) if curves and claim in curves else None


def claims_json(outcomes: Sequence[Outcome]) -> str:
    """Write every claim with its verdict and its ladder as JSON; shares stay shares."""
    names = models_of(outcome.claim for outcome in outcomes)
    records = [
        {
            **outcome.claim.model_dump(mode="json", exclude_none=True),
            "kind": outcome.claim.kind,
            "statement": statement(outcome.claim, names),
            "margin": outcome.claim.margin_or_usual if outcome.claim.is_equivalence else None,
            "null": outcome.claim.null,
            "verdict": outcome.verdict,
            "verdict_over_file": outcome.verdict_over_file,
            "decided_by": None if outcome.decided_by is None else outcome.decided_by.name,
            "p_value": outcome.p_value,
            "p_adjusted": outcome.p_adjusted,
            "p_over_file": outcome.p_over_file,
            "family": outcome.claim.family_or_kind,
            "n_family": outcome.n_family,
            "is_supported_as_published": outcome.is_supported,
            "bias_to_overturn": outcome.bias_to_overturn,
            "reason": outcome.reason,
            "reasoning": reasoning(outcome),
            "ladder": [_rung(rung) for rung in outcome.rungs],
        }
        for outcome in outcomes
    ]
    return json.dumps(
        {"answer": answer(outcomes), "claims": records}, ensure_ascii=False, allow_nan=False, indent=2
    )


def _rung(rung: Rung) -> dict[str, Any]:
    found = rung.evaluation
    record: dict[str, Any] = {"rung": rung.name, "applies": rung.applies, "reason": rung.why_not}
    if found is None or found.estimate is None:
        return record
    return {
        **record,
        "estimate": found.estimate,
        "unit": found.unit,
        **_interval(found.interval),
        "p_value": found.p_value,
        "test": found.test,
        "baseline": found.choices.baseline,
        "cluster": found.choices.cluster,
        "n_presentations": found.n_presentations,
        "n_comparisons": found.n_comparisons,
        "n_tasks": found.n_tasks,
        "n_lost": rung.n_lost,
        "change": None if rung.change is None else _change(rung.change),
    }


def _change(change: Change) -> dict[str, Any]:
    return {"estimate": change.estimate, **_interval(change.interval), "reason": change.interval.reason}


def _interval(interval: Interval) -> dict[str, Any]:
    bounds = {"conf_low": interval.low, "conf_high": interval.high, "std_error": interval.std_error}
    return {**bounds, "df": interval.df, "interval": interval.method}


def _bias(outcome: Outcome) -> str:
    if outcome.bias_to_overturn is None:
        return NOTHING
    naive = outcome.rungs[0].evaluation
    return points(outcome.bias_to_overturn, "proportion" if naive is None else naive.unit)
