from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recuse.analysis.inference import bootstrap
from recuse.analysis.inference.bootstrap import distinct_patterns, resampled_totals


@given(table=arrays(np.int64, st.tuples(st.integers(1, 30), st.integers(1, 3)), elements=st.integers(-3, 3)))
def test_patterns_are_the_distinct_rows_and_their_number(table):
    patterns, tasks = distinct_patterns(table)
    expected, counts = np.unique(table, axis=0, return_counts=True)
    assert patterns.tolist() == expected.tolist()
    assert tasks.tolist() == counts.tolist()


def test_thirds_summed_in_another_order_are_one_pattern():
    patterns, tasks = distinct_patterns([[0.1 + 0.2], [0.3], [0.3 - 1e-9]])
    assert tasks.tolist() == [1, 2]
    assert patterns[1, 0] == pytest.approx(0.3)


@pytest.mark.parametrize("copies", [1, 40], ids=["drawn one by one", "drawn by pattern"])
def test_totals_have_the_moments_of_drawing_tasks_with_replacement(copies):
    table = np.tile([[1.0, 2.0], [0.0, 1.0], [-3.0, 4.0], [2.5, 2.0]], (copies, 1))
    totals = resampled_totals(table, rng=np.random.default_rng(5), n_resamples=40_000)
    n_tasks = len(table)
    assert totals.mean(axis=0) == pytest.approx(table.sum(axis=0), abs=0.04 * np.sqrt(n_tasks))
    expected = np.cov(table.T, ddof=0) * n_tasks
    assert np.cov(totals.T) == pytest.approx(expected, rel=0.04, abs=0.03 * n_tasks)


def test_resamples_of_three_tasks_occur_as_often_as_counting_says():
    totals = resampled_totals(np.array([[1], [10], [100]]), rng=np.random.default_rng(1), n_resamples=54_000)
    values, counts = np.unique(totals[:, 0], return_counts=True)
    shares = dict(zip(values.tolist(), (counts / 54_000 * 27).tolist(), strict=True))
    once, twice, all_three = [3, 30, 300], [12, 21, 102, 201, 120, 210], [111]
    assert sorted(shares) == sorted(once + twice + all_three)
    assert [shares[v] for v in once] == pytest.approx([1] * 3, abs=0.12)
    assert [shares[v] for v in twice] == pytest.approx([3] * 6, abs=0.2)
    assert shares[111] == pytest.approx(6, abs=0.3)


def test_each_stratum_keeps_its_number_of_tasks():
    strata = np.array(["objective"] * 4 + ["subjective"] * 60)
    table = np.column_stack([strata == "objective", strata == "subjective", np.arange(64) % 2])
    totals = resampled_totals(table, rng=np.random.default_rng(2), n_resamples=500, strata=strata)
    assert (totals[:, 0] == 4).all()
    assert (totals[:, 1] == 60).all()
    assert totals[:, 2].std() > 1


@pytest.mark.parametrize("copies", [1, 40])
def test_a_seed_gives_the_same_totals_in_any_order_of_tasks_and_on_any_number_of_cores(copies, monkeypatch):
    monkeypatch.setattr(bootstrap, "_CELLS_AT_ONCE", 70)
    table = np.tile(np.arange(24).reshape(8, 3), (copies, 1))
    whole = resampled_totals(table, rng=np.random.default_rng(3), n_resamples=100)
    assert len(np.unique(whole, axis=0)) > 20, "pieces must not repeat each other"
    shuffled = np.random.default_rng(0).permutation(table)
    assert np.array_equal(resampled_totals(shuffled, rng=np.random.default_rng(3), n_resamples=100), whole)
    for cores in (1, 7):
        monkeypatch.setattr(bootstrap, "ThreadPoolExecutor", partial(ThreadPoolExecutor, max_workers=cores))
        shared = resampled_totals(table, rng=np.random.default_rng(3), n_resamples=100)
        assert np.array_equal(shared, whole)


def test_no_task_gives_zero_totals():
    assert (
        resampled_totals(np.empty((0, 2)), rng=np.random.default_rng(0), n_resamples=3).tolist()
        == [[0, 0]] * 3
    )


def test_two_billion_tasks_in_twenty_patterns_are_never_written_out():
    patterns, tasks = np.arange(20.0)[:, None], np.full(20, 10**8)
    totals = bootstrap.pattern_totals(patterns, tasks, rng=np.random.default_rng(0), n_resamples=200)
    expected = patterns.mean() * 2e9
    assert totals.mean() == pytest.approx(expected, rel=1e-5)
    assert totals.std() == pytest.approx(patterns.std() * np.sqrt(2e9), rel=0.2)
