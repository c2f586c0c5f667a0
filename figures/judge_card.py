"""What a judge's card says: sentences, tables, gates and limits, as text for every rendering."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from recuse.analysis.calibration.gates import GateResult
from recuse.analysis.calibration.report import types_worst_first
from recuse.figures.card_tables import Rows, card_tables, level, worst_type, x_of_n
from recuse.figures.table import Table
from recuse.figures.wording import Row, bare_number, interval_text, number
from recuse.schema import EstimateFrame

__all__ = ["About", "JudgeCard", "judge_card"]

_LIMITS: Final = (
    "A verdict that could be read is not thereby a right verdict: only the human labels say how often it is.",
    "The reference is what these humans settled on; no judge can be shown to do better than they agree.",
    "Cases count as independent, and rates over all cases weigh the types as these labels do.",
    "The rates speak of cases like these, judged by this version under this rubric.",
    "Rates are over decided cases; abstentions stand beside them.",
)
_DEV_LIMIT: Final = (
    "Split dev is what the rubric was written on, so that errors on new cases are to be expected above these."
)


@dataclass(frozen=True, slots=True)
class About:
    """What a card is about; everything that is no estimate."""

    study: str
    judge: str
    split: str
    judge_version: str | None
    rubric_version: str | None
    cases: str
    """How many cases, in words."""
    notes: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    """What the log says of the held-out split, one sentence each."""


@dataclass(frozen=True, slots=True)
class JudgeCard:
    """One page about one version of a judge."""

    title: str
    setup: tuple[tuple[str, str], ...]
    findings: tuple[str, ...]
    tables: tuple[Table, ...]
    limits: tuple[str, ...]
    notes: tuple[str, ...]


def judge_card(estimates: EstimateFrame, about: About, gates: Sequence[GateResult] = ()) -> JudgeCard:
    """Put a judge's card together.

    Parameters
    ----------
    estimates
        Estimates of :func:`recuse.analysis.calibration.report.calibration_estimates`.
    about
        The judge, the labels, the log.
    gates
        What the gates answered for this judge.
    """
    rows = Rows(estimates)
    types = types_worst_first(estimates, about.judge)
    limits = [*_LIMITS, _DEV_LIMIT] if about.split == "dev" else list(_LIMITS)
    return JudgeCard(
        title=f"Judge card: {about.judge}",
        setup=tuple(_setup(about)),
        findings=tuple(_findings(rows, about.judge, types)),
        tables=tuple(card_tables(rows, about.judge, types, gates)),
        limits=tuple(limits),
        notes=about.notes,
    )


def _setup(about: About) -> Iterator[tuple[str, str]]:
    yield "Judge version", about.judge_version or "not recorded"
    yield "Rubric version", about.rubric_version or "not recorded"
    yield "Labels", f"{about.study}, split {about.split}, {about.cases}"
    yield "Held-out cases", " ".join(about.opened)


def _findings(rows: Rows, judge: str, types: Sequence[str]) -> Iterator[str]:
    overall = rows.one("raw_agreement", judge=judge, group=None, scoring="approved")
    agrees = "no case can be compared with the humans"
    if overall is not None and overall["estimate"] is not None:
        share = number(overall["estimate"], "proportion")
        agrees = f"it agrees with the humans on {x_of_n(overall)} cases ({share})"
    worst = worst_type(rows, judge, types)
    pooled = rows.one("false_approval_rate", judge=judge, group=None, scoring="decided")
    if worst is not None:
        row = rows.all("false_approval_rate", judge=judge, group=f"case_type={worst}", scoring="decided")[0]
        yield (
            f"Worst in {worst}: it approves {x_of_n(row)} cases that humans reject "
            f"({number(row['estimate'], 'proportion')}, {level(row)} interval {_spoken_interval(row)}), "
            f"while over all cases {agrees}."
        )
    elif pooled is not None and pooled["estimate"] is not None:
        yield (
            f"It approves {x_of_n(pooled)} cases that humans reject ({level(pooled)} interval "
            f"{_spoken_interval(pooled)}), and over all cases {agrees}."
        )
    else:
        reason = pooled["reason"] if pooled is not None else "nothing was estimated"
        yield f"How often it approves what humans reject is undefined ({reason}); over all cases {agrees}."
    between = [
        row
        for row in rows.all("human_kappa", baseline="between_humans", group=None, scoring="approved")
        if row["estimate"] is not None
    ]
    kappa = rows.one("human_kappa", judge=judge, group=None, scoring="approved")
    if between and kappa is not None and kappa["estimate"] is not None:
        values = [row["estimate"] for row in between]
        low, high = f"{min(values):.2f}", f"{max(values):.2f}"
        humans = low if low == high else f"{low} to {high}"
        yield (
            f"The humans agree among themselves at κ = {humans}; the judge agrees with their reference at "
            f"κ = {bare_number(kappa['estimate'], 'coefficient')} {interval_text(kappa)}."
        )


def _spoken_interval(row: Row) -> str:
    return f"{bare_number(row['conf_low'], 'proportion')} to {number(row['conf_high'], 'proportion')}"
