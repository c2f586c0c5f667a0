"""The tables of a judge's card: errors by type, agreement, pass rates, checks, probes, gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from recuse.analysis.calibration.gates import GateResult
from recuse.figures.table import Table
from recuse.figures.wording import NOTHING, Row, bare_number, interval_text, p_text
from recuse.schema import EstimateFrame

__all__ = ["WORST", "Rows", "card_tables", "gates_table", "level", "worst_type", "x_of_n"]

WORST: Final = " (worst)"
"""Ends the name of the case type in which a judge most often approves what humans reject."""
_PERCENT: Final = "% [interval]"
_RANGE: Final = "If abstentions count, %"
_GATE_MARKS: Final[Mapping[str, str]] = {"passes": "pass", "fails": "FAIL", "cannot be shown": "NOT SHOWN"}


class Rows:
    """The estimates of one judge, to be picked by their keys."""

    def __init__(self, estimates: EstimateFrame) -> None:
        self.rows: Sequence[Row] = estimates.lazy().collect().to_dicts()

    def all(self, estimand: str, **keys: str | None) -> list[Row]:
        """Give every row with these keys, in the order of the frame; a key that is not given may be any."""
        wanted: dict[str, str | None] = {"probe": "main", **keys}
        return [
            row
            for row in self.rows
            if row["estimand"] == estimand and all(row[key] == value for key, value in wanted.items())
        ]

    def one(self, estimand: str, **keys: str | None) -> Row | None:
        """Give the first row with these keys, or null."""
        found = self.all(estimand, **keys)
        return found[0] if found else None


def card_tables(rows: Rows, judge: str, types: Sequence[str], gates: Sequence[GateResult]) -> list[Table]:
    """Lay out what was estimated of one judge; a table without rows is left out.

    Parameters
    ----------
    rows
        The estimates.
    judge
        The judge.
    types
        The case types, the worst first.
    gates
        What the gates answered for this judge.
    """
    tables = [
        _errors(rows, judge, types),
        gates_table(gates),
        _agreement(rows, judge),
        _pass_rates(rows, judge),
        _checks(rows, judge),
        _probes(rows, judge),
        _verbosity(rows, judge),
    ]
    return [table for table in tables if table.body]


def worst_type(rows: Rows, judge: str, types: Sequence[str]) -> str | None:
    """Name the first of several types, if the judge approves there anything that humans reject."""
    if len(types) < 2:
        return None
    row = rows.one("false_approval_rate", judge=judge, group=f"case_type={types[0]}", scoring="decided")
    return types[0] if row is not None and row["estimate"] else None


def _errors(rows: Rows, judge: str, types: Sequence[str]) -> Table:
    worst = worst_type(rows, judge, types)
    shown = types[: len(types) if len(types) > 1 else 0]
    body: list[tuple[str, ...]] = []
    used: list[Row] = []
    for name, group in [*((name, f"case_type={name}") for name in shown), ("all cases", None)]:
        cells: list[str] = []
        for estimand in ("false_approval_rate", "false_rejection_rate"):
            picked = {
                scoring: rows.one(estimand, judge=judge, group=group, scoring=scoring)
                for scoring in ("decided", "abstained_as_correct", "abstained_as_error")
            }
            decided = picked["decided"]
            used += [decided] if decided is not None else []
            cells += [x_of_n(decided), _rate(decided), _bounds(picked)]
        abstained = rows.one("abstention_rate", judge=judge, group=group)
        body.append((name + (WORST if name == worst else ""), *cells, x_of_n(abstained)))
    header = (
        "Case type",
        *("False approvals", _PERCENT, _RANGE, "False rejections", _PERCENT, _RANGE),
        "Abstained",
    )
    note = (
        "False approvals: of the cases that humans reject and the judge decided, those that it approves; "
        "false rejections likewise. Worst type first."
    )
    if any(cell != NOTHING for row in body for cell in (row[3], row[6])):
        note += f" {_RANGE}: the rate with every abstention right, and with every one wrong."
    return Table(
        "errors",
        "How often does the judge err, and in which cases?",
        *_without_empty_columns(header, body),
        1,
        f"{note} {_footnote(used)}".strip(),
    )


def _agreement(rows: Rows, judge: str) -> Table:
    body: list[tuple[str, ...]] = []
    used: list[Row] = []
    between = rows.all("human_kappa", baseline="between_humans", group=None)
    mine = rows.all("human_kappa", judge=judge, baseline="human_reference", group=None)
    for row in [*between, *mine]:
        keys = {key: row[key] for key in ("judge", "judge_2", "baseline", "scoring")}
        raw = rows.one("raw_agreement", group=None, **keys)
        other = row["judge_2"] or "human reference"
        pair = f"{row['judge']} and {other}" if row["judge"] else "between humans"
        body.append((pair, row["scoring"], x_of_n(raw), _rate(raw), _rate(row)))
        used.append(row)
    return Table(
        "agreement",
        "How far do humans agree, and how far does the judge agree with them?",
        ("Raters", "Labels", "Equal", _PERCENT, "κ [interval]"),
        tuple(body),
        2,
        "Humans first: a judge cannot be asked for more than they reach. " + _footnote(used),
    )


def _pass_rates(rows: Rows, judge: str) -> Table:
    body: list[tuple[str, ...]] = []
    human = rows.one("pass_rate", judge=None, group=None)
    mine = rows.one("pass_rate", judge=judge, group=None)
    for name, row in (("humans, labelled cases", human), ("judge, every case it decided", mine)):
        if row is not None:
            body.append((name, x_of_n(row), _rate(row)))
    used = [row for row in (human, mine) if row is not None]
    said: list[str] = []
    names = {"rogan_gladen": "corrected, Rogan–Gladen", "ppi_plus_plus": "corrected, PPI++"}
    for row in rows.all("corrected_pass_rate", judge=judge, group=None):
        body.append((names[row["interval"]], NOTHING, _rate(row)))
        if row["estimate"] is None:
            used.append(row)
        else:
            said.append(f"{names[row['interval']].removeprefix('corrected, ')}: {row['reason']}.")
    if (
        len({row["reason"] for row in rows.all("corrected_pass_rate", judge=judge, group=None)}) == 1
        and not said
    ):
        body = body[:2]
    note = (
        "Corrected: the share that would pass under the human reference, of the cases without a human label."
    )
    return Table(
        "pass_rate",
        "What share passes?",
        ("By", "Approved", _PERCENT),
        tuple(body),
        1,
        " ".join([*([note] if len(body) > 2 else []), *said, _footnote(used)]),
    )


def _checks(rows: Rows, judge: str) -> Table:
    body: list[tuple[str, ...]] = []
    used: list[Row] = []
    for precision in rows.rows:
        if precision["estimand"] != "check_precision" or precision["judge"] != judge:
            continue
        group = precision["group"]
        recall = rows.one("check_recall", judge=judge, group=group)
        kappa = rows.one("check_kappa", judge=judge, group=group)
        cells = (x_of_n(precision), _rate(precision), x_of_n(recall), _rate(recall))
        body.append((group.removeprefix("check="), *cells, _rate(kappa)))
        used += [row for row in (precision, recall, kappa) if row is not None]
    return Table(
        "checks",
        "Does the judge reject for the reasons that humans reject for?",
        ("Failed check", "Precision", _PERCENT, "Recall", _PERCENT, "κ [interval]"),
        tuple(body),
        1,
        "Precision: where the judge names the check, the humans do; recall: where the humans name it, the "
        "judge does. " + _footnote(used),
    )


def _probes(rows: Rows, judge: str) -> Table:
    named = (
        ("false_rejection_rate", "length", "variant=short_correct", "short and correct, rejected"),
        ("false_approval_rate", "length", "variant=long_wrong", "long and wrong, approved"),
        ("long_wins_score", "length", None, "long and wrong ahead of short and correct (½: not told apart)"),
        ("test_retest_agreement", "repetition", None, "same verdict when asked again"),
        ("position_consistency", "swap", None, "same verdict when the answers swap places"),
    )
    body: list[tuple[str, ...]] = []
    used: list[Row] = []
    for estimand, probe, group, words in named:
        row = rows.one(estimand, judge=judge, probe=probe, group=group)
        if row is not None:
            counted = f"{row['n_tasks']:,} cases" if estimand == "long_wins_score" else x_of_n(row)
            body.append((words, counted, _rate(row)))
            used.append(row)
    return Table(
        "probes",
        "What moves the judge that should not?",
        ("Probe", "Cases", _PERCENT),
        tuple(body),
        1,
        _footnote(used),
    )


def _verbosity(rows: Rows, judge: str) -> Table:
    plain, partial = "verbosity_correlation", "verbosity_partial_correlation"
    named = (
        (plain, None, None, "the human reference"),
        (partial, None, None, "the human reference, at equal case type"),
        (plain, judge, None, "the judge"),
        (partial, judge, None, "the judge, at equal case type"),
        (partial, judge, "human_reference", "the judge, at equal case type and human reference"),
    )
    body: list[tuple[str, ...]] = []
    used: list[Row] = []
    for estimand, who, baseline, words in named:
        row = next(iter(rows.all(estimand, judge=who, baseline=baseline)), None)
        if row is not None:
            p_value = p_text(row["p_value"], name=False)
            body.append(
                (words, row["group"].removeprefix("length="), f"{row['n_tasks']:,}", _rate(row), p_value)
            )
            used.append(row)
    return Table(
        "verbosity",
        "Are longer answers approved?",
        ("Approval by", "Length in", "Cases", "r [interval]", "p"),
        tuple(body),
        2,
        "r: correlation of approval with length; 0: they do not go together, above 0: longer answers are "
        "approved more often. Humans may rightly approve longer answers; the last row leaves that out. "
        + _footnote(used),
    )


def gates_table(results: Sequence[GateResult]) -> Table:
    """Lay out what the gates answered."""
    body = [
        (
            result.gate.text,
            "blocking" if result.gate.blocking else "review",
            _GATE_MARKS[result.outcome],
            result.says,
        )
        for result in results
    ]
    return Table(
        "gates",
        "Does the judge pass its gates?",
        ("Gate", "Kind", "Outcome", "Why"),
        tuple(body),
        4,
        "A gate asks the bound of an interval, not the estimate: few cases cannot show that a rate is small.",
    )


def _rate(row: Row | None) -> str:
    if row is None or row["estimate"] is None:
        return "undefined"
    return f"{bare_number(row['estimate'], row['unit'])} {interval_text(row)}".removesuffix(f" {NOTHING}")


def _without_empty_columns(
    header: Sequence[str], body: Sequence[tuple[str, ...]]
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Leave out the columns in which no row has anything to say."""
    kept = [place for place in range(len(header)) if any(row[place] != NOTHING for row in body)]
    return tuple(header[place] for place in kept), tuple(tuple(row[place] for place in kept) for row in body)


def x_of_n(row: Row | None) -> str:
    """Say how many of how many cases stand behind a rate."""
    if row is None:
        return NOTHING
    n = row["n_tasks"] or 0
    if row["estimate"] is None:
        return f"{NOTHING} of {n:,}"
    return f"{round(row['estimate'] * n):,} of {n:,}"


def _bounds(picked: Mapping[str, Row | None]) -> str:
    low, high = picked["abstained_as_correct"], picked["abstained_as_error"]
    if low is None or high is None:
        return NOTHING
    return f"{bare_number(low['estimate'], 'proportion')}–{bare_number(high['estimate'], 'proportion')}"


def level(row: Row) -> str:
    """Print a row's confidence level."""
    return f"{100 * row['conf_level']:g} %"


def _footnote(used: Sequence[Row]) -> str:
    """Name the intervals of a table and why its undefined cells are undefined."""
    names = {
        "clopper_pearson": "exact (Clopper–Pearson)",
        "clopper_pearson_tasks": "exact (Clopper–Pearson)",
        "fisher_z": "Fisher's, cases independent",
        "jackknife": "jackknife over cases",
        "cr3_logit": "jackknife over cases on the logit scale",
    }
    with_interval = [row for row in used if row["conf_level"] is not None]
    methods = sorted({names.get(row["interval"], str(row["interval"])) for row in with_interval})
    parts: list[str] = []
    if methods:
        parts.append(f"Intervals ({level(with_interval[0])}): {'; '.join(methods)}.")
    reasons = dict.fromkeys(row["reason"] for row in used if row["estimate"] is None and row["reason"])
    without = dict.fromkeys(
        row["reason"]
        for row in used
        if row["estimate"] is not None and row["conf_low"] is None and row["reason"]
    )
    parts += [f"Undefined: {reason}." for reason in reasons]
    parts += [f"No interval: {reason}." for reason in without]
    return " ".join(parts)
