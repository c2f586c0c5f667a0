"""Distinct rows and the numbers of all rows, for any values and even where every hash is the same."""

from __future__ import annotations

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from recuse.analysis import distinct as module
from recuse.analysis.distinct import distinct

FRAMES = {
    "one value": pl.DataFrame({"judge": ["x"] * 9_000, "kind": pl.Series([None] * 9_000, dtype=pl.String)}),
    "few values": pl.DataFrame({"judge": ["x", "y", "x", None] * 5_000, "first": [*"yxyx"] * 5_000}),
    "names that trade places": pl.DataFrame({"a": ["x", "y"] * 6_000, "b": ["y", "x"] * 6_000}),
    "all different": pl.DataFrame({"n": range(9_000)}),
    "all different, and many": pl.DataFrame({"n": range(300_000)}),
    "few values of many": pl.DataFrame({"n": [number // 300 for number in range(300_000)]}),
    "few rows": pl.DataFrame({"judge": ["x", "x", "y"]}),
    "none": pl.DataFrame({"judge": []}, schema={"judge": pl.String}),
}


def alike(rows: pl.DataFrame) -> pl.DataFrame:
    return pl.DataFrame({"hash": [7] * rows.height})


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("hashes", ["of values", "all alike"])
def test_every_row_is_the_value_of_its_number(
    name: str, hashes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = FRAMES[name]
    if hashes == "all alike":
        monkeypatch.setattr(module, "_hashes", alike)
    values, number = distinct(frame)
    assert_frame_equal(values[number], frame)
    if name not in {"all different", "all different, and many", "few rows", "none"}:
        assert values.height == frame.n_unique()
