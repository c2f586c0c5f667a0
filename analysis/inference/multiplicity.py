"""Adjusting p-values for how many were asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from recuse.analysis.inference.clusters import FloatArray

__all__ = ["benjamini_hochberg", "holm"]


def holm(p_values: Iterable[float | None]) -> list[float | None]:
    """Holm's step-down adjustment: controls the chance of any false rejection in the family.

    A null p-value stays null and is not counted in the family.

    Examples
    --------
    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    return _adjusted(p_values, _step_down)


def benjamini_hochberg(p_values: Iterable[float | None]) -> list[float | None]:
    """Benjamini–Hochberg adjustment: controls the expected share of false ones among rejections.

    A null p-value stays null and is not counted in the family.
    """
    return _adjusted(p_values, _step_up)


def _adjusted(
    p_values: Iterable[float | None], adjust: Callable[[FloatArray], FloatArray]
) -> list[float | None]:
    given = [None if p is None or np.isnan(p) else float(p) for p in p_values]
    known = [index for index, p in enumerate(given) if p is not None]
    adjusted = adjust(np.array([p for p in given if p is not None], dtype=np.float64))
    for index, p in zip(known, adjusted.tolist(), strict=True):
        given[index] = p
    return given


def _step_down(p_values: FloatArray) -> FloatArray:
    order = np.argsort(p_values)
    factors = np.arange(len(p_values), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1.0)
    return adjusted


def _step_up(p_values: FloatArray) -> FloatArray:
    order = np.argsort(p_values)[::-1]
    factors = len(p_values) / np.arange(len(p_values), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(np.minimum.accumulate(p_values[order] * factors), 1.0)
    return adjusted
