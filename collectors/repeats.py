"""The rules of what is set aside, on counts instead of rows: a comparison keeps one row per presentation."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Final

import polars as pl

from recuse.analysis.coded import Coded
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
_IS_SELF: Final = (
    (pl.col("probe") == "main")
    & (pl.col("first") == pl.col("second"))
    & pl.col("first_variant").eq_missing(pl.col("second_variant"))
)


def without_repeats(coded: Coded) -> tuple[Coded, Counter[str]]:
    """Set aside what :data:`recuse.collectors.set_aside.RULES` set aside, known from the counts alone.

    Parameters
    ----------
    coded
        Comparisons with every presentation counted: the outcomes are ``n_presentations`` and ``COUNTS``.

    Returns
    -------
    tuple
        The comparisons with at most one presentation for each order, those that keep none left out; and how
        many rows each rule set aside.
    """
    gone: Counter[str] = Counter()
    is_self = coded.kinds.select(_IS_SELF).to_series()
    if is_self.any():
        of_self = is_self.gather(coded.rows["kind"])
        of_outcome = coded.only(of_self).counted_outcomes()
        n_self = of_outcome.select((pl.col("n_presentations") * pl.col("n")).sum()).item()
        if n_self:
            gone["self_comparison"] = int(n_self)
        coded = coded.only(~of_self)
    outcomes = coded.counted_outcomes()
    most = pl.max_horizontal(pl.sum_horizontal(*verdicts, *others) for verdicts, others in _OF_SLOT.values())
    if not outcomes.select(((most > 1) & (pl.col("n") > 0)).any()).item():
        return coded, gone
    for slot in _OF_SLOT:
        outcomes, of_slot = _once(outcomes, slot)
        gone += of_slot
    kept = outcomes.select(pl.sum_horizontal(*COUNTS).alias("n_presentations"), *COUNTS)
    there = (kept["n_presentations"] > 0).gather(coded.rows["outcome"])
    return replace(coded.only(there), outcomes=kept), gone


def _once(outcomes: pl.DataFrame, slot: str) -> tuple[pl.DataFrame, Counter[str]]:
    verdicts, others = _OF_SLOT[slot]
    n_verdicts, n_others = pl.sum_horizontal(verdicts), pl.sum_horizontal(others)
    different = pl.sum_horizontal(pl.col(name) > 0 for name in verdicts)
    conflicting, decided = different > 1, different == 1
    duplicates = pl.when(decided).then(n_verdicts).when(different == 0).then(n_others)
    found = outcomes.select(
        conflicting=(pl.when(conflicting).then(n_verdicts + n_others) * pl.col("n")).sum(),
        retried=(pl.when(decided).then(n_others) * pl.col("n")).sum(),
        duplicate=((duplicates - 1).clip(lower_bound=0) * pl.col("n")).sum(),
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
    return outcomes.with_columns(columns), Counter(counted)
