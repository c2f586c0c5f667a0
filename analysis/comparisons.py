"""Judgments to comparisons: the one place where verdicts are un-swapped.

A comparison is task × probe × unordered pair of sides × judge × replicate. Its (up to) two
presentations are brought together here, resolved and scored; everything after this module speaks of
answers, not of slots, unless it asks about slots.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import polars as pl

from recuse.analysis.coded import Coded, coded_comparisons, places_of, with_places
from recuse.analysis.families import family_of
from recuse.analysis.reduction import COUNTS, REDUCED_KEYS
from recuse.analysis.resolution import VERDICT_CODE, resolve, score, unpacked
from recuse.analysis.row_codes import CODES, IS_PAIR
from recuse.analysis.settings import Scoring
from recuse.errors import JudgmentsError
from recuse.schema import ComparisonFrame, Comparisons, JudgmentFrame

__all__ = [
    "COMPARISON_KEYS",
    "asked_in_one_order",
    "compare",
    "compare_reduced",
    "of_pairs",
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
_NAMES: Final = (
    ("study",), ("task_id",), ("probe",), ("judge", "slot_a", "slot_b"), ("variant_a", "variant_b"),
)  # fmt: skip
"""Columns of judgments with names of one kind."""
_LENGTHS: Final = ("words", "chars")
_IN_SLOTS: Final = [
    pl.sum_horizontal(name for name, (stood, _) in COUNTS.items() if stood == slot) for slot in "ab"
]
_REPEATED: Final = (pl.max_horizontal(_IN_SLOTS) > 1) | (
    pl.sum_horizontal(_IN_SLOTS) != pl.col("n_presentations")
)
"""A reduced row with a presentation that is there twice, or that is in no count."""


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
    gathered = _gather(_sided(with_places(judgments, _NAMES).lazy()))
    by_design = asked_in_one_order(gathered)
    coded = coded_comparisons(gathered, ("code_in_a", "code_in_b", "n_presentations"))
    return _compared(coded, coded.outcomes, by_design, scoring, families or {})


def compare_reduced(
    reduced: pl.DataFrame | Coded,
    *,
    scoring: Scoring = "resolved",
    families: Mapping[str, str] | None = None,
    one_order: pl.DataFrame | None = None,
) -> ComparisonFrame:
    """Resolve and score a reduced table: what ``compare`` makes of the judgments that it counts.

    Parameters
    ----------
    reduced
        The columns of ``recuse.analysis.reduction.reduced``, one row per comparison; or such a table in
        numbers, whose presentations are known to be there once.
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
    if isinstance(reduced, pl.DataFrame):
        coded = coded_comparisons(reduced, ("n_presentations", *COUNTS))
        if coded.outcomes.select(_REPEATED.any()).item():
            _refuse_repetitions(reduced, _REPEATED)
    else:
        coded = reduced
    by_design = (
        asked_in_one_order(coded.counted(*_ORDERS, "n_presentations")) if one_order is None else one_order
    )
    return _compared(coded, unpacked(coded.outcomes), by_design, scoring, families or {})


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
    return Comparisons.validate(score(comparisons.drop("score_first"), scoring).select(comparisons.columns))


def of_pairs(comparisons: pl.DataFrame, probe: str = "main") -> pl.DataFrame:
    """Keep the comparisons of one probe whose sides are two generators."""
    if IS_PAIR in comparisons.columns and probe == "main":
        is_pair = comparisons[IS_PAIR]
        return comparisons if is_pair.all() else comparisons.filter(is_pair)
    return comparisons.filter((pl.col("probe") == probe) & (pl.col("first") != pl.col("second")))


def pair_scores(comparisons: pl.DataFrame, probe: str = "main") -> pl.DataFrame:
    """Average replicates: one row per task × unordered pair of generators × judge, with its score.

    Sides of one generator are left out (they decide no win rate and no self-preference), and so are
    comparisons without a score. ``n_replicates`` counts what was averaged, ``n_presentations`` what
    stands behind it.
    """
    codes = [name for name in CODES if name in comparisons.columns]
    columns = [*_PAIR, *_LENGTHS_OF_PAIR, "score_first", "n_replicates", "n_presentations", *codes]
    scored = (
        of_pairs(comparisons, probe)
        .lazy()
        .with_columns(
            n_replicates=pl.lit(1, dtype=pl.Int64),
            n_presentations=(pl.col("n_slot_a") + pl.col("n_slot_b") + pl.col("n_ties")).cast(pl.Int64),
        )
        .filter(pl.col("score_first").is_not_null())
        .select(*columns, "replicate")
        .collect()
    )
    if scored["replicate"].n_unique() < 2:
        return scored.drop("replicate")
    return (
        scored.group_by(_PAIR, maintain_order=True)
        .agg(
            pl.col("score_first").mean(),
            pl.col(_LENGTHS_OF_PAIR).max(),
            pl.col("n_replicates", "n_presentations").sum(),
            pl.col(codes).first(),
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
    coded: Coded,
    outcomes: pl.DataFrame,
    by_design: pl.DataFrame,
    scoring: Scoring,
    families: Mapping[str, str],
) -> ComparisonFrame:
    """Resolve and score each distinct outcome, name each distinct kind, and give the rows theirs."""
    kinds = _told_of_one_order(coded.kinds, by_design)
    either_way = [outcomes.with_columns(one_order=pl.lit(value=once)) for once in (False, True)]
    resolved = score(resolve(pl.concat(either_way)), scoring)
    involved = _involve(kinds, families)
    kind, outcome = coded.rows["kind"], coded.rows["outcome"]
    once = kinds["one_order"].cast(pl.UInt32).gather(kind) * outcomes.height
    columns = list(Comparisons.columns())
    parts = [
        coded.rows.select(_LENGTHS_OF_PAIR).with_columns(task_id=coded.tasks.gather(coded.rows["task"])),
        involved.select(pl.col(name).gather(kind) for name in columns if name in involved.columns),
        resolved.select(pl.col(name).gather(outcome + once) for name in columns if name in resolved.columns),
    ]
    return Comparisons.validate(pl.concat(parts, how="horizontal").select(columns))


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
    code = pl.col("verdict").cast(pl.String).replace_strict(VERDICT_CODE, return_dtype=pl.UInt8)
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


def _told_of_one_order(kinds: pl.DataFrame, by_design: pl.DataFrame) -> pl.DataFrame:
    """Mark the kinds that have one order: by design, or because their sides are equal."""
    names = by_design.select(pl.col(name).cast(kinds.schema[name], strict=False) for name in _ORDERS)
    told = names.drop_nulls().unique().with_columns(one_order=True)
    sides_are_equal = (pl.col("first") == pl.col("second")) & pl.col("first_variant").eq_missing(
        pl.col("second_variant")
    )
    return kinds.join(told, on=_ORDERS, how="left", maintain_order="left").with_columns(
        one_order=pl.col("one_order").fill_null(value=False) | sides_are_equal
    )


def _involve(kinds: pl.DataFrame, families: Mapping[str, str]) -> pl.DataFrame:
    """Say of each kind whether its judge is one of the sides, or of the family of one; names become text."""
    names = places_of(kinds["judge"])
    family = pl.Series(family_of(names.to_list(), families).values(), dtype=pl.String).rank("dense")
    of_judge, of_first, of_second = (
        family.gather(kinds[name].to_physical()) for name in ("judge", "first", "second")
    )
    is_first, is_second = kinds["judge"] == kinds["first"], kinds["judge"] == kinds["second"]
    return kinds.with_columns(
        pl.col(pl.Enum).exclude("judge_kind").cast(pl.String),
        judge_is_first=is_first,
        judge_is_second=is_second,
        judge_in_family=is_first | is_second | (of_judge == of_first) | (of_judge == of_second),
    )
