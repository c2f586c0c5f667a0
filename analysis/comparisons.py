"""Judgments to comparisons: the one place where verdicts are un-swapped.

A comparison is task × probe × unordered pair of sides × judge × replicate. Its (up to) two
presentations are brought together here, resolved and scored; everything after this module speaks of
answers, not of slots, unless it asks about slots.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import polars as pl

from recuse.analysis.families import family_of
from recuse.analysis.reduction import COUNTS, REDUCED_KEYS
from recuse.analysis.settings import Scoring
from recuse.errors import JudgmentsError, UnknownNameError
from recuse.schema import JUDGE_KINDS, RESOLUTIONS, SCORINGS, ComparisonFrame, Comparisons, JudgmentFrame

__all__ = [
    "COMPARISON_KEYS",
    "asked_in_one_order",
    "compare",
    "compare_reduced",
    "pair_scores",
    "rescore",
    "tier_order",
    "varying",
]

COMPARISON_KEYS: Final = REDUCED_KEYS
_ORDERS: Final = ("study", "probe", "judge")
"""What a design of one order is a matter of."""
_PAIR: Final = (
    "study", "task_id", "tier", "first", "first_variant", "second", "second_variant", "judge", "judge_kind",
    "judge_is_first", "judge_is_second", "judge_in_family",
)  # fmt: skip
_LENGTHS_OF_PAIR: Final = ("words_first", "words_second", "chars_first", "chars_second")
_VERDICT_CODE: Final = {"a": 0, "b": 1, "tie": 2}
_LENGTHS: Final = ("words", "chars")


def compare(
    judgments: JudgmentFrame, *, scoring: Scoring = "resolved", families: Mapping[str, str] | None = None
) -> ComparisonFrame:
    """Bring the presentations of each comparison together, resolve and score them.

    Parameters
    ----------
    judgments
        One row per presentation.
    scoring
        ``resolved`` (win 1, loss 0, tie, flip and unstable ½), ``averaged`` (mean of the two
        presentations, tie ½) or ``consistent`` (flips and unstable left out, so it selects on the outcome).
    families
        The study's own name patterns → family, before the shipped table.

    Returns
    -------
    ComparisonFrame
        One row per comparison, sorted by its keys.

    Raises
    ------
    JudgmentsError
        If a presentation is there twice: which of the two counts is not for this function to say.

    Notes
    -----
    A judge asked one order only for a whole probe of a study is taken to have been asked so by design:
    its comparisons are ``single``. Where other comparisons of that judge have both orders, a missing one
    makes the comparison ``incomplete``. Two equal sides (the ``identical`` probe) have no second order.
    """
    names = (("judge", "slot_a", "slot_b"), ("variant_a", "variant_b"))
    gathered = _gather(_sided(_ordered_names(judgments, *names)))
    return _compared(gathered, asked_in_one_order(gathered), scoring, families or {})


def compare_reduced(
    reduced: pl.DataFrame,
    *,
    scoring: Scoring = "resolved",
    families: Mapping[str, str] | None = None,
    one_order: pl.DataFrame | None = None,
) -> ComparisonFrame:
    """Resolve and score a reduced table: what ``compare`` makes of the judgments that it counts.

    Parameters
    ----------
    reduced
        The columns of ``recuse.analysis.reduction.reduced``, one row per comparison.
    scoring, families
        As for ``compare``.
    one_order
        ``study, probe, judge`` of those asked in one order by design, as the whole source shows it; a part
        of a source cannot. By default ``reduced`` is the whole.

    Returns
    -------
    ComparisonFrame
        One row per comparison, sorted by its keys.

    Raises
    ------
    JudgmentsError
        If a presentation was there twice.
    """
    names = (("judge", "first", "second"), ("first_variant", "second_variant"))
    gathered = _unpacked(_ordered_names(reduced, *names))
    by_design = asked_in_one_order(gathered) if one_order is None else one_order
    return _compared(gathered, by_design, scoring, families or {})


def asked_in_one_order(comparisons: pl.DataFrame) -> pl.DataFrame:
    """Name the judges that were asked one order of every pair of a probe, which is taken for the design.

    Parameters
    ----------
    comparisons
        One row per comparison with ``n_presentations``: comparisons or a reduced table, the whole of them.

    Returns
    -------
    polars.DataFrame
        ``study, probe, judge``, as text.
    """
    largest = comparisons.lazy().group_by(_ORDERS).agg(pl.col("n_presentations").max())
    alone = largest.filter(pl.col("n_presentations") == 1).select(pl.col(_ORDERS).cast(pl.String))
    return alone.sort(_ORDERS).collect()


def rescore(comparisons: ComparisonFrame, scoring: Scoring) -> ComparisonFrame:
    """Score the same comparisons under another rule."""
    return Comparisons.validate(_score(comparisons.drop("score_first"), scoring).select(comparisons.columns))


def pair_scores(comparisons: ComparisonFrame, probe: str = "main") -> pl.DataFrame:
    """Average replicates: one row per task × unordered pair of generators × judge, with its score.

    Sides of one generator are left out (they decide no win rate and no self-preference), and so are
    comparisons without a score. ``n_replicates`` counts what was averaged, ``n_presentations`` what
    stands behind it.
    """
    scored = comparisons.filter(
        pl.col("probe") == probe, pl.col("first") != pl.col("second"), pl.col("score_first").is_not_null()
    ).with_columns(
        n_replicates=pl.lit(1, dtype=pl.Int64),
        n_presentations=(pl.col("n_slot_a") + pl.col("n_slot_b") + pl.col("n_ties")).cast(pl.Int64),
    )
    columns = [*_PAIR, *_LENGTHS_OF_PAIR, "score_first", "n_replicates", "n_presentations"]
    if scored["replicate"].n_unique() < 2:
        return scored.select(columns)
    return (
        scored.group_by(_PAIR, maintain_order=True)
        .agg(
            pl.col("score_first").mean(),
            pl.col(_LENGTHS_OF_PAIR).max(),
            pl.col("n_replicates", "n_presentations").sum(),
        )
        .select(columns)
    )


def varying(frame: pl.DataFrame, keys: Sequence[str]) -> list[str]:
    """Keys with more than one value: grouping by one that never varies only costs time."""
    return [name for name in keys if frame[name].n_unique() > 1] or [keys[0]]


def tier_order(tiers: pl.Series, order: tuple[str, ...]) -> list[str]:
    """List the tiers there are, the usual ones first and in order of subjectivity."""
    there = set(tiers.drop_nulls().unique().to_list())
    return [tier for tier in order if tier in there] + sorted(there - set(order))


def _compared(
    gathered: pl.DataFrame, by_design: pl.DataFrame, scoring: Scoring, families: Mapping[str, str]
) -> ComparisonFrame:
    frame = _score(_resolve(_told_of_one_order(gathered, by_design)), scoring)
    named = frame.sort(COMPARISON_KEYS).with_columns(
        pl.col(name).cast(pl.String) for name in COMPARISON_KEYS if name not in {"judge_kind", "replicate"}
    )
    return Comparisons.validate(_involve(named, families), cast=True)


def _ordered_names(frame: pl.DataFrame, *names: tuple[str, ...]) -> pl.LazyFrame:
    """Give names their place in the alphabet, so that grouping and sorting them is work on integers."""
    lazy = frame.lazy()
    for columns in (("study",), ("task_id",), ("probe",), *names):
        there = pl.concat([frame[column].drop_nulls().unique() for column in columns]).unique().sort()
        lazy = lazy.with_columns(pl.col(columns).cast(pl.Enum(there)))
    return lazy


def _sided(judgments: pl.LazyFrame) -> pl.LazyFrame:
    variant_a, variant_b = (pl.col(f"variant_{slot}").to_physical().cast(pl.Int64) for slot in "ab")
    swapped = (pl.col("slot_b") < pl.col("slot_a")) | (
        (pl.col("slot_b") == pl.col("slot_a")) & (variant_b.fill_null(-1) < variant_a.fill_null(-1))
    )
    frame = judgments.with_columns(swapped=swapped)
    pairs = {"first": ("slot_a", "slot_b"), "first_variant": ("variant_a", "variant_b")}
    pairs |= {f"{length}_first": (f"{length}_a", f"{length}_b") for length in _LENGTHS}
    columns: list[pl.Expr] = []
    for name, (as_shown, otherwise) in pairs.items():
        other = name.replace("first", "second")
        columns += [
            pl.when("swapped").then(otherwise).otherwise(as_shown).alias(name),
            pl.when("swapped").then(as_shown).otherwise(otherwise).alias(other),
        ]
    code = pl.col("verdict").cast(pl.String).replace_strict(_VERDICT_CODE, return_dtype=pl.UInt8)
    return frame.with_columns(
        *columns,
        code_in_a=pl.when(~pl.col("swapped")).then(code),
        code_in_b=pl.when("swapped").then(code),
    )


def _gather(sided: pl.LazyFrame) -> pl.DataFrame:
    gathered = (
        sided.group_by(COMPARISON_KEYS)
        .agg(
            pl.col("tier", "category", "rewards").first(),
            pl.col("code_in_a", "code_in_b").max(),
            *(pl.col(f"{length}_{side}").max() for length in _LENGTHS for side in ("first", "second")),
            n_presentations=pl.len().cast(pl.UInt32),
            n_in_b=pl.col("swapped").sum().cast(pl.UInt32),
        )
        .collect()
    )
    _refuse_repetitions(
        gathered, pl.max_horizontal(pl.col("n_presentations") - pl.col("n_in_b"), "n_in_b") > 1
    )
    return gathered


def _unpacked(reduced: pl.LazyFrame) -> pl.DataFrame:
    """Bring the counts of a reduced table into the form in which presentations are gathered."""
    codes: dict[str, pl.Expr] = {}
    for slot in "ab":
        code = pl.lit(None, dtype=pl.UInt8)
        for name, (stood, outcome) in COUNTS.items():
            if stood == slot and outcome in _VERDICT_CODE:
                said = pl.lit(_VERDICT_CODE[outcome], dtype=pl.UInt8)
                code = pl.when(pl.col(name) > 0).then(said).otherwise(code)
        codes[f"code_in_{slot}"] = code
    in_slot = [pl.sum_horizontal(name for name in COUNTS if COUNTS[name][0] == slot) for slot in "ab"]
    gathered = reduced.with_columns(**codes).collect()
    n_presentations = pl.col("n_presentations")
    _refuse_repetitions(
        gathered, (pl.max_horizontal(in_slot) > 1) | (pl.sum_horizontal(in_slot) != n_presentations)
    )
    return gathered.drop(COUNTS).with_columns(pl.col("judge_kind").cast(pl.Enum(JUDGE_KINDS)))


def _refuse_repetitions(gathered: pl.DataFrame, repeated: pl.Expr) -> None:
    twice = gathered.filter(repeated)
    if twice.height:
        raise JudgmentsError(
            "each presentation must be there once",
            twice.select(pl.format("{} judged by {} on {}", "first", "judge", "task_id"))
            .to_series()
            .to_list(),
            "number repeated presentations in the column replicate",
        )


def _told_of_one_order(gathered: pl.DataFrame, by_design: pl.DataFrame) -> pl.DataFrame:
    names = by_design.select(pl.col(name).cast(gathered.schema[name], strict=False) for name in _ORDERS)
    told = names.drop_nulls().unique().with_columns(one_order=True)
    return gathered.join(told, on=_ORDERS, how="left").with_columns(
        pl.col("one_order").fill_null(value=False)
    )


def _resolve(gathered: pl.DataFrame) -> pl.DataFrame:
    in_a, in_b = pl.col("code_in_a"), pl.col("code_in_b")
    one_order_by_design = pl.col("one_order") | (
        (pl.col("first") == pl.col("second"))
        & (pl.col("first_variant").fill_null("") == pl.col("second_variant").fill_null(""))
    )
    only = pl.coalesce(in_a, in_b)
    decided_once = one_order_by_design & only.is_not_null()
    resolution = (
        pl.when(decided_once)
        .then(pl.lit("single"))
        .when(in_a.is_null() | in_b.is_null())
        .then(pl.lit("incomplete"))
        .when((in_a == 2) & (in_b == 2))
        .then(pl.lit("tie"))
        .when((in_a == 2) | (in_b == 2))
        .then(pl.lit("unstable"))
        .when(in_a == in_b)
        .then(pl.lit("flip"))
        .otherwise(pl.lit("win"))
    )
    counts = {
        name: (
            (in_a == code).fill_null(value=False).cast(pl.UInt8) + (in_b == code).fill_null(value=False)
        ).cast(pl.UInt8)
        for name, code in (("n_slot_a", 0), ("n_slot_b", 1), ("n_ties", 2))
    }
    verdicts = pl.Enum(["a", "b", "tie"])
    return gathered.with_columns(
        resolution.cast(pl.Enum(RESOLUTIONS)).alias("resolution"),
        **counts,
        verdict_first_in_a=in_a.replace_strict({0: "a", 1: "b", 2: "tie"}, return_dtype=verdicts),
        verdict_first_in_b=in_b.replace_strict({0: "a", 1: "b", 2: "tie"}, return_dtype=verdicts),
        n_presentations=pl.col("n_presentations").cast(pl.UInt8),
    )


def _score(frame: pl.DataFrame, scoring: Scoring) -> pl.DataFrame:
    if scoring not in SCORINGS:
        raise UnknownNameError("scoring rule", scoring, SCORINGS)
    first_in_a = pl.col("verdict_first_in_a").cast(pl.String).replace_strict({"a": 1.0, "b": 0.0, "tie": 0.5})
    first_in_b = pl.col("verdict_first_in_b").cast(pl.String).replace_strict({"a": 0.0, "b": 1.0, "tie": 0.5})
    resolution = pl.col("resolution").cast(pl.String)
    split = 0.5 if scoring == "resolved" else None
    unresolved = (first_in_a + first_in_b) / 2 if scoring == "averaged" else pl.lit(split, dtype=pl.Float64)
    score = (
        pl.when(resolution == "single")
        .then(pl.coalesce(first_in_a, first_in_b))
        .when(resolution == "win")
        .then(first_in_a)
        .when(resolution == "tie")
        .then(0.5)
        .when(resolution.is_in(["flip", "unstable"]))
        .then(unresolved)
    )
    return frame.with_columns(score_first=score)


def _involve(frame: pl.DataFrame, families: Mapping[str, str]) -> pl.DataFrame:
    names = pl.concat([frame["judge"], frame["first"], frame["second"]]).unique().to_list()
    family = family_of(names, families)
    judge, first, second = (pl.col(name).replace_strict(family) for name in ("judge", "first", "second"))
    is_first, is_second = pl.col("judge") == pl.col("first"), pl.col("judge") == pl.col("second")
    return frame.with_columns(
        judge_is_first=is_first,
        judge_is_second=is_second,
        judge_in_family=is_first | is_second | (judge == first) | (judge == second),
    ).select(list(Comparisons.columns()))
