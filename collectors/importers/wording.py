"""Counts in sentences."""

from __future__ import annotations

__all__ = ["counted"]


def counted(n: int, one: str, many: str) -> str:
    """Put a number before what it counts.

    >>> counted(1, "text states", "texts state"), counted(1200, "text states", "texts state")
    ('1 text states', '1,200 texts state')
    """
    return f"{n:,} {one if n == 1 else many}"
