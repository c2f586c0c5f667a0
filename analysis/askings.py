"""Verdicts of presentations that were asked again, brought together and un-swapped."""

from __future__ import annotations

from typing import Final

import polars as pl

__all__ = ["COMPARED", "agreement_across", "agreement_within", "askings", "n_asked"]

COMPARED: Final = (
    "study", "probe", "tier", "judge", "task_id", "first", "first_variant", "second", "second_variant",
)  # fmt: skip
"""What a row of :func:`askings` is about: a comparison, whatever its replicates."""
_CHOICES: Final = ("first", "second", "tie")
_AS_SHOWN: Final = {"a": {"first": "a", "second": "b"}, "b": {"first": "b", "second": "a"}}


def askings(comparisons: pl.DataFrame) -> pl.DataFrame:
    """Count the verdicts of each comparison over its replicates, separately for the two orders.

    Returns
    -------
    polars.DataFrame
        One row per comparison and judge: ``a_first``, ``a_second``, ``a_tie`` count how often the verdict was
        for the first side, the second side or neither when the first side stood in slot A; ``b_…`` likewise
        when it stood in slot B. Askings without a verdict are in none of them.
    """
    counts = [
        (pl.col(f"verdict_first_in_{slot}") == _AS_SHOWN[slot].get(choice, "tie"))
        .sum()
        .cast(pl.Int64)
        .alias(f"{slot}_{choice}")
        for slot in "ab"
        for choice in _CHOICES
    ]
    return comparisons.group_by(COMPARED, maintain_order=True).agg(counts)


def n_asked(slot: str, prefix: str = "") -> pl.Expr:
    """Verdicts with the first side in this slot."""
    return pl.sum_horizontal(f"{prefix}{slot}_{choice}" for choice in _CHOICES)


def agreement_within(slot: str, prefix: str = "") -> pl.Expr:
    """Share of equal verdicts among all pairs of askings of one presentation; needs two verdicts."""
    counts = [pl.col(f"{prefix}{slot}_{choice}") for choice in _CHOICES]
    n = n_asked(slot, prefix)
    return pl.sum_horizontal(count * (count - 1) for count in counts) / (n * (n - 1))


def agreement_across(one: str, other: str) -> pl.Expr:
    """Share of equal verdicts among all pairs of an asking of one presentation and one of another.

    Parameters
    ----------
    one, other
        Prefixes of their three columns, such as ``a_`` and ``b_``.
    """
    equal = pl.sum_horizontal(pl.col(one + choice) * pl.col(other + choice) for choice in _CHOICES)
    asked = [pl.sum_horizontal(prefix + choice for choice in _CHOICES) for prefix in (one, other)]
    return equal / (asked[0] * asked[1])
