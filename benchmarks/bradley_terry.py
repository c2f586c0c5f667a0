"""Bradley–Terry strengths in 100 cluster-bootstrap rounds, beside scikit-learn on the same aggregated counts.

    python benchmarks/bradley_terry.py [GENERATORS]

500 tasks, 20 generators, every pair on every task in both orders: 190,000 verdicts in 380 cells of pair and
order. Both sides get the counts of each resample of tasks; ours steps all rounds at once, with and without
Firth's penalty, scikit-learn fits one after the other. Exits 1 below five times its speed.
"""

from __future__ import annotations

import sys
from itertools import permutations

from measuring import median_seconds, setting

import numpy as np  # isort: skip
import numpy.typing as npt
from scipy import special
from sklearn.linear_model import LogisticRegression

from recuse.analysis.inference.bootstrap import resampled_totals
from recuse.analysis.inference.firth import fit_logistic

GOAL, ROUNDS, N_TASKS = 5.0, 100, 500
Array = npt.NDArray[np.float64]


def main() -> int:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    rng = np.random.default_rng(0)
    shown = np.array(list(permutations(range(n), 2)))
    strength = rng.normal(0, 0.7, n) + rng.normal(0, 0.5, (N_TASKS, n))
    chance = special.expit(strength[:, shown[:, 0]] - strength[:, shown[:, 1]] + 0.2)
    a_wins = (rng.random(chance.shape) < chance).astype(np.float64)
    design = np.zeros((len(shown), n + 1))
    design[np.arange(len(shown)), shown[:, 0]] = 1
    design[np.arange(len(shown)), shown[:, 1]] -= 1
    design[:, n] = 1
    design = design[:, 1:]  # the first generator is the reference
    wins = resampled_totals(a_wins, rng=rng, n_resamples=ROUNDS)
    print(setting("scipy", "scikit-learn"))
    print(f"{a_wins.size:,} verdicts, {n} generators, {ROUNDS} rounds of resampled tasks")
    plain, found = median_seconds(lambda: by_us(design, wins, firth=False), 5)
    firth, _ = median_seconds(lambda: by_us(design, wins, firth=True), 5)
    theirs, other = median_seconds(lambda: by_scikit_learn(design, wins))
    for name, seconds in (("ours", plain), ("ours, Firth", firth), ("scikit-learn", theirs)):
        print(f"{name:<20}{seconds:8.3f} s")
    print(f"largest difference of a strength {np.abs(other - found).max():.0e}")
    print(f"{theirs / plain:.1f} times its speed, {theirs / firth:.1f} with the penalty (goal {GOAL:.0f})")
    return int(theirs / plain < GOAL)


def by_us(design: Array, wins: Array, *, firth: bool) -> Array:
    """All rounds at once; the outcome of a cell is its share of wins, its weight the tasks drawn."""
    weights = np.full(wins.shape, float(N_TASKS))
    return fit_logistic(design, wins / N_TASKS, weights, firth=firth).coefficients


def by_scikit_learn(design: Array, wins: Array) -> Array:
    """One round after the other, wins and losses as weighted rows."""
    rows = np.concatenate([design, design])
    outcome = np.concatenate([np.ones(len(design)), np.zeros(len(design))])
    fits = []
    for won in wins:
        model = LogisticRegression(C=np.inf, fit_intercept=False, solver="newton-cholesky", tol=1e-8)
        model.fit(rows, outcome, sample_weight=np.concatenate([won, N_TASKS - won]))
        fits.append(model.coef_[0])
    return np.array(fits)


if __name__ == "__main__":
    sys.exit(main())
