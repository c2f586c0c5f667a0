"""The snapshot holds what the rows hold, follows them, and is thrown away when it does not."""

import json
from pathlib import Path

import polars as pl
import pytest
from invented_records import judgment, record
from polars.testing import assert_frame_equal

from recuse.cache import snapshot
from recuse.cache.records import imported_judgment, make_record
from recuse.cache.snapshot import SNAPSHOT, addressed_judgments, content_hash, judgments, rebuild, refresh
from recuse.cache.store import Store
from recuse.errors import CacheError
from recuse.schema import Judgments


def fill(store: Store, start: int, stop: int) -> None:
    store.put_many(record(number) for number in range(start, stop))


def test_judgments_come_back_as_they_went_in(store):
    rows = [
        judgment(
            0, tier="objective", variant_a="short", logprob_a=-1.0, cost_usd=1e-7, raw="A\u2028 'q' 👍\n"
        ),
        judgment(1, verdict=None, status="refused", judge_kind="human", chars_b=2**40, latency_s=3.0),
        judgment(2, verdict="tie", params_requested='{"seed":1}', asked_at="2026-01-01T00:00:00Z", raw=""),
    ]
    store.put_many(map(imported_judgment, rows))
    expected = Judgments.validate(pl.DataFrame(rows, schema=Judgments.create_empty().schema))
    assert_frame_equal(judgments(store), expected)
    assert_frame_equal(judgments(store), expected)
    assert Judgments.is_valid(judgments(store))


def test_an_empty_store_has_no_judgments(store):
    assert judgments(store).shape == (0, len(Judgments.column_names()))
    assert refresh(store) == 0
    assert content_hash(store) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_records_of_other_kinds_are_counted_and_left_out(store):
    for number in range(3):
        store.put(make_record("answer", {"n": number}, response={"text": "x"}))
        store.put(record(number))
    assert judgments(store)["task_id"].to_list() == ["t0", "t1", "t2"]
    store.put(make_record("answer", {"n": 3}, response={"text": "x"}))
    assert refresh(store) == 3
    assert store.verify().ok


def test_following_the_rows_gives_the_same_file_as_making_it_anew(store):
    fill(store, 0, 5)
    judgments(store)
    fill(store, 5, 12)
    followed = addressed_judgments(store)
    file = (store.path / SNAPSHOT).read_bytes()
    assert rebuild(store) == 12
    assert_frame_equal(addressed_judgments(store), followed)
    assert pl.read_parquet_metadata(store.path / SNAPSHOT) == pl.read_parquet_metadata(_kept(store, file))
    assert followed["address"].to_list() == list(store.addresses())
    assert followed["record_hash"].to_list() == [one["record_hash"] for one in store.records()]


def _kept(store: Store, file: bytes) -> Path:
    path = store.path.parent / "kept.parquet"
    path.write_bytes(file)
    return path


def test_only_new_rows_are_read(store, execute):
    """The first row is made unreadable behind the snapshot's back: who reads it again, fails."""
    fill(store, 0, 5)
    refresh(store)
    execute("UPDATE Cache SET value = 'x' WHERE rowid = 2")
    fill(store, 5, 8)
    assert refresh(store) == 8
    with pytest.raises(CacheError, match="row 2: the text is not JSON"):
        rebuild(store)


def test_an_unchanged_store_is_not_read_at_all(store, execute):
    fill(store, 0, 5)
    written = (refresh(store), (store.path / SNAPSHOT).stat().st_mtime_ns)
    execute("UPDATE Cache SET value = 'x'")
    assert judgments(store).height == 5
    assert written == (5, (store.path / SNAPSHOT).stat().st_mtime_ns)


def test_it_is_safe_to_delete(store):
    fill(store, 0, 5)
    before = judgments(store)
    (store.path / SNAPSHOT).unlink()
    assert_frame_equal(judgments(store), before)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM Cache WHERE rowid = 1",
        "DELETE FROM Cache WHERE rowid = 3",
        "DELETE FROM Cache WHERE rowid = 5",
        "DELETE FROM Cache",
        "UPDATE Cache SET rowid = 9 WHERE rowid = 3",
    ],
)
@pytest.mark.parametrize("more", [0, 1, 3])
def test_it_is_made_anew_when_rows_are_gone(store, execute, statement, more):
    fill(store, 0, 5)
    refresh(store)
    execute(statement)
    fill(store, 10, 10 + more)
    assert judgments(store)["task_id"].to_list() == [one["judgment"]["task_id"] for one in store.records()]


def test_it_is_made_anew_when_it_came_from_another_store(tmp_path, store):
    fill(store, 0, 5)
    refresh(store)
    with Store(tmp_path / "other", create=True) as other:
        fill(other, 100, 120)
        (other.path / SNAPSHOT).write_bytes((store.path / SNAPSHOT).read_bytes())
        assert judgments(other).height == 20
        assert judgments(other)["task_id"][0] == "t100"


def test_it_is_made_anew_when_it_is_no_snapshot(store):
    fill(store, 0, 5)
    refresh(store)
    path = store.path / SNAPSHOT
    content, metadata = path.read_bytes(), pl.read_parquet_metadata(path)
    extent = json.loads(metadata["recuse.snapshot"])
    frame = pl.read_parquet(path)
    for spoil in (
        lambda: path.write_bytes(b""),
        lambda: path.write_bytes(b"PAR1" * 50),
        lambda: path.write_bytes(content[: len(content) // 2]),
        lambda: frame.write_parquet(path),
        lambda: frame.write_parquet(path, metadata={"recuse.snapshot": "{"}),
        lambda: frame.write_parquet(path, metadata={"recuse.snapshot": "[1]"}),
        lambda: frame.write_parquet(path, metadata={"recuse.snapshot": json.dumps(extent | {"version": 0})}),
        lambda: frame.drop("judge").write_parquet(path, metadata=metadata),
        lambda: frame.head(3).write_parquet(path, metadata=metadata),
        lambda: frame.with_columns(words_a=pl.lit("many")).write_parquet(path, metadata=metadata),
        lambda: (
            frame.with_columns(words_a=-1).cast({"words_a": pl.Int64}).write_parquet(path, metadata=metadata)
        ),
    ):
        spoil()
        assert_frame_equal(judgments(store), frame.select(Judgments.column_names()))
        assert_frame_equal(addressed_judgments(store), frame)


def test_a_snapshot_that_cannot_be_written_is_done_without(store):
    fill(store, 0, 5)
    (store.path / SNAPSHOT).mkdir()
    (store.path / SNAPSHOT / "in the way").touch()
    assert judgments(store).height == 5
    assert sorted(path.name for path in store.path.iterdir() if path.name.startswith(".")) == []


def test_no_half_of_a_snapshot_is_left_behind(store, monkeypatch):
    fill(store, 0, 5)
    before = judgments(store)
    file = (store.path / SNAPSHOT).read_bytes()
    fill(store, 5, 6)

    def full(_self: object, path: Path, **_: object) -> None:
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(pl.DataFrame, "write_parquet", full)
        assert judgments(store).height == before.height + 1
    assert (store.path / SNAPSHOT).read_bytes() == file
    assert not list(store.path.glob(".*"))


def test_equal_content_has_an_equal_hash_in_whatever_order(tmp_path, store):
    fill(store, 0, 20)
    with Store(tmp_path / "other", create=True) as other:
        other.put_many(record(number) for number in reversed(range(20)))
        assert content_hash(other) == content_hash(store)
        other.put(record(20))
        assert content_hash(other) != content_hash(store)
    with Store(tmp_path / "third", create=True) as third:
        fill(third, 0, 19)
        third.put(record(19, verdict="tie"))
        assert content_hash(third) != content_hash(store)


def test_verify_finds_a_snapshot_that_says_something_else(store):
    fill(store, 0, 5)
    refresh(store)
    path = store.path / SNAPSHOT
    forged = pl.read_parquet(path).with_columns(pl.col("verdict").shift(1, fill_value="a"))
    forged.write_parquet(
        path, metadata={"recuse.snapshot": pl.read_parquet_metadata(path)["recuse.snapshot"]}
    )
    (failure,) = store.verify().failures
    assert failure.problem == f"the snapshot holds other judgments than the rows: delete {SNAPSHOT}"
    path.unlink()
    assert store.verify().ok


def test_verify_does_not_mind_a_snapshot_that_is_behind(store):
    fill(store, 0, 5)
    refresh(store)
    fill(store, 5, 9)
    assert store.verify().ok
    assert snapshot.differs_from_rows(store) is None
