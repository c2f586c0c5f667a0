"""Counts of parts that share comparisons add up to the counts of the whole."""

from __future__ import annotations

from collections.abc import Callable

import narwhals as nw
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from recuse.analysis.coded import Coded
from recuse.analysis.comparisons import COMPARISON_KEYS
from recuse.analysis.reduction import reduced
from recuse.collectors import merging
from recuse.collectors.merging import merged
from recuse.errors import SourceError


@pytest.fixture
def few_things(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take as few what is not, so that small tables are treated like large ones."""
    monkeypatch.setattr("recuse.analysis.distinct._FEW", 0)
    monkeypatch.setattr("recuse.analysis.distinct._MOSTLY", 0.99)


def counted(rows: pl.DataFrame) -> pl.DataFrame:
    table: pl.DataFrame = reduced(nw.from_native(rows.lazy()), study="odd").to_native().collect()
    return table


def in_pieces(rows: pl.DataFrame, n: int) -> pl.DataFrame:
    return pl.concat(counted(piece) for _, piece in rows.group_by(pl.int_range(pl.len()) % n))


def written_out(found: Coded) -> pl.DataFrame:
    return found.decoded(pl.Series([True]).new_from_index(0, found.rows.height))


@pytest.mark.usefixtures("few_things")
@pytest.mark.parametrize("n", [1, 2, 5])
def test_pieces_add_up_to_the_whole(judgments_of_all_kinds: Callable[..., pl.DataFrame], n: int) -> None:
    rows = judgments_of_all_kinds(3_000)
    found = written_out(merged(in_pieces(rows, n), "odd"))
    assert_frame_equal(found, counted(rows).sort(COMPARISON_KEYS), check_dtypes=False)


def test_few_rows_add_up_as_well(judgments_of_all_kinds: Callable[..., pl.DataFrame]) -> None:
    rows = judgments_of_all_kinds(600)
    found = written_out(merged(in_pieces(rows, 2), "odd"))
    assert_frame_equal(found, counted(rows).sort(COMPARISON_KEYS), check_dtypes=False)


@pytest.mark.usefixtures("few_things")
def test_more_than_seven_rows_of_a_presentation_are_still_counted(
    judgments_of_all_kinds: Callable[..., pl.DataFrame],
) -> None:
    rows = judgments_of_all_kinds(600)
    once = counted(rows).sort(COMPARISON_KEYS)
    found = written_out(merged(pl.concat([once] * 9), "odd"))
    assert found["n_presentations"].to_list() == (once["n_presentations"] * 9).to_list()


@pytest.mark.usefixtures("few_things")
@pytest.mark.parametrize(
    ("fact", "says"),
    [("tier", "a task has one tier"), ("judge_kind", "a judge has one judge_kind")],
)
def test_what_contradicts_itself_over_parts_is_refused(
    judgments_of_all_kinds: Callable[..., pl.DataFrame], fact: str, says: str
) -> None:
    rows = judgments_of_all_kinds(3_000)
    other = rows.with_columns(pl.lit("human" if fact == "judge_kind" else "other").alias(fact))
    with pytest.raises(SourceError, match=says):
        merged(pl.concat([counted(rows.head(2_000)), counted(other.tail(1_500))]), "odd")


@pytest.mark.usefixtures("few_things")
def test_counts_are_added_without_comparing_texts(
    judgments_of_all_kinds: Callable[..., pl.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        message = "the pieces were grouped by their texts"
        raise AssertionError(message)

    monkeypatch.setattr(merging, "refuse_two_facts", never)
    assert merged(in_pieces(judgments_of_all_kinds(3_000), 2), "odd").rows.height > 0
