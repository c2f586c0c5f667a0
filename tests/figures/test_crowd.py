"""What a reader is shown of a study with more judges than can be looked at one by one."""

from typing import Any

import hand_made_estimates
import pytest

from recuse.figures.charts import all_charts, win_rate_by_judge
from recuse.figures.crowd import AT_MOST, crowd_of
from recuse.figures.diagnosis import diagnoses, diagnosis_lines
from recuse.figures.findings import findings
from recuse.figures.latex import typeset
from recuse.figures.table import Table
from recuse.figures.tables import tables
from recuse.schema import EstimateFrame

REASON = "one order was asked: slot and generator cannot be told apart"


def _crowd(n: int) -> EstimateFrame:
    """Voters who made 1, 2, … comparisons; the first of them also judges an answer of its own."""
    rows: list[dict[str, Any]] = [
        {"estimand": "win_rate", "generator": "g", "estimate": 0.5, "n_comparisons": 9}
    ]
    for place in range(n):
        judge = {"judge": f"voter-{place:03}", "n_comparisons": place + 1, "n_tasks": 1}
        rows += [
            judge | {"estimand": "win_rate", "generator": "g", "estimate": 0.5},
            judge | {"estimand": "slot_a_rate", "reason": REASON},
            *(
                judge
                | {"estimand": "cohen_kappa", "unit": "kappa", "judge_2": f"voter-{other:03}"}
                | {"estimate": 0.5, "conf_low": 0.1, "conf_high": 0.9, "interval": "jackknife"}
                for other in range(place + 1, n)
            ),
        ]
    own = {
        "judge": "voter-000",
        "baseline": "uninvolved",
        "unit": "difference",
        "estimate": 0.1,
        "n_comparisons": 1,
    }
    return hand_made_estimates.estimate_rows([*rows, own | {"estimand": "self_preference_delta"}])


def test_judges_with_own_answers_come_first_then_those_who_judged_most() -> None:
    crowd = crowd_of(_crowd(25))
    shown = set(crowd.estimates["judge"].drop_nulls().to_list())
    assert shown == {"voter-000", *(f"voter-{place:03}" for place in range(6, 25))}
    assert crowd.judges == {"s": 25}
    assert set(crowd.estimates["judge_2"].drop_nulls().to_list()) <= shown
    assert crowd.estimates["judge"].null_count() == 1


def test_a_study_of_as_many_judges_as_are_shown_is_left_as_it_is() -> None:
    few = _crowd(AT_MOST)
    assert crowd_of(few).estimates.equals(few)
    assert crowd_of(few).remarks() == []
    assert not any("are shown" in table.note for table in tables(few))


def test_tables_and_figures_of_a_crowd_say_that_they_leave_judges_out() -> None:
    crowd = _crowd(25)
    laid_out = {table.key: table for table in tables(crowd)}
    assert len(laid_out["position"].body) == AT_MOST
    assert len(laid_out["agreement"].body) == AT_MOST * (AT_MOST - 1) // 2
    assert all("Of 25 judges 20 are shown" in table.note for table in laid_out.values())
    assert laid_out["win_rate"].header == (
        "Generator",
        "All judges, %",
        "Interval",
        "Mean words",
        "Comparisons",
        "Tasks",
    )
    assert "By judge, of whom there are more than 12: in the estimates." in laid_out["win_rate"].note
    charts = {name: str(chart.to_dict(validate=False)) for name, chart in all_charts(crowd).items()}
    assert charts
    assert all("Of 25 judges 20 are shown" in text for text in charts.values())


def test_sentences_of_a_crowd_name_a_few_and_count_the_rest() -> None:
    crowd = _crowd(25)
    said = findings(crowd)
    (slot,) = (sentence for sentence in said if "slot" in sentence)
    assert slot.startswith(
        "The preference for a slot of 20 judges cannot be estimated (voter-000, voter-006, "
    )
    assert slot.endswith(f"and 14 more): {REASON}.")
    assert "Of 25 judges 20 are shown" in said[-1]
    (unknown,) = (line for line in diagnosis_lines(crowd) if line.startswith("Cannot be told"))
    assert unknown.count(REASON) == 1
    assert "voter-001" not in {name for one in diagnoses(crowd) for name in one.subject.split(" and ")}


def test_many_pairs_at_chance_are_told_in_one_line() -> None:
    pairs = [(f"j{a}", f"j{b}") for a in range(6) for b in range(a + 1, 6)]
    row = {"estimand": "cohen_kappa", "unit": "kappa", "estimate": 0.0, "conf_low": -0.1, "conf_high": 0.1}
    rows = [row | {"judge": one, "judge_2": other, "n_tasks": 40} for one, other in pairs]
    (line,) = diagnosis_lines(hand_made_estimates.estimate_rows(rows))
    assert line.startswith("15 pairs of judges: agreement at chance. j0 and j1; ")
    assert "; and 3 more; each κ is in the table of agreement." in line


@pytest.mark.parametrize(("n_rows", "n_parts"), [(45, 1), (46, 2), (100, 3)])
def test_a_long_table_goes_on_in_further_ones(n_rows: int, n_parts: int) -> None:
    body = tuple((f"row {place}", "1") for place in range(n_rows))
    text = typeset(Table("long", "Is it long?", ("Name", "Number"), body, 1, "A note."))
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == n_parts
    assert text.count("(continued)") == n_parts - 1
    assert text.count(r"\label{tab:long}") == text.count("A note.") == 1
    assert [line for line in text.splitlines() if line.startswith("row ")] == [
        rf"row {place} & 1 \\" for place in range(n_rows)
    ]


def test_one_reason_for_no_self_preference_is_one_row() -> None:
    reason = "no answer of its own is compared in this study"
    row = {"estimand": "self_preference_delta", "unit": "difference", "judge": "j"}
    baselines = ("all_peers", "uninvolved", "uninvolved_family", "human")
    none = [row | {"baseline": name, "reason": reason} for name in baselines]
    (table,) = tables(hand_made_estimates.estimate_rows(none))
    assert [cells[:2] for cells in table.body] == [("j", "any")]
    assert reason in table.note
    two_reasons = [*none[:3], row | {"baseline": "human", "reason": "no human judge on any comparison"}]
    (table,) = tables(hand_made_estimates.estimate_rows(two_reasons))
    assert len(table.body) == 4


def test_win_rates_of_many_lines_are_drawn_over_all_judges_who_are_still_counted() -> None:
    row = {"estimand": "win_rate", "estimate": 0.5}
    generators, judges = [f"g{n:02}" for n in range(16)], [*(f"j{n}" for n in range(8)), "g00"]
    rows = [row | {"generator": name, "judge": judge} for name in generators for judge in (None, *judges)]
    drawn = win_rate_by_judge(hand_made_estimates.estimate_rows(rows))
    assert drawn is not None
    chart = str(drawn.to_dict(validate=False))
    assert "9 judges: g00, j0, j1" in chart
    assert chart.count("'marker': '2'") == 16
    assert chart.count("'label': 'g00 (its own judge)'") == 1
    assert "'label': 'j0'" not in chart
