"""The tables of a run of claims: one over all claims, and one ladder for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recuse.analysis.claims.evaluation import Evaluation
from recuse.analysis.claims.ladder import Rung
from recuse.analysis.claims.outcomes import Outcome
from recuse.figures.claim_words import (
    MEANINGS,
    bounds_text,
    estimate_with_bounds,
    models_of,
    points,
    reasoning,
    rung_name,
    statement,
)
from recuse.figures.names import plain
from recuse.figures.table import Table
from recuse.figures.wording import NOTHING, bare_number, method_text, p_text

__all__ = ["as_published", "claims_table", "ladder_table", "where_decided"]


def claims_table(outcomes: Sequence[Outcome], *, over_file: bool = False, narrow: bool = False) -> Table:
    """One row per claim, in the order of the file: verdict, what was published, what is left.

    Parameters
    ----------
    outcomes
        From :func:`recuse.analysis.claims.outcomes.judge_claims`.
    over_file
        Whether to show the verdicts under Holm's correction over all claims beside.
    narrow
        Whether to leave out what a printed page has no room for: the claims' own names, and p before Holm.
    """
    names = models_of(outcome.claim for outcome in outcomes)
    header = ("Verdict", "Claim", "What it says", "Decided on", "As published", "There [95 %]", "p", "Holm")
    header = (*header, "Overturned by", *(("Holm, file", "Verdict, file") if over_file else ()))
    body = tuple(_row(outcome, names, over_file=over_file) for outcome in outcomes)
    left_out = [header.index(name) for name in (("Claim", "p") if narrow else ())]
    shown = _without(header, left_out)
    rows = tuple(_without(row, left_out) for row in body)
    question = "Which claims survive when every judge with a stake is recused?"
    return Table("claims", question, shown, rows, 3 if narrow else 4, _note(outcomes))


def _without(row: tuple[str, ...], places: Sequence[int]) -> tuple[str, ...]:
    return tuple(cell for place, cell in enumerate(row) if place not in places)


def ladder_table(outcome: Outcome, names: Mapping[str, str]) -> Table:
    """Lay out one claim's ladder: estimate, interval and counts of each rung, and the change to it."""
    claim = outcome.claim
    columns = "Rung|Estimate|95 % interval|Change|Its 95 % interval|Comparisons|Tasks|Lost|How"
    header = tuple(columns.split("|"))
    body: list[tuple[str, ...]] = []
    printed, unit = claim.published, _unit(outcome)
    if printed is not None:
        bounds = bounds_text(printed.low, printed.high, unit)
        rest = (NOTHING,) * 5
        body.append(
            ("as printed", bare_number(printed.estimate, unit), bounds, *rest, "the publication's own")
        )
    body += [_rung_row(rung, outcome, unit) for rung in outcome.rungs]
    p = p_text(outcome.p_value, name=False)
    adjusted = f"p {p}; {p_text(outcome.p_adjusted, name=False)} within the family"
    adjusted += f" ({outcome.n_family}); {p_text(outcome.p_over_file, name=False)} over the file"
    body.append(
        ("multiplicity (Holm)", *(NOTHING,) * 7, adjusted if outcome.p_value is not None else NOTHING)
    )
    caption = f"{plain(claim.id)}: {plain(claim.says) or statement(claim, names)}"
    return Table(f"ladder-{claim.id}", caption, header, tuple(body), 1, reasoning(outcome))


def as_published(outcome: Outcome) -> str:
    """Print what was published, or else what a naive reading gives, in brackets."""
    printed, unit = outcome.claim.published, _unit(outcome)
    if printed is not None:
        return estimate_with_bounds(printed.estimate, printed.low, printed.high, unit)
    naive = outcome.rungs[0].evaluation
    return NOTHING if naive is None or naive.estimate is None else f"({_with_bounds(naive)})"


def where_decided(outcome: Outcome) -> tuple[str, str]:
    """Print the estimate on the deciding rung with its interval, and name the rung."""
    rung = outcome.decided_by
    if rung is None or rung.evaluation is None:
        return NOTHING, NOTHING
    return _with_bounds(rung.evaluation), rung_name(rung)


def _row(outcome: Outcome, names: Mapping[str, str], *, over_file: bool) -> tuple[str, ...]:
    there, decided_on = where_decided(outcome)
    bias = NOTHING
    if outcome.bias_to_overturn is not None:
        bias = points(outcome.bias_to_overturn, _unit(outcome))
    cells = (
        outcome.verdict + ("*" if outcome.is_supported is False else ""),
        plain(outcome.claim.id),
        statement(outcome.claim, names),
        decided_on,
        as_published(outcome),
        there,
        p_text(outcome.p_value, name=False),
        p_text(outcome.p_adjusted, name=False),
        bias,
    )
    beside = (p_text(outcome.p_over_file, name=False), outcome.verdict_over_file) if over_file else ()
    return (*cells, *beside)


def _rung_row(rung: Rung, outcome: Outcome, unit: str) -> tuple[str, ...]:
    label = rung_name(rung)
    if rung.name == "published":
        label = "as usually read" if outcome.claim.published is not None else "as published (as usually read)"
    if rung is outcome.decided_by or (
        outcome.decided_by is not None and rung.name == outcome.decided_by.name
    ):
        label = f"▸ {label}"
    found = rung.evaluation
    if found is None or found.estimate is None:
        kind = "does not apply" if not rung.applies else "not identifiable"
        return (label, *(NOTHING,) * 7, f"{kind}: {plain(rung.why_not or 'no reason given')}")
    moved, moved_bounds = NOTHING, NOTHING
    if rung.change is not None:
        change_unit = unit if unit == "coefficient" else "difference"
        moved = bare_number(rung.change.estimate, change_unit)
        moved_bounds = bounds_text(rung.change.interval.low, rung.change.interval.high, change_unit)
    return (
        label,
        bare_number(found.estimate, unit),
        bounds_text(found.interval.low, found.interval.high, unit),
        moved,
        moved_bounds,
        f"{found.n_comparisons:,}",
        f"{found.n_tasks:,}",
        NOTHING if rung.n_lost is None else f"{max(0, rung.n_lost):,}",
        _how(found),
    )


def _how(found: Evaluation) -> str:
    if found.interval.low is None:
        return f"no interval: {plain(found.reason or 'no reason given')}"
    words = method_text(found.interval.method)
    if found.choices.cluster == "comparison" and found.interval.method == "jackknife":
        words += " over comparisons"
    return words


def _with_bounds(found: Evaluation) -> str:
    return estimate_with_bounds(found.estimate, found.interval.low, found.interval.high, found.unit)


def _unit(outcome: Outcome) -> str:
    naive = outcome.rungs[0].evaluation
    return "proportion" if naive is None else naive.unit


def _note(outcomes: Sequence[Outcome]) -> str:
    used = [verdict for verdict in MEANINGS if any(outcome.verdict == verdict for outcome in outcomes)]
    told = [f"{verdict}: {MEANINGS[verdict]}." for verdict in used]
    if any(outcome.is_supported is False for outcome in outcomes):
        told.append("*: not shown by the printed interval (where none was printed: by the usual reading).")
    if any(outcome.claim.is_equivalence and outcome.claim.margin is None for outcome in outcomes):
        told.append("Margins that a claim does not state are the usual ones.")
    if any(outcome.claim.kind == "ranking" for outcome in outcomes):
        told.append("A ranking's numbers are those of its closest neighbours.")
    told.append(
        "Holm: p-value corrected within the claim's family. Overturned by: the unmodelled bias that would be "
        "enough to end a claim's survival."
    )
    return " ".join(told)
