"""Flips against the gap that other judges see: by hand, against statsmodels, and where there is no gap."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm

from recuse.analysis.comparisons import compare
from recuse.analysis.inference.firth import fit_logistic
from recuse.analysis.inference.logistic_jackknife import coefficients_without_each
from recuse.analysis.position_gap import position_gap
from recuse.analysis.settings import Settings
from recuse.collectors.sources import load

SETTINGS = Settings(n_resamples=199)
JUDGES = ("j", "k", "l")
Verdicts = dict[tuple[str, str], str]
"""Task and judge → what it says in both orders: ``xx`` x twice, ``yy`` y twice, ``aa`` slot A twice."""


def estimated(said: Verdicts, folder: Path) -> pl.DataFrame:
    words = {"xx": ("a", "b"), "yy": ("b", "a"), "aa": ("a", "a"), "tt": ("tie", "tie")}
    rows = [
        {"task_id": task, "judge": judge, "slot_a": a, "slot_b": b, "verdict": words[word][place]}
        for (task, judge), word in said.items()
        for place, (a, b) in enumerate(("xy", "yx"))
    ]
    path = folder / "study.csv"
    pl.DataFrame(rows).write_csv(path)
    return position_gap(compare(load(str(path)).judgments), SETTINGS)


def test_gap_is_the_distance_of_the_others_from_a_draw(tmp_path: Path) -> None:
    """j flips on t1 (others agree: gap 1), t2 (they contradict: 0), t3 (x and a flip: ½); not on t4 (0)."""
    said = {
        ("t1", "j"): "aa", ("t1", "k"): "xx", ("t1", "l"): "xx",
        ("t2", "j"): "aa", ("t2", "k"): "xx", ("t2", "l"): "yy",
        ("t3", "j"): "aa", ("t3", "k"): "xx", ("t3", "l"): "aa",
        ("t4", "j"): "yy", ("t4", "k"): "tt", ("t4", "l"): "aa",
    }  # fmt: skip
    estimates = estimated(said, tmp_path).filter(
        pl.col("judge") == "j", pl.col("estimand") == "flip_rate_by_gap"
    )
    rates = dict(estimates.select("group", "estimate").rows())
    assert rates == {"gap=0-25": 0.5, "gap=50-75": 1.0, "gap=75-100": 1.0}
    assert estimates["n_comparisons"].to_list() == [2, 1, 1]


def simulated(n_tasks: int, slope: float, seed: int = 6) -> Verdicts:
    """Judge j flips with logit 0.5 + slope · gap; the others never flip, but tie."""
    rng = np.random.default_rng(seed)
    said: Verdicts = {}
    for task, pair in product(range(n_tasks), range(1)):
        name = f"t{task:04d}-{pair}"
        gap = rng.choice([0.0, 0.5, 1.0])
        said[name, "k"], said[name, "l"] = {0.0: ("xx", "yy"), 0.5: ("xx", "tt"), 1.0: ("xx", "xx")}[gap]
        flips = rng.random() < 1 / (1 + np.exp(-0.5 - slope * gap))
        said[name, "j"] = "aa" if flips else "xx"
    return said


def test_slope_and_its_robust_error_are_statsmodels(tmp_path: Path) -> None:
    said = simulated(600, -1.5)
    row = (
        estimated(said, tmp_path)
        .filter(pl.col("judge") == "j", pl.col("estimand") == "flip_gap_slope")
        .row(0, named=True)
    )
    tasks = sorted({task for task, _ in said})
    gaps = [{"yy": 0.0, "tt": 0.5, "xx": 1.0}[said[task, "l"]] for task in tasks]
    flips = np.array([said[task, "j"] == "aa" for task in tasks], dtype=float)
    fit = sm.Logit(flips, sm.add_constant(np.array(gaps))).fit(disp=0, cov_type="HC1")
    assert row["estimate"] == pytest.approx(fit.params[1], abs=0.02)
    assert row["std_error"] == pytest.approx(fit.bse[1], rel=0.02)
    assert row["p_value"] < 1e-6
    assert row["n_comparisons"] == row["n_tasks"] == 600


def test_one_newton_step_is_nearly_the_refit() -> None:
    rng = np.random.default_rng(1)
    task = np.repeat(np.arange(70), 4)
    design = np.column_stack([rng.random(280), np.ones(280)])
    outcome = (rng.random(280) < 0.4).astype(float)
    _, stepped = coefficients_without_each(design, outcome, np.ones(280), task)
    kept = (task[None, :] != np.arange(70)[:, None]).astype(float)
    refitted = fit_logistic(design, outcome, kept).coefficients
    assert stepped is not None
    assert stepped.std(axis=0) == pytest.approx(refitted.std(axis=0), rel=0.02)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({(f"t{n}", "j"): word for n, word in enumerate(("aa", "xx", "aa"))}, "no other judge"),
        ({(f"t{n}", judge): "xx" for n, judge in product(range(4), JUDGES)}, "no comparison flips"),
        ({(f"t{n}", judge): "aa" for n, judge in product(range(4), JUDGES)}, "every comparison flips"),
        (
            {
                (f"t{n}", judge): "aa" if judge == "j" and n % 2 else "xx"
                for n, judge in product(range(4), "jk")
            },
            "same gap everywhere",
        ),
    ],
)
def test_without_gap_or_flips_the_slope_has_a_reason(said: Verdicts, reason: str, tmp_path: Path) -> None:
    slopes = estimated(said, tmp_path).filter(pl.col("estimand") == "flip_gap_slope", pl.col("judge") == "j")
    assert slopes["estimate"].item() is None
    assert reason in slopes["reason"].item()
