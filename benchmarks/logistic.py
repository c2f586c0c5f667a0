"""The logistic fit at 100,000 and 1,000,000 presentations, beside statsmodels.

    python benchmarks/logistic.py [ROWS ...]

Five generators' strengths, the log ratio of lengths and a slot. Ours: Newton steps, and with Firth's
penalty, which is what the length decomposition uses. statsmodels: Logit by Newton, its faster way (GLM takes
two to three times as long). Exits 1 below four times its speed at any size.
"""

from __future__ import annotations

import sys

from measuring import median_seconds, setting

import numpy as np  # isort: skip
import statsmodels.api as sm
from scipy import special

from recuse.analysis.inference.clusters import FloatArray
from recuse.analysis.inference.firth import fit_logistic

GOAL, GENERATORS = 4.0, 5


def presentations(n: int) -> tuple[FloatArray, FloatArray]:
    """Design and verdicts."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, GENERATORS, n)
    b = (a + rng.integers(1, GENERATORS, n)) % GENERATORS
    sides = np.zeros((n, GENERATORS))
    sides[np.arange(n), a] = 1
    sides[np.arange(n), b] = -1
    design = np.column_stack([sides[:, 1:], rng.normal(0, 0.5, n), np.ones(n)])
    truth = np.array([0.2, -0.3, 0.5, 0.1, 0.6, 0.2])
    return design, (rng.random(n) < special.expit(design @ truth)).astype(np.float64)


def main() -> int:
    sizes = [int(word) for word in sys.argv[1:]] or [100_000, 1_000_000]
    print(setting("scipy", "statsmodels"))
    print("     rows    ours  ours, Firth  statsmodels  statsmodels/ours  statsmodels/Firth  difference")
    kept = True
    for n in sizes:
        design, outcome = presentations(n)
        ones = np.ones((1, n))
        mine, found = median_seconds(lambda d=design, y=outcome, w=ones: fit_logistic(d, y, w, firth=False))
        firth, _ = median_seconds(lambda d=design, y=outcome, w=ones: fit_logistic(d, y, w))
        theirs, other = median_seconds(lambda d=design, y=outcome: sm.Logit(y, d).fit(disp=0, tol=1e-10))
        apart = np.abs(found.coefficients[0] - other.params).max()
        print(
            f"{n:9,}{mine:8.3f}{firth:13.3f}{theirs:13.3f}{theirs / mine:18.1f}{theirs / firth:19.1f}"
            f"{apart:12.0e}"
        )
        kept &= theirs / mine >= GOAL
    print(f"goal: {GOAL:.0f} times statsmodels: {'reached' if kept else 'missed'}")
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
