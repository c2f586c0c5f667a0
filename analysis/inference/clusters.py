"""One sum and one count per task: all that a mean of clustered rows needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from recuse.errors import JudgmentsError

__all__ = ["ZERO", "ClusterSums", "FloatArray", "TaskCounts", "residual_sums"]

FloatArray: TypeAlias = npt.NDArray[np.float64]
TaskCounts: TypeAlias = npt.NDArray[np.int64]

ZERO = 1e-12
"""A spread below this share of its own scale is rounding, hence zero."""


def residual_sums(numerator: FloatArray, denominator: FloatArray, mean: float) -> FloatArray:
    """Sum of each task less what its rows would sum to at `mean`; rounding is set to exactly 0.

    Outcomes are taken to be of order 1 (scores, shares, points), so that ⅓ + ⅓ − ⅔ is 0.
    """
    expected = mean * denominator
    residuals: FloatArray = numerator - expected
    scale = np.abs(numerator).max() + np.abs(expected).max() + denominator.max()
    residuals[np.abs(residuals) <= ZERO * scale] = 0.0
    return residuals


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """Sum of the outcome and count of rows for each task; the estimate is their ratio.

    Tasks with a zero count say nothing about the mean and are left out on construction, so that
    `n_clusters` counts tasks with a non-zero denominator. Tasks with the same sums may be given once, with
    their number: all that follows is as if each stood by itself.

    Parameters
    ----------
    numerator
        Shape (K,). Sum of the outcome over the rows of each task.
    denominator
        Shape (K,). Rows of each task (comparisons or presentations), or their total weight.
    tasks
        Shape (K,). Tasks that share each pair of sums; 1 each where not given.

    Raises
    ------
    JudgmentsError
        A sum is not finite, a count is negative, or a task without rows has a sum.

    Examples
    --------
    >>> sums = ClusterSums(np.array([1.0, 2.0, 0.0]), np.array([2.0, 2.0, 0.0]))
    >>> sums.estimate, sums.n_clusters
    (0.75, 2)
    >>> ClusterSums(np.array([1.0, 2.0]), np.array([2.0, 2.0]), np.array([3, 1])).n_clusters
    4
    """

    numerator: FloatArray  # (K,) sum of the outcome per task
    denominator: FloatArray  # (K,) rows per task, all above 0
    tasks: TaskCounts = field(default_factory=lambda: np.ones(1, dtype=np.int64))  # (K,) tasks alike

    def __post_init__(self) -> None:
        numerator = np.atleast_1d(np.asarray(self.numerator, dtype=np.float64))
        denominator = np.atleast_1d(np.asarray(self.denominator, dtype=np.float64))
        if numerator.shape != denominator.shape or numerator.ndim != 1:
            raise JudgmentsError(
                "each task needs one sum and one count",
                [f"shapes {numerator.shape} and {denominator.shape}"],
                "pass two vectors of equal length",
            )
        tasks = np.asarray(self.tasks, dtype=np.int64)
        tasks = np.broadcast_to(tasks, numerator.shape) if len(tasks) == 1 else tasks
        if tasks.shape != numerator.shape or (tasks < 1).any():
            raise JudgmentsError(
                "each pair of sums is that of one task or more",
                [f"shapes {numerator.shape} and {tasks.shape}"],
                "pass one number of tasks per sum",
            )
        wrong = ~(np.isfinite(numerator) & np.isfinite(denominator) & (denominator >= 0))
        wrong |= (denominator == 0) & (numerator != 0)
        if wrong.any():
            raise JudgmentsError(
                "each task needs a finite sum and a count of at least 0, and no sum without a count",
                [f"task {g}" for g in np.flatnonzero(wrong)],
                "leave out rows without an outcome before summing",
            )
        kept = denominator > 0
        object.__setattr__(self, "numerator", numerator[kept])
        object.__setattr__(self, "denominator", denominator[kept])
        object.__setattr__(self, "tasks", tasks[kept])

    @classmethod
    def of(
        cls, task_codes: npt.ArrayLike, values: npt.ArrayLike, weights: npt.ArrayLike | None = None
    ) -> ClusterSums:
        """Sum rows by task.

        Parameters
        ----------
        task_codes
            Shape (n,). Task of each row, as integers from 0; codes that do not occur are left out.
        values
            Shape (n,). Outcome of each row.
        weights
            Shape (n,). Weight of each row; 1 each where not given.
        """
        codes = np.asarray(task_codes, dtype=np.int64)
        outcome = np.asarray(values, dtype=np.float64)
        weight = np.ones_like(outcome) if weights is None else np.asarray(weights, dtype=np.float64)
        numerator, denominator = (np.bincount(codes, weights=rows) for rows in (outcome * weight, weight))
        return cls(numerator.astype(np.float64), denominator.astype(np.float64))

    @property
    def n_clusters(self) -> int:
        """Tasks with a non-zero denominator."""
        return int(self.tasks.sum())

    @property
    def total(self) -> float:
        """Sum of the outcome over all tasks."""
        return float((self.tasks * self.numerator).sum())

    @property
    def rows(self) -> float:
        """Rows of all tasks, or their total weight."""
        return float((self.tasks * self.denominator).sum())

    @property
    def estimate(self) -> float | None:
        """Mean over rows, each row weighing the same; null without any row."""
        return self.total / self.rows if self.n_clusters else None

    @property
    def residuals(self) -> FloatArray:
        """Sum of the residuals of each task, shape (K,); those below rounding are exactly 0."""
        if not self.n_clusters:
            return self.numerator
        return residual_sums(self.numerator, self.denominator, self.total / self.rows)

    @property
    def is_degenerate(self) -> bool:
        """Whether no spread between tasks can be seen: fewer than two tasks, or all tasks alike."""
        return self.n_clusters < 2 or not self.residuals.any()
