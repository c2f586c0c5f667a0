"""Agreement against statsmodels, scikit-learn and krippendorff, and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from recuse.analysis.inference import nominal


@pytest.fixture
def labels() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    left = rng.integers(0, 3, 200)
    return left, np.where(rng.random(200) < 0.6, left, rng.integers(0, 3, 200))


def table(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.bincount(left * 3 + right, minlength=9).reshape(1, 3, 3).astype(float)


def test_kappa_is_that_of_scikit_learn(labels: tuple[np.ndarray, np.ndarray]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    ours = nominal.cohen_kappa(table(*labels), symmetric=False)[0]
    assert ours == pytest.approx(metrics.cohen_kappa_score(*labels), abs=1e-12)


def test_symmetric_kappa_is_that_of_the_table_with_both_namings(
    labels: tuple[np.ndarray, np.ndarray],
) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    renamed = [np.array([1, 0, 2])[side] for side in labels]
    both = [np.concatenate([side, other]) for side, other in zip(labels, renamed, strict=True)]
    ours = nominal.cohen_kappa(table(*labels), symmetric=True)[0]
    assert ours == pytest.approx(metrics.cohen_kappa_score(*both), abs=1e-12)


def test_alpha_is_that_of_krippendorff(labels: tuple[np.ndarray, np.ndarray]) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    both = table(*labels)
    ours = nominal.krippendorff_alpha(both + both.transpose(0, 2, 1), symmetric=False)[0]
    theirs = krippendorff.alpha(reliability_data=np.array(labels), level_of_measurement="nominal")
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_ac1_by_hand() -> None:
    """Two labels in use of three: p_o = .8, π = (.85, .15, 0), p_e = (.1275 + .1275)/2."""
    counts = np.array([[[15.0, 3.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]])
    expected = (0.85 * 0.15 * 2) / 2
    assert nominal.gwet_ac1(counts, symmetric=False)[0] == pytest.approx((0.8 - expected) / (1 - expected))


def test_one_category_only_is_undefined() -> None:
    counts = np.zeros((1, 3, 3))
    counts[0, 2, 2] = 9
    assert np.isnan(nominal.cohen_kappa(counts, symmetric=True)[0])
    assert np.isnan(nominal.krippendorff_alpha(2 * counts, symmetric=True)[0])


def test_tables_of_all_pairs_are_those_counted_one_by_one(monkeypatch):
    monkeypatch.setattr("recuse.analysis.inference.nominal._ITEMS_AT_ONCE", 7)
    codes = np.random.default_rng(0).integers(-1, 3, (40, 4)).astype(np.int8)
    found = nominal.all_pairs(codes, 3)
    for one in range(4):
        for other in range(4):
            both = (codes[:, one] >= 0) & (codes[:, other] >= 0)
            expected = np.zeros((3, 3))
            np.add.at(expected, (codes[both, one], codes[both, other]), 1)
            assert (found[one, other] == expected).all()


def test_tasks_with_one_table_between_them_have_no_interval():
    """Alpha's correction for the number of items moves it when a task is left out: that is no spread."""
    table = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    assert nominal.alike(np.stack([table, 2 * table, table]))
    assert not nominal.alike(np.stack([table, table.T + np.eye(3)]))
    assert not nominal.alike(table[None])
