"""Verification sees every change of a record and of an address."""

import json

import pytest
from invented_records import record

from recuse.cache.canonical_json import canonical
from recuse.cache.records import make_record
from recuse.cache.store import Store


@pytest.fixture
def filled(store: Store) -> Store:
    store.put_many(
        [*map(record, range(3)), make_record("answer", {"q": 1}, response={"text": "A", "n": [1]})]
    )
    return store


def test_an_honest_store_passes(filled):
    seen = []
    report = filled.verify(on_row=lambda: seen.append(1))
    assert report.ok
    assert report.n_rows == len(seen) == 4


@pytest.mark.parametrize(
    ("change", "problems"),
    [
        ({"judgment": {"verdict": "tie"}}, ["the record is not the one that was hashed"]),
        ({"judgment": {"words_a": 99}}, ["the record is not the one that was hashed"]),
        ({"imported": False}, ["the record is not the one that was hashed"]),
        (
            {"request": {"judge": "another"}},
            ["the address is not the hash of the request", "the record is not the one that was hashed"],
        ),
        (
            {"address": "0" * 64},
            [
                "the record is stored under another address than its own",
                "the address is not the hash of the request",
                "the record is not the one that was hashed",
            ],
        ),
        ({"record_hash": "0" * 64}, ["the record is not the one that was hashed"]),
    ],
)
def test_a_changed_record_is_found(filled, execute, change, problems):
    changed = json.loads(canonical(record(1)))
    for name, value in change.items():
        changed[name] = changed[name] | value if isinstance(value, dict) else value
    execute("UPDATE Cache SET value = ? WHERE rowid = 2", str(canonical(changed)))
    report = filled.verify()
    assert [(failure.rowid, failure.problem) for failure in report.failures] == [
        (2, said) for said in problems
    ]
    assert {failure.address for failure in report.failures} == {record(1)["address"]}
    assert report.n_rows == 4


def test_a_changed_key_is_found(filled, execute):
    execute("UPDATE Cache SET key = ? WHERE rowid = 2", "f" * 64)
    (failure,) = filled.verify().failures
    assert failure.problem == "the record is stored under another address than its own"
    assert failure.address == "f" * 64


def test_swapped_keys_are_found(filled, execute):
    first, second = record(0)["address"], record(1)["address"]
    for rowid, key in ((1, "f" * 64), (2, first), (1, second)):
        execute("UPDATE Cache SET key = ? WHERE rowid = ?", key, rowid)
    assert [failure.rowid for failure in filled.verify().failures] == [1, 2]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: f"{text} ",
        lambda text: text.replace(":", ": ", 1),
        lambda text: text.replace("{", '{"imported":false,', 1),
    ],
    ids=["blank at the end", "blank inside", "repeated key"],
)
def test_a_text_that_is_not_canonical_is_found(filled, execute, spoil):
    execute("UPDATE Cache SET value = ? WHERE rowid = 2", spoil(str(canonical(record(1)))))
    (failure,) = filled.verify().failures
    assert failure.problem == "the text is not canonical JSON"


def test_every_kind_of_failure_is_listed_and_none_stops_it(filled, execute):
    execute("UPDATE Cache SET value = 'x' WHERE rowid = 1")
    execute("UPDATE Cache SET mode = 4 WHERE rowid = 2")
    execute("UPDATE Cache SET expire_time = 1 WHERE rowid = 3")
    report = filled.verify()
    assert [failure.rowid for failure in report.failures] == [1, 2, 3]
    assert report.n_rows == 4
    assert filled.stats().n_unreadable == 3
    assert filled.stats().n_by_kind == {"answer": 1}
