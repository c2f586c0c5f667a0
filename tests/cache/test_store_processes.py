"""Real processes: writers at once, and writers that are killed, lose nothing that was acknowledged."""

import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from invented_records import answer, record

from recuse.cache import snapshot
from recuse.cache.store import Store

ENVIRONMENT = os.environ | {
    "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2] / "src"), str(Path(__file__).parent)])
}

WRITER = """
import sys
from invented_records import record
from recuse.cache.store import Store

directory, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with Store(directory, create=True) as store:
    for number in range(first, last):
        print(store.put(record(number)), flush=True)
"""

BATCHES = """
import itertools
import sys
from invented_records import answer
from recuse.cache.store import Store

acknowledged = itertools.count()


def acknowledge(n):
    sys.stdout.writelines(f"{next(acknowledged)}\\n" for _ in range(n))
    sys.stdout.flush()


with Store(sys.argv[1], create=True) as store:
    store.put_many(map(answer, itertools.count()), batch=int(sys.argv[2]), on_batch=acknowledge)
"""


def started(script: str, *arguments: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_writers_at_once_make_one_cache_and_lose_nothing(directory):
    writers = [started(WRITER, directory, first, last) for first, last in ((0, 300), (200, 500))]
    outputs = [writer.communicate(timeout=120) for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], outputs
    acknowledged = {address for output, _ in outputs for address in output.split()}
    with Store(directory) as store:
        assert set(store.addresses()) == acknowledged == {record(number)["address"] for number in range(500)}
        assert len(store) == 500
        assert store.verify().ok
    assert [path.name for path in directory.parent.iterdir()] == ["cache"]


def test_a_snapshot_that_is_read_while_another_process_writes_is_never_torn(directory, store):
    store.put(record(0))
    writer = started(WRITER, directory, 1, 400)
    heights = []
    while writer.poll() is None:
        frame = snapshot.judgments(store)
        assert frame["task_id"].to_list() == [f"t{number}" for number in range(frame.height)]
        heights.append(frame.height)
    assert writer.returncode == 0, writer.communicate()
    writer.communicate()
    assert heights == sorted(heights)
    assert snapshot.judgments(store).height == 400


@pytest.mark.parametrize("acknowledgements", [1, 7, 100])
def test_every_record_acknowledged_before_a_kill_is_there(directory, acknowledgements):
    with started(WRITER, directory, 0, 100_000) as writer:
        assert writer.stdout is not None
        read = list(itertools.islice(writer.stdout, acknowledgements))
        writer.send_signal(signal.SIGKILL)
        acknowledged = "".join([*read, *writer.stdout]).split()
    assert writer.returncode == -signal.SIGKILL
    assert len(acknowledged) >= acknowledgements
    with Store(directory) as store:
        kept = set(store.addresses())
        assert kept >= {address for address in acknowledged if len(address) == 64}
        assert len(kept) <= len(acknowledged) + 1
        assert store.verify().ok
        store.put(record(200_000))
    with Store(directory) as store:
        assert len(store) == len(kept) + 1


@pytest.mark.slow
@pytest.mark.parametrize("acknowledgements", [1, 2000, 5001, 20_000])
def test_whole_batches_survive_a_kill_at_any_point(directory, acknowledgements):
    """Records of 2 KB; with all 600,000 of them: ``benchmarks/cache.py``."""
    batch = 500
    with started(BATCHES, directory, batch) as writer:
        assert writer.stdout is not None
        read = list(itertools.islice(writer.stdout, acknowledgements))
        writer.send_signal(signal.SIGKILL)
        lines = "".join([*read, *writer.stdout]).split("\n")
    n_acknowledged = len(lines) - 1
    with Store(directory) as store:
        kept = list(store.addresses())
        assert len(kept) >= n_acknowledged
        assert len(kept) % batch == 0
        assert kept[:10] == [answer(number)["address"] for number in range(10)]
        assert kept[-1] == answer(len(kept) - 1)["address"]
        assert len(set(kept)) == len(kept)
        assert not store.damage()


def test_a_reader_sees_what_a_killed_writer_left_in_the_log(directory):
    """Nothing has folded the log into the database, and the reader opens it first."""
    with started(WRITER, directory, 0, 100_000) as writer:
        assert writer.stdout is not None
        read = list(itertools.islice(writer.stdout, 5))
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
    assert (directory / "cache.db-wal").stat().st_size > 0
    with Store(directory) as store:
        assert all(address.strip() in store for address in read)
        assert snapshot.judgments(store).height == len(store) >= 5
    assert sorted(path.name for path in directory.iterdir()) == ["cache.db", "snapshot.parquet"]
