"""``recuse report --stream`` writes what ``recuse report`` writes."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from recuse.analysis.comparisons import COMPARISON_KEYS, compare
from recuse.analysis.report import estimate_all, pooled_over_studies
from recuse.analysis.settings import Settings
from recuse.cli import main
from recuse.collectors.bundled import folder_of
from recuse.collectors.partitions import parquet_of
from recuse.collectors.sources import load, load_all
from recuse.commands.report_streamed import estimate_streamed


def as_parquet(name: str, folder: Path, n_files: int = 3) -> Path:
    """Write a bundled study as Parquet, tasks split over the files, its study.toml beside them."""
    folder.mkdir(parents=True)
    judgments = load(name).judgments.lazy().collect()
    for number in range(n_files):
        judgments.gather_every(n_files, number).write_parquet(folder / f"{number}.parquet")
    (folder / "study.toml").write_bytes((folder_of(name) / "study.toml").read_bytes())
    return folder


@pytest.mark.slow
def test_the_report_is_that_of_the_study_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("recuse.collectors.chunks.PART", 50)
    folder = as_parquet("pilot", tmp_path / "pilot")
    assert main(["report", "pilot", "--out", "whole"]) == 0
    said = capsys.readouterr().out
    assert main(["report", str(folder), "--stream", "--out", "parts"]) == 0
    streamed = capsys.readouterr().out
    assert [line for line in streamed.splitlines() if line.startswith("•")] == [
        line for line in said.splitlines() if line.startswith("•")
    ]
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    estimates = [pl.read_parquet(run / "estimates.parquet") for run in (whole, parts)]
    assert_frame_equal(*estimates, abs_tol=1e-9, check_row_order=False)
    numbers = [sorted((run / "numbers.tex").read_text().splitlines()) for run in (whole, parts)]
    assert numbers[0] == numbers[1]
    compared = [pl.read_parquet(run / "comparisons.parquet").sort(COMPARISON_KEYS) for run in (whole, parts)]
    assert_frame_equal(*compared)
    calls = pl.read_csv(whole / "extra_judgments.csv").filter(pl.col("part") == "smallest")
    assert calls.height > 0
    asked = pl.read_csv(parts / "extra_judgments.csv")
    what = ["study", "baseline", "part", "judge", "serves"]
    assert sorted(asked.select(what).rows()) == sorted(calls.select(what).rows())
    names = {path.relative_to(whole) for path in whole.rglob("*")}
    assert {path.relative_to(parts) for path in parts.rglob("*")} == names
    manifest = json.loads((parts / "manifest.json").read_text())
    assert [one["name"] for one in manifest["inputs"]] == [
        "0.parquet",
        "1.parquet",
        "2.parquet",
        "study.toml",
    ]
    n_tasks = load("pilot").judgments["task_id"].n_unique()
    assert any(note.startswith(f"{n_tasks} tasks have rows in several") for note in manifest["notes"])


@pytest.mark.slow
def test_two_studies_in_one_folder_are_pooled(tmp_path: Path) -> None:
    for name in ("pilot", "three-judges"):
        folder = tmp_path / "both" / f"study={name}"
        folder.mkdir(parents=True)
        load(name).judgments.lazy().collect().drop("study").write_parquet(folder / "0.parquet")
    found = parquet_of(str(tmp_path / "both"))
    assert found is not None
    reading = estimate_streamed(found, None, tmp_path / "out", Settings(), pooled=True)
    comparisons = compare(load_all(["pilot", "three-judges"]).judgments)
    each, over_all = (
        estimate_all(comparisons, Settings()),
        estimate_all(pooled_over_studies(comparisons), Settings()),
    )
    assert_frame_equal(reading.estimates, pl.concat([each, over_all]), check_row_order=False)


def test_nothing_is_left_behind_by_a_source_that_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = pl.DataFrame(
        {"task_id": ["t"], "judge": ["j"], "slot_a": ["x"], "slot_b": ["y"], "verdict": ["A"]}
    )
    rows.write_parquet(tmp_path / "wrong.parquet")
    out = tmp_path / "out"
    assert main(["report", str(tmp_path / "wrong.parquet"), "--stream", "--out", str(out)]) == 2
    assert "wrong.parquet: a verdict is a, b or tie" in capsys.readouterr().err
    assert list(out.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--show-set-aside"], "counted and not listed"),
        (["--convention", "article"], "the article's convention resamples comparisons"),
    ],
)
def test_what_parts_cannot_tell_is_refused(
    options: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = as_parquet("pilot", tmp_path / "pilot")
    assert main(["report", str(folder), "--stream", "--out", str(tmp_path / "out"), *options]) == 2
    assert says in capsys.readouterr().err


def test_only_parquet_is_read_in_parts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "pilot", "--stream"]) == 2
    assert "pilot cannot be read in parts: it is no Parquet" in capsys.readouterr().err
