"""Estimates of a report on simulated judgments: seconds and peak memory, beside a bare scan and group-by.

Usage: ``python benchmarks/report.py [JUDGMENTS]`` (default 1,000,000). Exits 1 above 15 s or 1.5 GiB.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from recuse.analysis.comparisons import compare
from recuse.analysis.report import estimate_all
from recuse.analysis.settings import Settings
from recuse.collectors.sources import load

SECONDS, GIBIBYTES = 15.0, 1.5
GENERATORS = [f"maker-{index}/model-{index}" for index in range(6)]
JUDGES = [*GENERATORS[:4], "maker-8/judge-8"]


def simulated(n: int, path: Path, *, part: int = 0) -> None:
    """Write n judgments: 6 generators, 5 judges (4 of them generators), both orders, three tiers.

    Another ``part`` holds other tasks; 150 judgments are a whole one.
    """
    rng = np.random.default_rng(1 + part)
    pairs = [(a, b) for a in range(6) for b in range(6) if a != b]
    per_task = len(pairs) * len(JUDGES)
    n_tasks = n // per_task + 1
    task, rest = np.divmod(np.arange(n), per_task)
    judge, pair = np.divmod(rest, len(pairs))
    slot = np.array(pairs)[pair]
    strength = np.linspace(-0.5, 0.5, 6)
    words = rng.integers(40, 200, (n_tasks, 6))
    taste = rng.normal(0, 1, (n_tasks, 6))
    score = (strength + taste)[task[:, None], slot] + 0.4 * (slot == judge[:, None])
    lean = score[:, 0] - score[:, 1] + 0.1 + rng.logistic(0, 1, n)
    verdict = np.where(np.abs(lean) < 0.3, 2, np.where(lean > 0, 0, 1))
    prefix = f"task-{part}-" if part else "task-"
    pl.DataFrame(
        {
            "task_id": pl.Series(task).cast(pl.String),
            "tier": _named(["objective", "medium", "subjective"], task % 3),
            "judge": _named(JUDGES, judge),
            "slot_a": _named(GENERATORS, slot[:, 0]),
            "slot_b": _named(GENERATORS, slot[:, 1]),
            "verdict": _named(["a", "b", "tie"], verdict),
            "words_a": words[task, slot[:, 0]],
            "words_b": words[task, slot[:, 1]],
        }
    ).with_columns(task_id=pl.lit(prefix) + pl.col("task_id")).write_parquet(path)


def _named(names: list[str], codes: npt.NDArray[np.int64]) -> pl.Series:
    return pl.Series(names).gather(codes)


def main() -> int:
    """Measure and print."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "simulated.parquet"
        simulated(n, path)
        start = time.perf_counter()
        keys = ["task_id", "judge", "slot_a", "slot_b"]
        pl.scan_parquet(path).group_by(keys).agg(pl.col("verdict").first()).collect()
        scan = time.perf_counter() - start
        start = time.perf_counter()
        source = load(str(path))
        loaded = time.perf_counter() - start
        comparisons = compare(source.judgments)
        compared = time.perf_counter() - start - loaded
        marks: list[tuple[str, float]] = []
        estimates = estimate_all(
            comparisons, Settings(), on_step=lambda name: marks.append((name, time.perf_counter()))
        )
        seconds = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{n:,} judgments, {comparisons.height:,} comparisons, {estimates.height:,} estimates")
    print(
        f"bare scan and group-by {scan:.2f} s; reading and checking {loaded:.2f} s; "
        f"comparing {compared:.2f} s"
    )
    for name, mark in marks:
        print(f"  {name:<24} there after {mark - start - loaded - compared:5.1f} s of estimating")
    print(f"in all {seconds:.1f} s (goal {SECONDS:.0f}), peak memory {memory:.2f} GiB (goal {GIBIBYTES})")
    return int(seconds > SECONDS or memory > GIBIBYTES)


if __name__ == "__main__":
    sys.exit(main())
