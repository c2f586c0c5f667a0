"""`recuse report` end to end, as a person runs it: files, words, errors."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from recuse.collectors.sources import load
from recuse.schema import Comparisons, Estimates

ROOT = Path(__file__).parent.parent
REAL = ROOT.parent / "shared" / "data" / "position-bias" / "verdicts.csv.gz"


def recuse(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "recuse", *words],
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report") / "out"
    run = recuse("report", "--out", str(folder))
    assert (run.returncode, run.stderr) == (0, "")
    (folder / "terminal.txt").write_text(run.stdout, encoding="utf-8")
    return folder


def test_the_terminal_answers_first(out: Path) -> None:
    first = (out / "terminal.txt").read_text(encoding="utf-8").splitlines()[:3]
    by_delta = {
        delta: line
        for line in first
        for delta in ("+15.0 pp", "+21.7 pp", "+13.3 pp")
        if f"uninvolved judges is {delta}" in line
    }
    assert "excludes 0" in by_delta["+21.7 pp"]
    assert "includes 0" in by_delta["+15.0 pp"]
    assert "includes 0" in by_delta["+13.3 pp"]
    assert "minimum detectable effect" in by_delta["+13.3 pp"]


def test_every_file_is_there_and_is_what_it_says(out: Path) -> None:
    estimates = pl.read_parquet(out / "estimates.parquet")
    Estimates.validate(estimates)
    Comparisons.validate(pl.read_parquet(out / "comparisons.parquet"))
    assert pl.read_csv(out / "estimates.csv", infer_schema_length=None).height == estimates.height
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["seed"] == 0
    assert all(len(one["sha256"]) == 64 for one in manifest["inputs"])
    assert str(out.parent) not in json.dumps(manifest)
    drawn = {path.name for path in (out / "figures").iterdir()}
    stems = {name.rsplit(".", 1)[0] for name in drawn}
    assert drawn == {f"{stem}.{kind}" for stem in stems for kind in ("svg", "pdf", "png")}
    assert {"self_preference", "position", "agreement", "length_probe"} <= stems
    tables = {path.stem for path in (out / "tables").glob("*.tex")}
    assert {"win_rate", "position", "self_preference", "agreement", "length_probe"} <= tables
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "NaN" not in (out / "terminal.txt").read_text(encoding="utf-8")
    assert "+21.7\u00a0pp" in page
    assert 'src="http' not in page


def test_the_same_seed_gives_the_same_estimates(out: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    assert recuse("report", "--out", str(again)).returncode == 0
    assert (again / "estimates.csv").read_bytes() == (out / "estimates.csv").read_bytes()


def test_several_studies_and_pooled(tmp_path: Path) -> None:
    run = recuse(
        "report", "three-judges", "pilot", "--pooled", "--format", "json", "--out", str(tmp_path / "o")
    )
    assert run.returncode == 0, run.stderr
    rows = json.loads(run.stdout)
    long = [row for row in rows if row["estimand"] == "long_wins_score" and row["judge"] is None]
    elaboration = {
        row["study"]: row["n_comparisons"] for row in long if row["group"] == "rewards=elaboration"
    }
    assert elaboration == {"three-judges": 27, "pilot": 18, None: 45}


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["report", "no-such-file.csv"], "no-such-file.csv"),
        (["report", "--interval", "wald"], "unknown interval 'wald'; one of: bootstrap-t"),
        (["report", "--scoring", "best"], "resolved"),
        (["report", "--interval", "rows"], "ask for it with --convention article"),
    ],
)
def test_errors_are_one_line_and_exit_2(words: list[str], line: str) -> None:
    run = recuse(*words)
    assert run.returncode == 2
    assert len(run.stderr.strip().splitlines()) == 1
    assert line in run.stderr
    assert run.stdout == ""


def test_set_aside_can_be_listed(tmp_path: Path) -> None:
    table = tmp_path / "twice.csv"
    table.write_text(
        "task_id,judge,slot_a,slot_b,verdict\nt,j,x,y,a\nt,j,y,x,b\nt,j,y,x,b\n", encoding="utf-8"
    )
    run = recuse("report", str(table), "--show-set-aside")
    assert run.returncode == 0, run.stderr
    assert "row 4" in run.stdout
    assert "twice" in recuse("report", str(table), "--format", "json", "--out", str(tmp_path / "o")).stdout


@pytest.mark.slow
@pytest.mark.skipif(not REAL.exists(), reason="the folder shared is not beside this checkout")
def test_the_repetition_sets_of_position_bias(tmp_path: Path) -> None:
    everything = pl.DataFrame(load(f"position-bias:{REAL}").judgments).drop("judgment_id")
    repeated = pl.col("probe") == "three_rounds"
    for name, part, n, n_judges in (
        ("three-rounds", everything.filter(repeated).with_columns(probe=pl.lit("main")), 9_072, 9),
        ("rest", everything.filter(~repeated), 34_672 - 9_072, 5),
    ):
        assert part.height == n
        path = tmp_path / f"{name}.parquet"
        part.write_parquet(path)
        out = tmp_path / name
        run = recuse("report", str(path), "--out", str(out))
        assert run.returncode == 0, run.stderr
        estimates = pl.read_parquet(out / "estimates.parquet")
        Estimates.validate(estimates)
        assert estimates["judge"].drop_nulls().n_unique() == n_judges
