"""The rules of what is set aside, on counts instead of rows: a comparison keeps one row per presentation."""

from __future__ import annotations

from collections import Counter

import polars as pl

from recuse.analysis.reduction import COUNTS
from recuse.schema import VERDICTS

__all__ = ["without_repeats"]

_OF_SLOT = {
    slot: (
        [name for name, (where, said) in COUNTS.items() if where == slot and said in VERDICTS],
        [name for name, (where, said) in COUNTS.items() if where == slot and said not in VERDICTS],
    )
    for slot in "ab"
}
"""Slot of the first side → its counts of verdicts, and of presentations without one."""


def without_repeats(reduced: pl.DataFrame) -> tuple[pl.DataFrame, Counter[str]]:
    """Set aside what :data:`recuse.collectors.set_aside.RULES` set aside, known from the counts alone.

    Parameters
    ----------
    reduced
        One row per comparison, with every presentation of it counted.

    Returns
    -------
    tuple
        The comparisons with at most one presentation for each order, those that keep none left out; and how
        many rows each rule set aside.
    """
    gone: Counter[str] = Counter()
    is_self = (
        (pl.col("probe") == "main")
        & (pl.col("first") == pl.col("second"))
        & pl.col("first_variant").eq_missing(pl.col("second_variant"))
    )
    n_self = int(reduced.filter(is_self)["n_presentations"].sum())
    if n_self:
        gone["self_comparison"] = n_self
        reduced = reduced.filter(~is_self)
    most = [pl.sum_horizontal(*verdicts, *others).max() for verdicts, others in _OF_SLOT.values()]
    if (reduced.select(pl.max_horizontal(*most)).item() or 0) <= 1:
        return reduced, gone
    for slot in _OF_SLOT:
        reduced, of_slot = _once(reduced, slot)
        gone += of_slot
    kept = reduced.with_columns(n_presentations=pl.sum_horizontal(*COUNTS)).filter(
        pl.col("n_presentations") > 0
    )
    return kept, gone


def _once(reduced: pl.DataFrame, slot: str) -> tuple[pl.DataFrame, Counter[str]]:
    verdicts, others = _OF_SLOT[slot]
    n_verdicts, n_others = pl.sum_horizontal(verdicts), pl.sum_horizontal(others)
    different = pl.sum_horizontal(pl.col(name) > 0 for name in verdicts)
    conflicting, decided = different > 1, different == 1
    duplicates = pl.when(decided).then(n_verdicts).when(different == 0).then(n_others)
    found = reduced.select(
        conflicting=pl.when(conflicting).then(n_verdicts + n_others).sum(),
        retried=pl.when(decided).then(n_others).sum(),
        duplicate=(duplicates - 1).clip(lower_bound=0).sum(),
    )
    columns = [
        pl.when(conflicting).then(0).otherwise(pl.col(name).clip(upper_bound=1)).cast(pl.Int64).alias(name)
        for name in verdicts
    ]
    for place, name in enumerate(others):
        stands = (different == 0) & (pl.sum_horizontal(pl.lit(0), *others[:place]) == 0)
        once = pl.when(stands).then(pl.col(name).clip(upper_bound=1)).otherwise(0)
        columns.append(once.cast(pl.Int64).alias(name))
    counted = {rule: int(n) for rule, n in found.row(0, named=True).items() if n}
    return reduced.with_columns(columns), Counter(counted)
