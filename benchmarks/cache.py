"""What a cache does with many records: are all acknowledged ones kept, how fast, and what a snapshot saves.

Usage: ``python benchmarks/cache.py [RECORDS] [JUDGMENTS]``, by default 600,000 records of 2 KB and 100,000
judgments. A process writes the records and is killed again and again at random points, its successor going on
where the cache ends; each time, every acknowledged record must be there. Exits 1 if one is missing, if fewer
than 300 records a second are written, if reading the judgments from the snapshot is not at least 50 times as
fast as from the rows, or if it takes longer than 0.25 s with the judges' texts and 0.05 s without.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

BATCH = 1000
KILLS = 12
LEAST_PER_SECOND = 300.0
LEAST_RATIO = 50.0
MOST_SECONDS = 0.25
MOST_SECONDS_WITHOUT_TEXT = 0.05


def write(directory: str, first: int, last: int) -> None:
    """Write records and print the number of each batch's last one when it is on disk."""
    from recuse.cache.records import make_record
    from recuse.cache.store import Store

    def records():  # noqa: ANN202
        for number in range(first, last):
            words = random.Random(number).choices(WORDS, k=230)  # noqa: S311
            request = {"model": "m", "messages": [{"role": "user", "content": str(number)}]}
            yield make_record("answer", request, response={"text": " ".join(words)})

    done = first

    def acknowledge(n: int) -> None:
        nonlocal done
        done += n
        print(done, flush=True)

    with Store(directory, create=True) as store:
        store.put_many(records(), batch=BATCH, on_batch=acknowledge)


WORDS = ["".join(random.Random(n).choices("etaoinshrdlu", k=n % 9 + 2)) for n in range(3000)]  # noqa: S311


def killed_writers(directory: Path, n_records: int) -> tuple[int, float]:
    """Write all records, killing the writer on the way; give how many were lost, and the seconds."""
    from recuse.cache.store import Store

    rng = random.Random(1)  # noqa: S311
    stops = sorted(rng.randrange(n_records) for _ in range(KILLS))
    acknowledged, seconds, lost = 0, 0.0, 0
    while acknowledged < n_records:
        stop = next((stop for stop in stops if stop > acknowledged), n_records)
        started = time.perf_counter()
        words = [sys.executable, __file__, "--write", str(directory), str(acknowledged), str(n_records)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            for line in writer.stdout:
                acknowledged = int(line)
                if acknowledged >= stop and acknowledged < n_records:
                    time.sleep(rng.random() * 0.3)
                    writer.send_signal(signal.SIGKILL)
                    acknowledged = max([acknowledged, *map(int, writer.stdout)])
        seconds += time.perf_counter() - started
        with Store(directory) as store:
            kept = len(store)
        print(f"{acknowledged:>9,} acknowledged, {kept:>9,} kept")
        lost += max(0, acknowledged - kept)
    return lost, seconds


def timed(work: Callable[[], object]) -> float:
    """Give the seconds of the fastest of three runs."""
    seconds: list[float] = []
    for _ in range(3):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def reading(directory: Path, n_judgments: int) -> tuple[float, float, float]:
    """Store judgments with texts of 1.2 KB; seconds to read them from the rows and from the snapshot."""
    from recuse.cache.records import imported_judgment
    from recuse.cache.snapshot import SNAPSHOT, addressed_judgments, judgments
    from recuse.cache.store import Store
    from recuse.schema import Judgments

    columns = dict.fromkeys(Judgments.column_names())
    with Store(directory, create=True) as store:
        store.put_many(
            imported_judgment(
                columns
                | {"judgment_id": f"{n:064x}", "study": "s", "task_id": f"t{n // 90}", "probe": "main"}
                | {"judge": f"j{n % 5}", "judge_kind": "model", "slot_a": f"m{n % 9}", "slot_b": f"m{n % 7}"}
                | {"verdict": ("a", "b", "tie")[n % 3], "status": "ok", "replicate": n, "words_a": n % 300}
                | {"raw": " ".join(random.Random(n).choices(WORDS, k=170))}  # noqa: S311
            )
            for n in range(n_judgments)
        )

        def from_rows() -> None:
            (directory / SNAPSHOT).unlink(missing_ok=True)
            judgments(store)

        started = time.perf_counter()
        from_rows()
        rows = time.perf_counter() - started
        without_text = [name for name in Judgments.column_names() if name != "raw"]
        return (
            rows,
            timed(lambda: judgments(store)),
            timed(lambda: addressed_judgments(store, columns=without_text)),
        )


def main() -> int:
    """Measure, print, and compare with the goals."""
    words = sys.argv[1:]
    if words[:1] == ["--write"]:
        write(words[1], int(words[2]), int(words[3]))
        return 0
    n_records, n_judgments = (*map(int, words), *(600_000, 100_000)[len(words) :])
    with tempfile.TemporaryDirectory() as folder:
        lost, seconds = killed_writers(Path(folder) / "records", n_records)
        size = sum(path.stat().st_size for path in (Path(folder) / "records").iterdir())
        per_second = n_records / seconds
        print(f"{n_records:,} records, {size / 2**30:.2f} GiB: {lost:,} lost, {per_second:,.0f} a second")
        rows, snapshot, without_text = reading(Path(folder) / "judgments", n_judgments)
    ratio = rows / snapshot
    print(
        f"{n_judgments:,} judgments: rows {rows:.2f} s, snapshot {snapshot:.3f} s ({ratio:.0f} : 1), "
        f"without texts {without_text:.3f} s"
    )
    reached = (
        lost == 0,
        per_second >= LEAST_PER_SECOND,
        ratio >= LEAST_RATIO,
        snapshot <= MOST_SECONDS * max(1, n_judgments / 100_000),
        without_text <= MOST_SECONDS_WITHOUT_TEXT * max(1, n_judgments / 100_000),
    )
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
