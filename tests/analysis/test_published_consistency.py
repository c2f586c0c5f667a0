"""Position consistency as published for the DevBench set of arXiv:2406.07791, from its 34,672 verdicts."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from recuse.analysis.comparisons import compare
from recuse.analysis.position import position
from recuse.analysis.settings import Settings
from recuse.collectors.sources import load
from recuse.schema import Judgments

ROOT = Path(__file__).parent.parent.parent
VERDICTS = ROOT.parent / "shared" / "data" / "position-bias" / "verdicts.csv.gz"
PUBLISHED = {"gpt-3.5-turbo-0125": 75.80, "gpt-3.5-turbo-1106": 76.34, "gpt-4-0613": 82.77}
"""Percent, from the tables beside the data (github.com/Slimshilin/Position-Bias-Analyzer at 9f8b7e8e8386)."""


@pytest.mark.skipif(not VERDICTS.exists(), reason="the folder shared is not beside this checkout")
def test_position_consistency_on_devbench() -> None:
    judgments = load(f"position-bias:{VERDICTS}").judgments
    devbench = Judgments.validate(judgments.filter(pl.col("probe") == "main", pl.col("study") == "devbench"))
    rates = position(compare(devbench), Settings()).filter(
        pl.col("estimand") == "position_consistency", pl.col("tier").is_null()
    )
    found = dict(rates.select("judge", 100 * pl.col("estimate")).rows())
    for judge, percent in PUBLISHED.items():
        assert found[judge] == pytest.approx(percent, abs=0.005), judge
