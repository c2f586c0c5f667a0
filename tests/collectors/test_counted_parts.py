"""Counting by the few things that rows say gives the reduction of the rows, and decides nothing in doubt."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import narwhals as nw
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from recuse.analysis.coded import coded_comparisons
from recuse.analysis.comparisons import COMPARISON_KEYS
from recuse.analysis.reduction import COUNTS, READ_TEXTS, READ_WHOLE, reduced
from recuse.collectors.counted_parts import counted_part, is_plain

READ = [*READ_TEXTS, *READ_WHOLE]
LACKING = [[], ["words_a"], ["variant_a", "probe"], ["words_a", "words_b", "status"]]


@pytest.fixture
def few_things(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take as few what is not, so that small tables are counted like large ones."""
    monkeypatch.setattr("recuse.analysis.distinct._FEW", 0)
    monkeypatch.setattr("recuse.analysis.distinct._MOSTLY", 0.99)


def one_by_one(rows: pl.DataFrame, aliases: Mapping[str, str]) -> pl.DataFrame:
    counted: pl.DataFrame = (
        reduced(nw.from_native(rows.lazy()), study="odd", aliases=aliases).to_native().collect()
    )
    return counted.sort(COMPARISON_KEYS)


@pytest.mark.usefixtures("few_things")
@pytest.mark.parametrize("aliases", [{}, {"Zeta/z": "alpha", "nobody": "x"}])
@pytest.mark.parametrize(
    "lacking", [[], ["words_a"], ["variant_a", "probe"], ["words_a", "words_b", "status"]]
)
def test_counts_are_those_of_the_reduction(
    judgments_of_all_kinds: Callable[..., pl.DataFrame], aliases: Mapping[str, str], lacking: list[str]
) -> None:
    rows = judgments_of_all_kinds(3_000)
    rows = rows.select(name for name in rows.columns if name in READ and name not in lacking)
    if "status" in lacking:
        rows = rows.filter(pl.col("verdict").is_not_null())
    found = counted_part(rows, "odd", aliases)
    assert found is not None
    everything = pl.Series([True]).new_from_index(0, found.comparisons.rows.height)
    decoded = found.comparisons.decoded(everything)
    expected = one_by_one(rows, aliases)
    assert_frame_equal(decoded, expected, check_row_order=False, check_dtypes=False)
    assert decoded.select(COMPARISON_KEYS).equals(decoded.select(COMPARISON_KEYS).sort(COMPARISON_KEYS))
    names = pl.any_horizontal(pl.col("judge", "slot_a", "slot_b") == "Zeta/z")
    assert dict(found.aliases) == ({"Zeta/z": rows.filter(names).height, "nobody": 0} if aliases else {})


def plain(n: int = 40) -> pl.DataFrame:
    """Two orders of one pair for each of n / 2 tasks."""
    return pl.DataFrame({
        "task_id": [f"t{index // 2}" for index in range(n)], "tier": "easy", "judge": "j",
        "slot_a": ["x", "y"] * (n // 2), "slot_b": ["y", "x"] * (n // 2), "verdict": "a", "status": "ok",
        "replicate": 0, "words_a": 3, "words_b": 4,
    })  # fmt: skip


@pytest.mark.usefixtures("few_things")
@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("task_id", None), ("task_id", ""), ("judge", None), ("slot_b", ""), ("verdict", "A"),
        ("verdict", None), ("status", "error"), ("status", "lost"), ("replicate", -1), ("words_b", -1),
        ("tier", "hard"), ("tier", None),
    ],
)  # fmt: skip
def test_one_row_in_doubt_leaves_the_part_to_its_rows(column: str, value: object) -> None:
    assert counted_part(plain(), "s", {}) is not None
    at_seven = pl.int_range(pl.len()) == 7
    rows = plain().with_columns(pl.when(at_seven).then(pl.lit(value)).otherwise(column).alias(column))
    assert counted_part(rows, "s", {}) is None


@pytest.mark.usefixtures("few_things")
def test_eight_rows_of_one_comparison_are_left_to_the_rows() -> None:
    assert counted_part(pl.concat([plain()] * 3), "s", {}) is not None
    assert counted_part(pl.concat([plain()] * 4), "s", {}) is None


def test_where_rows_are_few_or_hardly_repeat_they_are_read_themselves() -> None:
    assert counted_part(plain(), "s", {}) is None
    judges = pl.DataFrame({"judge": [f"j{index}" for index in range(4_000)]})
    assert counted_part(plain(4_000).with_columns(judges), "s", {}) is None
    assert counted_part(plain(4_000), "s", {}) is not None


def test_columns_of_other_types_are_not_plain() -> None:
    types = dict(plain().schema)
    assert is_plain(types)
    assert is_plain({**types, "latency_s": pl.Float64(), "verdict": pl.Enum(["a", "b", "tie"])})
    assert not is_plain({**types, "words_a": pl.Float64()})
    assert not is_plain({**types, "task_id": pl.Int64()})
    assert not is_plain({**types, "words_a": pl.UInt64()})


def test_comparisons_of_kinds_of_their_own_keep_them_when_some_are_set_aside(
    judgments_of_all_kinds: Callable[..., pl.DataFrame],
) -> None:
    reduced_rows = one_by_one(judgments_of_all_kinds(900), {})
    whole = coded_comparisons(reduced_rows, ("n_presentations", *COUNTS))
    wanted = pl.int_range(whole.rows.height, eager=True) % 3 == 1
    part = whole.only(wanted)
    assert whole.has_own_kinds()
    assert part.has_own_kinds()
    expected = reduced_rows.filter(wanted)
    assert_frame_equal(part.decoded(wanted.filter(wanted)), expected, check_dtypes=False)
