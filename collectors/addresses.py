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
    parts: list[str | pl.Expr] = []
    for position, name in enumerate(KEY_FIELDS):
        opening = "{" if position == 0 else ","
        parts += [f'{opening}"{name}":', *_canonical(keys[name])]
    texts = keys.lazy().select(pl.concat_str(_joined([*parts, "}"])).alias("judgment_id"))
    # Piece by piece: the texts of all rows are never there at once, and every core hashes.
    hashed = texts.select(plh.col("judgment_id").chash.sha2_256()).collect(engine="streaming")
    return hashed["judgment_id"].rechunk()


def _joined(parts: list[str | pl.Expr]) -> list[pl.Expr]:
    """Write neighbouring constants as one: each part costs a pass over the rows."""
    found: list[pl.Expr] = []
    constant = ""
    for part in parts:
        if isinstance(part, str):
            constant += part
            continue
        found += [pl.lit(constant), part]
        constant = ""
    return [*found, pl.lit(constant)]


def _canonical(values: pl.Series) -> list[str | pl.Expr]:
    column = pl.col(values.name)
    if values.dtype.is_integer():
        written = column.cast(pl.String)
        return [written.fill_null("null") if values.null_count() else written]
    distinct = values.unique().drop_nulls()
    texts = [rfc8785.dumps(value).decode() for value in distinct.to_list()]
    if len(texts) <= 1 and values.null_count() in {0, len(values)}:
        return [texts[0] if texts else "null"]
    plain = texts == [f'"{value}"' for value in distinct.to_list()]
    if plain and not values.null_count():
        return ['"', column, '"']
    if plain:
        return [pl.concat_str(pl.lit('"'), column, pl.lit('"')).fill_null("null")]
    replacement = pl.Series(texts, dtype=pl.String)
    text = column.replace_strict(distinct, replacement, default=None, return_dtype=pl.String)
    return [text.fill_null("null")]
