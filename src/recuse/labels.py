"""The frame a judge is calibrated on: one row per case and rater, human or model."""

from __future__ import annotations

from typing import Final, TypeAlias

import dataframely as dy
import polars as pl

__all__ = [
    "LABEL_KEYS",
    "LABEL_PROBES",
    "LABEL_VARIANTS",
    "RATER_KINDS",
    "SPLITS",
    "LabelFrame",
    "Labels",
]

SPLITS: Final = ("dev", "held_out")
"""``dev`` is for writing the rubric; ``held_out`` is for looking once it is written."""
RATER_KINDS: Final = ("human", "model")
LABEL_PROBES: Final = ("main", "length", "repetition", "swap")
"""``main`` calibrates; the others are controlled experiments with the same judge."""
LABEL_VARIANTS: Final = {"length": ("short_correct", "long_wrong"), "swap": ("as_given", "swapped")}
"""Probe → what its ``variant`` may be."""
LABEL_KEYS: Final = (
    "case_id", "rater", "judge_version", "rubric_version", "probe", "variant", "replicate",
)  # fmt: skip
"""What makes two rows the same label."""


class Labels(dy.Schema):
    """One row per case × rater: whether the rater lets the case pass.

    ``approved`` is null where the rater abstained. ``failed_checks`` names the criteria that the rater
    found failed (null: none were recorded). ``choice`` keeps what a rater of pairs picked, in the words
    of its source, before it was turned into an approval. ``probe``, ``variant`` and ``replicate`` serve
    the controlled experiments; an ordinary label has ``main``, null and 0.
    """

    case_id = dy.String(nullable=False, min_length=1)
    case_type = dy.String(nullable=False, min_length=1)
    split = dy.Enum(SPLITS, nullable=False)
    rater = dy.String(nullable=False, min_length=1)
    rater_kind = dy.Enum(RATER_KINDS, nullable=False)
    approved = dy.Bool(nullable=True)
    failed_checks = dy.List(dy.String(nullable=False), nullable=True)
    evidence = dy.String(nullable=True)
    rubric_version = dy.String(nullable=True)
    judge_version = dy.String(nullable=True)
    choice = dy.String(nullable=True)
    probe = dy.Enum(LABEL_PROBES, nullable=False)
    variant = dy.String(nullable=True)
    replicate = dy.Int64(nullable=False, min=0)
    words = dy.Int64(nullable=True, min=0)
    """Words of the case's text; of one case every row that has a length has the same."""
    tokens = dy.Int64(nullable=True, min=0)

    @dy.rule()
    def one_label_per_case_and_rater(cls) -> pl.Expr:
        """A rater that labels a case again does so under another version, variant or replicate."""
        return ~pl.struct(*LABEL_KEYS).is_duplicated()

    @dy.rule()
    def one_type_and_one_split_per_case(cls) -> pl.Expr:
        """A case is of one type and on one side of the split."""
        return pl.struct("case_type", "split").n_unique().over("case_id") == 1

    @dy.rule()
    def one_kind_per_rater(cls) -> pl.Expr:
        """A rater is a human or a model."""
        return pl.col("rater_kind").n_unique().over("rater") == 1

    @dy.rule()
    def known_variants(cls) -> pl.Expr:
        """The probes that compare two variants have these two."""
        return pl.all_horizontal(
            (pl.col("probe") != probe) | pl.col("variant").is_in(variants).fill_null(value=False)
            for probe, variants in LABEL_VARIANTS.items()
        )


LabelFrame: TypeAlias = dy.DataFrame[Labels]
