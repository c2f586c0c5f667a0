"""Rows in groups, by integers: the sum over all groups is one pass of additions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Cells", "Codes", "cells_of", "distinct", "from_least", "joined", "numbered", "packed"]

Codes: TypeAlias = npt.NDArray[np.int64]
_SPARSE: Final = 4
"""Codes are counted in an array as long as it has at most so many places for each row."""
_FEW: Final = 1 << 16
"""Places that are never too many."""
_MOST: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class Cells:
    """Rows in groups, numbered from 0."""

    index: Codes  # (rows,) group of each row
    first: Codes  # (n,) first row of each group

    @property
    def n(self) -> int:
        """Number of groups."""
        return len(self.first)

    def by_first_row(self) -> Cells:
        """Give the groups numbers in the order in which they come first, whatever their codes."""
        order = np.argsort(self.first)
        place = np.empty(self.n, dtype=np.int64)
        place[order] = np.arange(self.n)
        return Cells(place[self.index], self.first[order])

    def count(self, where: npt.NDArray[np.bool_] | None = None) -> Codes:
        """Rows of each group, of those where the condition holds."""
        index = self.index if where is None else self.index[where]
        return np.bincount(index, minlength=self.n)

    def sum(self, values: npt.NDArray[np.number] | npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """Sum the values of each group's rows."""
        summed: npt.NDArray[np.float64] = np.bincount(self.index, values, self.n).astype(
            np.float64, copy=False
        )
        return summed

    def whole_sum(self, values: npt.NDArray[np.number] | npt.NDArray[np.bool_]) -> Codes:
        """Sum whole numbers, below 2⁵³ in all."""
        return self.sum(values).astype(np.int64)


def cells_of(*codes: Codes) -> Cells:
    """Group rows with the same codes."""
    key, size = joined(codes)
    return distinct(key, size)


def distinct(key: Codes, size: int) -> Cells:
    """Group rows by a key in ``range(size)``."""
    index, n = numbered(key, size)
    first = np.empty(n, dtype=np.int64)
    first[index[::-1]] = np.arange(len(key) - 1, -1, -1)
    return Cells(index, first)


def from_least(values: npt.NDArray[np.number]) -> tuple[Codes, int]:
    """Count whole numbers from the least of them; give them and the number of places up to the largest."""
    codes = values.astype(np.int64)
    codes -= codes.min(initial=0 if not len(codes) else codes[0])
    return codes, int(codes.max(initial=0)) + 1


def packed(codes: Sequence[Codes]) -> Codes:
    """Give each combination of codes a number from 0."""
    return numbered(*joined(codes))[0]


def numbered(key: Codes, size: int) -> tuple[Codes, int]:
    """Give the distinct values of a key in ``range(size)`` numbers from 0, and count them."""
    if size > max(_FEW, _SPARSE * len(key)):
        values, index = np.unique(key, return_inverse=True)
        return index, len(values)
    there = np.bincount(key, minlength=size) > 0
    n = int(there.sum())
    if n == size:
        return key, n
    place: Codes = np.cumsum(there) - 1
    return place[key], n


def joined(codes: Sequence[Codes]) -> tuple[Codes, int]:
    """Write several codes as one, as digits of a number; give it and the number of its values."""
    key, size = np.zeros(0, dtype=np.int64), 1
    for code in codes:
        n = int(code.max(initial=0)) + 1
        if size * n >= _MOST:
            key, size = numbered(key, size)
        if not len(key):
            key, size = code, n
        elif n > 1:
            key = key * n
            key += code
            size *= n
    return key, size
