"""The joint model: what it recovers, closed forms, and each thing that leaves a term unidentified."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from recuse.analysis import joint as module
from recuse.analysis.comparisons import compare
from recuse.analysis.joint import joint
from recuse.analysis.settings import Settings
from recuse.collectors.sources import load

PLANTED = {"j": (0.9, 0.6, 0.8), "k": (0.0, 0.0, 0.0), "u": (0.0, -0.4, 0.3)}
"""Judge → own-answer term, slot, length; j and k are generators too."""
STRENGTH = {"j": 0.5, "k": 0.0, "m": -0.5}


def judgments(n_tasks: int = 60, seed: int = 2, *, lengths: bool = True, ties: bool = True) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    rows: list[dict[str, object]] = []
    for task in range(n_tasks):
        words = {name: int(rng.integers(50, 300)) for name in STRENGTH}
        for judge, (own, slot, length) in PLANTED.items():
            for (a, of_a), (b, of_b) in permutations(STRENGTH.items(), 2):
                eta = of_a - of_b + slot + own * ((a == judge) - (b == judge))
                eta += length * np.log(words[a] / words[b])
                latent = eta + rng.logistic()
                band = 0.4 if ties else 0.0
                verdict = "a" if latent > band else "b" if latent < -band else "tie"
                row = {"task_id": f"t{task:03d}", "tier": ("objective", "subjective")[task % 2],
                       "judge": judge, "slot_a": a, "slot_b": b, "verdict": verdict}  # fmt: skip
                rows.append(row | ({"words_a": words[a], "words_b": words[b]} if lengths else {}))
    return pl.DataFrame(rows)


def estimated(rows: pl.DataFrame, folder: Path, settings: Settings | None = None) -> pl.DataFrame:
    path = folder / "study.csv"
    rows.write_csv(path)
    return joint(compare(load(str(path)).judgments), settings or Settings())


def one(estimates: pl.DataFrame, estimand: str, **keys: str | None) -> dict[str, object]:
    wanted = {"judge": None, "generator": None, "tier": None, "baseline": None} | keys
    matching = [pl.col(name).eq_missing(pl.lit(value, pl.String)) for name, value in wanted.items()]
    return estimates.filter(pl.col("estimand") == estimand, *matching).row(0, named=True)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    return estimated(judgments(150), tmp_path_factory.mktemp("planted"))


@pytest.mark.parametrize("judge", list(PLANTED))
def test_planted_terms_lie_within_three_standard_errors(planted: pl.DataFrame, judge: str) -> None:
    for estimand, truth in zip(("joint_own", "joint_slot", "joint_length"), PLANTED[judge], strict=True):
        row = one(planted, estimand, judge=judge)
        if estimand == "joint_own" and judge == "u":
            assert row["estimate"] is None
            assert "no answer of its own" in str(row["reason"])
            continue
        assert abs(row["estimate"] - truth) < 3 * row["std_error"]  # type: ignore[operator]
        assert row["std_error"] < 0.35  # type: ignore[operator]


def test_strengths_are_centred_and_recovered(planted: pl.DataFrame) -> None:
    rows = {name: one(planted, "bt_strength", generator=name) for name in STRENGTH}
    assert sum(row["estimate"] for row in rows.values()) == pytest.approx(0, abs=1e-12)  # type: ignore[misc]
    for name, truth in STRENGTH.items():
        assert abs(rows[name]["estimate"] - truth) < 3 * rows[name]["std_error"]  # type: ignore[operator]


def test_own_answer_term_of_two_judges_has_a_closed_form(tmp_path: Path) -> None:
    """Two generators, no ties: a log odds per judge and order; own is the difference of half differences."""
    wins = {("j", "j"): 30, ("j", "m"): 12, ("u", "j"): 22, ("u", "m"): 25}
    rows = [
        {"task_id": f"t{n}", "judge": judge, "slot_a": a, "slot_b": "m" if a == "j" else "j",
         "verdict": "a" if n < won else "b"}
        for (judge, a), won in wins.items() for n in range(40)
    ]  # fmt: skip
    odds = {key: np.log(won / (40 - won)) for key, won in wins.items()}
    strength = {judge: (odds[judge, "j"] - odds[judge, "m"]) / 2 for judge in "ju"}
    estimates = estimated(pl.DataFrame(rows), tmp_path)
    own = one(estimates, "joint_own", judge="j")
    assert own["estimate"] == pytest.approx(strength["j"] - strength["u"], abs=1e-6)
    slot = one(estimates, "joint_slot", judge="u")
    assert slot["estimate"] == pytest.approx((odds["u", "j"] + odds["u", "m"]) / 2, abs=1e-6)
    better = one(estimates, "bt_strength", generator="j")
    assert better["estimate"] == pytest.approx(strength["u"] / 2, abs=1e-6)


def test_bundled_study_says_of_every_term_what_it_is_or_why_not() -> None:
    estimates = joint(compare(load().judgments), Settings(joint_by_tier=True, joint_uninvolved=True))
    own = estimates.filter(pl.col("estimand") == "joint_own")
    assert own.height == 4
    assert own["conf_low"].is_not_null().all()
    family = estimates.filter(pl.col("estimand") == "joint_family")
    assert family["reason"].str.contains("no answer of another model of its family").all()
    strengths = estimates.filter(pl.col("estimand") == "bt_strength")
    assert strengths.height == 3 * (1 + 3 + 1)
    by_tier = strengths.filter(pl.col("tier").is_not_null())
    assert set(by_tier["n_tasks"]) == {5}
    assert set(by_tier["n_comparisons"]) == {45}
    # Half the interval is the quantile of Student's t with 4 degrees of freedom times the standard error.
    half = (by_tier["conf_high"] - by_tier["conf_low"]) / 2 / by_tier["std_error"]
    assert half.to_list() == pytest.approx([2.776445] * 9, abs=1e-5)
    assert strengths.filter(pl.col("baseline") == "uninvolved")["n_presentations"].unique().to_list() == [90]


def test_bootstrap_interval_on_request(tmp_path: Path) -> None:
    rows = judgments(30)
    plain = one(estimated(rows, tmp_path), "joint_slot", judge="j")
    drawn = one(
        estimated(rows, tmp_path, Settings(interval="percentile", n_resamples=199)), "joint_slot", judge="j"
    )
    assert (plain["interval"], drawn["interval"]) == ("jackknife", "percentile")
    assert drawn["estimate"] == plain["estimate"]
    assert drawn["std_error"] == pytest.approx(plain["std_error"], rel=0.3)


def test_family_term_is_of_other_models_of_the_judges_family(tmp_path: Path) -> None:
    names = {"j": "gpt-4", "k": "claude-2", "m": "gpt-3.5"}
    rows = judgments(30).with_columns(pl.col("judge", "slot_a", "slot_b").replace(names))
    estimates = estimated(rows, tmp_path)
    assert one(estimates, "joint_family", judge="gpt-4")["estimate"] is not None
    assert "its family" in str(one(estimates, "joint_family", judge="claude-2")["reason"])


def test_many_judgments_are_fitted_on_request_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BY_DEFAULT", 100)
    estimates = estimated(judgments(20), tmp_path)
    assert estimates["estimate"].null_count() == estimates.height == 5
    assert estimates["reason"].str.contains("--joint").all()
    assert estimated(judgments(20), tmp_path, Settings(joint=True))["estimate"].is_not_null().any()


def test_nearly_equal_lengths_leave_every_other_term_as_it_is(tmp_path: Path) -> None:
    """Log ratios a thousandth as long: a coefficient a thousand times as large, and nothing else."""
    rows = judgments(40)
    shrunk = {
        name: (1e9 * (pl.col(name) / 150) ** 0.001).round().cast(pl.Int64) for name in ("words_a", "words_b")
    }
    usual, near = estimated(rows, tmp_path), estimated(rows.with_columns(**shrunk), tmp_path)
    for name in ("joint_own", "joint_slot"):
        assert one(near, name, judge="j")["estimate"] == pytest.approx(
            one(usual, name, judge="j")["estimate"], abs=1e-4
        )
    length = [one(part, "joint_length", judge="j")["estimate"] for part in (near, usual)]
    assert length[0] == pytest.approx(1000 * length[1], rel=1e-3)  # type: ignore[operator]


PLAIN = judgments(20)
OF_J = pl.col("judge") == "j"
ALWAYS_ITS_OWN = PLAIN.with_columns(
    verdict=pl.when(OF_J & (pl.col("slot_a") == "j"))
    .then(pl.lit("a"))
    .when(OF_J & (pl.col("slot_b") == "j"))
    .then(pl.lit("b"))
    .otherwise("verdict")
)
APART = PLAIN.with_columns(pl.col("slot_a", "slot_b") + "-2", task_id=pl.col("task_id") + "-2")
BAD: dict[str, tuple[pl.DataFrame, str, str | None, str]] = {
    "no lengths": (judgments(20, lengths=False), "joint_length", "j", "lengths of both answers"),
    "one judge": (PLAIN.filter(OF_J), "joint_own", "j", "no uninvolved judge"),
    "separation": (ALWAYS_ITS_OWN, "joint_own", "j", "separation"),
    "constant": (PLAIN.with_columns(verdict=pl.lit("a")), "joint_slot", None, "every verdict is a"),
    "ties only": (PLAIN.with_columns(verdict=pl.lit("tie")), "bt_strength", None, "every verdict is tie"),
    "disconnected": (pl.concat([PLAIN, APART]), "bt_strength", None, "disconnected"),
    "one order": (PLAIN.filter(slot_a="j", slot_b="m"), "joint_slot", "j", "order never changes"),
    "equal lengths": (
        PLAIN.with_columns(words_a=pl.lit(9), words_b=pl.lit(9)), "joint_length", "j", "equally long",
    ),
    "two contestants judge each other": (
        PLAIN.filter(pl.col("judge") != "u", pl.col("slot_a") != "m", pl.col("slot_b") != "m"),
        "joint_own", "k", "no uninvolved judge",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(BAD))
def test_what_is_not_identified_keeps_its_row(name: str, tmp_path: Path) -> None:
    rows, estimand, judge, reason = BAD[name]
    estimates = estimated(rows, tmp_path)
    row = one(estimates, estimand, judge=judge)
    assert row["estimate"] is None
    assert reason in str(row["reason"])
    if name == "separation":
        assert one(estimates, "joint_slot", judge="u")["estimate"] is not None
    if name == "one judge":
        strength = one(estimates, "bt_strength", generator="j")
        assert "without terms that are not identified beside strengths: own" in str(strength["reason"])


def test_one_tier_and_none(tmp_path: Path) -> None:
    by_tier = Settings(joint_by_tier=True)
    one_tier = estimated(judgments(10).with_columns(tier=pl.lit("medium")), tmp_path, by_tier)
    assert one(one_tier, "bt_strength", generator="j", tier="medium")["estimate"] is not None
    none = estimated(judgments(10).drop("tier"), tmp_path, by_tier)
    assert "no task has a tier" in " ".join(none["reason"].drop_nulls().to_list())


@pytest.mark.parametrize("settings", [Settings(), Settings(interval="percentile", n_resamples=19)])
def test_small_tables_of_any_kind_give_rows_and_no_error(tmp_path: Path, settings: Settings) -> None:
    rng = np.random.default_rng(8)
    wide = replace(settings, joint_by_tier=True, joint_uninvolved=True)
    for _ in range(10):
        names = list("jkmu"[: rng.integers(2, 5)])
        rows = judgments(int(rng.integers(1, 4)), int(rng.integers(99)), ties=bool(rng.integers(2))).filter(
            pl.col("judge").is_in(names[: rng.integers(1, 4)]),
            pl.col("slot_a").is_in(names),
            pl.col("slot_b").is_in(names),
        )
        kept = rows.sample(fraction=float(rng.uniform(0.3, 1)), seed=int(rng.integers(99)))
        if kept.is_empty():
            continue
        estimates = estimated(kept, tmp_path, wide)
        assert estimates.filter(pl.col("estimate").is_null())["reason"].is_not_null().all()
        assert estimates.height >= 3


def test_a_judge_that_never_errs_has_no_finite_term(tmp_path: Path) -> None:
    rows = pl.DataFrame(
        [
            {"task_id": f"t{n}", "judge": "u", "slot_a": a, "slot_b": b, "verdict": "a" if a == "x" else "b"}
            for n in range(3)
            for a, b in ("xy", "yx")
        ]
    )
    estimates = estimated(rows, tmp_path)
    strengths = estimates.filter(pl.col("estimand") == "bt_strength")
    assert strengths["estimate"].null_count() == 2
    assert strengths["reason"].str.contains("separation").all()
