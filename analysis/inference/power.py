"""What an experiment of this precision could have found."""

from __future__ import annotations

import numpy as np
from scipy import special

__all__ = ["minimum_detectable_effect"]


def minimum_detectable_effect(
    std_error: float | None, df: float | None, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """Smallest true effect that a two-sided test of this precision finds with the given power.

    (t_{1−α/2, df} + t_{power, df}) · SE. It is computed from the standard error alone: with the observed
    effect it would only restate the p-value. Null where there is no standard error above 0.

    Parameters
    ----------
    std_error
        Standard error of the estimate, in the estimate's unit.
    df
        Degrees of freedom; null means a known standard error (normal quantiles).
    alpha, power
        Two-sided level of the test and the wanted probability of finding the effect.

    Examples
    --------
    >>> round(minimum_detectable_effect(0.1, 30), 3)
    0.29
    """
    if std_error is None or not std_error > 0 or (df is not None and not df > 0):
        return None
    degrees = np.inf if df is None else df
    quantiles = special.stdtrit(degrees, 1 - alpha / 2) + special.stdtrit(degrees, power)
    return float(quantiles * std_error)
