"""Ladders of claims on simulated judgments: seconds and peak memory.

Usage: ``python benchmarks/claims.py [JUDGMENTS]`` (default 1,000,000). Exits 1 above 20 s or 1.5 GiB.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
import tomllib
from collections import Counter
from pathlib import Path

from report import simulated

from recuse.analysis.claims.outcomes import judge_claims
from recuse.analysis.claims.parsing import parse_claims
from recuse.analysis.comparisons import compare
from recuse.analysis.settings import Settings
from recuse.collectors.sources import load
from recuse.collectors.starter_claims import starter_claims

SECONDS, GIBIBYTES = 20.0, 1.5


def main() -> int:
    """Measure and print."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "simulated.parquet"
        simulated(n, path)
        start = time.perf_counter()
        source = load(str(path))
    comparisons = compare(source.judgments)
    file = parse_claims(tomllib.loads(starter_claims(comparisons, ["simulated"])))
    read = time.perf_counter()
    outcomes = judge_claims(file.claims, comparisons, Settings())
    climbed, seconds = time.perf_counter() - read, time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    verdicts = Counter(outcome.verdict for outcome in outcomes)
    print(f"{n:,} judgments, {comparisons.height:,} comparisons, {len(outcomes)} claims: {dict(verdicts)}")
    print(f"reading and comparing {read - start:.2f} s; ladders {climbed:.2f} s")
    print(f"in all {seconds:.2f} s (goal {SECONDS:g}); peak memory {memory:.2f} GiB (goal {GIBIBYTES:g})")
    return int(seconds > SECONDS or memory > GIBIBYTES)


if __name__ == "__main__":
    sys.exit(main())
