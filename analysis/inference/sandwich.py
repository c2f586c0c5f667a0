"""Cluster-robust variances of a mean in closed form, and the t intervals built on them."""

from __future__ import annotations

import numpy as np
from scipy import special

from recuse.analysis.inference.clusters import ClusterSums
from recuse.analysis.inference.interval import Interval

__all__ = ["cr1_variance", "cr2_variance", "cr3_variance", "satterthwaite", "t_interval", "t_test_p"]


def cr1_variance(sums: ClusterSums) -> float:
    """Sum of squared task residuals over the squared number of rows, times G/(G − 1).

    0 means that all tasks have the same mean. Needs at least two tasks.
    """
    n_clusters = sums.n_clusters
    squares = float((sums.tasks * np.square(sums.residuals)).sum())
    return squares / sums.rows**2 * n_clusters / (n_clusters - 1)


def cr2_variance(sums: ClusterSums) -> tuple[float, float]:
    """Bias-reduced variance of a mean and its Satterthwaite degrees of freedom.

    With one column of ones as the only regressor, the adjustment matrix of task g acts on that column as
    the number a_g = (1 − n_g/N)^(−½). With S_g the sum of the task's residuals,

    V = Σ a_g² S_g² / N²,   df = N² / (Σ n_g² + Σ_{g≠h} a_g² a_h² n_g² n_h² / N²),

    where the degrees of freedom are those under independent rows of equal variance. Tasks of equal size
    give df = G − 1 and the CR1 variance. Needs at least two tasks.

    References
    ----------
    Bell and McCaffrey (2002), Bias reduction in standard errors for linear regression with multi-stage
    samples, Survey Methodology 28(2). Pustejovsky and Tipton (2018), Small-sample methods for
    cluster-robust variance estimation, arXiv:1601.01981.
    """
    share, tasks = sums.denominator / sums.rows, sums.tasks
    inflation = 1 / (1 - share)  # a_g²
    variance = float((tasks * inflation * np.square(sums.residuals)).sum()) / sums.rows**2
    leverage = inflation * np.square(share)
    crossed = float((tasks * leverage).sum() ** 2 - (tasks * np.square(leverage)).sum())
    return variance, 1 / (float((tasks * np.square(share)).sum()) + crossed)


def cr3_variance(sums: ClusterSums) -> float:
    """Jackknife over tasks: (G − 1)/G times the squared changes of the mean when one task is left out.

    Centred at the estimate itself. Needs at least two tasks.
    """
    total, rows = sums.total, sums.rows
    change = (total - sums.numerator) / (rows - sums.denominator) - total / rows
    change[sums.residuals == 0] = 0.0
    return float((sums.tasks * np.square(change)).sum()) * (sums.n_clusters - 1) / sums.n_clusters


def satterthwaite(*parts: tuple[float, float]) -> float:
    """Degrees of freedom of a sum of independent variances, each given with its own (Welch–Satterthwaite)."""
    return sum(variance for variance, _ in parts) ** 2 / sum(variance**2 / df for variance, df in parts)


def t_test_p(distance: float, std_error: float, df: float) -> float:
    """Two-sided p-value of a distance from the null, in standard errors, under Student's t."""
    return float(min(1.0, 2 * special.stdtr(df, -abs(distance) / std_error)))


def t_interval(
    estimate: float, variance: float, df: float, *, method: str, conf_level: float, null: float = 0.0
) -> Interval:
    """Estimate ± the quantile of Student's t times the standard error, and the test that matches it."""
    std_error = float(np.sqrt(variance))
    half = float(special.stdtrit(df, (1 + conf_level) / 2)) * std_error
    p_value = t_test_p(estimate - null, std_error, df)
    return Interval(estimate - half, estimate + half, std_error, float(df), p_value, method)
