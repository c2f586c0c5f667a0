"""The position-bias table at full size: imported, read through the border, counted."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from recuse.collectors.sources import Source, load

TESTS = Path(__file__).parents[1]
VERDICTS = TESTS.parents[1] / "shared" / "data" / "position-bias" / "verdicts.csv.gz"
pytestmark = pytest.mark.skipif(
    not VERDICTS.exists(), reason="the position-bias verdicts are not beside the checkout"
)


@pytest.fixture(scope="module")
def source() -> Source:
    return load(f"position-bias:{VERDICTS}")


def test_every_row_arrives(source: Source) -> None:
    judgments = source.judgments
    assert judgments.height == 34_672
    assert source.set_aside.is_empty()
    counts = dict(judgments.group_by("probe").len().iter_rows())
    assert counts == {"main": 25_600, "three_rounds": 9_072}
    assert judgments["judgment_id"].n_unique() == 34_672


def test_verdicts_are_counted_as_published(source: Source) -> None:
    verdicts = dict(
        source.judgments.select(pl.col("verdict").cast(pl.String)).group_by("verdict").len().iter_rows()
    )
    assert verdicts == {"a": 14_307, "b": 18_908, "tie": 1_392, None: 65}
    assert "65 of 34,672 presentations have no verdict (parse_failed 65)" in source.notes


def test_repetition_sets(source: Source) -> None:
    repeated = source.judgments.filter(probe="three_rounds")
    assert repeated.height == 9_072
    assert dict(repeated.group_by("replicate").len().iter_rows()) == {0: 3_024, 1: 3_024, 2: 3_024}
    judges = set(repeated["judge"])
    assert len(judges) == 9
    assert judges & set(repeated["slot_a"]) == {"gpt-3.5-turbo-1106", "gpt-4-1106-preview"}
    assert repeated["verdict"].null_count() == 29


def test_published_consistency_of_the_main_devbench_set(source: Source) -> None:
    """Shares of 1,120 comparisons as printed in arXiv:2406.07791 for this set."""
    shown = source.judgments.filter(probe="main", study="devbench").select(
        "task_id", "judge", "slot_a", "slot_b", pl.col("verdict").cast(pl.String)
    )
    swapped = shown.rename({"slot_a": "slot_b", "slot_b": "slot_a", "verdict": "other"})
    pairs = shown.join(swapped, on=["task_id", "judge", "slot_a", "slot_b"]).filter(
        pl.col("slot_a") < pl.col("slot_b")
    )
    agree = pl.col("verdict") == pl.col("other").replace({"a": "b", "b": "a"})
    consistent = pairs.group_by("judge").agg(agree.sum().alias("agree"), pl.len())
    published = {"gpt-3.5-turbo-0125": 75.80, "gpt-3.5-turbo-1106": 76.34, "gpt-4-0613": 82.77}
    found = {judge: (agreeing, n) for judge, agreeing, n in consistent.iter_rows()}
    for judge, percent in published.items():
        agreeing, n = found[judge]
        assert n == 1_120
        assert 100 * agreeing / n == pytest.approx(percent, abs=0.005)


def test_names_that_look_alike_are_pointed_out(source: Source) -> None:
    note = next(
        note for note in source.notes if note.startswith("a judge has nearly the name of a generator")
    )
    assert "gpt-4 / gpt-4-0125-preview / gpt-4-0613 / gpt-4-1106-preview" in note
    assert "gpt-3.5-turbo / gpt-3.5-turbo-0125 / gpt-3.5-turbo-1106" in note
    assert {"gpt-4", "gpt-4-0613"} <= set(source.judgments["slot_a"])


def test_every_comparison_has_both_orders(source: Source) -> None:
    assert not [note for note in source.notes if "lack" in note or "one order" in note]
