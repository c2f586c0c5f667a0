"""Two versions of a judge side by side, as text for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from recuse.analysis.calibration.gates import GateResult
from recuse.analysis.calibration.versions import Comparison
from recuse.figures.card_tables import gates_table
from recuse.figures.judge_card import About, JudgeCard
from recuse.figures.table import Table
from recuse.figures.wording import NOTHING, Row, interval_text, p_text, value_text

__all__ = ["Version", "version_card"]

_ERRORS: Final = {
    "false_approval_rate_change": "false approvals",
    "false_rejection_rate_change": "false rejections",
}


@dataclass(frozen=True, slots=True)
class Version:
    """One of the two versions."""

    judge: str
    labels: str
    judge_version: str | None
    rubric_version: str | None


def version_card(
    comparison: Comparison, old: Version, new: Version, about: About, gates: Sequence[GateResult] = ()
) -> JudgeCard:
    """Put the page together that says what changed from one version to the next.

    Parameters
    ----------
    comparison
        What was found.
    old, new
        The versions.
    about
        The labels and the log; its judge is the new version.
    gates
        What the gates answered for the new version.
    """
    tables = (_changes(comparison), _cases(comparison), gates_table(gates))
    return JudgeCard(
        title=f"From {_named(old)} to {_named(new)}",
        setup=(
            (
                "Judge version",
                f"{old.judge_version or 'not recorded'} → {new.judge_version or 'not recorded'}",
            ),
            (
                "Rubric version",
                f"{old.rubric_version or 'not recorded'} → {new.rubric_version or 'not recorded'}",
            ),
            ("Labels", f"{old.labels} and {new.labels}, split {about.split}, {about.cases}"),
            ("Held-out cases", " ".join(about.opened)),
        ),
        findings=tuple(_findings(comparison)),
        tables=tuple(table for table in tables if table.body),
        limits=(
            "The test asks only whether errors came or went on these cases.",
            "Where few cases differ it cannot show a change, which is no evidence that there is none.",
        ),
        notes=(*about.notes, *_unmatched(comparison)),
    )


def _named(version: Version) -> str:
    return f"{version.judge} {version.judge_version}" if version.judge_version else version.judge


def _findings(comparison: Comparison) -> list[str]:
    said: list[str] = []
    for count in comparison.counts.filter(comparison.counts["group"].is_null()).to_dicts():
        row = _estimate(comparison, count)
        if row["estimate"] is None:
            said.append(f"{_ERRORS[count['estimand']].capitalize()}: undefined ({row['reason']}).")
            continue
        tested = f", {p_text(row['p_value'])}" if row["p_value"] is not None else ""
        said.append(
            f"{_ERRORS[count['estimand']].capitalize()}: {count['old_wrong']:,} of {count['n']:,} before, "
            f"{count['new_wrong']:,} of {count['n']:,} now; {count['went']:,} went and {count['came']:,} came"
            f"{tested}."
        )
    return said


def _changes(comparison: Comparison) -> Table:
    body: list[tuple[str, ...]] = []
    reasons: dict[str, None] = {}
    for count in comparison.counts.to_dicts():
        row = _estimate(comparison, count)
        group = (count["group"] or "all cases").removeprefix("case_type=")
        n = f"{count['n']:,}"
        cells = (NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING)
        if row["estimate"] is None:
            reasons[row["reason"]] = None
        else:
            cells = (
                f"{count['old_wrong']:,}",
                f"{count['new_wrong']:,}",
                f"{count['went']:,}",
                f"{count['came']:,}",
                f"{value_text(row)} {interval_text(row)}",
                p_text(row["p_value"], name=False),
            )
        body.append((_ERRORS[count["estimand"]], group, n, *cells, p_text(row["p_adjusted"], name=False)))
    levels = [row["conf_level"] for row in comparison.estimates.to_dicts() if row["conf_level"] is not None]
    intervals = f"Intervals ({100 * levels[0]:g} %): Agresti and Min. " if levels else ""
    undefined = " ".join(f"{NOTHING}: {reason}." for reason in reasons)
    return Table(
        "changes",
        "Which errors came, and which went?",
        ("Error", "Case type", "Cases", "Old", "New", "Went", "Came", "Change, pp [interval]", "p", "Holm"),
        tuple(body),
        2,
        "p: exact McNemar test over the cases on which the versions differ; Holm: over the case types of one "
        f"error. {intervals}{undefined}".strip(),
    )


def _cases(comparison: Comparison) -> Table:
    words = {True: "approves", False: "rejects", None: "abstains"}
    human = {True: "approve", False: "reject", None: "no reference"}
    body = [
        (
            row["case_id"],
            row["case_type"],
            human[row["reference"]],
            words[row["old"]],
            words[row["new"]],
            row["change"],
        )
        for row in comparison.changed.to_dicts()
    ]
    return Table(
        "changed_cases",
        "On which cases do the versions differ?",
        ("Case", "Case type", "Humans", "Old", "New", "Change"),
        tuple(body),
        6,
        "",
    )


def _estimate(comparison: Comparison, count: Row) -> Row:
    rows = comparison.estimates.lazy().collect().to_dicts()
    return next(
        row for row in rows if row["estimand"] == count["estimand"] and row["group"] == count["group"]
    )


def _unmatched(comparison: Comparison) -> list[str]:
    return [
        f"{len(cases):,} cases only in {which} ({', '.join(cases[:3])}{' …' if len(cases) > 3 else ''}): "
        "compared with nothing"
        for which, cases in (("OLD", comparison.only_old), ("NEW", comparison.only_new))
        if cases
    ]
