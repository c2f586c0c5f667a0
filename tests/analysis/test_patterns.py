"""Patterns of task sums: every number is that of the tasks they stand for, whole or in parts."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recuse.analysis.cells import cluster_sums, total
from recuse.analysis.inference.clusters import ClusterSums
from recuse.analysis.inference.differences import difference_interval, permutation_p
from recuse.analysis.inference.interval import INTERVALS
from recuse.analysis.inference.jackknife import jackknife_interval
from recuse.analysis.inference.means import mean_interval
from recuse.analysis.inference.rates import rate_interval
from recuse.analysis.inference.signflip import sign_flip
from recuse.analysis.patterns import patterns
from recuse.errors import JudgmentsError

METHODS = sorted({"default", *INTERVALS} - {"rows"})
"""Rows as independent are offered for single comparisons only."""


def tasks_and_patterns(seed: int = 3, n_tasks: int = 40) -> tuple[ClusterSums, ClusterSums]:
    """Few distinct sums over unequal tasks, once task by task and once gathered."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(1, 4, n_tasks).astype(float)
    sums = rng.binomial(rows.astype(int), 0.6) - 0.5 * (rows > 2)
    frame = pl.DataFrame({"task_id": [f"t{g}" for g in range(n_tasks)], "x": sums, "n": rows})
    gathered = patterns(frame)
    assert gathered.height < n_tasks
    return cluster_sums(frame, "x", "n"), cluster_sums(gathered, "x", "n")


def test_a_hand_worked_frame():
    frame = pl.DataFrame(
        {
            "task_id": ["t1", "t2", "t3"],
            "judge": ["j", "j", "k"],
            "x": [1 / 3 + 1 / 3, 2 / 3, 2 / 3],
            "n": [2, 2, 2],
        }
    )
    assert patterns(frame).rows() == [("j", 2 / 3, 2, 2), ("k", 2 / 3, 2, 1)]
    assert total(patterns(frame), "n") == 6


def test_patterns_of_parts_add_up_to_those_of_the_whole():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "task_id": [f"t{g}" for g in range(60)],
            "tier": rng.choice(["objective", "subjective"], 60),
            "x": rng.integers(0, 3, 60) / 3,
        }
    )
    parts = [patterns(frame.filter(pl.col("task_id").str.ends_with(str(last)))) for last in range(10)]
    assert patterns(*parts).equals(patterns(frame))
    assert patterns(frame.sample(fraction=1.0, shuffle=True, seed=2)).equals(patterns(frame))


def test_texts_of_other_codes_are_told_apart_by_their_names():
    one = pl.DataFrame({"task_id": ["t1"], "judge": ["b"]}, schema_overrides={"judge": pl.Categorical})
    other = pl.DataFrame({"task_id": ["t2"], "judge": ["a"]}, schema_overrides={"judge": pl.Enum(["a"])})
    assert patterns(one, other).rows() == [("a", 1), ("b", 1)]


@pytest.mark.parametrize("method", METHODS)
def test_the_interval_of_a_mean_is_that_of_the_tasks(method):
    by_task, gathered = tasks_and_patterns()
    found = [
        mean_interval(sums, rng=np.random.default_rng(0), method=method, n_resamples=199, null=0.5)
        for sums in (by_task, gathered)
    ]
    assert by_task.estimate == pytest.approx(gathered.estimate, abs=1e-14)
    for name in ("low", "high", "std_error", "df", "p_value"):
        assert getattr(found[0], name) == pytest.approx(getattr(found[1], name), abs=1e-12), name
    assert (found[0].method, found[0].reason) == (found[1].method, found[1].reason)


@pytest.mark.parametrize("method", METHODS)
def test_the_interval_of_a_difference_is_that_of_the_tasks(method):
    pairs = [tasks_and_patterns(3), tasks_and_patterns(4, 30)]
    found = [
        difference_interval(
            pairs[0][which], pairs[1][which], rng=np.random.default_rng(0), method=method, n_resamples=199
        )
        for which in (0, 1)
    ]
    for name in ("low", "high", "std_error", "df", "p_value"):
        assert getattr(found[0], name) == pytest.approx(getattr(found[1], name), abs=1e-12), name
    shuffled = [
        permutation_p(pairs[0][which], pairs[1][which], np.random.default_rng(0), 199) for which in (0, 1)
    ]
    assert shuffled[0] == shuffled[1]


@pytest.mark.parametrize("method", ["default", "clopper_pearson_tasks", "clopper_pearson_rows", "cr2"])
def test_the_interval_of_a_rate_is_that_of_the_tasks(method):
    hits, rows, tasks = np.array([0.0, 1.0, 3.0]), np.array([2.0, 2.0, 4.0]), np.array([4, 6, 5])
    whole = ClusterSums(hits.repeat(tasks), rows.repeat(tasks))
    found = [rate_interval(sums, method=method, null=0.5) for sums in (whole, ClusterSums(hits, rows, tasks))]
    for name in ("low", "high", "std_error", "p_value"):
        assert getattr(found[0], name) == pytest.approx(getattr(found[1], name), abs=1e-12), name


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(1, 6)), min_size=1, max_size=12))
def test_the_sign_flip_is_that_of_the_tasks(sums_and_tasks):
    sums, tasks = (np.array(column) for column in zip(*sums_and_tasks, strict=True))
    by_task = sign_flip(sums.repeat(tasks), np.random.default_rng(0), 99)
    assert sign_flip(sums, np.random.default_rng(0), 99, tasks=tasks) == by_task


def test_the_jackknife_counts_each_task_of_a_pattern():
    without, tasks = np.array([0.4, 0.5, 0.7]), np.array([3, 1, 2])
    found, by_task = (
        jackknife_interval(0.5, without, tasks=tasks),
        jackknife_interval(0.5, without.repeat(tasks)),
    )
    assert found.df == by_task.df == 5
    assert (found.low, found.high) == pytest.approx((by_task.low, by_task.high), abs=1e-14)


@pytest.mark.parametrize("tasks", [[1], [1, 0], [1, 2, 3]])
def test_a_pattern_is_of_one_task_or_more(tasks):
    if tasks == [1]:
        assert ClusterSums(np.ones(2), np.ones(2), np.array(tasks)).n_clusters == 2
        return
    with pytest.raises(JudgmentsError, match="one task or more"):
        ClusterSums(np.ones(2), np.ones(2), np.array(tasks))
