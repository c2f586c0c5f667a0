"""Stability against loops over every pair of askings, pingouin, and what asked-once data cannot say."""

from __future__ import annotations

import warnings
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pingouin as pg
import polars as pl
import pytest

from recuse.analysis.comparisons import compare
from recuse.analysis.settings import Settings
from recuse.analysis.stability import stability
from recuse.collectors.sources import load
from recuse.schema import Judgments

ROOT = Path(__file__).parent.parent.parent
VERDICTS = ROOT.parent / "shared" / "data" / "position-bias" / "verdicts.csv.gz"
SETTINGS = Settings(n_resamples=199)
SCORE = {"x": 0.5, "tie": 0.0, "y": -0.5}


def judgments(
    n_tasks: int = 8, n_replicates: int = 3, judges: tuple[str, ...] = ("j", "k"), seed: int = 2
) -> pl.DataFrame:
    """Two answers x and y a task; verdicts lean by task, by judge and toward slot A."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, object]] = []
    for task in range(n_tasks):
        common = rng.normal(0, 1)
        for judge in judges:
            own = common + rng.normal(0, 0.7)
            for first_in_a, replicate in product((True, False), range(n_replicates)):
                lean = own + (0.5 if first_in_a else -0.5) + rng.logistic(0, 0.5)
                winner = "tie" if abs(lean) < 0.2 else "x" if lean > 0 else "y"
                slots = ("x", "y") if first_in_a else ("y", "x")
                verdict = "tie" if winner == "tie" else "a" if winner == slots[0] else "b"
                rows.append(
                    {"task_id": f"t{task}", "judge": judge, "slot_a": slots[0], "slot_b": slots[1],
                     "verdict": verdict, "replicate": replicate, "winner": winner, "x_in_a": first_in_a}
                )  # fmt: skip
    return pl.DataFrame(rows)


def estimated(rows: pl.DataFrame, folder: Path) -> pl.DataFrame:
    path = folder / "study.csv"
    rows.drop("winner", "x_in_a", strict=False).write_csv(path)
    return stability(compare(load(str(path)).judgments), SETTINGS)


def value(estimates: pl.DataFrame, estimand: str, judge: str | None, group: str | None = None) -> float:
    return float(
        estimates.filter(
            pl.col("estimand") == estimand,
            pl.col("judge").eq_missing(pl.lit(judge, pl.String)),
            pl.col("group").eq_missing(pl.lit(group, pl.String)),
        )["estimate"].item()
    )


def by_order(rows: pl.DataFrame, judge: str) -> list[tuple[list[str], list[str]]]:
    """Winners of each task with x in slot A, and with x in slot B."""
    return [
        tuple(of.filter(pl.col("x_in_a") == in_a)["winner"].to_list() for in_a in (True, False))  # type: ignore[misc]
        for of in rows.filter(judge=judge).partition_by("task_id")
    ]


def test_agreement_and_causes_are_those_of_all_pairs(tmp_path: Path) -> None:
    rows = judgments()
    estimates = estimated(rows, tmp_path)
    for judge in ("j", "k"):
        orders = by_order(rows, judge)
        same = [np.mean([a == b for a, b in combinations(order, 2)]) for pair in orders for order in pair]
        modal = [max(map(order.count, order)) / len(order) for pair in orders for order in pair]
        changed = [np.mean([a != b for a, b in product(*pair)]) for pair in orders]
        assert value(estimates, "test_retest_agreement", judge) == pytest.approx(np.mean(same))
        assert value(estimates, "modal_share", judge) == pytest.approx(np.mean(modal))
        repetition = value(estimates, "verdict_change_rate", judge, "cause=repetition")
        order = value(estimates, "verdict_change_rate", judge, "cause=order")
        assert repetition == pytest.approx(1 - np.mean(same))
        assert order == pytest.approx(np.mean(changed))
        assert value(estimates, "verdict_change_excess", judge) == pytest.approx(order - repetition)


def test_variance_shares_add_up_and_are_products_of_different_askings(tmp_path: Path) -> None:
    rows = judgments()
    estimates = estimated(rows, tmp_path)
    parts = {
        name: value(estimates, "variance_share", None, f"component={name}")
        for name in ("task", "judge", "order", "replicate")
    }
    assert sum(parts.values()) == pytest.approx(1.0, abs=1e-12)
    whole, again, task = [], [], []
    for one, other in zip(by_order(rows, "j"), by_order(rows, "k"), strict=True):
        scores = [[[SCORE[word] for word in order] for order in pair] for pair in (one, other)]
        whole += [np.mean(np.square(scores))]
        again += [np.mean([a * b for pair in scores for order in pair for a, b in combinations(order, 2)])]
        cells = [
            (j, o, r, scores[j][o][r]) for j in range(2) for o in range(2) for r in range(len(scores[j][o]))
        ]
        # The square of the mean over the four cells of judge × order, without an asking times itself.
        crossed = {
            key: np.mean([u[3] * v[3] for u in cells for v in cells if (u[:2], v[:2]) == key and u != v])
            for key in {(u[:2], v[:2]) for u in cells for v in cells}
        }
        task += [sum(crossed.values()) / 16]
    assert parts["replicate"] == pytest.approx(1 - np.sum(again) / np.sum(whole))
    assert parts["task"] == pytest.approx(np.sum(task) / np.sum(whole))


def test_replicate_share_is_what_an_intraclass_correlation_leaves(tmp_path: Path) -> None:
    """ICC(1) of presentations, each in both orientations so that its mean is 0; equal up to 1 / targets."""
    rows = judgments(n_tasks=120, judges=("j",), seed=5)
    share = value(estimated(rows, tmp_path), "variance_share", "j", "component=replicate")
    long = rows.with_columns(
        target=pl.concat_str("task_id", pl.col("x_in_a").cast(pl.String)),
        score=pl.col("winner").replace_strict(SCORE, return_dtype=pl.Float64),
    )
    mirrored = long.with_columns(target=pl.col("target") + "m", score=-pl.col("score"))
    both = pl.concat([long, mirrored])
    table = pd.DataFrame({name: both[name].to_list() for name in ("target", "replicate", "score")})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pingouin calls pandas in ways that pandas 3 deprecates
        icc = pg.intraclass_corr(table, targets="target", raters="replicate", ratings="score")
    assert share == pytest.approx(1 - float(icc["ICC"].iloc[0]), abs=0.004)


def test_a_judge_that_follows_the_slot_has_all_its_variance_in_the_order(tmp_path: Path) -> None:
    rows = judgments().with_columns(verdict=pl.lit("a"))
    estimates = estimated(rows, tmp_path)
    assert value(estimates, "variance_share", "j", "component=order") == pytest.approx(1.0)
    assert value(estimates, "variance_share", "j", "component=task") == pytest.approx(0.0)
    assert value(estimates, "verdict_change_rate", "j", "cause=order") == 1.0
    assert value(estimates, "test_retest_agreement", "j") == 1.0


@pytest.mark.parametrize(
    ("rows", "estimand", "reason"),
    [
        (judgments(n_replicates=1), "test_retest_agreement", "asked once"),
        (judgments().with_columns(verdict=pl.lit("tie")), "variance_share", "every verdict is a tie"),
        (judgments().filter("x_in_a"), "verdict_change_rate", "asked again in both orders"),
        (judgments().filter("x_in_a"), "variance_share", "asked again in both orders"),
        (judgments(judges=("j",)), "variance_share", "one judge only"),
    ],
)
def test_what_cannot_be_seen_keeps_its_row(
    rows: pl.DataFrame, estimand: str, reason: str, tmp_path: Path
) -> None:
    estimates = estimated(rows, tmp_path).filter(pl.col("estimand") == estimand, pl.col("estimate").is_null())
    assert estimates.height
    assert estimates["reason"].str.contains(reason).all()


@pytest.mark.skipif(not VERDICTS.exists(), reason="the folder shared is not beside this checkout")
def test_three_rounds_of_the_position_bias_set() -> None:
    table = load(f"position-bias:{VERDICTS}").judgments.filter(pl.col("probe") == "three_rounds")
    estimates = stability(compare(Judgments.validate(table)), SETTINGS)
    judge = "gpt-4-0613"
    rounds = (
        table.filter(pl.col("judge") == judge, pl.col("study") == "devbench")
        .group_by("task_id", "slot_a", "slot_b")
        .agg("verdict")
    )
    same = [np.mean([a == b for a, b in combinations(words, 2)]) for words in rounds["verdict"].to_list()]
    found = estimates.filter(
        pl.col("estimand") == "test_retest_agreement", pl.col("judge") == judge, pl.col("study") == "devbench"
    )
    assert found["estimate"].item() == pytest.approx(np.mean(same))
    assert estimates["conf_low"].is_not_null().all()
