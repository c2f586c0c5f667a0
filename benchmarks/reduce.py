"""The reduction to comparisons beside a bare scan and group-by on the comparison's key of the same file.

Usage: ``python benchmarks/reduce.py [JUDGMENTS ...] [--engines]``, by default on 100,000, 1,000,000 and
10,000,000. Exits 1 above 2.5 times the bare group-by, or above 2.5 GiB for ``recuse reduce``. With
``--engines`` the four engines write the reduced table instead, on all cores, and no goal is set.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

GOAL, GIBIBYTES = 2.5, 2.5
SIZES = [100_000, 1_000_000, 10_000_000]
ENGINES = ("polars", "duckdb", "dask", "spark")
ONE_THREAD = {"POLARS_MAX_THREADS": "1"}
MACHINE = dict(os.environ)
"""As it was before measuring limits the threads."""


def bare(path: Path) -> int:
    """Scan, put each pair in order, group, count."""
    import polars as pl

    swapped = pl.col("slot_b") < pl.col("slot_a")
    pair = {
        "first": pl.when(swapped).then("slot_b").otherwise("slot_a"),
        "second": pl.when(swapped).then("slot_a").otherwise("slot_b"),
    }
    rows = pl.scan_parquet(path).select("task_id", "judge", **pair)
    keys = ("task_id", "judge", "first", "second")
    return rows.group_by(keys).agg(pl.len()).collect(engine="streaming").height


def reduction(path: Path) -> int:
    """Do what an engine does: scan, reduce."""
    import narwhals as nw
    import polars as pl

    from recuse.analysis.reduction import reduced

    counted: pl.LazyFrame = reduced(nw.from_native(pl.scan_parquet(path)), study="s").to_native()
    return counted.collect(engine="streaming").height


def command(path: Path, engine: str) -> int:
    """Do what ``recuse reduce`` does: reduce, check, sort, write."""
    from recuse.collectors.reducing import reduce_source

    out = path.with_name(f"{engine}.parquet")
    return reduce_source(str(path), out, engine=engine).n_comparisons


def measured(what: str, path: Path, settings: dict[str, str]) -> dict[str, float]:
    """Run one thing in a process of its own; for Spark count what its Java uses, too."""
    import psutil

    words = [sys.executable, __file__, "--child", what, "--path", str(path)]
    with tempfile.TemporaryFile("w+") as said:
        running = subprocess.Popen(words, env=MACHINE | settings, stdout=said, stderr=subprocess.STDOUT)
        process, memory, seconds = psutil.Process(running.pid), 0.0, 0.0
        while running.poll() is None:
            resident, busy = _used([process, *process.children(recursive=True)])
            memory, seconds = max(memory, resident), max(seconds, busy)
            time.sleep(0.05)
        said.seek(0)
        lines = said.read().splitlines()
    if running.returncode:
        raise SystemExit("\n".join(lines))
    found = json.loads(lines[-1])
    if what == "spark":
        return found | {"memory": memory, "seconds": seconds}
    return found


def _used(processes: list[psutil.Process]) -> tuple[float, float]:
    import psutil

    resident = seconds = 0.0
    for one in processes:
        try:
            resident += one.memory_info().rss / 2**30
            seconds += sum(one.cpu_times()[:2])
        except psutil.NoSuchProcess:
            continue
    return resident, seconds


def child(what: str, path: Path) -> int:
    """Run, and print what it cost this process."""
    import recuse.collectors.reducing  # noqa: F401 (what loading costs is not the reduction's)

    runs = {"bare": bare, "reduction": reduction}
    start, before = time.perf_counter(), time.process_time()
    n = runs[what](path) if what in runs else command(path, what)
    found = {
        "wall": time.perf_counter() - start,
        "seconds": time.process_time() - before,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "n": n,
    }
    print(json.dumps(found))
    return 0


def ratios(sizes: list[int], folder: Path) -> int:
    print(" judgments  bare group-by  reduction  ratio  recuse reduce  its peak memory")
    missed = False
    for n in sizes:
        path = written(n, folder)
        cost = {what: measured(what, path, ONE_THREAD) for what in ("bare", "reduction", "polars")}
        ratio = cost["reduction"]["seconds"] / cost["bare"]["seconds"]
        memory = cost["polars"]["memory"]
        seconds = [cost[what]["seconds"] for what in ("bare", "reduction", "polars")]
        print(
            f"{n:>10,}  {seconds[0]:>11.2f} s  {seconds[1]:>7.2f} s  {ratio:>5.2f}  {seconds[2]:>11.2f} s"
            f"  {memory:>11.2f} GiB"
        )
        missed |= ratio > GOAL or (n <= SIZES[-1] and memory > GIBIBYTES)
    reached = "missed" if missed else "reached"
    print(f"goal 2.5 times the bare group-by, and {GIBIBYTES} GiB at {SIZES[-1]:,}: {reached}")
    return int(missed)


def engines(sizes: list[int], folder: Path) -> int:
    print(" judgments  engine  wall clock  CPU seconds  peak memory  same file")
    for n in sizes:
        path = written(n, folder)
        first: bytes | None = None
        for engine in ENGINES:
            cost = measured(engine, path, {})
            content = path.with_name(f"{engine}.parquet").read_bytes()
            first = first or content
            print(
                f"{n:>10,}  {engine:<6}  {cost['wall']:>8.1f} s  {cost['seconds']:>9.1f} s"
                f"  {cost['memory']:>7.2f} GiB  {'yes' if content == first else 'no'}",
                flush=True,
            )
    return 0


def written(n: int, folder: Path) -> Path:
    """Write the judgments in a process of their own, whose memory is not to count."""
    path = folder / f"judgments-{n}.parquet"
    writing = f"from report import simulated; from pathlib import Path; simulated({n}, Path({str(path)!r}))"
    here = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])}
    subprocess.run([sys.executable, "-c", writing], env=os.environ | here, check=True)
    return path


def main() -> int:
    """Measure and print."""
    asked = argparse.ArgumentParser()
    asked.add_argument("sizes", nargs="*", type=int, default=SIZES)
    asked.add_argument("--engines", action="store_true")
    asked.add_argument("--child")
    asked.add_argument("--path", type=Path)
    given = asked.parse_args()
    if given.child:
        return child(given.child, given.path)
    from measuring import setting

    told = setting("polars", "narwhals", *(("duckdb", "dask", "pyspark") if given.engines else ()))
    print(told.replace("; CPU seconds, one thread per library", "; all cores") if given.engines else told)
    with tempfile.TemporaryDirectory() as folder:
        return (engines if given.engines else ratios)(given.sizes, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
