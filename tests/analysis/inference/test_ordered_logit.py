"""The ordered logit against statsmodels, closed forms, numerical derivatives and refits without a task."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from statsmodels.miscmodels.ordinal_model import OrderedModel

from recuse.analysis.inference import ordered_jackknife
from recuse.analysis.inference.ordered_jackknife import one_step_without_each
from recuse.analysis.inference.ordered_logit import (
    Counts,
    bootstrap_fits,
    fit_ordered,
)


def simulated(n: int = 400, *, ties: bool = True, n_tasks: int = 20, seed: int = 1) -> Counts:
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.normal(size=n), rng.integers(0, 2, n) * 2.0 - 1, np.ones(n)])
    task = np.sort(rng.integers(0, n_tasks, n))
    latent = x @ [0.8, -0.5, 0.3] + rng.normal(0, 0.4, n_tasks)[task] + rng.logistic(size=n)
    outcome = np.where(latent > 0.5 * ties, 2, np.where(latent < -0.5 * ties, 0, 1))
    return Counts(x, np.full(n, 0 if ties else -1), np.eye(3)[outcome], task)


def test_one_group_is_statsmodels_ordered_model() -> None:
    counts = simulated()
    fit = fit_ordered(counts)
    model = OrderedModel(counts.outcomes.argmax(1), counts.design[:, :2], distr="logit")
    expected = model.fit(method="bfgs", disp=False, gtol=1e-9)
    low, high = model.transform_threshold_params(expected.params)[1:3]
    assert fit.parameters[:2] == pytest.approx(expected.params[:2], abs=1e-5)
    # The cut points are -slot ∓ the tie band.
    assert fit.parameters[2] == pytest.approx(-(low + high) / 2, abs=1e-5)
    assert np.exp(fit.parameters[3]) == pytest.approx((high - low) / 2, abs=1e-5)
    assert fit.log_likelihood == pytest.approx(expected.llf, abs=1e-6)


def test_aggregated_counts_give_the_same_fit_as_rows() -> None:
    counts = simulated()
    rounded = np.column_stack([np.round(counts.design[:, 0]), counts.design[:, 1:]])
    key = np.column_stack([rounded, counts.task])
    distinct, where = np.unique(key, axis=0, return_inverse=True)
    gathered = np.zeros((len(distinct), 3))
    np.add.at(gathered, where, counts.outcomes)
    rows = fit_ordered(replace(counts, design=rounded))
    table = fit_ordered(
        Counts(distinct[:, :3], np.zeros(len(distinct), dtype=int), gathered, distinct[:, 3].astype(int))
    )
    assert len(distinct) < 300
    assert table.parameters == pytest.approx(rows.parameters, abs=1e-7)


@pytest.mark.parametrize("unit", [10.0, 1000.0])
def test_a_large_coefficient_of_a_small_unit_is_no_separation(unit: float) -> None:
    counts = simulated()
    plain = fit_ordered(counts)
    small = fit_ordered(replace(counts, design=counts.design / [unit, 1, 1]))
    assert small.separated == ()
    assert small.parameters / [unit, 1, 1, 1] == pytest.approx(plain.parameters, abs=1e-6)
    assert small.parameters[0] > 7


@pytest.mark.parametrize("place", range(4))
def test_information_is_the_curvature_of_the_likelihood(place: int) -> None:
    counts = simulated(80)
    fit = fit_ordered(counts)
    x, outcomes = counts.design, counts.outcomes

    def slope(parameters: np.ndarray) -> float:
        def value(moved: np.ndarray) -> float:
            eta, band = x @ moved[:3], np.exp(moved[3])
            above, below = 1 / (1 + np.exp(band - eta)), 1 / (1 + np.exp(band + eta))
            return float((outcomes * np.log(np.column_stack([below, 1 - above - below, above]))).sum())

        return float(approx_fprime(parameters, value, 1e-5)[place])

    assert -approx_fprime(fit.parameters, slope, 1e-4) == pytest.approx(fit.information[place], abs=0.02)
    assert slope(fit.parameters) == pytest.approx(0, abs=1e-3)


def test_two_presentations_have_a_closed_form() -> None:
    """Without ties strength and slot are half the difference and half the sum of the two log odds."""
    counts = Counts(
        np.array([[1.0, 1.0], [-1.0, 1.0]]),
        np.array([-1, -1]),
        np.array([[10, 0, 30], [25, 0, 15]]),
        np.array([0, 1]),
    )
    first, second = np.log(30 / 10), np.log(15 / 25)
    fit = fit_ordered(counts)
    assert fit.parameters == pytest.approx([(first - second) / 2, (first + second) / 2], abs=1e-8)
    assert fit.separated == ()


def test_ties_alone_decide_the_band_at_a_draw() -> None:
    """With η = 0 by symmetry, P(tie) = (e^τ - 1) / (e^τ + 1)."""
    counts = Counts(np.ones((1, 1)), np.array([0]), np.array([[30.0, 40.0, 30.0]]), np.array([0]))
    fit = fit_ordered(counts)
    assert fit.parameters == pytest.approx([0.0, np.log(np.log((1 + 0.4) / (1 - 0.4)))], abs=1e-8)


def test_a_step_without_a_task_is_nearly_the_refit() -> None:
    counts = simulated(600, n_tasks=15)
    fit = fit_ordered(counts)
    stepped = one_step_without_each(fit, counts)
    refits = []
    for task in range(15):
        kept = counts.task != task
        codes = np.unique(counts.task[kept], return_inverse=True)[1]
        left = Counts(counts.design[kept], counts.group[kept], counts.outcomes[kept], codes)
        refits.append(fit_ordered(left).parameters)
    assert stepped == pytest.approx(np.array(refits), abs=0.01)


def test_bootstrap_spreads_as_the_jackknife_does() -> None:
    counts = simulated(600, n_tasks=40)
    fit = fit_ordered(counts)
    drawn = bootstrap_fits(fit, counts, rng=np.random.default_rng(3), n_resamples=300)
    without = one_step_without_each(fit, counts)
    jackknife = np.sqrt(39 / 40 * np.square(without - fit.parameters).sum(0))
    assert np.isfinite(drawn).all()
    assert drawn.std(0) == pytest.approx(jackknife, rel=0.15)


def test_separation_is_found_and_leaves_the_rest_at_its_limit() -> None:
    counts = simulated(400, ties=False)
    marked = np.zeros(400)
    marked[:40] = 1.0
    outcomes = counts.outcomes.copy()
    outcomes[:40] = [0, 0, 1]
    separated = replace(counts, design=np.column_stack([counts.design, marked]), outcomes=outcomes)
    fit = fit_ordered(separated)
    rest = fit_ordered(
        Counts(counts.design[40:], counts.group[40:], counts.outcomes[40:], counts.task[40:] * 0)
    )
    assert fit.separated == (3,)
    assert fit.parameters[:3] == pytest.approx(rest.parameters, abs=1e-4)


def test_steps_without_each_are_the_same_some_tasks_at_a_time(monkeypatch) -> None:
    counts = simulated(600, n_tasks=40)
    fit = fit_ordered(counts)
    at_once = one_step_without_each(fit, counts)
    monkeypatch.setattr(ordered_jackknife, "_CELLS_AT_ONCE", 1)
    assert np.array_equal(one_step_without_each(fit, counts), at_once)


def test_nothing_is_known_without_the_one_task_that_identifies_a_term() -> None:
    counts = simulated(600, n_tasks=40)
    alone = np.where(counts.task == 7, np.resize([1.0, -1.0], 600), 0.0)
    counts = replace(counts, design=np.column_stack([counts.design, alone]))
    without = one_step_without_each(fit_ordered(counts), counts)
    assert np.isnan(without[7]).all()
    assert np.isfinite(np.delete(without, 7, axis=0)).all()
