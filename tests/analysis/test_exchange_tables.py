"""Tables for other programs: what they compute from them is what this package estimates."""

from __future__ import annotations

from pathlib import Path

import krippendorff
import polars as pl
import pytest
from sklearn.metrics import cohen_kappa_score

from recuse.analysis.agreement import agreement
from recuse.analysis.comparisons import compare
from recuse.analysis.exchange_tables import RATING_KEYS, battles_table, long_table, ratings_table
from recuse.analysis.settings import Settings
from recuse.cli import main
from recuse.collectors.sources import load

ARTICLE = Settings(convention="article")


@pytest.fixture(scope="module")
def study():
    return load("three-judges")


@pytest.fixture(scope="module")
def estimates(study):
    return agreement(compare(study.judgments, families=study.families), ARTICLE)


def codes(table: pl.DataFrame) -> pl.DataFrame:
    known = {"first": 0.0, "second": 1.0, "neither": 2.0}
    raters = table.drop(RATING_KEYS)
    return raters.select(pl.all().replace_strict(known, default=None, return_dtype=pl.Float64))


def test_alpha_of_the_wide_table_is_ours(estimates, tmp_path):
    path = tmp_path / "ratings.csv"
    assert main(["export", "three-judges", "--as", "ratings", "--out", str(path)]) == 0
    table = pl.read_csv(path)
    alphas = estimates.filter(pl.col("estimand") == "krippendorff_alpha")
    for tier in (None, "objective", "medium", "subjective"):
        part = table if tier is None else table.filter(pl.col("tier") == tier)
        theirs = krippendorff.alpha(codes(part).to_numpy().T, level_of_measurement="nominal")
        ours = alphas.filter(pl.col("tier").eq_missing(pl.lit(tier)))["estimate"].item()
        assert ours == pytest.approx(theirs), tier


def test_kappa_of_two_columns_is_ours(study, estimates):
    raters = codes(ratings_table(compare(study.judgments)))
    kappas = estimates.filter(pl.col("estimand") == "cohen_kappa", pl.col("tier").is_null())
    assert kappas.height == 3
    for row in kappas.iter_rows(named=True):
        theirs = cohen_kappa_score(raters[row["judge"]], raters[row["judge_2"]])
        assert row["estimate"] == pytest.approx(theirs)


def test_an_item_that_a_judge_did_not_complete_is_empty(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text(
        "task_id,judge,slot_a,slot_b,verdict\n"
        "t,j,x,y,a\nt,j,y,x,b\nt,k,x,y,a\nt,k,y,x,\nu,j,x,y,tie\nu,j,y,x,a\nt,tier,x,y,b\nt,tier,y,x,a\n"
    )
    table = ratings_table(compare(load(str(path)).judgments))
    assert table.columns == [*RATING_KEYS, "j", "judge tier"]
    assert table["j"].to_list() == ["first", "neither"]
    assert table["judge tier"].to_list() == ["second", None]


def test_the_long_table_is_a_source_with_the_same_judgments(study, tmp_path):
    path = tmp_path / "three-judges.csv"
    assert main(["export", "three-judges", "--out", str(path)]) == 0
    again = load(str(path)).judgments
    names = long_table(study.judgments).columns
    assert again.select(names).equals(study.judgments.select(names))


def test_battles_are_as_shown_and_come_back_through_the_arena_importer(study, tmp_path):
    battles = battles_table(study.judgments)
    assert battles.height == 270
    wins = dict(battles.group_by("winner").len().iter_rows())
    main_probe = study.judgments.filter(pl.col("probe") == "main")
    verdicts = dict(
        main_probe.select(pl.col("verdict").cast(pl.String)).group_by("verdict").len().iter_rows()
    )
    assert wins == {"model_a": verdicts["a"], "model_b": verdicts["b"], "tie": verdicts["tie"]}
    path = tmp_path / "clean_battle.csv"
    battles.filter(pl.col("judge") == "xai/grok-4.3").write_csv(path)
    back = load(f"arena:{path}").judgments.sort("task_id", "slot_a", "slot_b")
    shown = main_probe.filter(pl.col("judge") == "xai/grok-4.3").sort("task_id", "slot_a", "slot_b")
    assert back.select("task_id", "slot_a", "slot_b", "verdict").equals(
        shown.select("task_id", "slot_a", "slot_b", "verdict")
    )


def test_a_csv_runs_nothing_in_a_spreadsheet(tmp_path, capsys):
    path = tmp_path / "s.csv"
    path.write_text("task_id,judge,slot_a,slot_b,verdict\n=1+1,@j,x,+y,a\n=1+1,@j,+y,x,b\n")
    for table in ("long", "ratings", "arena"):
        out = tmp_path / f"{table}.csv"
        assert main(["export", str(path), "--as", table, "--out", str(out)]) == 0
        cells = [cell for line in out.read_text().splitlines() for cell in line.split(",")]
        assert not [cell for cell in cells if cell[:1] in {"=", "+", "@"}]
        assert {"'=1+1", "'+y", "'@j"} <= set(cells)
    assert "texts that begin like a formula" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["three-judges", "--as", "wide"], "'wide' is not one of 'long', 'ratings', 'arena'"),
        (["three-judges", "--out", "table.xlsx"], "unknown suffix of an export '.xlsx'"),
        (["nowhere"], "cannot read nowhere"),
    ],
)
def test_what_cannot_be_exported_is_one_line(capsys, monkeypatch, tmp_path: Path, words, line):
    monkeypatch.chdir(tmp_path)
    assert main(["export", *words]) == 2
    error = capsys.readouterr().err
    assert line in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())
