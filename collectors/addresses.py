"""Content addresses of judgments: what was asked, hashed."""

from __future__ import annotations

import hashlib
from typing import Final

import polars as pl
import rfc8785

__all__ = ["KEY_FIELDS", "judgment_ids"]

KEY_FIELDS: Final = (
    "judge", "probe", "replicate", "slot_a", "slot_b", "study", "task_id", "variant_a", "variant_b",
)  # fmt: skip
"""What names a presentation, in the order in which RFC 8785 writes object keys."""

_BATCH: Final = 50_000
"""Texts hashed at a time: a Python object for each of 10⁶ rows at once would cost 250 MB."""


def judgment_ids(keys: pl.DataFrame) -> pl.Series:
    """Hash the key fields of each row: SHA-256 of their canonical JSON (RFC 8785), in hexadecimal.

    Parameters
    ----------
    keys
        One row per presentation with the columns ``KEY_FIELDS``: text, except ``replicate`` (integer below
        2⁵³, where RFC 8785 writes the plain digits).

    Returns
    -------
    polars.Series
        ``judgment_id``: equal exactly when all key fields are equal; a null field is JSON ``null``.

    Notes
    -----
    Each distinct value is written by the RFC 8785 library once and the rows are assembled from them,
    which for 10⁶ rows costs about what the hashing costs.
    """
    parts: list[pl.Expr] = []
    for position, name in enumerate(KEY_FIELDS):
        opening = "{" if position == 0 else ","
        parts += [pl.lit(f'{opening}"{name}":'), _canonical(keys[name])]
    texts = keys.select(pl.concat_str(*parts, pl.lit("}")).cast(pl.Binary).alias("text"))["text"]
    hashed = [_hashed(texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH)]
    return pl.concat([pl.Series("judgment_id", [], dtype=pl.String), *hashed])


def _hashed(texts: pl.Series) -> pl.Series:
    digests = [hashlib.sha256(text).digest() for text in texts.to_list()]
    return pl.Series("judgment_id", digests, dtype=pl.Binary).bin.encode("hex")


def _canonical(values: pl.Series) -> pl.Expr:
    column = pl.col(values.name)
    if values.dtype.is_integer():
        return column.cast(pl.String).fill_null("null")
    distinct = values.unique().drop_nulls()
    written = [rfc8785.dumps(value).decode() for value in distinct.to_list()]
    if len(written) <= 1 and values.null_count() in {0, len(values)}:
        return pl.lit(written[0] if written else "null")
    if written == [f'"{value}"' for value in distinct.to_list()]:
        text = pl.concat_str(pl.lit('"'), column, pl.lit('"'))
    else:
        replacement = pl.Series(written, dtype=pl.String)
        text = column.replace_strict(distinct, replacement, default=None, return_dtype=pl.String)
    return text.fill_null("null")
