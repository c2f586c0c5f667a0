"""How long and how much memory the border takes for 10⁶ judgments in each format.

Usage: ``python benchmarks/readers.py [ROWS]``. Each format is read in a process of its own. Prints
seconds, the ratio to polars reading the same file, and peak memory; exits 1 if a format takes more than
30 s or 1.5 GiB.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

N_MODELS = 9
MAX_SECONDS = 30.0
MAX_GIB = 1.5


def simulated(n_rows: int) -> pl.DataFrame:
    """Five judges on every ordered pair of nine models, task after task."""
    rng = np.random.default_rng(1)
    pairs = np.array([(a, b) for a in range(N_MODELS) for b in range(N_MODELS) if a != b])
    row = np.arange(n_rows)
    pair, judge, task = row % len(pairs), row // len(pairs) % 5, row // (len(pairs) * 5)
    models = np.array([f"model-{number}" for number in range(N_MODELS)])
    return pl.DataFrame(
        {
            "task_id": pl.Series(task).cast(pl.String),
            "judge": models[judge],
            "slot_a": models[pairs[pair, 0]],
            "slot_b": models[pairs[pair, 1]],
            "verdict": rng.choice(["a", "b", "tie"], n_rows),
            "tier": np.array(["objective", "medium", "subjective"])[task % 3],
            "words_a": rng.integers(1, 300, n_rows),
            "words_b": rng.integers(1, 300, n_rows),
        }
    )


def measured(path: str) -> tuple[float, float, float]:
    """Seconds of the border, seconds of polars alone, peak GiB of the process."""
    from recuse.collectors.sources import load

    started = time.perf_counter()
    load(path)
    border = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    started = time.perf_counter()
    {"csv": pl.read_csv, "jsonl": pl.read_ndjson, "parquet": pl.read_parquet}[path.rsplit(".", 1)[1]](path)
    return border, time.perf_counter() - started, peak


def main() -> int:
    """Measure the three formats."""
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    worst_seconds = worst_gib = 0.0
    with tempfile.TemporaryDirectory() as folder:
        table = simulated(n_rows)
        stem = Path(folder) / "judgments"
        table.write_csv(f"{stem}.csv")
        table.write_ndjson(f"{stem}.jsonl")
        table.write_parquet(f"{stem}.parquet")
        del table
        for suffix in ("parquet", "csv", "jsonl"):
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                border, bare, peak = pool.apply(measured, (f"{stem}.{suffix}",))
            ratio = f"{border / bare:.0f} times polars alone"
            print(f"{suffix:8} {n_rows:,} rows: {border:5.1f} s ({ratio}), {peak:.2f} GiB")
            worst_seconds, worst_gib = max(worst_seconds, border), max(worst_gib, peak)
    return int(worst_seconds > MAX_SECONDS or worst_gib > MAX_GIB)


if __name__ == "__main__":
    sys.exit(main())
