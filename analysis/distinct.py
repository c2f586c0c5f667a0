"""Rows that repeat a few things: each thing once, and for each row a number.

Judgments are many and what they are judgments *of* is little: hundreds of judges with pairs of answers beside
millions of rows. Work on names and outcomes belongs on the few; rows get its result by their number.
"""

from __future__ import annotations

from typing import Final

import polars as pl

__all__ = ["distinct", "told_apart"]

_HASH: Final = "hash"
_ROW: Final = "row"
_NUMBER: Final = "number"
_MOSTLY: Final = 0.25
"""Share of distinct rows from which finding those that repeat saves nothing."""
_SAMPLE: Final = 25_000
_WORTH_A_SAMPLE: Final = 10
_DIFFERENT: Final = 0.95
"""Share of distinct rows of a sample, where a quarter of forty times as many rows are distinct."""
_FEW: Final = 2_000
"""Rows below which the same holds."""


def distinct(frame: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """Give the distinct rows of a table, and for each of its rows the number of the one that it is.

    Parameters
    ----------
    frame
        Any columns; null is a value like any other.

    Returns
    -------
    tuple
        The distinct rows in no particular order, and their numbers (from 0), one for each row of `frame`.
        Where rows are few, or most are distinct, all rows as they are, numbered through.

    Notes
    -----
    Rows are told apart by a hash of 64 bits, and then held against what they were taken for: two different
    rows of one hash are found and told apart by their values.

    Examples
    --------
    >>> import polars as pl
    >>> values, number = distinct(pl.DataFrame({"judge": ["x", "y", "x"]}))
    >>> values["judge"].gather(number).to_list()
    ['x', 'y', 'x']
    """
    each_its_own = pl.int_range(frame.height, dtype=pl.UInt32, eager=True).alias(_NUMBER)
    if frame.height < _FEW or _mostly_differ(frame):
        return frame, each_its_own
    hashes = _hashes(frame)
    first = hashes.with_row_index(_ROW).group_by(_HASH).agg(pl.col(_ROW).first())
    if first.height > frame.height * _MOSTLY:
        return frame, each_its_own
    values = frame[first[_ROW]]
    if first.height == 1:
        number = pl.Series(_NUMBER, [0], dtype=pl.UInt32).new_from_index(0, frame.height)
    else:
        numbered = first.select(_HASH).with_row_index(_NUMBER)
        number = hashes.join(numbered, on=_HASH, how="left", maintain_order="left")[_NUMBER]
    return (values, number) if _are(frame, values, number) else told_apart(frame)


def _mostly_differ(frame: pl.DataFrame) -> bool:
    """Guess from a sample whether so many rows are distinct that looking at all of them is in vain."""
    every = frame.height // _SAMPLE
    if every < _WORTH_A_SAMPLE:
        return False
    sampled = _hashes(frame.gather_every(every))
    return sampled.n_unique() > sampled.height * _DIFFERENT


def _hashes(frame: pl.DataFrame) -> pl.DataFrame:
    mixed: pl.Expr = pl.lit(0, dtype=pl.UInt64)
    for seed, name in enumerate(frame.columns, start=1):
        mixed = mixed.xor(pl.col(name).hash(seed))
    return frame.select(mixed.alias(_HASH))


def _are(frame: pl.DataFrame, values: pl.DataFrame, number: pl.Series) -> bool:
    """Tell whether each row has the values of its number."""
    taken = values.lazy().select(pl.all().gather(number).name.prefix("="))
    both = pl.concat([frame.lazy(), taken], how="horizontal")
    differ = [pl.col(name).ne_missing(pl.col(f"={name}")).any() for name in frame.columns]
    return not any(both.select(differ).collect().row(0))


def told_apart(frame: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """Do what :func:`distinct` does by comparing all values: no value is there twice, however few rows."""
    values = frame.unique()
    numbered = values.with_row_index(_NUMBER)
    joined = frame.join(numbered, on=frame.columns, how="left", nulls_equal=True, maintain_order="left")
    return values, joined[_NUMBER]
