"""The tables of a report, as text cells: one layout for the terminal, LaTeX and HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from recuse.figures.crowd import crowd_of
from recuse.figures.gap_table import gap_table
from recuse.figures.joint_table import joint_table
from recuse.figures.length_tables import length_probe_table, longer_wins_table, repetition_probe_table
from recuse.figures.lookup import Lookup
from recuse.figures.stability_tables import robustness_table, stability_table, variance_table
from recuse.figures.table import Draft, Table
from recuse.figures.wording import NOTHING, Row, interval_text, p_text, value_text
from recuse.schema import EstimateFrame

__all__ = ["BASELINES", "TABLES", "tables"]

BASELINES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "all_peers": "all peers",
        "uninvolved": "uninvolved",
        "uninvolved_family": "uninvolved families",
        "human": "human",
    }
)
_COLUMNS: Final = 12
"""Judges that have a column of their own in the table of win rates."""
_ANY: Final = "any"
"""Stands for the baselines where a judge has an estimate against none of them, for one reason."""


def tables(estimates: EstimateFrame) -> list[Table]:
    """Lay the estimates out in the tables of an article; a table without rows is left out."""
    crowd = crowd_of(estimates)
    lookup = Lookup(crowd.estimates)
    made = [make(lookup) for make in TABLES.values()]
    remarks = crowd.remarks()
    return [replace(table, note=" ".join([table.note, *remarks])) for table in made if table.body]


def _n(row: Row | None, unit: str = "comparisons") -> tuple[str, str]:
    return _count(row, f"n_{unit}"), _count(row, "n_tasks")


def _p(row: Row | None) -> str:
    return NOTHING if row is None else p_text(row["p_value"], name=False)


def _count(row: Row | None, column: str = "n_comparisons") -> str:
    return NOTHING if row is None or row[column] is None else f"{row[column]:,}"


def _win_rate(lookup: Lookup) -> Table:
    judges = lookup.values("judge", "win_rate")
    crowded = len(judges) > _COLUMNS
    judges = [] if crowded else judges
    draft = Draft(
        lookup,
        "win_rate",
        "Which answers win, and does that depend on who judges?",
        ("Generator",),
        "All judges, %",
        "Interval",
        *(f"{lookup.name(judge)}, %" for judge in judges),
        "Mean words",
        "Comparisons",
        "Tasks",
    )
    for study in lookup.studies:
        for generator in lookup.values("generator", "win_rate", study=study):
            overall = lookup.one("win_rate", study=study, generator=generator)
            by_judge = [
                lookup.one("win_rate", study=study, generator=generator, judge=judge) for judge in judges
            ]
            words = lookup.one("mean_words", study=study, generator=generator)
            cells = (
                value_text(overall),
                interval_text(overall),
                *map(value_text, by_judge),
                value_text(words),
            )
            draft.add(study, (lookup.name(generator),), (*cells, *_n(overall)), overall, *by_judge)
    left_out = f" By judge, of whom there are more than {_COLUMNS}: in the estimates." if crowded else ""
    return draft.table(f"Win rate: mean score over comparisons; ½ is a draw.{left_out}")


def _self_preference(lookup: Lookup) -> Table:
    draft = Draft(
        lookup,
        "self_preference",
        "Does a judge prefer its own answers more than other judges do?",
        ("Judge", "Baseline"),
        "Own, %",
        "Baseline, %",
        "Δ, pp",
        "Interval",
        "p",
        "p, sign-flip",
        "Detectable, pp",
        "Comparisons",
        "Tasks",
    )
    for study in lookup.studies:
        for judge in lookup.values("judge", "self_preference_delta", study=study):
            for baseline, label in _baselines(lookup, study, judge).items():
                keys = {"study": study, "judge": judge, "baseline": baseline}
                delta = lookup.one("self_preference_delta", **keys)
                own, other = lookup.one("own_rate", **keys), lookup.one("baseline_rate", **keys)
                flip = lookup.test("self_preference_delta", "sign_flip", **keys)
                cells = (
                    value_text(own),
                    value_text(other),
                    value_text(delta),
                    interval_text(delta),
                    _p(delta),
                )
                names = (lookup.name(judge), label)
                draft.add(study, names, (*cells, _p(flip), _detectable(delta), *_n(delta)), delta)
    return draft.table(
        "Δ: mean over comparisons of the judge's score for its own answer minus the mean of the "
        "baseline's judges; 0: like the baseline. p: dual of the interval. "
        "Detectable: smallest effect found with power .8."
    )


def _baselines(lookup: Lookup, study: str | None, judge: str) -> Mapping[str, str]:
    """Give the baselines that have a row of their own: one, where one reason leaves no estimate at all."""
    keys = {"study": study, "judge": judge}
    rows = {name: lookup.one("self_preference_delta", baseline=name, **keys) for name in BASELINES}
    there = {name: row for name, row in rows.items() if row is not None}
    told = {row["reason"] if row["estimate"] is None else name for name, row in there.items()}
    return {next(iter(there)): _ANY} if len(told) == 1 < len(there) else BASELINES


def _detectable(row: Row | None) -> str:
    return NOTHING if row is None or row["mde"] is None else f"{100 * row['mde']:.1f}"


def _detectable_value(row: Row | None) -> str:
    return NOTHING if row is None or row["mde"] is None else f"{row['mde']:.2f}"


def _involvement(lookup: Lookup) -> Table:
    draft = Draft(
        lookup,
        "involvement",
        "How many of a judge's own comparisons have a judge left once the involved are recused?",
        ("Judge", "Baseline"),
        "Left, %",
        "Of comparisons",
        "Tasks left",
        "Calls to identify",
        "Calls for all",
        "New tasks to halve",
        "Calls to halve",
        "Or more judges",
    )
    for study in lookup.studies:
        for judge in lookup.values("judge", "uninvolved_share", study=study):
            for baseline in ("uninvolved", "uninvolved_family"):
                keys = {"study": study, "judge": judge, "baseline": baseline}
                share = lookup.one("uninvolved_share", **keys)
                least, every = (
                    lookup.one("judgments_to_identify", group=group, **keys)
                    for group in ("smallest", "every comparison")
                )
                halved = [lookup.one(f"{name}_to_halve", **keys) for name in ("tasks", "judgments", "judges")]
                cells = (value_text(share), *_n(share), *map(value_text, (least, every, *halved)))
                draft.add(study, (lookup.name(judge), BASELINES[baseline]), cells, share)
    return draft.table(
        "Left: scored by a judge without a stake too; without one, self-preference is not identifiable. "
        "Calls: further judgments, both orders of a comparison counted. To identify: the fewest that leave "
        "two tasks, the least an interval needs; for all: an uninvolved judge on all of its own comparisons. "
        "To halve: beyond those, new tasks like the old ones and the calls they take, the half-width "
        "going with t(G − 1)/√G; or further baseline judges on the tasks there are, where that is enough."
    )


def _self_preference_by_tier(lookup: Lookup) -> Table:
    draft = Draft(
        lookup, "self_preference_by_tier", "Does self-preference grow where tasks are more subjective?",
        ("Judge", "Baseline", "Tier"), "Δ, pp", "Interval", "p", "Detectable, pp", "Comparisons", "Tasks",
    )  # fmt: skip
    for study in lookup.studies:
        for judge in lookup.values("judge", "self_preference_delta", study=study):
            for baseline, label in BASELINES.items():
                keys: dict[str, str | None] = {"study": study, "judge": judge, "baseline": baseline}
                if value_text(lookup.one("self_preference_delta", **keys)) == NOTHING:
                    continue
                for tier in lookup.values("tier", "self_preference_delta", study=study, judge=judge):
                    row = lookup.one("self_preference_delta", tier=tier, **keys)
                    cells = (value_text(row), interval_text(row), _p(row), _detectable(row), *_n(row))
                    draft.add(study, (lookup.name(judge), label, tier), cells, row)
    return draft.table(
        "Δ and detectable as in the table of self-preference, within one tier of tasks; baselines without "
        "any estimate there are left out here."
    )


_POSITION: Final = (
    "Slot A, %", "Interval", "Flips, %", "Unstable, %", "Ties, %", "Consistent, %", "Reversals to A, %",
    "Reversals", "p, task lean", "p, reversals", "p, pooled", "Decided", "Tasks",
)  # fmt: skip


def _position_cells(lookup: Lookup, **keys: str | None) -> tuple[tuple[str, ...], Row | None]:
    rate = lookup.one("slot_a_rate", **keys)
    shares = (
        value_text(lookup.one(name, **keys))
        for name in ("flip_rate", "unstable_rate", "tie_rate", "position_consistency", "reversal_a_share")
    )
    tests = (
        _p(lookup.test("slot_a_rate", name, **keys))
        for name in ("sign_flip_task_lean", "sign_test_reversals", "binomial_pooled")
    )
    reversals = _count(lookup.one("reversal_a_share", **keys))
    return (
        value_text(rate),
        interval_text(rate),
        *shares,
        reversals,
        *tests,
        *_n(rate, "presentations"),
    ), rate


_POSITION_REMARK: Final = (
    "Slot A: share of decided presentations that name the first answer shown; 50 % is no preference. Flips, "
    "unstable, ties and consistent: shares as defined for both orders. Tests, in order: sign-flip over task "
    "sums of lean; exact sign test on hard reversals; pooled exact binomial, which is conservative while "
    "fewer than half of the decided pairs reverse and anti-conservative above."
)


def _position(lookup: Lookup) -> Table:
    draft = Draft(
        lookup, "position", "Does the slot an answer is shown in decide?", ("Judge", "Probe"), *_POSITION
    )
    for study in lookup.studies:
        for judge in lookup.values("judge", "slot_a_rate", study=study):
            probes = lookup.values("probe", "slot_a_rate", study=study, judge=judge)
            for probe in sorted(probes, key=lambda name: (name != "main", name)):
                cells, rate = _position_cells(lookup, study=study, judge=judge, probe=probe)
                draft.add(study, (lookup.name(judge), probe), cells, rate)
    return draft.table(_POSITION_REMARK)


def _position_by_tier(lookup: Lookup) -> Table:
    caption = "Does the slot matter more where tasks are more subjective?"
    draft = Draft(lookup, "position_by_tier", caption, ("Judge", "Tier"), *_POSITION)
    for study in lookup.studies:
        for judge in lookup.values("judge", "slot_a_rate", study=study):
            for tier in lookup.values("tier", "slot_a_rate", study=study, judge=judge):
                cells, rate = _position_cells(lookup, study=study, judge=judge, tier=tier)
                draft.add(study, (lookup.name(judge), tier), cells, rate)
    return draft.table(_POSITION_REMARK)


def _agreement(lookup: Lookup) -> Table:
    draft = Draft(
        lookup, "agreement", "Do judges agree beyond chance?", ("Judge", "Judge 2", "Tier"),
        "κ", "Interval", "Detectable", "Agree, %", "Expected, %", "AC1", "Comparisons", "Tasks",
    )  # fmt: skip
    for study in lookup.studies:
        tiers = [None, *lookup.values("tier", "cohen_kappa", "krippendorff_alpha", study=study)]
        for judge in lookup.values("judge", "cohen_kappa", study=study):
            for other in lookup.values("judge_2", "cohen_kappa", study=study, judge=judge):
                for tier in tiers:
                    keys = {"study": study, "judge": judge, "judge_2": other, "tier": tier}
                    kappa, raw, expected, ac1 = (
                        lookup.one(name, **keys)
                        for name in ("cohen_kappa", "raw_agreement", "expected_agreement", "gwet_ac1")
                    )
                    shown = (value_text(kappa), interval_text(kappa), _detectable_value(kappa))
                    cells = (*shown, *map(value_text, (raw, expected, ac1)))
                    names = (lookup.name(judge), lookup.name(other), tier or "all")
                    draft.add(study, names, (*cells, *_n(kappa)), kappa)
        for tier in tiers:
            alpha = lookup.one("krippendorff_alpha", study=study, tier=tier)
            shown = (value_text(alpha), interval_text(alpha), _detectable_value(alpha))
            cells = (*shown, NOTHING, NOTHING, NOTHING, *_n(alpha))
            draft.add(study, ("all (Krippendorff's α)", NOTHING, tier or "all"), cells, alpha)
    return draft.table(
        "κ: Cohen's, over {first, second, neither}; 0 is chance, 1 is full agreement. Detectable: smallest "
        "distance from chance found with power .8."
    )


TABLES: Final[Mapping[str, Callable[[Lookup], Table]]] = MappingProxyType(
    {
        "self_preference": _self_preference,
        "self_preference_by_tier": _self_preference_by_tier,
        "involvement": _involvement,
        "win_rate": _win_rate,
        "position": _position,
        "position_by_tier": _position_by_tier,
        "position_gap": gap_table,
        "agreement": _agreement,
        "longer_wins": longer_wins_table,
        "length_probe": length_probe_table,
        "joint_model": joint_table,
        "repetition_probe": repetition_probe_table,
        "stability": stability_table,
        "variance_share": variance_table,
        "robustness": robustness_table,
    }
)
