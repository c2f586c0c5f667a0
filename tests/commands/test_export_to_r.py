"""R reads the exported table, and what its packages compute from it is what the page shows."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest

from recuse.analysis.agreement import agreement
from recuse.analysis.comparisons import compare
from recuse.analysis.settings import Settings
from recuse.cli import main
from recuse.collectors.sources import load

PAGE = (Path(__file__).parents[2] / "docs" / "importing.md").read_text(encoding="utf-8")
READING, *CALLS = re.findall(r"```r\n(.*?)```", PAGE, re.DOTALL)[0].splitlines()
SHOWN = dict(zip(CALLS[::2], (line.removeprefix("#> [1] ") for line in CALLS[1::2]), strict=True))
PAIR, ALL = "ratings[, 1:2]", "ratings"


def in_r(folder: Path, *lines: str) -> list[str]:
    done = subprocess.run(
        [shutil.which("Rscript") or "Rscript", "--vanilla", "-e", "\n".join(lines)],
        capture_output=True, text=True, check=True, cwd=folder, timeout=120,
    )  # fmt: skip
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not installed")
    there = tmp_path_factory.mktemp("r")
    assert main(["export", "three-judges", "--as", "ratings", "--out", str(there / "ratings.csv")]) == 0
    return there


def test_the_page_shows_what_we_estimate():
    source = load("three-judges")
    frame = agreement(compare(source.judgments, families=source.families), Settings(convention="article"))
    of_all = pl.col("tier").is_null() & (
        pl.col("judge").is_null()
        | (pl.col("judge") == "anthropic/claude-sonnet-4-6") & (pl.col("judge_2") == "openai/gpt-5.5")
    )
    ours = dict(frame.filter(of_all).select("estimand", "estimate").iter_rows())
    for call, estimand in {
        f"psych::cohen.kappa({PAIR})$kappa": "cohen_kappa",
        f"irr::kappa2({PAIR})$value": "cohen_kappa",
        f"irrCAC::gwet.ac1.raw({PAIR})$est$coeff.val": "gwet_ac1",
        f"irrCAC::krippen.alpha.raw({ALL})$est$coeff.val": "krippendorff_alpha",
    }.items():
        assert float(SHOWN[call]) == pytest.approx(ours[estimand], abs=5.1e-6), call


@pytest.mark.slow
def test_r_reads_raters_items_and_missing_ratings(folder):
    lines = in_r(
        folder, READING, "cat(dim(ratings), names(ratings), sort(unique(unlist(ratings))), sep = '\\n')"
    )
    judges = ["anthropic/claude-sonnet-4-6", "openai/gpt-5.5", "xai/grok-4.3"]
    assert lines == ["45", "3", *judges, "first", "neither", "second"]
    (folder / "s.csv").write_text(
        "task_id,judge,slot_a,slot_b,verdict\n"
        "t,j,x,y,a\nt,j,y,x,b\nt,k,x,y,a\nt,k,y,x,\nu,j,x,y,tie\nu,j,y,x,a\nu,k,x,y,b\nu,k,y,x,a\n"
    )
    assert main(["export", str(folder / "s.csv"), "--as", "ratings", "--out", str(folder / "few.csv")]) == 0
    few = READING.replace("ratings.csv", "few.csv")
    assert in_r(folder, few, "cat(is.na(ratings$j), is.na(ratings$k))") == ["FALSE FALSE TRUE FALSE"]


@pytest.mark.slow
@pytest.mark.parametrize("package", ["psych", "irr", "irrCAC"])
def test_what_r_says_is_what_the_page_shows(folder, package):
    if in_r(folder, f"cat(requireNamespace('{package}', quietly = TRUE))") != ["TRUE"]:
        pytest.skip(f"the R package {package} is not installed")
    calls = {call: shown for call, shown in SHOWN.items() if call.startswith(f"{package}::")}
    said = in_r(folder, READING, *calls)
    assert said == [f"[1] {shown}" for shown in calls.values()]
