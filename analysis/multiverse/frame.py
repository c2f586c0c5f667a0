"""The frame of specifications: choices, estimate, and whether the claim holds."""

from __future__ import annotations

from typing import TypeAlias

import dataframely as dy
import polars as pl

__all__ = ["SpecificationFrame", "Specifications"]


class Specifications(dy.Schema):
    """One row per specification of one claim: its choices, what comes out, and whether the claim holds.

    A null choice leaves the claim nothing to choose. ``holds`` is null where the specification is infeasible
    or has no interval; ``reason`` says why.
    """

    claim = dy.String(nullable=False)
    scoring = dy.String(nullable=True)
    baseline = dy.String(nullable=True)
    cluster = dy.String(nullable=False)
    ties = dy.String(nullable=True)
    left_out = dy.String(nullable=False)
    """``nothing``, ``judge`` or ``task``."""
    left_out_name = dy.String(nullable=True)
    is_usual = dy.Bool(nullable=False)
    """Resolved, uninvolved judges, tasks as clusters, the usual tie rule, nothing left out."""
    estimate = dy.Float64(nullable=True, allow_nan=False, allow_inf=False)
    std_error = dy.Float64(nullable=True, allow_nan=False, allow_inf=False)
    conf_low = dy.Float64(nullable=True, allow_nan=False, allow_inf=False)
    conf_high = dy.Float64(nullable=True, allow_nan=False, allow_inf=False)
    p_value = dy.Float64(nullable=True, min=0, max=1)
    """Of the claim: two-sided against the null, or for an absence the larger of two one-sided ones."""
    effect = dy.Float64(nullable=True, allow_nan=False, allow_inf=False)
    """Distance from the null in the claimed direction."""
    holds = dy.Bool(nullable=True)
    n_comparisons = dy.Int64(nullable=False)
    """Where ``cluster`` is ``row``: presentations, which are the rows there."""
    n_tasks = dy.Int64(nullable=False)
    reason = dy.String(nullable=True)

    @dy.rule()
    def undecided_has_a_reason(cls) -> pl.Expr:
        """A specification in which nobody can tell says why."""
        return pl.col("holds").is_not_null() | pl.col("reason").is_not_null()


SpecificationFrame: TypeAlias = dy.DataFrame[Specifications]
