"""Comparisons whose presentations were counted in several parts, added up."""

from __future__ import annotations

import numpy as np
import polars as pl

from recuse.analysis.coded import Coded, coded_comparisons
from recuse.analysis.reduction import COUNTS, FACTS, REDUCED_KEYS, REDUCED_LENGTHS
from recuse.collectors.border import refuse_two_facts
from recuse.collectors.counted_parts import BITS, MOST, is_described_twice, largest_of, outcomes_of

__all__ = ["merged"]

_SAID = ("n_presentations", *COUNTS)


def merged(pieces: pl.DataFrame, where: str) -> Coded:
    """Add up the counts of comparisons that are in several rows.

    Parameters
    ----------
    pieces
        The columns of a reduced table; together they hold every presentation of their tasks.
    where
        What messages call the source.

    Raises
    ------
    SourceError
        A task is described in two ways.
    """
    added = _added_up(coded_comparisons(pieces, _SAID))
    if added is not None:
        return added
    refuse_two_facts(pieces, where)
    whole = (
        pieces.group_by(REDUCED_KEYS)
        .agg(pl.col(*FACTS, *REDUCED_LENGTHS).max(), pl.col(*_SAID).cast(pl.Int64).sum())
        .select(pieces.columns)
    )
    return coded_comparisons(whole, _SAID)


def _added_up(pieces: Coded) -> Coded | None:
    """Add up neighbours of one key; None where facts contradict each other, or rows repeat too much."""
    judges = ("study", "judge")
    if (
        pieces.has_own_kinds()
        or pieces.kinds.n_unique(judges) < pieces.kinds.n_unique([*judges, "judge_kind"])
        or is_described_twice(pieces)
    ):
        return None
    rows = pieces.rows
    task, kind, outcome = (rows[name].to_numpy() for name in ("task", "kind", "outcome"))
    starts = np.flatnonzero(np.r_[True, (task[1:] != task[:-1]) | (kind[1:] != kind[:-1])])
    n_presentations = pieces.outcomes["n_presentations"].cast(pl.Int64).to_numpy()[outcome]
    if np.add.reduceat(n_presentations, starts).max() > MOST:
        return None
    packed = pieces.outcomes.select(
        pl.sum_horizontal(
            pl.col(name).cast(pl.Int64) * (1 << (BITS * place)) for place, name in enumerate(COUNTS)
        )
    )
    counts = np.add.reduceat(packed.to_series().to_numpy()[outcome], starts)
    held = np.unique(counts)
    lengths = {
        name: largest_of(rows[name].fill_null(-1).to_numpy(), starts).alias(name) for name in REDUCED_LENGTHS
    }
    found = rows[starts].with_columns(
        outcome=pl.Series(np.searchsorted(held, counts), dtype=pl.UInt32), **lengths
    )
    return Coded(found, pieces.tasks, pieces.kinds, outcomes_of(held))
