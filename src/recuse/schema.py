"""The three frames everything else is written in: judgments, comparisons and estimates.

``judgments`` has one row per presentation (one judge call on one ordered pair), ``comparisons`` one
row per comparison (its presentations brought together), ``estimates`` one row per estimated quantity.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import dataframely as dy
import polars as pl

__all__ = [
    "CONFIDENCE_LEVEL",
    "ESTIMATE_KEYS",
    "JUDGE_KINDS",
    "RESOLUTIONS",
    "REWARDS",
    "SCORINGS",
    "STATUSES",
    "TIERS",
    "VERDICTS",
    "ComparisonFrame",
    "Comparisons",
    "EstimateFrame",
    "Estimates",
    "JudgmentFrame",
    "Judgments",
]

VERDICTS: Final = ("a", "b", "tie")
STATUSES: Final = ("ok", "parse_failed", "refused", "error", "abstained")
JUDGE_KINDS: Final = ("model", "human")
REWARDS: Final = ("elaboration", "concision")
RESOLUTIONS: Final = ("win", "tie", "flip", "unstable", "incomplete", "single")
SCORINGS: Final = ("resolved", "averaged", "consistent")
TIERS: Final = ("objective", "medium", "subjective")
"""The usual tiers in order of subjectivity; other names are accepted and sorted after them."""
ESTIMATE_KEYS: Final = (
    "estimand",
    "study",
    "judge",
    "judge_2",
    "generator",
    "tier",
    "probe",
    "group",
    "split",
    "baseline",
    "scoring",
)
"""What a quantity is, before the interval and the test that describe it."""
CONFIDENCE_LEVEL: Final = 0.95


class Judgments(dy.Schema):
    """One row per presentation. ``verdict`` is stored as shown and never un-swapped."""

    judgment_id = dy.String(nullable=False)
    study = dy.String(nullable=False)
    task_id = dy.String(nullable=False)
    tier = dy.String(nullable=True)
    probe = dy.String(nullable=False)
    category = dy.String(nullable=True)
    judge = dy.String(nullable=False)
    judge_kind = dy.Enum(JUDGE_KINDS, nullable=False)
    slot_a = dy.String(nullable=False)
    slot_b = dy.String(nullable=False)
    variant_a = dy.String(nullable=True)
    variant_b = dy.String(nullable=True)
    verdict = dy.Enum(VERDICTS, nullable=True)
    status = dy.Enum(STATUSES, nullable=False)
    replicate = dy.Int64(nullable=False, min=0)
    rewards = dy.String(nullable=True)
    logprob_a = dy.Float64(nullable=True)
    logprob_b = dy.Float64(nullable=True)
    words_a = dy.Int64(nullable=True, min=0)
    words_b = dy.Int64(nullable=True, min=0)
    chars_a = dy.Int64(nullable=True, min=0)
    chars_b = dy.Int64(nullable=True, min=0)
    tokens_a = dy.Int64(nullable=True, min=0)
    tokens_b = dy.Int64(nullable=True, min=0)
    raw = dy.String(nullable=True)
    model_resolved = dy.String(nullable=True)
    params_requested = dy.String(nullable=True)
    params_effective = dy.String(nullable=True)
    prompt_hash = dy.String(nullable=True)
    rubric_version = dy.String(nullable=True)
    asked_at = dy.String(nullable=True)
    latency_s = dy.Float64(nullable=True)
    cost_usd = dy.Float64(nullable=True)
    source = dy.String(nullable=True)

    @dy.rule()
    def verdict_exactly_when_ok(cls) -> pl.Expr:
        """A missing verdict is never a tie: it is null, with a status that says why."""
        return pl.col("verdict").is_not_null() == (pl.col("status") == "ok")


class Comparisons(dy.Schema):
    """One row per comparison: task × probe × unordered pair of sides × judge × replicate.

    A side is generator + variant. ``first`` is the side that sorts first by (generator, variant);
    ``verdict_first_in_a`` is the verdict as shown when that side stood in slot A, ``verdict_first_in_b``
    when it stood in slot B. ``winner`` and ``score_first`` follow the scoring rule.
    """

    study = dy.String(nullable=False)
    task_id = dy.String(nullable=False)
    tier = dy.String(nullable=True)
    probe = dy.String(nullable=False)
    category = dy.String(nullable=True)
    rewards = dy.String(nullable=True)
    judge = dy.String(nullable=False)
    judge_kind = dy.Enum(JUDGE_KINDS, nullable=False)
    replicate = dy.Int64(nullable=False)
    first = dy.String(nullable=False)
    second = dy.String(nullable=False)
    first_variant = dy.String(nullable=True)
    second_variant = dy.String(nullable=True)
    verdict_first_in_a = dy.Enum(VERDICTS, nullable=True)
    verdict_first_in_b = dy.Enum(VERDICTS, nullable=True)
    n_presentations = dy.UInt8(nullable=False)
    """Presentations on file (1 or 2), with or without a verdict."""
    resolution = dy.Enum(RESOLUTIONS, nullable=False)
    score_first = dy.Float64(nullable=True, min=0, max=1)
    """Score of ``first`` under the scoring rule; that of ``second`` is 1 minus it. Null: not scored."""
    n_slot_a = dy.UInt8(nullable=False)
    n_slot_b = dy.UInt8(nullable=False)
    n_ties = dy.UInt8(nullable=False)
    words_first = dy.Int64(nullable=True)
    words_second = dy.Int64(nullable=True)
    chars_first = dy.Int64(nullable=True)
    chars_second = dy.Int64(nullable=True)
    judge_is_first = dy.Bool(nullable=False)
    judge_is_second = dy.Bool(nullable=False)
    judge_in_family = dy.Bool(nullable=False)
    """The judge shares a family with at least one of the two generators (true also where it is one)."""


class Estimates(dy.Schema):
    """One row per estimated quantity: the only shape in which results leave the analysis.

    Proportions lie in [0, 1], differences of proportions in [-1, 1]; ``unit`` names which. A null key
    means *pooled over it*. A quantity that cannot be estimated keeps its row: ``estimate`` is null and
    ``reason`` says why.
    """

    estimand = dy.String(nullable=False)
    study = dy.String(nullable=True)
    judge = dy.String(nullable=True)
    judge_2 = dy.String(nullable=True)
    generator = dy.String(nullable=True)
    tier = dy.String(nullable=True)
    probe = dy.String(nullable=True)
    group = dy.String(nullable=True)
    split = dy.String(nullable=True)
    baseline = dy.String(nullable=True)
    scoring = dy.String(nullable=True)
    estimate = dy.Float64(nullable=True, allow_nan=False, allow_inf=False)
    unit = dy.String(nullable=False)
    std_error = dy.Float64(nullable=True, allow_nan=False, allow_inf=False)
    conf_low = dy.Float64(nullable=True, allow_nan=False, allow_inf=False)
    conf_high = dy.Float64(nullable=True, allow_nan=False, allow_inf=False)
    conf_level = dy.Float64(nullable=True)
    interval = dy.String(nullable=True)
    p_value = dy.Float64(nullable=True, min=0, max=1)
    test = dy.String(nullable=True)
    p_adjusted = dy.Float64(nullable=True, min=0, max=1)
    mde = dy.Float64(nullable=True, allow_nan=False, allow_inf=False)
    n_presentations = dy.Int64(nullable=True)
    n_comparisons = dy.Int64(nullable=True)
    n_tasks = dy.Int64(nullable=True)
    n_dropped = dy.Int64(nullable=True)
    reason = dy.String(nullable=True)

    @dy.rule()
    def null_estimate_has_a_reason(cls) -> pl.Expr:
        """What cannot be estimated says why."""
        return pl.col("estimate").is_not_null() | pl.col("reason").is_not_null()

    @dy.rule()
    def one_row_per_quantity_and_method(cls) -> pl.Expr:
        """Unique by every key together with the interval and the test."""
        return ~pl.struct(*ESTIMATE_KEYS, "interval", "test").is_duplicated()


JudgmentFrame: TypeAlias = dy.DataFrame[Judgments]
ComparisonFrame: TypeAlias = dy.DataFrame[Comparisons]
EstimateFrame: TypeAlias = dy.DataFrame[Estimates]
