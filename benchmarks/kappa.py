"""Cohen's kappa of all pairs of 20 judges on 100,000 comparisons, beside statsmodels pair by pair.

    python benchmarks/kappa.py [COMPARISONS]

2,000,000 labels. Ours: the tables of all pairs from one product of indicator matrices, and every kappa from
them. statsmodels: to_table and cohens_kappa for each of the 190 pairs, without its standard errors. Exits 1
below five times the speed of statsmodels.
"""

from __future__ import annotations

import sys
from itertools import combinations

from measuring import median_seconds, setting

import numpy as np  # isort: skip
import numpy.typing as npt
from statsmodels.stats.inter_rater import cohens_kappa, to_table

from recuse.analysis.inference.nominal import all_pairs, cohen_kappa

GOAL, JUDGES, LABELS = 5.0, 20, 3
PAIRS = list(combinations(range(JUDGES), 2))
Codes = npt.NDArray[np.int8]


def labels(n: int) -> Codes:
    """Draw what each judge says of each comparison, agreeing more often than by chance."""
    rng = np.random.default_rng(0)
    shared = rng.integers(0, LABELS, (n, 1))
    own = rng.integers(0, LABELS, (n, JUDGES))
    return np.where(rng.random((n, JUDGES)) < 0.4, shared, own).astype(np.int8)


def ours(codes: Codes) -> list[float]:
    one, other = np.array(PAIRS).T
    return cohen_kappa(all_pairs(codes, LABELS)[one, other], symmetric=False).tolist()


def by_statsmodels(codes: Codes) -> list[float]:
    tables = [to_table(codes[:, pair], bins=np.arange(LABELS + 1) - 0.5)[0] for pair in PAIRS]
    return [float(cohens_kappa(table, return_results=False)) for table in tables]


def main() -> int:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    codes = labels(n)
    print(setting("statsmodels"))
    print(f"{codes.size:,} labels, {JUDGES} judges, {len(PAIRS)} pairs")
    mine, found = median_seconds(lambda: ours(codes), 5)
    theirs, other = median_seconds(lambda: by_statsmodels(codes))
    for name, seconds in (("ours", mine), ("statsmodels", theirs)):
        print(f"{name:<20}{seconds:8.3f} s")
    apart = np.abs(np.array(found) - np.array(other)).max()
    print(f"largest difference of a kappa {apart:.0e}")
    print(f"{theirs / mine:.1f} times its speed (goal {GOAL:.0f})")
    return int(theirs / mine < GOAL)


if __name__ == "__main__":
    sys.exit(main())
