"""The tables of the paper: fewer columns than the report's, so that a page holds them without shrinking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from recuse.figures.lookup import Lookup
from recuse.figures.table import Draft, Table
from recuse.figures.wording import NOTHING, Row, interval_text, p_text, value_text
from recuse.schema import EstimateFrame

__all__ = ["PAPER_TABLES", "paper_tables"]

_MOST_ROWS: Final = 36
_BASELINES: Final = ("all_peers", "uninvolved")
_BASELINE_NAMES: Final = {"all_peers": "all peers", "uninvolved": "uninvolved"}


def paper_tables(estimates: EstimateFrame) -> list[Table]:
    """Lay out the tables of the paper; a table without rows is left out."""
    lookup = Lookup(estimates)
    made = [_fitting(make(lookup)) for make in PAPER_TABLES.values()]
    return [table for table in made if table.body]


def _fitting(table: Table) -> Table:
    """Leave out rows without any estimate and those that a page does not hold; the note counts both."""
    told = [row for row in table.body if set(row[table.n_names :]) != {NOTHING}]
    empty, more = len(table.body) - len(told), len(told) - _MOST_ROWS
    note = table.note
    if empty:
        note += f" Rows left out because nothing in them can be estimated: {empty:,}."
    if more > 0:
        note += f" Further rows in the report: {more:,}."
    return replace(table, body=tuple(told[:_MOST_ROWS]), note=note)


def _with_interval(row: Row | None) -> str:
    if row is None or row["estimate"] is None:
        return NOTHING
    return value_text(row) if row["conf_low"] is None else f"{value_text(row)} {interval_text(row)}"


def _p(row: Row | None) -> str:
    return NOTHING if row is None else p_text(row["p_value"], name=False)


def _count(row: Row | None, column: str) -> str:
    return NOTHING if row is None or row[column] is None else f"{row[column]:,}"


def _share_of(row: Row | None) -> str:
    if row is None or row["estimate"] is None:
        return NOTHING
    return f"{value_text(row)} % of {_count(row, 'n_comparisons')}"


def _win_rate(lookup: Lookup) -> Table:
    judges = lookup.values("judge", "win_rate")
    draft = Draft(
        lookup, "paper_win_rate", "Win rate of each generator, over all judges and by judge, in %.",
        ("Generator",), "All judges", *(f"by {lookup.name(judge)}" for judge in judges), "Words",
    )  # fmt: skip
    for study in lookup.studies:
        for generator in lookup.values("generator", "win_rate", study=study):
            overall = lookup.one("win_rate", study=study, generator=generator)
            by_judge = [
                lookup.one("win_rate", study=study, generator=generator, judge=judge) for judge in judges
            ]
            words = lookup.one("mean_words", study=study, generator=generator)
            cells = (_with_interval(overall), *map(value_text, by_judge), value_text(words))
            draft.add(study, (lookup.name(generator),), cells, overall)
    return draft.table("Words: mean length of an answer.")


def _self_preference(lookup: Lookup) -> Table:
    draft = Draft(
        lookup, "paper_self_preference",
        "Self-preference of each judge, by baseline, and at equal length of both answers.",
        ("Judge", "Baseline"), "Own, %", "Baseline, %", "Δ, pp", "p", "Δ at equal length, pp",
    )  # fmt: skip
    for study in lookup.studies:
        for judge in lookup.values("judge", "self_preference_delta", study=study):
            for baseline in _BASELINES:
                keys = {"study": study, "judge": judge, "baseline": baseline}
                delta = lookup.one("self_preference_delta", **keys)
                equal = lookup.one("self_preference_delta_length_adjusted", **keys)
                cells = (
                    value_text(lookup.one("own_rate", **keys)),
                    value_text(lookup.one("baseline_rate", **keys)),
                    _with_interval(delta),
                    _p(delta),
                    _with_interval(equal),
                )
                draft.add(study, (lookup.name(judge), _BASELINE_NAMES[baseline]), cells, delta, equal)
    return draft.table(
        "Δ: the judge's mean score for its own answers minus that of the baseline's judges. p: dual of the "
        "interval."
    )


def _by_tier(lookup: Lookup) -> Table:
    tiers = lookup.values("tier", "self_preference_delta")
    draft = Draft(
        lookup, "paper_by_tier", "Self-preference against uninvolved judges by tier of tasks, in pp.",
        ("Judge",), *(tier.capitalize() for tier in tiers), "Gradient",
    )  # fmt: skip
    for study in lookup.studies:
        for judge in lookup.values("judge", "self_preference_delta", study=study):
            keys = {"study": study, "judge": judge, "baseline": "uninvolved"}
            by_tier = [lookup.one("self_preference_delta", tier=tier, **keys) for tier in tiers]
            groups: list[str | None] = [
                *lookup.values("group", "self_preference_tier_gradient", **keys),
                None,
            ]
            gradient = lookup.one("self_preference_tier_gradient", group=groups[0], **keys)
            cells = (*map(_with_interval, by_tier), _with_interval(gradient))
            draft.add(study, (lookup.name(judge),), cells, *by_tier, gradient)
    return draft.table("Gradient: the most subjective tier minus the most objective.")


def _position(lookup: Lookup) -> Table:
    draft = Draft(
        lookup, "paper_position", "How far each judge's verdicts follow the slot an answer is shown in.",
        ("Judge",), "Slot A, %", "Flips, %", "Consistent, %", "Reversals to A", "p, task lean",
        "p, reversals", "p, pooled",
    )  # fmt: skip
    for study in lookup.studies:
        for judge in lookup.values("judge", "slot_a_rate", study=study):
            keys = {"study": study, "judge": judge}
            rate, share = lookup.one("slot_a_rate", **keys), lookup.one("reversal_a_share", **keys)
            tests = (
                _p(lookup.test("slot_a_rate", name, **keys))
                for name in ("sign_flip_task_lean", "sign_test_reversals", "binomial_pooled")
            )
            cells = (
                _with_interval(rate),
                value_text(lookup.one("flip_rate", **keys)),
                value_text(lookup.one("position_consistency", **keys)),
                _share_of(share),
                *tests,
            )
            draft.add(study, (lookup.name(judge),), cells, rate)
    return draft.table(
        "Slot A: share of decided presentations. Tests, in order: sign-flip over task sums of lean, exact "
        "sign test on hard reversals, pooled exact binomial."
    )


def _agreement(lookup: Lookup) -> Table:
    tiers = lookup.values("tier", "cohen_kappa")
    draft = Draft(
        lookup, "paper_agreement", "Cohen's κ of each pair of judges, over all tasks and by tier.",
        ("Judges",), "All", *(tier.capitalize() for tier in tiers),
    )  # fmt: skip
    for study in lookup.studies:
        for judge in lookup.values("judge", "cohen_kappa", study=study):
            for other in lookup.values("judge_2", "cohen_kappa", study=study, judge=judge):
                rows = [
                    lookup.one("cohen_kappa", study=study, judge=judge, judge_2=other, tier=tier)
                    for tier in (None, *tiers)
                ]
                names = (f"{lookup.name(judge)}, {lookup.name(other)}",)
                draft.add(study, names, map(_with_interval, rows), *rows)
    return draft.table("Labels: first, second, neither. 0 is agreement by chance, 1 full agreement.")


def _length(lookup: Lookup) -> Table:
    rewards = [group for group in lookup.values("group", "long_wins_score") if group.startswith("rewards=")]
    draft = Draft(
        lookup, "paper_length", "Does the longer answer win? Uncontrolled, and in the length probe.",
        ("Judge",), "Longer wins, %", "of it length, pp",
        *(f"Probe: {group.removeprefix('rewards=')}, %" for group in rewards),
    )  # fmt: skip
    for study in lookup.studies:
        judges = lookup.values("judge", "longer_wins_rate", "long_wins_score", study=study)
        for judge in judges:
            keys = {"study": study, "judge": judge}
            raw = lookup.one("longer_wins_rate", **keys)
            share = lookup.one("length_length_share", **keys)
            probe = [lookup.one("long_wins_score", probe="length", group=group, **keys) for group in rewards]
            cells = (_with_interval(raw), _with_interval(share), *map(_with_interval, probe))
            draft.add(study, (lookup.name(judge),), cells, raw, share, *probe)
    return draft.table(
        "Longer wins: share of decided presentations of unequal length; of it length: the part that the "
        "model puts down to length. Probe: score of the longer of two versions by what the task rewards."
    )


PAPER_TABLES: Final[Mapping[str, Callable[[Lookup], Table]]] = MappingProxyType(
    {
        "win_rate": _win_rate,
        "self_preference": _self_preference,
        "by_tier": _by_tier,
        "position": _position,
        "agreement": _agreement,
        "length": _length,
    }
)
