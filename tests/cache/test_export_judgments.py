"""An export holds the judgments of a store with their addresses; the same judgments give the same file."""

import hashlib

import polars as pl
import pytest
from invented_records import record
from polars.testing import assert_frame_equal

from recuse.cache.export import export
from recuse.cache.records import make_record
from recuse.cache.snapshot import addressed_judgments
from recuse.cache.store import Store
from recuse.errors import CacheError, UnknownNameError
from recuse.schema import Judgments


@pytest.fixture
def filled(store: Store) -> Store:
    store.put_many([record(number, tier="objective", raw=f'"A", said\nhe {number}') for number in range(9)])
    store.put(record(9, verdict=None, status="refused"))
    return store


def test_parquet_comes_back_exactly(filled, tmp_path):
    exported = export(filled, tmp_path / "new" / "judgments.parquet")
    frame = pl.read_parquet(exported.path)
    assert_frame_equal(frame, addressed_judgments(filled).sort("address"))
    assert frame.columns == ["address", "record_hash", *Judgments.column_names()]
    assert Judgments.is_valid(frame.drop("address", "record_hash"))
    assert exported.n_judgments == 10
    assert exported.sha256 == hashlib.sha256(exported.path.read_bytes()).hexdigest()
    assert [path.name for path in exported.path.parent.iterdir()] == ["judgments.parquet"]


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_text_formats_come_back_through_polars(filled, tmp_path, suffix):
    path = export(filled, tmp_path / f"judgments.{suffix}").path
    expected = addressed_judgments(filled).sort("address")
    if suffix == "jsonl":
        frame = pl.read_ndjson(path, schema=expected.schema)
    else:
        frame = pl.read_csv(path, infer_schema=False).select(
            pl.col(name).cast(dtype) for name, dtype in expected.schema.items()
        )
    assert_frame_equal(frame, expected)


def test_the_order_of_storing_does_not_change_the_file(filled, tmp_path):
    with Store(tmp_path / "other", create=True) as other:
        other.put_many(reversed(list(filled.records())))
        for suffix in ("parquet", "csv", "jsonl"):
            one, two = export(filled, tmp_path / f"1.{suffix}"), export(other, tmp_path / f"2.{suffix}")
            assert one.sha256 == two.sha256


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "＝", "＠"])
def test_a_csv_holds_no_formula(store, tmp_path, start):
    store.put(record(1, raw=f"{start}HYPERLINK(1)", category="plain", logprob_a=-2.0))
    exported = export(store, tmp_path / "judgments.csv")
    frame = pl.read_csv(exported.path, infer_schema=False)
    assert frame["raw"][0] == f"'{start}HYPERLINK(1)"
    assert frame["category"][0] == "plain"
    assert frame["logprob_a"][0] == "-2.0"
    assert exported.n_escaped == 1
    for suffix in ("parquet", "jsonl"):
        exact = export(store, tmp_path / f"judgments.{suffix}")
        assert exact.n_escaped == 0
    assert pl.read_parquet(tmp_path / "judgments.parquet")["raw"][0] == f"{start}HYPERLINK(1)"


def test_no_formula_hides_behind_a_line_break_or_in_the_middle(store, tmp_path):
    store.put(record(1, raw="a\n=b", task_id="x=1", slot_a="\n=c"))
    exported = export(store, tmp_path / "judgments.csv")
    frame = pl.read_csv(exported.path, infer_schema=False)
    assert frame.row(0, named=True)["raw"] == "a\n=b"
    assert frame.row(0, named=True)["task_id"] == "x=1"
    assert frame.row(0, named=True)["slot_a"] == "'\n=c"
    assert exported.n_escaped == 1


def test_only_judgments_are_exported(store, tmp_path):
    store.put(make_record("answer", {"q": 1}, response={"text": "A"}))
    store.put(record(1))
    assert export(store, tmp_path / "judgments.parquet").n_judgments == 1


def test_an_empty_store_gives_an_empty_file(store, tmp_path):
    for suffix in ("parquet", "csv", "jsonl"):
        assert export(store, tmp_path / f"judgments.{suffix}").n_judgments == 0


def test_an_unknown_suffix_is_refused(store, tmp_path):
    with pytest.raises(UnknownNameError, match=r"unknown suffix of an export '.xlsx'"):
        export(store, tmp_path / "judgments.xlsx")
    with pytest.raises(UnknownNameError, match="unknown suffix of an export 'judgments'"):
        export(store, tmp_path / "judgments")


def test_a_place_that_cannot_be_written_is_one_clear_line(filled, tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "folder.csv" / "x").mkdir(parents=True)
    for path in (tmp_path / "file" / "judgments.csv", tmp_path / "folder.csv"):
        with pytest.raises(CacheError, match="cannot be written"):
            export(filled, path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "file", "folder.csv"]
