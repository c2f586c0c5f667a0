"""A cache made to do harm runs no code and deletes nothing, whatever is done with its rows.

Every row is written past the guards with SQL. A control shows that diskcache by itself would obey it.
"""

import pickle
import shutil
import sqlite3
import warnings
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import diskcache
import pytest
from invented_records import judgment, record

from recuse.cache import snapshot
from recuse.cache.canonical_json import canonical
from recuse.cache.database import DATABASE, SETTINGS
from recuse.cache.disk import RecordDisk
from recuse.cache.export import export
from recuse.cache.records import imported_judgment
from recuse.cache.store import Store
from recuse.errors import CacheError

ADDRESS = record(7)["address"]
INSERT = """
    INSERT INTO Cache (key, raw, store_time, expire_time, access_time, tag, size, mode, filename, value)
    VALUES (?, ?, 1.0, ?, 1.0, 'tag', 0, ?, ?, ?)
"""


class Payload:
    """Unpickled, it makes a file."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return Path.touch, (self.marker,)


class Crafted:
    """A store with an honest row, and a crafted one behind it."""

    def __init__(self, tmp_path: Path, honest: Path) -> None:
        self.directory = tmp_path / "cache"
        self.victim = tmp_path / "victim" / "thesis.tex"
        self.marker = tmp_path / "marker"
        self.victim.parent.mkdir()
        self.victim.write_text("years of work")
        shutil.copytree(honest, self.directory)

    def plant(self, kind: str, expire_time: float | None = None) -> None:
        payload = pickle.dumps(Payload(self.marker), protocol=4)
        # A pickled key is looked up by its bytes; it is reached by whatever goes through all rows.
        (self.directory / "payload.val").write_bytes(payload)
        text = canonical(record(7))
        key, raw, mode, filename, value = {
            "pickled value": (ADDRESS, 1, 4, None, payload),
            "pickled file": (ADDRESS, 1, 4, "payload.val", None),
            "pickled key": (payload, 0, 1, None, text),
            "bytes file outside": (ADDRESS, 1, 2, "../victim/thesis.tex", None),
            "text file outside": (ADDRESS, 1, 3, "../victim/thesis.tex", None),
            "absolute file": (ADDRESS, 1, 2, str(self.victim), None),
            "file beside text": (ADDRESS, 1, 1, "../victim/thesis.tex", text),
        }[kind]
        with closing(sqlite3.connect(self.directory / DATABASE)) as con, con:
            con.execute(INSERT, (key, raw, expire_time, mode, filename, value))

    def unharmed(self) -> bool:
        return self.victim.read_text() == "years of work" and not self.marker.exists()


def check(cache: Any) -> object:
    """Let diskcache look for what is wrong, which it says in warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        return cache.check(fix=True)


KINDS = [
    "pickled value",
    "pickled file",
    "pickled key",
    "bytes file outside",
    "text file outside",
    "absolute file",
    "file beside text",
]
WITH_A_FILE = ["pickled file", "bytes file outside", "text file outside", "absolute file", "file beside text"]

THROUGH_DISKCACHE: dict[str, Callable[[Any], object]] = {
    "get": lambda cache: cache.get(ADDRESS),
    "read": lambda cache: cache.read(ADDRESS),
    "getitem": lambda cache: cache[ADDRESS],
    "set": lambda cache: cache.set(ADDRESS, canonical(record(7))),
    "add": lambda cache: cache.add(ADDRESS, canonical(record(7))),
    "delete": lambda cache: cache.delete(ADDRESS),
    "delitem": lambda cache: cache.__delitem__(ADDRESS),
    "pop": lambda cache: cache.pop(ADDRESS),
    "clear": lambda cache: cache.clear(),
    "evict": lambda cache: cache.evict("tag"),
    "expire": lambda cache: cache.expire(now=10.0),
    "cull": lambda cache: cache.cull(),
    "iterkeys": lambda cache: list(cache.iterkeys()),
    "iter": list,
    "reversed": lambda cache: list(reversed(cache)),
    "peekitem": lambda cache: cache.peekitem(),
    "touch": lambda cache: cache.touch(ADDRESS),
    "check": lambda cache: check(cache),  # noqa: PLW0108 - defined below
}
THROUGH_A_STORE: dict[str, Callable[[Store], object]] = {
    "get": lambda store: store.get(ADDRESS),
    "records": lambda store: list(store.records()),
    "addresses": lambda store: list(store.addresses()),
    "put": lambda store: store.put(record(7)),
    "contains": lambda store: ADDRESS in store,
    "stats": lambda store: store.stats(),
    "verify": lambda store: store.verify(),
    "judgments": snapshot.judgments,
    "rebuild": snapshot.rebuild,
    "content_hash": snapshot.content_hash,
    "export": lambda store: export(store, store.path.parent / "out.csv"),
}


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("honest") / "cache"
    with Store(directory, create=True) as store:
        store.put(record(1))
    return directory


@pytest.fixture
def crafted(tmp_path: Path, honest: Path) -> Crafted:
    return Crafted(tmp_path, honest)


def guarded(crafted: Crafted) -> Any:
    return diskcache.Cache(str(crafted.directory), disk=RecordDisk, **SETTINGS)


@pytest.mark.parametrize("operation", THROUGH_DISKCACHE)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("expire_time", [None, 2.0], ids=["lasting", "expired"])
def test_no_operation_of_diskcache_does_harm_through_our_disk(crafted, kind, operation, expire_time):
    crafted.plant(kind, expire_time)
    with guarded(crafted) as cache, suppress(CacheError, KeyError):
        THROUGH_DISKCACHE[operation](cache)
    assert crafted.unharmed()


@pytest.mark.parametrize("operation", THROUGH_A_STORE)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("expire_time", [None, 2.0], ids=["lasting", "expired"])
def test_no_operation_of_a_store_does_harm(crafted, kind, operation, expire_time):
    crafted.plant(kind, expire_time)
    with Store(crafted.directory) as store, suppress(CacheError):
        THROUGH_A_STORE[operation](store)
    assert crafted.unharmed()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "pickled key"])
@pytest.mark.parametrize("operation", ["get", "read", "getitem", "pop"])
def test_reading_a_crafted_value_is_refused(crafted, kind, operation):
    crafted.plant(kind)
    with guarded(crafted) as cache, pytest.raises(CacheError):
        THROUGH_DISKCACHE[operation](cache)
    assert crafted.unharmed()


@pytest.mark.parametrize("kind", WITH_A_FILE)
@pytest.mark.parametrize("operation", ["set", "delitem", "clear", "evict", "pop"])
def test_overwriting_deleting_and_clearing_a_row_with_a_file_is_refused(crafted, kind, operation):
    crafted.plant(kind)
    with guarded(crafted) as cache, pytest.raises(CacheError, match="names a file"):
        THROUGH_DISKCACHE[operation](cache)
    assert crafted.unharmed()


@pytest.mark.parametrize("operation", ["iterkeys", "iter", "reversed", "peekitem"])
def test_iterating_over_a_pickled_key_is_refused(crafted, operation):
    crafted.plant("pickled key")
    with guarded(crafted) as cache, pytest.raises(CacheError, match="the key is pickled"):
        THROUGH_DISKCACHE[operation](cache)
    assert crafted.unharmed()


@pytest.mark.parametrize("operation", ["records", "judgments", "rebuild", "content_hash", "export"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_store_refuses_to_read_and_names_the_row(crafted, kind, operation):
    crafted.plant(kind)
    with (
        Store(crafted.directory) as store,
        pytest.raises(CacheError, match=r"cache, row 2: the (key|value|row) "),
    ):
        THROUGH_A_STORE[operation](store)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "pickled key"])
def test_a_store_never_writes_over_a_crafted_row(crafted, kind):
    crafted.plant(kind)
    with Store(crafted.directory) as store:
        before = list(store.rows())
        with pytest.raises(CacheError):
            store.put(record(7))
        assert list(store.rows()) == before


@pytest.mark.parametrize("kind", ["bytes file outside", "file beside text", "pickled value"])
def test_a_store_never_writes_over_an_expired_row(crafted, kind):
    crafted.plant(kind, expire_time=2.0)
    with Store(crafted.directory) as store:
        before = list(store.rows())
        with pytest.raises(CacheError, match="rows that expire and would be overwritten: row 2"):
            store.put(record(7))
        assert list(store.rows()) == before


@pytest.mark.parametrize("kind", KINDS)
def test_verify_lists_a_crafted_row_and_goes_on(crafted, kind):
    crafted.plant(kind)
    with Store(crafted.directory) as store:
        store.put(record(3))
        report = store.verify()
    assert report.n_rows == 3
    assert [failure.rowid for failure in report.failures] == [2]


@pytest.mark.parametrize("kind", ["pickled value", "pickled file"])
def test_control_diskcache_itself_would_run_the_code(crafted, kind):
    crafted.plant(kind)
    with diskcache.Cache(str(crafted.directory)) as cache:
        cache.get(ADDRESS)
    assert crafted.marker.exists()


def test_control_diskcache_itself_would_run_the_code_of_a_key(crafted):
    crafted.plant("pickled key")
    with diskcache.Cache(str(crafted.directory)) as cache:
        list(cache)
    assert crafted.marker.exists()


@pytest.mark.parametrize("operation", ["set", "delitem", "clear", "evict", "pop"])
def test_control_diskcache_itself_would_delete_the_file(crafted, operation):
    crafted.plant("bytes file outside")
    with diskcache.Cache(str(crafted.directory)) as cache:
        THROUGH_DISKCACHE[operation](cache)
    assert not crafted.victim.exists()


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("eviction_policy", "least-recently-stored"),
        ("cull_limit", 10),
        ("size_limit", 1),
        ("statistics", 1),
        ("disk_min_file_size", 1),
        ("disk_compress_level", 1),
        ("sqlite_synchronous", 0),
        ("sqlite_journal_mode", "off"),
        ("sqlite_temp_store_directory", "'elsewhere'"),
        ("_directory", "elsewhere"),
        ("count", "many"),
    ],
)
def test_planted_settings_are_refused_before_diskcache_sees_them(crafted, change, value):
    with closing(sqlite3.connect(crafted.directory / DATABASE)) as con, con:
        con.execute("INSERT OR REPLACE INTO Settings VALUES (?, ?)", (change, value))
    with pytest.raises(CacheError, match=f"settings that this program does not give a cache: {change}"):
        Store(crafted.directory)


@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE TRIGGER t AFTER INSERT ON Cache BEGIN DELETE FROM Cache WHERE rowid < NEW.rowid; END"],
        [
            "DROP TRIGGER Settings_count_insert",
            "CREATE TRIGGER Settings_count_insert AFTER INSERT ON Cache BEGIN DELETE FROM Cache; END",
        ],
        ["ALTER TABLE Cache RENAME TO c", "CREATE VIEW Cache AS SELECT * FROM c"],
        ["DROP TABLE Settings"],
        ["CREATE TABLE other (x)"],
    ],
)
def test_planted_triggers_views_and_tables_are_refused(crafted, statements):
    with closing(sqlite3.connect(crafted.directory / DATABASE)) as con, con:
        for statement in statements:
            con.execute(statement)
    with pytest.raises(CacheError, match="are not those of one"):
        Store(crafted.directory)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (b"bytes", "the value is no text"),
        (7, "the value is no text"),
        (None, "the value is no text"),
        ("", "the text is not JSON"),
        ("[" * 5000, "the text is not JSON"),
        ('{"a": NaN}', "NaN is no JSON number"),
        ('{"a": ' + "9" * 5000 + "}", "the text is not JSON"),
        ("{}", "the record has no address"),
    ],
)
def test_a_value_that_is_no_record_is_refused(crafted, value, said):
    with closing(sqlite3.connect(crafted.directory / DATABASE)) as con, con:
        con.execute(INSERT, (ADDRESS, 1, None, 1, None, value))
    with Store(crafted.directory) as store:
        with pytest.raises(CacheError, match=said):
            store.get(ADDRESS)
        assert [failure.rowid for failure in store.verify().failures] == [2]


def test_text_that_is_no_utf_8_is_refused(crafted):
    with closing(sqlite3.connect(crafted.directory / DATABASE)) as con, con:
        con.execute("UPDATE Cache SET value = CAST(x'ff00' AS TEXT)")
    with Store(crafted.directory) as store:
        with pytest.raises(CacheError, match="the value is no text"):
            list(store.records())
        assert len(store.verify().failures) == 1


@pytest.mark.parametrize("rowid", [-(2**63), -1, 0, 2**63 - 1])
def test_no_rowid_escapes_the_readers(crafted, rowid):
    with closing(sqlite3.connect(crafted.directory / DATABASE)) as con, con:
        con.execute(
            "INSERT INTO Cache (rowid, key, raw, mode, value) VALUES (?, ?, 1, 1, ?)",
            (rowid, ADDRESS, str(canonical(record(7)))),
        )
    with Store(crafted.directory) as store:
        assert ADDRESS in list(store.addresses())
        assert snapshot.judgments(store).height == 2
        store.put(record(9))
        assert snapshot.judgments(store).height == 3
        assert store.verify().ok


def test_a_lone_surrogate_in_a_row_never_reaches_a_frame(crafted):
    text = canonical(record(7)).replace('"study":"s"', '"study":"\\ud800"')
    with closing(sqlite3.connect(crafted.directory / DATABASE)) as con, con:
        con.execute(INSERT, (ADDRESS, 1, None, 1, None, text))
    with Store(crafted.directory) as store:
        with pytest.raises(CacheError, match="surrogate"):
            snapshot.judgments(store)
        assert not store.verify().ok


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("judge_kind", "cat"),
        ("study", 1),
        ("words_a", 2.7),
        ("words_a", "3"),
        ("logprob_a", True),
        ("replicate", -1),
        ("raw", {"a": 1}),
        ("winner", "a"),
    ],
)
def test_a_judgment_that_does_not_fit_never_reaches_a_frame(crafted, column, value):
    planted = imported_judgment(judgment(7) | {column: value})
    with closing(sqlite3.connect(crafted.directory / DATABASE)) as con, con:
        con.execute(INSERT, (planted["address"], 1, None, 1, None, str(canonical(planted))))
    with Store(crafted.directory) as store:
        with pytest.raises(CacheError, match=f"record {planted['address']}: a judgment .*{column}"):
            snapshot.judgments(store)
        assert [failure.rowid for failure in store.verify().failures] == [2]
