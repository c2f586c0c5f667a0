"""Exact binomial inference through special functions, which import in a fifth of scipy.stats' time."""

from __future__ import annotations

import numpy as np
from scipy import special

from recuse.analysis.inference.interval import check_level
from recuse.errors import UndefinedEstimateError

__all__ = ["binomial_p", "clopper_pearson", "sign_test_p"]


def clopper_pearson(x: float, n: float, conf_level: float = 0.95) -> tuple[float, float]:
    """Clopper–Pearson interval of a proportion through quantiles of the Beta distribution.

    Parameters
    ----------
    x
        Successes, from 0 to `n`; need not be whole (an effective count such as rate × tasks).
    n
        Trials, above 0; need not be whole.
    conf_level
        Two-sided confidence level.

    Returns
    -------
    tuple
        Bounds in [0, 1]; the lower is 0 only at `x` = 0, the upper 1 only at `x` = `n`.

    Raises
    ------
    UndefinedEstimateError
        No trial, or `x` outside [0, n].

    Examples
    --------
    >>> low, high = clopper_pearson(3, 3)
    >>> round(low, 3), high
    (0.292, 1.0)
    """
    check_level(conf_level)
    slack = 1e-9 * max(n, 1.0)
    if not (n > 0 and -slack <= x <= n + slack):
        raise UndefinedEstimateError(
            f"an exact interval needs 0 ≤ successes ≤ trials and a trial, not {x} of {n}"
        )
    x = min(max(x, 0.0), n)
    tail = (1 - conf_level) / 2
    low = 0.0 if x <= 0 else float(special.betaincinv(x, n - x + 1, tail))
    high = 1.0 if x >= n else float(special.betainccinv(x + 1, n - x, tail))
    return low, high


def binomial_p(k: int, n: int, p: float = 0.5) -> float | None:
    """Two-sided exact binomial p-value: outcomes no more likely than the observed one.

    Null without any trial. At `p` = ½ it is twice the smaller tail; other nulls are
    :func:`scipy.stats.binomtest`'s.

    Parameters
    ----------
    k, n
        Successes and trials.
    p
        Probability of a success under the null.
    """
    if not 0 <= k <= n:
        raise UndefinedEstimateError(f"a binomial test needs 0 ≤ successes ≤ trials, not {k} of {n}")
    if n == 0:
        return None
    if p == 0.5:
        return min(1.0, 2 * float(special.bdtr(min(k, n - k), n, 0.5)))
    from scipy.stats import binomtest  # pyright: ignore[reportUnknownVariableType]

    return float(np.clip(binomtest(k, n, p).pvalue, 0.0, 1.0))


def sign_test_p(n_first: int, n_second: int) -> float | None:
    """Exact two-sided sign test of two counts against equal chances; null where both are 0.

    Examples
    --------
    >>> round(sign_test_p(18, 2), 4)
    0.0004
    """
    return binomial_p(n_first, n_first + n_second)
