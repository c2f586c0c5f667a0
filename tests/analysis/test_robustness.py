"""Robustness rates worked by hand, net of a second asking, and probes that are no such thing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import polars as pl
import pytest

from recuse.analysis.comparisons import compare
from recuse.analysis.robustness import robustness
from recuse.analysis.settings import Settings
from recuse.collectors.sources import load

SETTINGS = Settings(n_resamples=199)
Row = tuple[str, str, str, str, int, str | None, str]
"""Task, probe, slot A, slot B, replicate, variant of x, verdict."""


def estimated(rows: Iterable[Row], folder: Path) -> pl.DataFrame:
    path = folder / "study.csv"
    pl.DataFrame(
        [
            {
                "task_id": task, "probe": probe, "judge": "j", "slot_a": a, "slot_b": b,
                "replicate": replicate, "variant_a": variant if a == "x" else None,
                "variant_b": variant if b == "x" else None, "verdict": verdict,
            }
            for task, probe, a, b, replicate, variant, verdict in rows
        ],
        infer_schema_length=None,
    ).write_csv(path)  # fmt: skip
    return robustness(compare(load(str(path)).judgments), SETTINGS)


def found(estimates: pl.DataFrame, estimand: str, baseline: str | None = None) -> tuple[float | None, int]:
    row = estimates.filter(
        pl.col("estimand") == estimand, pl.col("baseline").eq_missing(pl.lit(baseline, pl.String))
    )
    return row["estimate"].item(), row["n_comparisons"].item()


def test_rates_by_hand(tmp_path: Path) -> None:
    """Four presentations: asked three times as they are (aab, aaa, bbb, abt), then once perturbed."""
    asked = {("t1", "x"): "aab", ("t1", "y"): "aaa", ("t2", "x"): "bbb", ("t2", "y"): "abt"}
    perturbed = {("t1", "x"): "a", ("t1", "y"): "b", ("t2", "x"): "b", ("t2", "y"): "b"}
    rows: list[Row] = []
    for (task, a), words in asked.items():
        b = "y" if a == "x" else "x"
        verdicts = [{"a": "a", "b": "b", "t": "tie"}[word] for word in words]
        rows += [(task, "main", a, b, replicate, None, word) for replicate, word in enumerate(verdicts)]
        rows += [(task, "citation", a, b, 0, "false_citation", perturbed[task, a])]
    estimates = estimated(rows, tmp_path)
    assert set(estimates["probe"]) == {"citation"}
    # Equal to the perturbed verdict: 2 of 3, 0 of 3, 3 of 3, 1 of 3; equal among pairs: 1/3, 1, 1, 0.
    assert found(estimates, "robustness_rate") == (pytest.approx(6 / 12), 4)
    assert found(estimates, "consistency_rate") == (pytest.approx(7 / 12), 4)
    assert found(estimates, "robustness_rate", "test_retest_agreement") == (pytest.approx(-1 / 12), 4)


def test_without_second_askings_the_net_rate_has_a_reason(tmp_path: Path) -> None:
    rows: list[Row] = [
        ("t", probe, *pair, 0, variant, "a")
        for probe, variant in (("main", None), ("citation", "cited"))
        for pair in ("xy", "yx")
    ]
    estimates = estimated(rows, tmp_path)
    assert found(estimates, "robustness_rate")[0] == 1.0
    net = estimates.filter(pl.col("baseline") == "test_retest_agreement")
    assert net["estimate"].item() is None
    assert "asked once" in net["reason"].item()


def test_without_the_unperturbed_pair_there_is_nothing_to_compare(tmp_path: Path) -> None:
    rows: list[Row] = [("t", "citation", *pair, 0, "cited", "a") for pair in ("xy", "yx")]
    rows += [("u", "main", *pair, 0, None, "a") for pair in ("xy", "yx")]
    estimates = estimated(rows, tmp_path)
    assert estimates["estimate"].null_count() == estimates.height == 3
    assert estimates["reason"].str.contains("no verdict on the unperturbed answers").all()


def test_an_answer_against_its_own_perturbed_version(tmp_path: Path) -> None:
    """The padded version wins in both orders on one task, flips on the second, loses on the third."""
    sides = (("padded", None), (None, "padded"))
    rows = [
        {"task_id": task, "probe": "repetition", "judge": "j", "slot_a": "x", "slot_b": "x",
         "variant_a": variant_a, "variant_b": variant_b, "verdict": verdict}
        for task, verdicts in (("t1", "ab"), ("t2", "aa"), ("t3", "ba"))
        for (variant_a, variant_b), verdict in zip(sides, verdicts, strict=True)
    ]  # fmt: skip
    path = tmp_path / "probe.csv"
    pl.DataFrame(rows).write_csv(path)
    estimates = robustness(compare(load(str(path)).judgments), SETTINGS)
    assert found(estimates, "robustness_rate") == (pytest.approx(2 / 3), 3)
    assert "own perturbed version" in estimates.filter(pl.col("baseline").is_not_null())["reason"].item()


def test_the_bundled_study_has_no_such_probe() -> None:
    assert robustness(compare(load().judgments), SETTINGS).is_empty()
