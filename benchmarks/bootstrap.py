"""10,000 cluster resamples at 15, 1,852 and 18,500 tasks, beside scipy.stats.bootstrap and pingouin.

    python benchmarks/bootstrap.py [TASKS ...]

The mean of scores with tasks as clusters, each task with three comparisons scored in halves, one of them
sometimes missing. All three give the percentile interval; ours also the symmetric bootstrap-t that is the
default, which no other offers. scipy runs batched and vectorised. Exits 1 below 30 times the speed of scipy
at 18,500 tasks.
"""

from __future__ import annotations

import sys

from measuring import median_seconds, setting

import numpy as np  # isort: skip
import pingouin
from scipy import stats

from recuse.analysis.inference.clusters import ClusterSums, FloatArray
from recuse.analysis.inference.interval import Interval
from recuse.analysis.inference.means import mean_interval

GOAL, AT, RESAMPLES = 30.0, 18_500, 10_000


def task_sums(n_tasks: int) -> ClusterSums:
    """Sum of scores and number of comparisons of each task."""
    rng = np.random.default_rng(0)
    rows = 3.0 - (rng.random(n_tasks) < 0.2)
    return ClusterSums(rng.binomial(2 * rows.astype(int), rng.beta(3, 2, n_tasks)) / 2, rows)


def ratio(numerator: FloatArray, denominator: FloatArray, axis: int = -1) -> FloatArray:
    """Mean over comparisons from sums over tasks."""
    mean: FloatArray = numerator.sum(axis=axis) / denominator.sum(axis=axis)
    return mean


def ours(sums: ClusterSums, method: str) -> Interval:
    return mean_interval(sums, rng=np.random.default_rng(1), method=method, n_resamples=RESAMPLES)


def by_scipy(sums: ClusterSums) -> tuple[float, float]:
    batch = max(1, 2_000_000 // sums.n_clusters)
    found = stats.bootstrap(
        (sums.numerator, sums.denominator), ratio, n_resamples=RESAMPLES, batch=batch, vectorized=True,
        paired=True, method="percentile", rng=np.random.default_rng(1),
    )  # fmt: skip
    return tuple(found.confidence_interval)


def by_pingouin(sums: ClusterSums) -> tuple[float, float]:
    found = pingouin.compute_bootci(
        sums.numerator, sums.denominator, func=ratio, paired=True, n_boot=RESAMPLES, method="per", seed=1,
        decimals=6,
    )  # fmt: skip
    return tuple(found)


def main() -> int:
    sizes = [int(word) for word in sys.argv[1:]] or [15, 1_852, AT]
    print(setting("scipy", "pingouin"))
    print(f"{RESAMPLES:,} resamples of tasks; percentile interval, and ours also bootstrap-t")
    print("  tasks    ours  bootstrap-t    scipy  pingouin  scipy/ours  pingouin/ours  scipy/bootstrap-t")
    kept = True
    for n_tasks in sizes:
        sums = task_sums(n_tasks)
        mine, found = median_seconds(lambda sums=sums: ours(sums, "percentile"), 5)
        student, _ = median_seconds(lambda sums=sums: ours(sums, "bootstrap-t"), 5)
        repeats = 3 if n_tasks < AT else 1
        theirs, other = median_seconds(lambda sums=sums: by_scipy(sums), repeats)
        third, _ = median_seconds(lambda sums=sums: by_pingouin(sums), repeats)
        assert np.allclose((found.low, found.high), other, atol=0.1 * (other[1] - other[0]))
        print(
            f"{n_tasks:7,}{mine:8.4f}{student:13.4f}{theirs:9.3f}{third:10.3f}{theirs / mine:12.1f}"
            f"{third / mine:15.1f}{theirs / student:19.1f}"
        )
        kept &= n_tasks != AT or theirs / mine >= GOAL
    print(f"goal: {GOAL:.0f} times scipy at {AT:,} tasks: {'reached' if kept else 'missed'}")
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
