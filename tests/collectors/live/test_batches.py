"""Batches through litellm's interface against the tests' own server: handed over, fetched, reconciled."""

import gc
import json

import pytest
from conftest import TASKS

from recuse.cache.snapshot import judgments
from recuse.cache.store import Store
from recuse.collectors.live.batches import BATCH, FETCHED, advance
from recuse.collectors.live.completeness import state_of
from recuse.collectors.live.keeping import failures_of
from recuse.collectors.live.session import Session

pytestmark = [
    pytest.mark.slow,  # importing litellm alone takes seconds
    # litellm opens a client for each file and batch and closes none of them.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(autouse=True)
def collected_here():
    """Let what litellm leaves open be found in its own test."""
    yield
    gc.collect()


def advanced(panel, path):
    """Advance as a process of its own would: nothing but the cache is carried over."""
    with Store(path, create=True) as store:
        return advance(panel, store)


def test_a_batch_is_fetched_by_whichever_run_finds_it_done(study, tmp_path, stub):
    panel, path = study(judges=("first", "longer")), tmp_path / "cache"
    stub.batch_status = "in_progress"
    said = advanced(panel, path)
    assert [line.split(" as batch")[0] for line in said] == [
        "openai/one: 2 calls handed over",
        "openai/other: 2 calls handed over",
    ]
    assert "in_progress, 2 calls under way" in advanced(panel, path)[0]
    assert len(stub.batches) == 2  # nothing is handed over twice
    stub.batch_status = "completed"
    said = advanced(panel, path)
    assert "completed; 2 replies kept, 0 failed, 0 without a result" in said[0]
    assert said[2:] == [
        "openai/first: 4 calls handed over as batch batch-2",
        "openai/longer: 4 calls handed over as batch batch-3",
    ]
    advanced(panel, path)
    assert stub.asked() == []  # no call but by batch
    with Store(path) as store:
        assert state_of(panel, store).missing == []
        frame = judgments(store)
        assert frame.filter(judge="first")["verdict"].unique().to_list() == ["a"]
        assert frame["latency_s"].null_count() == frame["cost_usd"].null_count() == 8
        assert store.verify().ok
        assert store.stats().n_by_kind == {"answer": 4, "judgment": 8, BATCH: 4, FETCHED: 4}
    lines = [json.loads(line) for line in stub.files["file-0"].splitlines()]
    assert {line["body"]["model"] for line in lines} == {"one"}
    assert all(line["url"] == "/v1/chat/completions" for line in lines)
    assert advanced(panel, path) == []


def test_what_a_batch_brings_has_the_address_that_a_call_would_have(study, tmp_path):
    panel = study(tasks=TASKS[:1])
    for _ in range(3):
        advanced(panel, tmp_path / "batched")
    with Store(tmp_path / "called", create=True) as called, Store(tmp_path / "batched") as batched:
        Session(panel, called).run()
        assert set(called.addresses()) <= set(batched.addresses())


def test_half_of_a_batch_is_kept_and_the_other_half_handed_over_again(study, tmp_path, stub):
    panel, path = study(generators=("one", "too-long"), judges=("first",)), tmp_path / "cache"
    advanced(panel, path)
    stub.batch_status = "expired"
    said = advanced(panel, path)
    assert "batch batch-0: expired; 1 replies kept, 1 failed, 0 without a result" in said
    with Store(path) as store:
        ledger = failures_of(store.records_of("failure"))
    # The one that came too late passes; a prompt that was refused does not.
    assert sorted((failed.error, failed.asked_again) for failed in ledger.values()) == [
        ("batch: 400", False),
        ("batch: batch_expired", True),
        ("batch: batch_expired", True),
    ]
    handed_over = [line for line in said if "handed over" in line]
    assert [line.split(" as")[0] for line in handed_over] == [
        "openai/one: 1 calls handed over",
        "openai/too-long: 1 calls handed over",
    ]
