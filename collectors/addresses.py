"""Content addresses of judgments: what was asked, hashed."""

from __future__ import annotations

from typing import Final

import polars as pl
import polars_hash as plh
import rfc8785

__all__ = ["KEY_FIELDS", "judgment_ids"]

KEY_FIELDS: Final = (
    "judge", "probe", "replicate", "slot_a", "slot_b", "study", "task_id", "variant_a", "variant_b",
)  # fmt: skip
"""What names a presentation, in the order in which RFC 8785 writes object keys."""


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
    texts = keys.select(pl.concat_str(*parts, pl.lit("}")).alias("judgment_id"))
    return texts.select(plh.col("judgment_id").chash.sha2_256())["judgment_id"]


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
