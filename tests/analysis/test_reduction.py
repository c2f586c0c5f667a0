"""A reduced table holds what a comparison is made of: what is compared from it is as from the judgments."""

from __future__ import annotations

from pathlib import Path

import narwhals as nw
import polars as pl
import pytest

from recuse.analysis.comparisons import asked_in_one_order, compare, compare_reduced
from recuse.analysis.reduction import COUNTS, REDUCED, reduced
from recuse.collectors.sources import load, load_frame
from recuse.errors import JudgmentsError

SHARED = Path(__file__).parents[3] / "shared"
ROWS = {
    "task_id": ["t", "t", "t", "t"],
    "judge": ["j", "j", "k", "k"],
    "slot_a": ["y", "x", "x", "y"],
    "slot_b": ["x", "y", "y", "x"],
    "verdict": ["a", "tie", "b", None],
}


def table(judgments: pl.DataFrame, **named: object) -> pl.DataFrame:
    return reduced(nw.from_native(judgments.lazy()), **{"study": "s", **named}).to_native().collect()


def test_presentations_are_counted_by_slot_and_outcome() -> None:
    found = table(pl.DataFrame(ROWS)).sort("judge")
    assert found.columns == list(REDUCED)
    assert found.select("first", "second", "n_presentations").rows() == [("x", "y", 2)] * 2
    counted = [{name for name in COUNTS if row[name]} for row in found.iter_rows(named=True)]
    assert counted == [{"first_in_a_tie", "first_in_b_a"}, {"first_in_a_b", "first_in_b_parse_failed"}]
    assert found.select(list(COUNTS)).sum_horizontal().to_list() == [2, 2]
    defaults = found.select("study", "probe", "judge_kind", "replicate", "tier", "words_first").unique()
    assert defaults.rows() == [("s", "main", "model", 0, None, None)]
    assert set(found.select(*COUNTS, "n_presentations", "words_first").dtypes) == {pl.Int64}


def test_pairs_are_ordered_by_the_names_that_count() -> None:
    found = table(pl.DataFrame(ROWS), aliases={"x": "zeta", "j": "judge"}).sort("judge")
    assert found.select("judge", "first", "second").rows() == [("judge", "y", "zeta"), ("k", "y", "zeta")]
    assert found["first_in_a_a"].to_list() == [1, 0]
    assert found["first_in_b_b"].to_list() == [0, 1]


def test_what_is_no_outcome_is_in_no_count() -> None:
    odd = pl.DataFrame(ROWS | {"verdict": ["A", "tie", "b", "a"], "status": ["ok", "error", "ok", "ok"]})
    found = table(odd).sort("judge")
    assert found.select(list(COUNTS)).sum_horizontal().to_list() == [0, 2]
    assert found["n_presentations"].to_list() == [2, 2]
    assert table(pl.DataFrame(ROWS | {"status": "ok"})).select(list(COUNTS)).to_numpy().sum() == 3


def test_an_empty_text_is_null() -> None:
    empty = {"tier": "", "variant_a": "", "status": "", "probe": "", "verdict": ["a", "tie", "b", ""]}
    assert table(pl.DataFrame(ROWS | empty)).sort("judge").equals(table(pl.DataFrame(ROWS)).sort("judge"))


@pytest.mark.parametrize("scoring", ["resolved", "averaged", "consistent"])
def test_of_all_kinds_each_comparison_is_the_same(judgments_of_all_kinds, scoring) -> None:
    judgments = load_frame(judgments_of_all_kinds(6_000)).judgments
    expected = compare(judgments, scoring=scoring)
    assert set(expected["resolution"]) == {"win", "tie", "flip", "unstable", "incomplete", "single"}
    assert compare_reduced(table(judgments), scoring=scoring).equals(expected)


@pytest.mark.parametrize("name", ["three-judges", "pilot", "position-bias"])
def test_of_a_study_each_comparison_is_the_same(name) -> None:
    source = name
    if name == "position-bias":
        if not (SHARED / "data" / name).exists():
            pytest.skip("needs the folder shared beside the checkout")
        source = f"position-bias:{SHARED / 'data' / name}"
    loaded = load(source)
    expected = compare(loaded.judgments, families=loaded.families)
    assert compare_reduced(table(loaded.judgments), families=loaded.families).equals(expected)


def test_a_part_of_a_source_takes_its_one_order_designs_from_the_whole(judgments_of_all_kinds) -> None:
    whole = table(load_frame(judgments_of_all_kinds(6_000)).judgments)
    expected = compare_reduced(whole)
    by_design = asked_in_one_order(whole)
    assert ("odd", "main", "human-1") in by_design.rows()
    assert ("odd", "main", "alpha/a") not in by_design.rows()
    n = pl.col("n_presentations")
    part = whole.filter((pl.col("probe") == "main") & (pl.col("judge") == "alpha/a") & (n == 1))
    found = compare_reduced(part, one_order=by_design)
    assert set(found["resolution"]) == {"incomplete"}
    keys = expected.join(
        found.select(found.columns[:13]), on=found.columns[:13], how="semi", nulls_equal=True
    )
    assert found.equals(keys)


@pytest.mark.parametrize("repeats", [2, 7, 8, 9])
def test_a_presentation_that_is_there_twice_is_refused(repeats) -> None:
    judgments = pl.concat([pl.DataFrame(ROWS), *[pl.DataFrame(ROWS)[2:3]] * (repeats - 1)])
    with pytest.raises(JudgmentsError, match=r"once; 1 row fails: x judged by k on t") as raised:
        compare_reduced(table(judgments))
    with pytest.raises(JudgmentsError) as expected:
        compare(load_frame(pl.DataFrame(ROWS)).judgments.pipe(lambda frame: pl.concat([frame, frame[2:3]])))
    assert str(raised.value) == str(expected.value)
