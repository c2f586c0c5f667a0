"""Caches shared through a folder: a union by address, in which nothing is overwritten or taken on trust."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from invented_records import answer, record
from object_stores import STORES, point_at, served

from recuse.cache.sharing import pull, push
from recuse.cache.snapshot import content_hash
from recuse.cache.store import Store
from recuse.cli import main
from recuse.collectors.sources import load
from recuse.errors import CacheError


@pytest.fixture
def pool(tmp_path: Path) -> str:
    return str(tmp_path / "pool")


@pytest.fixture
def other(tmp_path: Path):
    with Store(tmp_path / "other", create=True) as opened:
        yield opened


def files(place: str) -> list[str]:
    return sorted(file.name for file in Path(place).iterdir())


def test_two_caches_become_one(store, other, pool):
    store.put_many([record(0), record(1), answer(0)])
    other.put_many([record(1), record(2), answer(1)])
    first = push(store, pool)
    assert (first.n_pushed, first.n_present, first.conflicts) == (3, 0, ())
    second = push(other, pool)
    assert (second.n_pushed, second.n_present) == (2, 1)
    for one in (store, other):
        pulled = pull(one, pool)
        assert (pulled.n_added, pulled.n_present, pulled.conflicts, pulled.refused) == (2, 3, (), ())
        assert len(one) == 5
        assert one.verify().ok
    assert content_hash(store) == content_hash(other)
    assert push(store, pool).n_pushed == 0
    assert len(files(pool)) == 4


@pytest.mark.parametrize("scheme", STORES)
def test_two_caches_become_one_in_an_object_store(store, other, tmp_path, monkeypatch, scheme):
    store.put_many([record(0), record(1), answer(0)])
    other.put_many([record(1), record(2)])
    place = f"{scheme}://shared/pool"
    (tmp_path / "shared").mkdir()
    with served(tmp_path) as web:
        point_at(web, scheme, tmp_path, monkeypatch)
        assert push(store, place).n_pushed == 3
        assert push(other, place).n_pushed == 1
        for one in (store, other):
            pulled = pull(one, place)
            assert (pulled.conflicts, pulled.refused, len(one)) == ((), (), 4)
        assert push(store, place).n_pushed == 0
        with pytest.raises(CacheError, match="elsewhere holds no shared records"):
            pull(store, f"{scheme}://shared/elsewhere")
    assert content_hash(store) == content_hash(other)
    assert len(files(str(tmp_path / "shared" / "pool"))) == 3


def test_the_same_records_make_the_same_file(store, other, tmp_path):
    store.put_many([record(0), record(1)])
    other.put_many([record(1), record(0)])
    push(store, str(tmp_path / "one"))
    push(other, str(tmp_path / "two"))
    (one,), (two,) = files(str(tmp_path / "one")), files(str(tmp_path / "two"))
    assert one == two
    assert (tmp_path / "one" / one).read_bytes() == (tmp_path / "two" / two).read_bytes()


def test_a_conflict_is_reported_and_changes_nothing(store, other, pool):
    mine, theirs = record(0), record(0, verdict="b")
    assert mine["address"] == theirs["address"]
    store.put(mine)
    other.put_many([theirs, record(1)])
    push(store, pool)
    before = files(pool)
    pushed = push(other, pool)
    assert pushed.conflicts == (mine["address"],)
    assert pushed.n_pushed == 1
    assert set(before) < set(files(pool))
    pulled = pull(other, pool)
    assert pulled.conflicts == (mine["address"],)
    assert other.get(mine["address"]) == theirs
    assert store.get(mine["address"]) == mine


def test_a_record_that_was_changed_on_the_way_is_refused(store, other, pool):
    store.put_many([record(0), record(1)])
    push(store, pool)
    (name,) = files(pool)
    path = Path(pool) / name
    frame = pl.read_parquet(path)
    changed = frame.with_columns(pl.col("record").str.replace('"verdict":"b"', '"verdict":"tie"'))
    assert not changed.equals(frame)
    changed.write_parquet(path)
    pulled = pull(other, pool)
    assert pulled.n_added == 1
    assert len(pulled.refused) == 1
    assert "hash" in pulled.refused[0]
    assert record(1)["address"] not in other


@pytest.mark.parametrize("text", ["{", "null", '{"address": 1}', "[" * 50_000])
def test_what_is_no_record_is_refused(other, pool, text):
    Path(pool).mkdir()
    row = {"address": "x", "record_hash": "y", "kind": "judgment", "record": text}
    pl.DataFrame([row]).write_parquet(Path(pool) / "judgments-made-up.parquet")
    pulled = pull(other, pool)
    assert (pulled.n_added, len(pulled.refused)) == (0, 1)


def test_a_shared_file_is_a_source_by_itself(store, pool):
    store.put_many([record(0, slot_a="m1", slot_b="m2"), record(1), answer(0)])
    push(store, pool)
    name = next(name for name in files(pool) if name.startswith("judgments-"))
    assert load(str(Path(pool) / name)).judgments["task_id"].sort().to_list() == ["t0", "t1"]


def test_a_url_is_read_and_written_through_polars(store, other, tmp_path):
    store.put_many([record(0), answer(0)])
    place = f"file://{tmp_path}/pool"
    assert push(store, place).n_pushed == 2
    assert push(store, place).n_present == 2
    assert pull(other, place).n_added == 2


def test_places_that_hold_nothing_are_one_line_and_no_cache_is_made(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "judgments-0.parquet").write_text("no parquet")
    for place, line in (
        ("nowhere", "nowhere holds no shared records; recuse cache push puts them there"),
        ("empty", "empty holds no shared records"),
        ("file", "file is a file; name the folder that is shared"),
        ("ftp://somewhere/pool", "ftp://somewhere/pool holds no shared records"),
    ):
        assert main(["cache", "pull", "cache", place]) == 2
        error = capsys.readouterr().err
        assert line in error
        assert error.count("\n") == 1
        assert not (tmp_path / "cache").exists()
    assert main(["cache", "pull", "cache", "broken"]) == 2
    assert "broken/judgments-0.parquet cannot be used" in capsys.readouterr().err


def test_push_and_pull_as_commands(store, tmp_path, pool, capsys):
    store.put_many([record(0), record(1)])
    store.close()
    cache, mine = str(tmp_path / "cache"), str(tmp_path / "mine")
    assert main(["cache", "push", cache, pool]) == 0
    assert "2 records added, 0 already there" in capsys.readouterr().out
    assert main(["cache", "pull", mine, pool]) == 0
    assert "2 records added, 0 already there" in capsys.readouterr().out
    with Store(mine) as pulled:
        assert pulled.verify().ok
    with Store(tmp_path / "third", create=True) as third:
        third.put(record(0, verdict="tie"))
    assert main(["cache", "push", str(tmp_path / "third"), pool]) == 1
    assert "1 records left where they were" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_one_line(store, tmp_path):
    store.put(record(0))
    (tmp_path / "file").write_text("x")
    with pytest.raises(CacheError, match="is a file; name the folder"):
        push(store, str(tmp_path / "file"))
    with pytest.raises(CacheError, match="cannot be written"):
        push(store, str(tmp_path / "file" / "below"))
