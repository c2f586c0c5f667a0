"""Codes stand for names: rows share a code exactly where they share what it stands for."""

from __future__ import annotations

import itertools

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from recuse.analysis.agreement import agreement_sums
from recuse.analysis.coded import coded_comparisons
from recuse.analysis.comparisons import compare, compare_reduced
from recuse.analysis.grouping import cells_of, joined
from recuse.analysis.patterns import patterns, task_patterns
from recuse.analysis.reduction import COUNTS, reduced
from recuse.analysis.row_codes import CODES, coded, codes_in, outcomes_of, with_codes_of, without_codes
from recuse.collectors.sources import load
from recuse.schema import ComparisonFrame

NAMED = {
    "#task": ["study", "task_id", "tier"],
    "#stratum": ["study", "tier"],
    "#judge": ["judge", "judge_kind"],
    "#first": ["first"],
    "#second": ["second"],
    "#first_side": ["first", "first_variant"],
    "#second_side": ["second", "second_variant"],
    "#pair": ["first", "first_variant", "second", "second_variant"],
}


def bundled(study: str) -> ComparisonFrame:
    source = load(study)
    return compare(source.judgments, families=source.families)


@pytest.mark.parametrize("study", ["three-judges", "pilot", "local-panel"])
def test_a_code_goes_with_its_names(study):
    comparisons = bundled(study)
    for frame in (comparisons, comparisons.sample(fraction=1.0, shuffle=True, seed=1)):
        found = coded(frame)
        assert without_codes(found).equals(frame)
        for code, names in NAMED.items():
            both = found.select(code, *names).unique()
            assert both.height == both[code].n_unique() == both.select(names).unique().height, code
        generators = pl.concat(
            [found.select(name="first", code="#first"), found.select(name="second", code="#second")]
        ).unique()
        assert generators["code"].n_unique() == generators["name"].n_unique() == generators.height


def test_categories_and_texts_get_the_same_groups():
    comparisons = bundled("pilot")
    texts = [name for name, dtype in comparisons.schema.items() if dtype == pl.String]
    as_codes = coded(comparisons.with_columns(pl.col(texts).cast(pl.Categorical)))
    as_texts = coded(comparisons)
    for code in CODES:
        both = pl.DataFrame([as_codes[code].alias("one"), as_texts[code].alias("other")]).unique()
        assert both["one"].n_unique() == both["other"].n_unique() == both.height, code


def test_null_is_a_value_of_its_own():
    frame = pl.DataFrame({"tier": ["a", None, "a", None, "b"], "n": [1, 1, 1, None, 1]})
    tier, both = codes_in(frame, ["tier"]), codes_in(frame, ["tier", "n"])
    assert tier[0] == tier[2] != tier[1] == tier[3] != tier[4]
    assert len(set(both.tolist())) == 4


@pytest.mark.parametrize("study", ["three-judges", "pilot", "local-panel"])
def test_numbered_comparisons_have_the_codes_of_the_same_rows(study):
    judgments = load(study).judgments.lazy().collect()
    texts = [name for name, dtype in judgments.schema.items() if isinstance(dtype, pl.Enum)]
    counted = reduced(nw.from_native(judgments.cast(dict.fromkeys(texts, pl.String)).lazy()), study=study)
    reduced_table = counted.to_native().collect()
    numbered = coded_comparisons(reduced_table, ("n_presentations", *COUNTS))
    comparisons = compare_reduced(numbered)
    quick, searched = with_codes_of(comparisons, numbered), coded(comparisons)
    texts = [name for name, dtype in comparisons.schema.items() if dtype == pl.String]
    assert without_codes(quick).cast(dict.fromkeys(texts, pl.String)).equals(comparisons)
    for code in CODES:
        both = pl.DataFrame([quick[code].alias("one"), searched[code].alias("other")]).unique()
        if code == "#outcome":  # reduced rows also tell apart why a verdict is missing
            assert both["one"].n_unique() == both.height
        else:
            assert both["one"].n_unique() == both["other"].n_unique() == both.height, code


def test_one_presentation_has_another_code_where_one_order_is_the_design(monkeypatch):
    """Judge one is asked one order of every pair, judge two of one pair in two: single, and incomplete."""
    asked = [("one", "t", "x", "y"), ("one", "u", "x", "y"), ("two", "t", "x", "y"), ("two", "u", "x", "y"),
             ("two", "u", "y", "x")]  # fmt: skip
    rows = pl.DataFrame(asked, schema=["judge", "task_id", "slot_a", "slot_b"], orient="row")
    monkeypatch.setattr("recuse.analysis.distinct._FEW", 0)  # as in a large table, an outcome is there once
    monkeypatch.setattr("recuse.analysis.distinct._MOSTLY", 1)
    counted = reduced(nw.from_native(rows.with_columns(verdict=pl.lit("a")).lazy()), study="s")
    numbered = coded_comparisons(counted.to_native().collect(), ("n_presentations", *COUNTS))
    comparisons = compare_reduced(numbered)
    assert set(comparisons["resolution"]) == {"single", "incomplete", "flip"}
    outcomes = with_codes_of(comparisons, numbered).select("#outcome", "resolution").unique()
    assert outcomes["#outcome"].n_unique() == outcomes.height == 3


def test_outcomes_are_few_and_hold_what_their_rows_hold():
    frame = coded(bundled("three-judges"))
    kinds, outcomes = outcomes_of(frame, "probe")
    assert outcomes.height == kinds.n < frame.height / 10
    assert outcomes[kinds.index].equals(frame.select(outcomes.columns))


def test_an_empty_frame_has_codes_too():
    assert coded(bundled("pilot").clear()).height == 0


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=40), st.sampled_from([1, 10**7]))
def test_cells_are_the_distinct_codes_dense_or_sparse(rows, spread):
    one, other = (np.array([row[place] for row in rows], dtype=np.int64) * spread for place in (0, 1))
    cells = cells_of(one, other)
    pairs = list(zip(one.tolist(), other.tolist(), strict=True))
    assert cells.n == len(set(pairs))
    first = {pair: pairs.index(pair) for pair in pairs}
    assert [int(cells.first[index]) for index in cells.index] == [first[pair] for pair in pairs]
    weights = np.arange(len(pairs), dtype=np.float64)
    summed = cells.sum(weights)
    for pair, row in first.items():
        expected = sum(weight for weight, there in zip(weights, pairs, strict=True) if there == pair)
        assert summed[cells.index[row]] == expected


def test_more_codes_than_one_number_holds_are_renumbered_on_the_way():
    large = np.array([0, 2**40, 2**40, 1])
    key, _ = joined([large, large[::-1], large])
    assert len(set(key.tolist())) == 3
    assert cells_of(large, large[::-1], large, large).index.tolist() == [0, 2, 2, 1]


@given(st.integers(0, 2**32 - 1))
def test_patterns_from_codes_are_those_of_a_group_by(seed):
    rng = np.random.default_rng(seed)
    n = 60
    frame = pl.DataFrame(
        {
            "judge": rng.choice(["x", "y"], n),
            "tier": pl.Series(rng.choice(["hard", "easy"], n)).set(pl.Series(rng.random(n) < 0.2), None),
            "task_id": rng.choice([f"t{task}" for task in range(12)], n),
            "score": rng.integers(0, 3, n) / 2,
            "share": rng.integers(0, 3, n) / 3,
            "odd": rng.choice([0.1, 0.2, 0.7123456], n),
        }
    )
    by = ["judge", "tier", "task_id"]
    summed = frame.group_by(by).agg(pl.col("score", "share", "odd").sum(), n=pl.len().cast(pl.Int64))
    judge, tier, task = (codes_in(frame, [name]) for name in by)
    cells = cells_of(judge, tier, task)
    sums = {name: cells.sum(frame[name].to_numpy()) for name in ("score", "share", "odd")}
    names = {"judge": frame["judge"], "tier": frame["tier"]}
    found = task_patterns(names, cells, [judge, tier], sums | {"n": cells.count()})
    rounded = [patterns(sums).with_columns(pl.col(pl.Float64).round(9)) for sums in (found, summed)]
    assert_frame_equal(rounded[0], rounded[1], check_row_order=False)


def test_sums_of_fractions_do_not_hang_on_the_codes(tmp_path):
    """Eight judges, some silent: coincidences are thirds and sevenths, whose sum depends on their order."""
    rng = np.random.default_rng(0)
    rows = [
        {
            "task_id": f"t{task}",
            "judge": judge,
            "slot_a": one,
            "slot_b": other,
            "verdict": rng.choice(["a", "b"]),
        }
        for task in range(5)
        for judge in "ABCDEFGH"
        for one, other in itertools.permutations("wxyz", 2)
        if rng.random() < 0.8
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "eight.csv")
    frame = coded(compare(load(str(tmp_path / "eight.csv")).judgments))
    sums = patterns(agreement_sums(frame))
    for _ in range(5):
        renumbered = frame.with_columns(
            pl.Series(code, rng.permutation(int(frame[code].max()) + 1)[frame[code].to_numpy()])  # type: ignore[arg-type]
            for code in CODES
            if code != "#is_pair"
        )
        assert patterns(agreement_sums(renumbered)).equals(sums)


def test_groups_are_numbered_by_the_row_in_which_they_come_first():
    cells = cells_of(np.array([5, 2, 5, 9, 2])).by_first_row()
    assert cells.index.tolist() == [0, 1, 0, 2, 1]
    assert cells.first.tolist() == [0, 1, 3]
