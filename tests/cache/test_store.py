"""A store keeps what it was given, once, and says so when it cannot be one."""

import os
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import diskcache
import pytest
from invented_records import judgment, record

from recuse.cache.canonical_json import CanonicalText
from recuse.cache.database import DATABASE, LAYOUTS, SETTINGS, layout_of
from recuse.cache.disk import RecordDisk
from recuse.cache.records import imported_judgment, make_record
from recuse.cache.store import Store
from recuse.errors import CacheError


def test_what_was_put_is_there_after_reopening(directory):
    answer = make_record("answer", {"model": "m"}, response={"text": "A"})
    with Store(directory, create=True) as store:
        addresses = [store.put(answer), store.put(record(1))]
    with Store(directory) as store:
        assert list(store.addresses()) == addresses
        assert list(store.records()) == [answer, record(1)]
        assert store.get(addresses[1]) == record(1)
        assert [address in store for address in addresses] == [True, True]
        assert len(store) == 2
        assert "0" * 64 not in store
        assert "x" not in store
        assert store.get("0" * 64) is None


def test_putting_again_changes_nothing(store):
    report = store.put_many([record(1), record(2), record(1)])
    assert (report.n_added, report.n_present, report.conflicts) == (2, 1, ())
    assert store.put(record(2)) == record(2)["address"]
    assert len(store) == 2


def test_another_outcome_under_the_same_address_is_reported_and_the_first_kept(store):
    first, second = record(1, verdict="a"), record(1, verdict="b")
    store.put(first)
    with pytest.raises(CacheError, match="another record under the same address") as caught:
        store.put(second)
    assert caught.value.offenders == [first["address"]]
    report = store.put_many([record(0), second, record(2)])
    assert (report.n_added, report.n_present, report.conflicts) == (2, 0, (first["address"],))
    assert store.get(first["address"]) == first


def test_a_number_and_a_truth_value_are_different_outcomes(store):
    store.put(make_record("answer", {"q": 1}, response={"x": 1}))
    with pytest.raises(CacheError, match="another record"):
        store.put(make_record("answer", {"q": 1}, response={"x": True}))


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"verdict": "first"}, "verdict: Input should be 'a', 'b' or 'tie'"),
        ({"verdict": None}, "a verdict exactly when its status is ok: verdict None, status ok"),
        ({"status": "refused"}, "a verdict exactly when its status is ok: verdict b, status refused"),
        ({"judge_kind": "cat"}, "judge_kind: Input should be 'model' or 'human'"),
        ({"replicate": -1}, "replicate: Input should be greater than or equal to 0"),
        ({"words_a": 2.5}, "words_a: Input should be a valid integer"),
        ({"words_a": "2"}, "words_a: Input should be a valid integer"),
        ({"judge": None}, "judge: Input should be a valid string"),
        ({"winner": "a"}, "columns that the schema lacks: winner"),
    ],
)
def test_a_judgment_that_could_not_be_read_back_is_not_stored(store, columns, said):
    with pytest.raises(CacheError) as caught:
        store.put(imported_judgment(judgment(1) | columns))
    assert said in str(caught.value)
    assert len(store) == 0


def test_a_batch_reaches_the_disk_whole_or_not_at_all(directory, store):
    def records() -> Iterator[object]:
        yield from map(record, range(5))
        yield record(5) | {"imported": False}

    seen = []
    with pytest.raises(CacheError, match="is not that of its content"):
        store.put_many(records(), batch=3, on_batch=seen.append)
    with Store(directory) as other:
        assert seen == [3]
        assert len(other) == 3


def test_many_threads_may_share_a_store(store):
    def write(start: int) -> None:
        for number in range(start, start + 20):
            store.put(record(number))
            assert record(number)["address"] in store

    threads = [threading.Thread(target=write, args=(start,)) for start in (0, 10, 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store) == 40
    assert store.verify().ok


def test_a_forked_child_reads_and_writes_on_its_own(store):
    """The child may not touch its parent's connections; polars and its threads stay out of it."""
    store.put(record(1))
    child = os.fork()
    if not child:
        try:
            ok = len(store) == 1 and store.get(record(1)["address"]) == record(1)
            store.put(record(2))
        except BaseException:  # noqa: BLE001
            os._exit(9)
        os._exit(0 if ok else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    store.put(record(3))
    assert len(store) == 3


@pytest.mark.parametrize("make", [str, Path.mkdir, lambda path: path.write_text("x")])
def test_reading_makes_no_cache(directory, make):
    make(directory)
    before = sorted(directory.parent.rglob("*"))
    with pytest.raises(CacheError, match="is not a cache") as caught:
        Store(directory)
    assert "\n" not in str(caught.value)
    assert sorted(directory.parent.rglob("*")) == before


def test_a_cache_is_not_made_among_other_files(directory):
    directory.mkdir()
    (directory / "thesis.tex").write_text("x")
    with pytest.raises(CacheError, match="neither a cache nor an empty directory"):
        Store(directory, create=True)
    assert [path.name for path in directory.iterdir()] == ["thesis.tex"]


def test_a_cache_is_made_in_an_empty_directory_and_behind_a_link(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there")
    with Store(tmp_path / "link", create=True) as store:
        store.put(record())
    assert (tmp_path / "there" / DATABASE).exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "there"]


def test_a_directory_whose_name_diskcache_would_rewrite_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("ELSEWHERE", str(tmp_path / "other"))
    with pytest.raises(CacheError, match="has a variable in its name"):
        Store(tmp_path / "$ELSEWHERE", create=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "name", ["with space", "q?uery=1&mode=memory", "per%20cent", "#hash", "né", "'quote"]
)
def test_any_name_of_a_directory_will_do(tmp_path, name):
    with Store(tmp_path / name, create=True) as store:
        store.put(record())
    with Store(tmp_path / name) as store:
        assert len(store) == 1


def test_a_damaged_database_is_one_clear_line(directory, store):
    store.put_many(map(record, range(200)))
    store.close()
    file = directory / DATABASE
    content = file.read_bytes()
    for damaged in (
        b"not a database" * 100,
        b"",
        content[:8192],
        content[:100] + b"\xff" * (len(content) - 100),
    ):
        file.write_bytes(damaged)
        with pytest.raises(CacheError) as caught, Store(directory) as reopened:
            list(reopened.records())
        assert "\n" not in str(caught.value)
        assert str(directory) in str(caught.value)


def test_verify_reports_pages_that_are_damaged(directory, store):
    store.put_many(map(record, range(500)))
    store.close()
    file = directory / DATABASE
    content = bytearray(file.read_bytes())
    content[-40_000:-20_000] = os.urandom(20_000)
    file.write_bytes(content)
    with Store(directory) as reopened:
        report = reopened.verify()
    assert not report.ok
    assert any("damaged" in failure.problem for failure in report.failures)


def test_a_fresh_database_has_the_layout_and_the_settings_that_are_asked_for(directory, store):
    con = sqlite3.connect(directory / DATABASE)
    found = dict(con.execute("SELECT key, value FROM Settings"))
    assert layout_of(con) in LAYOUTS
    con.close()
    assert found == {**SETTINGS, "count": 0, "size": 0, "hits": 0, "misses": 0}
    store.put(record())
    assert store._cache.eviction_policy == "none"
    assert store._cache._sql("PRAGMA synchronous").fetchone() == (2,)
    assert store._cache._sql("PRAGMA journal_mode").fetchone() == ("wal",)


def test_the_log_is_folded_into_the_database_at_the_end(directory):
    with Store(directory, create=True) as store:
        store.put(record())
    assert [path.name for path in directory.iterdir()] == [DATABASE]


def test_another_programs_cache_is_refused(directory):
    diskcache.Cache(str(directory)).close()
    with pytest.raises(CacheError, match="is not a cache: the tables and triggers"):
        Store(directory)


def test_nothing_is_evicted_where_the_size_limit_is_passed(tmp_path):
    """The control shows that the limit would bite under diskcache's own settings."""
    texts = [(record(number)["address"], record(number)) for number in range(100)]
    unlimited = {**SETTINGS, "size_limit": 1}
    with diskcache.Cache(str(tmp_path / "ours"), disk=RecordDisk, **unlimited) as ours:
        for address, one in texts:
            ours.set(address, canonical_text(one))
        assert len(ours) == 100
    with diskcache.Cache(str(tmp_path / "default"), disk=RecordDisk, size_limit=1) as default:
        for address, one in texts:
            default.set(address, canonical_text(one))
        assert len(default) < 100


def canonical_text(one: object) -> str:
    from recuse.cache.canonical_json import canonical

    return str(canonical(one))


@pytest.mark.slow
def test_more_than_a_gibibyte_is_kept(store):
    """1 GiB is where diskcache begins to evict unless it is told otherwise."""
    text = CanonicalText("x" * 2**26)
    addresses = [f"{number:064x}" for number in range(17)]
    for address in addresses:
        with store._writing() as cache:
            cache.add(address, text)
    assert (store.path / DATABASE).stat().st_size > 2**30
    assert list(store.addresses()) == addresses
    assert {path.name for path in store.path.iterdir()} <= {DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"}


def test_the_disk_admits_canonical_json_under_an_address_and_nothing_else(tmp_path):
    address, good = record()["address"], canonical_text(record())
    with diskcache.Cache(str(tmp_path), disk=RecordDisk, **SETTINGS) as cache:
        cache[address] = good
        for value in (good + " ", good.replace(",", ", "), "{}", "x", good.encode(), {"a": 1}, 7, None):
            with pytest.raises(CacheError):
                cache[address] = value
        for key in ("x", address.upper(), address.encode(), 7, (address,), None):
            with pytest.raises(CacheError):
                cache[key] = good
        with pytest.raises(CacheError), (tmp_path / "f").open("w+b") as file:
            cache.set(address, file, read=True)
        assert cache[address] == good
        assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs to become another user in a child")
def test_a_cache_that_may_only_be_read_is_read_and_not_written():
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "cache"
        with Store(directory, create=True) as store:
            store.put_many(map(record, range(3)))
        Path(folder).chmod(0o755)
        directory.chmod(0o555)
        (directory / DATABASE).chmod(0o444)
        receiver, sender = os.pipe()
        child = os.fork()
        if not child:
            os.write(sender, as_nobody(directory).encode())
            os._exit(0)
        os.close(sender)
        os.waitpid(child, 0)
        with os.fdopen(receiver) as said:
            counts, refusal = said.read().splitlines()
        directory.chmod(0o755)
        assert counts == "3 records"
        assert refusal == (
            f"{directory}: the cache is read-only; copy the cache to a place where it may be written"
        )
        assert [path.name for path in directory.iterdir()] == [DATABASE]


def as_nobody(directory: Path) -> str:
    try:
        if os.geteuid() == 0:
            os.setuid(65534)
        with Store(directory) as store:
            counts = f"{len(list(store.records()))} records"
            try:
                store.put(make_record("answer", {"q": 1}, response={}))
            except CacheError as error:
                return f"{counts}\n{error}"
            return f"{counts}\nwritten"
    except BaseException as error:  # noqa: BLE001
        return f"failed\n{error!r}"
