"""Every published folder of judgments, imported and reported from end to end, as a newcomer would."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from recuse.cli import app

DATA = Path(__file__).parents[2] / "shared" / "data"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.exists(), reason="the published data are not beside the checkout"),
]
MAPPING = (
    *(
        "--task",
        "prompt",
        "--judge",
        "worker",
        "--slot-a",
        "left",
        "--slot-b",
        "right",
        "--verdict",
        "winner",
    ),
    *("--verdict-a", "left", "--verdict-b", "right", "--verdict-tie", "tie"),
    *("--constant", "judge_kind=human"),
)


def run(*words: str) -> str:
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    return result.output


def estimates(out: Path) -> pl.DataFrame:
    """Give the estimates of a report, after a look at its files."""
    page = (out / "report.html").read_text(encoding="utf-8")
    assert len(page) < 4_000_000
    for figure in (out / "figures").glob("*.svg"):
        assert all(figure.with_suffix(ending).stat().st_size for ending in (".pdf", ".png"))
    assert json.loads((out / "manifest.json").read_text(encoding="utf-8"))["inputs"]
    found = pl.read_parquet(out / "estimates.parquet")
    assert found.filter(pl.col("estimate").is_null() & pl.col("reason").is_null()).is_empty()
    return found


def one(found: pl.DataFrame, estimand: str, **keys: str | None) -> dict[str, Any]:
    """Give the first row of the quantity; a key that is not named is null, but the probe."""
    wanted = {**dict.fromkeys(("judge", "judge_2", "generator", "tier", "group", "baseline")), **keys}
    rows = found.filter(
        pl.col("estimand") == estimand,
        *(pl.col(name).eq_missing(pl.lit(value, dtype=pl.String)) for name, value in wanted.items()),
    )
    return rows.row(0, named=True)


def _three_judges(found: pl.DataFrame) -> None:
    keys = {"judge": "openai/gpt-5.5", "baseline": "uninvolved"}
    assert round(100 * one(found, "self_preference_delta", **keys)["estimate"], 1) == 21.7


def _pilot(found: pl.DataFrame) -> None:
    quoted = {"claude-opus-5": 16.7, "claude-sonnet-5": -14.6, "claude-haiku-4.5": 4.2}
    for name, delta in quoted.items():
        row = one(found, "self_preference_delta", judge=f"anthropic/{name}", baseline="all_peers")
        assert round(100 * row["estimate"], 1) == delta


def _position_bias(found: pl.DataFrame) -> None:
    published = {"gpt-3.5-turbo-0125": 75.80, "gpt-3.5-turbo-1106": 76.34, "gpt-4-0613": 82.77}
    devbench = found.filter(pl.col("study") == "devbench")
    for judge, consistency in published.items():
        row = one(devbench, "position_consistency", judge=judge, probe="main")
        assert round(100 * row["estimate"], 2) == pytest.approx(consistency, abs=0.006)


def _llmbar(found: pl.DataFrame) -> None:
    """GPT-4 on the subset Natural: 95 of 100 pairs agree, of which statistics.json says 95.0 %."""
    consistency = one(found, "position_consistency", judge="GPT-4", probe="main")
    assert (round(consistency["estimate"], 3), consistency["n_comparisons"]) == (0.95, 100)


def _llmfao(found: pl.DataFrame) -> None:
    assert found["generator"].n_unique() - 1 == 59
    assert found.filter(pl.col("estimand") == "slot_a_rate")["judge"].n_unique() == 30


def _pandalm(found: pl.DataFrame) -> None:
    pairs = [("annotator1", "annotator2"), ("annotator1", "annotator3"), ("annotator2", "annotator3")]
    kappas = [one(found, "cohen_kappa", judge=first, judge_2=second)["estimate"] for first, second in pairs]
    assert [round(kappa, 2) for kappa in kappas] == [0.85, 0.88, 0.86]


def _swap_battle(found: pl.DataFrame) -> None:
    """Consistency under swap: GPT-5 41 of 50, Claude 36 of 50, Gemini 28 of 49 with one error."""
    told = {
        judge: one(found, "position_consistency", judge=judge, probe="main")
        for judge in ("gpt-5", "claude-sonnet-4-5-20250929", "gemini-2.5-flash")
    }
    counted = [(round(row["estimate"] * row["n_comparisons"]), row["n_comparisons"]) for row in told.values()]
    assert counted == [(41, 50), (36, 50), (28, 49)]


def _vicuna(found: pl.DataFrame) -> None:
    slot = one(found, "slot_a_rate", judge="gpt-4")
    assert slot["reason"] == "one order was asked: slot and generator cannot be told apart"
    assert found.filter(pl.col("estimand") == "win_rate", pl.col("judge").is_null())["n_tasks"].max() == 80


SOURCES: dict[str, tuple[str, Callable[[pl.DataFrame], None], tuple[str, ...]]] = {
    "three-judges": ("csv three-judges/judgments.csv", _three_judges, ("self-preference",)),
    "three-judges-pilot": ("csv three-judges-pilot/judgments.csv", _pilot, ("self-preference",)),
    "position-bias": ("position-bias position-bias/verdicts.csv.gz", _position_bias, ("Asked again",)),
    "llmbar": (
        "llmbar llmbar/Natural",
        _llmbar,
        ("self-preference against uninvolved judges of 6 judges cannot be estimated",),
    ),
    "llmfao": (
        "table llmfao.csv",
        _llmfao,
        ("Of 30 judges 20 are shown", "The preference for a slot of 20 judges cannot be estimated"),
    ),
    "pandalm": ("pandalm pandalm", _pandalm, ("25 of 4,995 presentations have no verdict",)),
    "swap-battle": ("swap-battle swap-battle", _swap_battle, ("1 of 450 presentations have no verdict",)),
    "vicuna-reviews": ("vicuna vicuna-reviews", _vicuna, ("1,040 comparisons by gpt-4 in one order only",)),
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_published_folder_is_imported_and_reported(name: str, tmp_path: Path) -> None:
    told, check, sentences = SOURCES[name]
    file_format, place = told.split()
    path = DATA / place
    words: tuple[str, ...] = ()
    if file_format == "table":
        words, path = MAPPING, _votes(name, place, tmp_path)
    run("import", file_format, str(path), *words, "--into", str(tmp_path / name))
    said = run("report", str(tmp_path / name), "--out", str(tmp_path / "out"))
    assert all(sentence in said for sentence in sentences), said
    check(estimates(tmp_path / "out"))


def _votes(name: str, place: str, folder: Path) -> Path:
    """Import all votes of a crowd, and give those of its 30 busiest voters, for which a report is quick."""
    every = folder / place
    every.write_bytes((DATA / name / place).read_bytes())
    said = run("import", "table", str(every), *MAPPING, "--into", str(folder / "every"))
    assert "8,931 judgments added" in said
    votes = pl.read_csv(every)
    busy = votes["worker"].value_counts().sort("count", "worker", descending=True).head(30)["worker"]
    some = folder / f"some-{place}"
    votes.filter(pl.col("worker").is_in(busy.implode())).write_csv(some)
    return some
