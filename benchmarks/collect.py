"""What the collector adds to a call, and how much of that is litellm's.

Usage: ``python benchmarks/collect.py [JUDGMENTS]``, by default 10,000, against a server of the OpenAI wire
format on this machine that answers at once. Such requests are sent by httpx alone, by litellm alone, and by
``recuse collect`` into a new cache. Times are of the processor in the client's process, per call, so that
other load counts for little; the wall clock is printed beside them. Exits 1 if what recuse adds to litellm is
more than what litellm adds to httpx, or more than 10 ms, or if a judgment is missing.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

STUB = Path(__file__).parents[1] / "tests" / "collectors" / "live" / "stub_openai.py"
JUDGES = ("first", "second", "ties", "longer", "prose")
CONCURRENCY = 8
SAMPLE = 2_000
MOST_ADDED = 0.010

STUDY = """
name = "benchmark"
tasks = "tasks.jsonl"
{models}
[limits.default]
concurrency = 8
"""


def write_study(folder: Path, address: str, n_judgments: int) -> int:
    """Write a study of so many judgments; give the number of its calls."""
    n_tasks = -(-n_judgments // (2 * len(JUDGES)))
    tasks = [{"id": f"t{n}", "prompt": f"Say something about the number {n}."} for n in range(n_tasks)]
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, tasks)), encoding="utf-8")
    models = "\n".join(
        f'[{role}.{name}]\nmodel = "openai/{name}"\napi_base = "{address}"'
        for role, names in (("generators", ("one", "other")), ("judges", JUDGES))
        for name in names
    )
    (folder / "study.toml").write_text(STUDY.format(models=models), encoding="utf-8")
    return n_tasks * 2 + n_tasks * 2 * len(JUDGES)


def timed(work: Callable[[], object], n_calls: int) -> tuple[float, float]:
    """Give the seconds of processor and wall clock per call."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return (time.process_time() - cpu) / n_calls, (time.perf_counter() - wall) / n_calls


async def side_by_side(send: Callable[[int], Awaitable[object]], n_calls: int) -> None:
    numbers = iter(range(n_calls))

    async def worker() -> None:
        for number in numbers:
            await send(number)

    await asyncio.gather(*(worker() for _ in range(CONCURRENCY)))


def body(number: int) -> dict[str, object]:
    prompt = (
        f"Which is better? <answer_a>\n{number}\n</answer_a> <answer_b>\nmore\n</answer_b>" + " word" * 100
    )
    return {"model": "first", "messages": [{"role": "user", "content": prompt}], "temperature": 0.0}


def by_httpx(address: str, n_calls: int) -> None:
    import httpx

    async def run() -> None:
        async with httpx.AsyncClient() as client:
            await side_by_side(lambda n: client.post(f"{address}/chat/completions", json=body(n)), n_calls)

    asyncio.run(run())


def by_litellm(address: str, n_calls: int) -> None:
    from recuse.collectors.live.models import connected, litellm

    async def run() -> None:
        async with connected():
            await side_by_side(
                lambda n: litellm().acompletion(
                    **{**body(n), "model": "openai/first"}, api_base=address, api_key="none", max_retries=0
                ),
                n_calls,
            )

    asyncio.run(run())


def by_recuse(folder: Path) -> int:
    """Collect the study and give the number of judgments kept."""
    from recuse.cache.store import Store
    from recuse.collectors.live.session import Session
    from recuse.collectors.live.study_file import load_study

    with Store(folder / "cache", create=True) as store:
        Session(load_study(folder / "study.toml"), store).run()
        return sum(1 for _ in store.records_of("judgment"))


def main(n_judgments: int) -> int:
    from recuse.collectors.live.models import litellm

    litellm()
    kept = 0

    def collect() -> None:
        nonlocal kept
        kept = by_recuse(folder)

    with (
        tempfile.TemporaryDirectory() as name,
        subprocess.Popen([sys.executable, str(STUB)], stdout=subprocess.PIPE, text=True) as server,
    ):
        assert server.stdout is not None
        folder, address = Path(name), server.stdout.readline().strip()
        try:
            n_calls = write_study(folder, address, n_judgments)
            n_sample = min(SAMPLE, n_judgments)
            by_litellm(address, 20)
            bare = timed(lambda: by_httpx(address, n_sample), n_sample)
            through = timed(lambda: by_litellm(address, n_sample), n_sample)
            collected = timed(collect, n_calls)
        finally:
            server.kill()
    for label, (cpu, wall) in (
        ("httpx alone", bare),
        ("litellm alone", through),
        ("recuse collect", collected),
    ):
        print(f"{label:16} {cpu * 1e3:7.2f} ms of processor, {wall * 1e3:7.2f} ms of wall clock a call")
    added = collected[0] - through[0]
    overhead = collected[0] - bare[0]
    print(f"{kept:,} judgments of {n_calls:,} calls kept")
    share = (through[0] - bare[0]) / overhead
    print(f"overhead over httpx {overhead * 1e3:.2f} ms a call, {share:.0%} of it litellm's")
    print(f"recuse adds {added * 1e3:.2f} ms a call (goal: at most {MOST_ADDED * 1e3:g}, and litellm's part)")
    is_good = added <= MOST_ADDED and added <= through[0] - bare[0] and kept >= n_judgments
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
