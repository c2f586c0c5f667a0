"""A report on judgments that are read in parts: seconds and peak memory from 10⁴ judgments on.

    python benchmarks/scale.py [JUDGMENTS ...] [--table FILE]

Generated judgments lie in Parquet files of 999,900 rows, each with whole tasks. Every size runs in a process
of its own, whose peak is the memory that the system counts for it; scanning and reducing alone are timed in
others. Measured is everything up to the estimates and comparisons.parquet; figures, tables and the page cost
the same at any size. Exits 1 when 10⁷ judgments need more than 2.5 GiB or more than ten seconds beyond the
scan that reduces them, or when the peak at 10⁸ is above 1.3 times that at 10⁷.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import polars as pl
from report import simulated

SIZES = [10_000, 100_000, 1_000_000, 10_000_000]
FILE = 999_900
SECONDS, GIBIBYTES, GROWTH = 10.0, 2.5, 1.3
AT, LARGEST = 10_000_000, 100_000_000
COLUMNS = ("judgments", "comparisons", "scan", "reduce", "report", "beyond", "beyond_cpu", "gibibytes")


def written(n: int, folder: Path) -> None:
    """Write n judgments, in files of whole tasks."""
    for part, start in enumerate(range(0, n, FILE)):
        simulated(min(FILE, n - start), folder / f"part-{part:04}.parquet", part=part)


def scanned(folder: Path) -> None:
    """Read the keys and group by them, file by file."""
    keys = ["task_id", "judge", "slot_a", "slot_b"]
    for path in sorted(folder.glob("*.parquet")):
        pl.scan_parquet(path).group_by(keys).agg(pl.col("verdict").first()).collect()


def reduced_only(folder: Path) -> None:
    """Reduce to counts per comparison, file by file, and keep nothing."""
    import narwhals as nw

    from recuse.analysis.reduction import reduced

    for path in sorted(folder.glob("*.parquet")):
        reduced(nw.from_native(pl.scan_parquet(path)), study="scale").to_native().collect()


def reported(folder: Path) -> int:
    """Do what ``recuse report`` does before it draws; return the number of comparisons."""
    from recuse.analysis.settings import Settings
    from recuse.collectors.partitions import parquet_of
    from recuse.commands.report_streamed import estimate_streamed

    found = parquet_of(str(folder))
    assert found is not None
    with tempfile.TemporaryDirectory(dir=folder.parent) as out:
        return sum(estimate_streamed(found, None, Path(out), Settings()).heights)


def measured(task: Callable[[Path], int | None], folder: Path) -> dict[str, float]:
    """Run one task; give wall seconds, processor seconds and the peak of this process."""
    wall, processor = time.perf_counter(), time.process_time()
    count = task(folder) or 0
    return {
        "wall": time.perf_counter() - wall,
        "processor": time.process_time() - processor,
        "gibibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "count": count,
    }


TASKS: dict[str, Callable[[Path], int | None]] = {
    "scan": scanned,
    "reduce": reduced_only,
    "report": reported,
}


def of_size(n: int) -> dict[str, float | None]:
    """Measure one size: each task in its own process on the same files; at the largest the report alone."""
    with tempfile.TemporaryDirectory() as folder:
        judgments = Path(folder) / "scale"
        judgments.mkdir()
        written(n, judgments)
        found: dict[str, dict[str, float]] = {}
        for task in TASKS if n < LARGEST else ["report"]:
            command = [sys.executable, __file__, "--task", task, "--folder", str(judgments)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            found[task] = json.loads(done.stdout)
    report = found["report"]
    row: dict[str, float | None] = dict.fromkeys(COLUMNS)
    row |= {"judgments": n, "comparisons": report["count"], "report": report["wall"]}
    row |= {"gibibytes": report["gibibytes"]}
    if "reduce" in found:
        alone = found["reduce"]
        row |= {"scan": found["scan"]["wall"], "reduce": alone["wall"]}
        row |= {"beyond": report["wall"] - alone["wall"]}
        row |= {"beyond_cpu": report["processor"] - alone["processor"]}
    return row


def missed(rows: list[dict[str, float | None]]) -> list[str]:
    """Say which goals were not reached, of those that the sizes can tell."""
    peak = {row["judgments"]: row["gibibytes"] or 0.0 for row in rows}
    beyond = {row["judgments"]: row["beyond"] or 0.0 for row in rows}
    found: list[str] = []
    if peak.get(AT, 0.0) > GIBIBYTES:
        found.append(f"{peak[AT]:.2f} GiB at 10⁷ (goal {GIBIBYTES})")
    if beyond.get(AT, 0.0) > SECONDS:
        found.append(f"{beyond[AT]:.1f} s beyond reducing at 10⁷ (goal {SECONDS:.0f})")
    if AT in peak and peak.get(LARGEST, 0.0) > GROWTH * peak[AT]:
        times = peak[LARGEST] / peak[AT]
        found.append(f"the peak at 10⁸ is {times:.2f} times that at 10⁷ (goal {GROWTH})")
    return found


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--table", type=Path, help="write the numbers as CSV")
    parser.add_argument("--task", choices=TASKS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.task:
        print(json.dumps(measured(TASKS[asked.task], asked.folder)))
        return 0
    cores, busy = os.cpu_count(), os.getloadavg()[0]
    print(
        f"{cores} cores, load {busy:.1f} before the start; Python {platform.python_version()}, "
        f"polars {version('polars')}; wall-clock seconds, all threads"
    )
    print("  judgments  bare scan  reducing  report  beyond  (processor)  peak GiB")
    rows: list[dict[str, float | None]] = []
    for n in asked.sizes:
        row = of_size(n)
        rows.append(row)
        widths = {"scan": 9, "reduce": 8, "report": 6, "beyond": 6, "beyond_cpu": 11, "gibibytes": 8}
        cells = [
            f"{'–':>{width}}" if row[name] is None else f"{row[name]:{width}.2f}"
            for name, width in widths.items()
        ]
        print(f"{n:>11,}  {'  '.join(cells)}", flush=True)
    if asked.table:
        pl.DataFrame(rows).select(COLUMNS).write_csv(asked.table, float_precision=3)
    found = missed(rows)
    print(f"missed: {'; '.join(found)}" if found else "goals: reached")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
