"""Logistic fits against statsmodels, closed forms of Firth's penalty, and refits one by one."""

from __future__ import annotations

import numpy as np
import pytest

from recuse.analysis.inference.firth import fit_logistic
from recuse.errors import UndefinedEstimateError


def data(n: int = 200, seed: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    design = np.column_stack([np.ones(n), rng.normal(size=n), rng.integers(0, 2, n)])
    chance = 1 / (1 + np.exp(-(design @ [0.2, 0.8, -0.5])))
    return design, (rng.random(n) < chance).astype(float)


def test_the_plain_fit_is_that_of_statsmodels() -> None:
    api = pytest.importorskip("statsmodels.api")
    design, outcome = data()
    weights = np.random.default_rng(1).integers(0, 3, (2, len(outcome))).astype(float)
    ours = fit_logistic(design, outcome, weights, firth=False).coefficients
    for fitted, weight in zip(ours, weights, strict=True):
        theirs = api.GLM(outcome, design, family=api.families.Binomial(), freq_weights=weight).fit(tol=1e-12)
        assert fitted == pytest.approx(theirs.params, abs=1e-9)


@pytest.mark.parametrize(("k", "n"), [(0, 7), (3, 7), (7, 7)])
def test_one_proportion_gains_half_a_success_and_half_a_failure(k: int, n: int) -> None:
    """Firth (1993), section 3.1: under Jeffreys' prior the logit is log((k + 1/2)/(n - k + 1/2))."""
    outcome = np.repeat([1.0, 0.0], [k, n - k])
    fit = fit_logistic(np.ones((n, 1)), outcome, np.ones((1, n))).coefficients
    assert fit[0, 0] == pytest.approx(np.log((k + 0.5) / (n - k + 0.5)), abs=1e-9)


def test_a_two_by_two_table_with_an_empty_cell_gains_a_half_in_each_cell() -> None:
    cells = {(0, 0): 9, (0, 1): 4, (1, 0): 0, (1, 1): 6}
    exposed, outcome = (np.repeat([key[i] for key in cells], list(cells.values())) for i in (0, 1))
    design = np.column_stack([np.ones(len(exposed)), exposed])
    fit = fit_logistic(design, outcome.astype(float), np.ones((1, len(exposed)))).coefficients[0]
    assert fit[0] == pytest.approx(np.log(4.5 / 9.5), abs=1e-9)
    assert fit[1] == pytest.approx(np.log((6.5 * 9.5) / (0.5 * 4.5)), abs=1e-9)


def test_weights_of_zero_leave_rows_out_and_of_two_repeat_them() -> None:
    design, outcome = data(60)
    weights = np.ones((1, 60))
    weights[0, :10], weights[0, 10:20] = 0, 2
    together = fit_logistic(design, outcome, weights).coefficients
    rows = np.r_[10:60, 10:20]
    alone = fit_logistic(design[rows], outcome[rows], np.ones((1, 60))).coefficients
    assert together == pytest.approx(alone, abs=1e-8)


def test_each_fit_may_have_its_own_outcomes_as_shares() -> None:
    design, _ = data(90)
    share = np.random.default_rng(2).random((3, 90))
    trials = np.full((3, 90), 7.0)
    for firth in (False, True):
        together = fit_logistic(design, share, trials, firth=firth).coefficients
        twice = np.concatenate([design, design])
        outcome = np.repeat([1.0, 0.0], 90)
        for fitted, won in zip(together, share, strict=True):
            weights = np.concatenate([7 * won, 7 * (1 - won)])[None, :]
            alone = fit_logistic(twice, outcome, weights, firth=firth).coefficients[0]
            assert fitted == pytest.approx(alone, abs=1e-8)


@pytest.mark.parametrize("firth", [False, True])
def test_cutting_rows_into_parts_changes_nothing(*, firth: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    design, outcome = data(500)
    whole = fit_logistic(design, outcome, np.ones((2, 500)), firth=firth).coefficients
    monkeypatch.setattr("recuse.analysis.inference.firth._FEWEST_ROWS", 7)
    monkeypatch.setattr("recuse.analysis.inference.firth._CELLS_AT_ONCE", 14)
    monkeypatch.setattr("recuse.analysis.inference.firth._MOST_PRODUCTS", 0)
    assert fit_logistic(design, outcome, np.ones((2, 500)), firth=firth).coefficients == pytest.approx(whole)


def test_coefficients_far_from_0_are_found() -> None:
    design = np.repeat(np.eye(2), [2000, 2000], axis=0)
    outcome = np.r_[np.ones(1999), 0.0, np.zeros(1998), 1.0, 1.0]
    found = fit_logistic(design, outcome, np.ones((1, 4000)), firth=False).coefficients[0]
    assert found == pytest.approx([np.log(1999), np.log(2 / 1998)], abs=1e-6)


def test_what_the_rows_do_not_identify_is_said() -> None:
    design = np.column_stack([np.ones(5), np.ones(5)])
    with pytest.raises(UndefinedEstimateError, match="not identified"):
        fit_logistic(design, np.array([1.0, 0, 1, 0, 1]), np.ones((1, 5)))
