"""Sign-flip test of the total of task sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from recuse.analysis.inference.bootstrap import N_RESAMPLES, draw_in_pieces
from recuse.analysis.inference.many_tasks import MANY_TASKS, NORMAL, is_normal, n_beyond
from recuse.errors import UndefinedEstimateError

__all__ = ["MOST_EXACT_SUMS", "SignFlip", "least_p", "sign_flip"]

MOST_EXACT_SUMS: Final = 20
"""Non-zero sums up to which all sign vectors are counted."""


@dataclass(frozen=True, slots=True)
class SignFlip:
    """Result of the sign-flip test; `reason` says what a reader must know beside the p-value."""

    p_value: float | None
    n_nonzero: int  # k, tasks whose sum is not 0
    floor: float | None  # smallest p-value that k sums, or the number of draws, can give
    exact: bool
    reason: str | None = None


def sign_flip(
    task_sums: npt.ArrayLike,
    rng: np.random.Generator,
    n_resamples: int = N_RESAMPLES,
    *,
    tasks: npt.ArrayLike | None = None,
    many: int = MANY_TASKS,
) -> SignFlip:
    """Two-sided sign-flip test of the total of task sums.

    Null hypothesis: each task's sum is as likely as its negative, independently between tasks. Exact in
    that case over all 2^k sign vectors of the k non-zero sums up to k = 20; above, p = (1 + b)/(1 + B)
    from random signs, or from totals drawn as normal where sums are very many.

    Parameters
    ----------
    task_sums
        Shape (K,). Whole numbers, so that equal totals compare as equal; double half points first.
    rng, n_resamples
        Source of randomness and number of draws B above k = 20.
    tasks
        Shape (K,). Tasks that share each sum; 1 each where not given.
    many
        Non-zero sums from which random totals are drawn as normal, where they are.

    Returns
    -------
    SignFlip
        The smallest two-sided p-value of the exact test is 2^(1−k): with fewer than 6 non-zero sums it
        cannot reach .05, and `reason` says so. Without any non-zero sum p is null.

    Raises
    ------
    UndefinedEstimateError
        The sums are not whole numbers.
    """
    values = np.asarray(task_sums, dtype=np.float64)
    if not (np.isfinite(values).all() and np.array_equal(np.rint(values), values)):
        raise UndefinedEstimateError("the sign-flip needs whole task sums: double half points first")
    sums = values.astype(np.int64)
    shared = np.ones(len(sums), dtype=np.int64) if tasks is None else np.asarray(tasks, dtype=np.int64)
    observed = abs(int((sums * shared).sum()))
    sizes, shared = np.abs(sums[sums != 0]), shared[sums != 0]
    k = int(shared.sum())
    if k == 0:
        return SignFlip(None, 0, None, exact=True, reason="no task with a sum other than 0")
    if k >= many and is_normal(sizes, np.ones(len(sizes)), shared, symmetric=True):
        beyond = _normal_totals_beyond(sizes, shared, observed, rng, n_resamples)
        return SignFlip(
            (1 + beyond) / (1 + n_resamples), k, 1 / (1 + n_resamples), exact=False, reason=NORMAL
        )
    if k > MOST_EXACT_SUMS:
        beyond = _random_totals_beyond(sizes, shared, observed, rng, n_resamples)
        return SignFlip((1 + beyond) / (1 + n_resamples), k, 1 / (1 + n_resamples), exact=False)
    sizes = np.sort(np.repeat(sizes, shared))
    totals = sizes[:1].copy()
    for size in sizes[1:]:
        totals = np.concatenate([totals - size, totals + size])
    floor = least_p(k)
    said = f"{k} non-zero task sums: no two-sided p-value below {floor:.3g}" if floor > 0.05 else None
    return SignFlip(float((np.abs(totals) >= observed).mean()), k, floor, exact=True, reason=said)


def least_p(n_nonzero: int, n_resamples: int = N_RESAMPLES) -> float:
    """Smallest two-sided p-value that a sign-flip of this many non-zero sums can reach."""
    if n_nonzero > MOST_EXACT_SUMS:
        return 1 / (1 + n_resamples)
    return min(1.0, 2.0 ** (1 - n_nonzero))


def _normal_totals_beyond(
    sizes: npt.NDArray[np.int64],
    shared: npt.NDArray[np.int64],
    observed: int,
    rng: np.random.Generator,
    n_resamples: int,
) -> int:
    """Count draws at least as far from 0; totals lie twice the sizes' greatest common divisor apart."""
    spread = np.sqrt(float(shared @ np.square(sizes.astype(np.float64))))
    return n_beyond(rng.standard_normal(n_resamples) * spread, observed, float(np.gcd.reduce(sizes)))


def _random_totals_beyond(
    sizes: npt.NDArray[np.int64],
    shared: npt.NDArray[np.int64],
    observed: int,
    rng: np.random.Generator,
    n_resamples: int,
) -> int:
    """Count draws at least as far from 0; tasks of equal size share one binomial number of plus signs."""
    distinct, place = np.unique(sizes, return_inverse=True)
    tasks = np.bincount(place, weights=shared).astype(np.int64)

    def count(stream: np.random.Generator, start: int, stop: int) -> int:
        plus = stream.binomial(tasks, 0.5, size=(stop - start, len(distinct)))
        return int((np.abs((2 * plus - tasks) @ distinct) >= observed).sum())

    return sum(draw_in_pieces(count, n_resamples, len(distinct), rng))
