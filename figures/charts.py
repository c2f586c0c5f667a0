"""The figures of a report: each answers one question from the table of estimates, and from nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from recuse.figures.agreement_chart import kappa_heat_map
from recuse.figures.assembly import assemble, order_of, with_remarks
from recuse.figures.crowd import crowd_of
from recuse.figures.forest import Axis, Line, Section, forest
from recuse.figures.gap_chart import flip_rate_by_gap
from recuse.figures.involvement_chart import involvement_map
from recuse.figures.length_chart import longer_wins_three_ways
from recuse.figures.names import BASELINES, baseline_name, plain, tier_order
from recuse.figures.position_chart import slot_a_and_flip_rates
from recuse.figures.stability_chart import robustness_beside_second_askings, stability_and_variance
from recuse.figures.strengths_chart import strengths_in_the_joint_model

if TYPE_CHECKING:
    import altair as alt

from recuse.figures.quantities import quantities

__all__ = [
    "all_charts",
    "flip_rate_by_gap",
    "involvement_map",
    "kappa_heat_map",
    "length_probe",
    "longer_wins_three_ways",
    "self_preference_by_tier",
    "self_preference_forest",
    "slot_a_and_flip_rates",
    "win_rate_by_judge",
]

_LINES: Final = 120
"""Lines of a figure beyond which win rates are not drawn by judge."""
_PERCENT: Final = (0.0, 100.0)


def all_charts(estimates: pl.DataFrame) -> dict[str, alt.VConcatChart]:
    """Every figure for which the estimates hold rows, by its file name."""
    from altair.utils.schemapi import debug_mode

    crowd = crowd_of(estimates)
    # Altair checks a figure against its grammar each time a part of it is put together.
    with debug_mode(arg=False):
        drawn = _drawn(crowd.estimates)
    made = {name: chart for name, chart in drawn.items() if chart is not None}
    return {name: with_remarks(chart, crowd.remarks()) for name, chart in made.items()}


def _drawn(estimates: pl.DataFrame) -> dict[str, alt.VConcatChart | None]:
    return {
        "win_rate_by_judge": win_rate_by_judge(estimates),
        "self_preference": self_preference_forest(estimates),
        "self_preference_by_tier": self_preference_by_tier(estimates),
        "involvement": involvement_map(estimates),
        "position": slot_a_and_flip_rates(estimates),
        "position_gap": flip_rate_by_gap(estimates),
        "strengths": strengths_in_the_joint_model(estimates),
        "agreement": kappa_heat_map(estimates),
        "stability": stability_and_variance(estimates),
        "robustness": robustness_beside_second_askings(estimates),
        "length_probe": length_probe(estimates),
        "longer_wins": longer_wins_three_ways(estimates),
    }


def win_rate_by_judge(estimates: pl.DataFrame) -> alt.VConcatChart | None:
    """Win rate of each generator, over all judges and by judge, the generator's own judge marked.

    Where that is more lines than a page has, judges have none of their own but a generator's own judge.
    """
    rows = quantities(estimates, "win_rate", where=pl.col("tier").is_null())
    everything = rows.height <= _LINES
    axis = Axis("win rate in % (dashed: 50 %, neither better nor worse)", "%", 50.0, _PERCENT)

    def draw(part: pl.DataFrame, names: Mapping[str, str]) -> alt.LayerChart:
        if not everything:
            drawn = part.filter(pl.col("judge").is_null() | (pl.col("judge") == pl.col("generator")))
            ranked = drawn.sort("estimate", "judge", descending=[True, False], nulls_last=[True, False])
            whole = [_over_all(row, names) for row in ranked.to_dicts()]
            return forest([Section("Over all judges", whole)], axis)
        sections: list[Section] = []
        for generator in order_of(part["generator"], names):
            of = part.filter(pl.col("generator") == generator)
            lines = [Line("all judges", row, 2) for row in of.filter(pl.col("judge").is_null()).to_dicts()]
            for judge in order_of(of["judge"], names):
                label = names[judge] + (" (its own judge)" if judge == generator else "")
                told = of.filter(pl.col("judge") == judge).to_dicts()
                lines += [Line(label, row, int(judge == generator)) for row in told]
            sections.append(Section(f"Answers of {names[generator]}", lines))
        return forest(sections, axis)

    note = "Square: all judges; diamond: the generator judges its own answers; circle: another judge."
    if not everything:
        note = (
            "Square: all judges; diamond: the generator judges its own answers. By judge: in the estimates."
        )
    return assemble(rows, "How often does each generator win, and who says so?", draw, [note])


def _over_all(row: Mapping[str, Any], names: Mapping[str, str]) -> Line:
    if row["judge"] is None:
        return Line(names[row["generator"]], row, 2)
    return Line(f"{names[row['generator']]} (its own judge)", row, 1)


def self_preference_forest(estimates: pl.DataFrame) -> alt.VConcatChart | None:
    """Self-preference of each judge against every baseline, pooled over tiers."""
    rows = quantities(estimates, "self_preference_delta", where=pl.col("tier").is_null())

    def draw(part: pl.DataFrame, names: Mapping[str, str]) -> alt.LayerChart:
        sections: list[Section] = []
        for judge in order_of(part["judge"], names):
            of = part.filter(pl.col("judge") == judge)
            if of.height > 1 and of["estimate"].null_count() == of.height and of["reason"].n_unique() == 1:
                sections.append(Section(names[judge], [Line("against any baseline", of.to_dicts()[0])]))
                continue
            lines = [
                Line(f"against {baseline_name(baseline)}", row, _marker(baseline))
                for baseline in _baselines(of)
                for row in of.filter(pl.col("baseline") == baseline).to_dicts()
            ]
            sections.append(Section(names[judge], lines))
        return forest(sections, _difference())

    question = "Does a judge favour its own answers when involved judges are recused?"
    return assemble(rows, question, draw, [_UNINVOLVED])


def self_preference_by_tier(estimates: pl.DataFrame) -> alt.VConcatChart | None:
    """Self-preference of each judge by tier, for every baseline."""
    rows = quantities(estimates, "self_preference_delta", where=pl.col("tier").is_not_null())

    def draw(part: pl.DataFrame, names: Mapping[str, str]) -> alt.LayerChart:
        sections: list[Section] = []
        for judge in order_of(part["judge"], names):
            of = part.filter(pl.col("judge") == judge)
            for baseline in _baselines(of):
                against = of.filter(pl.col("baseline") == baseline)
                lines = [
                    Line(plain(tier), row, _marker(baseline))
                    for tier in tier_order(against["tier"].to_list())
                    for row in against.filter(pl.col("tier") == tier).to_dicts()
                ]
                sections.append(Section(f"{names[judge]} against {baseline_name(baseline)}", lines))
        return forest(sections, _difference())

    question = "Does a judge favour its own answers more where tasks are more subjective?"
    return assemble(rows, question, draw, [_UNINVOLVED])


def length_probe(estimates: pl.DataFrame) -> alt.VConcatChart | None:
    """Score of the longer of two versions of an answer, by judge and by what the task rewards."""
    where = pl.col("group").str.starts_with("rewards=") & pl.col("tier").is_null()
    rows = quantities(estimates, "long_wins_score", where=where)
    axis = Axis(
        "score of the longer version in % (dashed: 50 %, length does not matter)", "%", 50.0, _PERCENT
    )

    def draw(part: pl.DataFrame, names: Mapping[str, str]) -> alt.LayerChart:
        sections: list[Section] = []
        for group in sorted(set(part["group"].to_list())):
            of = part.filter(pl.col("group") == group)
            lines = [Line("all judges", row, 2) for row in of.filter(pl.col("judge").is_null()).to_dicts()]
            for judge in order_of(of["judge"], names):
                lines += [Line(names[judge], row) for row in of.filter(pl.col("judge") == judge).to_dicts()]
            sections.append(Section(f"Task rewards {plain(group.removeprefix('rewards='))}", lines))
        return forest(sections, axis)

    question = "Does the longer version win, even where the task asks for brevity?"
    note = "Length probe: both versions are by one generator for one task and differ in target length."
    return assemble(rows, question, draw, [note])


_UNINVOLVED: Final = (
    "Difference between the judge's score of its own answers and the baseline's score of them on the same "
    "comparisons; above 0 the judge is kinder to them. It shows association, not its cause."
)


def _difference() -> Axis:
    title = "own score − baseline score, in percentage points (dashed: 0, no difference)"
    return Axis(title, "pp", 0.0)


def _baselines(rows: pl.DataFrame) -> list[str]:
    known = list(BASELINES)
    present = set(rows["baseline"].drop_nulls().to_list())
    return sorted(present, key=lambda name: (known.index(name) if name in known else len(known), name))


def _marker(baseline: str) -> int:
    known = list(BASELINES)
    return known.index(baseline) if baseline in known else len(known)
