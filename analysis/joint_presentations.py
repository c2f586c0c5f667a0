"""The presentations behind the joint model: who was shown where, to whom, and what was said."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from recuse.analysis.families import family_of
from recuse.analysis.presentations import is_connected
from recuse.errors import UndefinedEstimateError

__all__ = ["Shown", "in_tier", "shown_in"]


@dataclass(frozen=True, slots=True)
class Shown:
    """The presentations of one study with a verdict, as models with and without terms by judge take them."""

    table: pl.DataFrame  # counts by task, (tier,) judge, both answers and the log ratio of their lengths
    unit: str | None  # what lengths are counted in
    tiers: list[str | None]
    kin: set[tuple[str, str]]  # judge and another model of its family
    n_without_lengths: int


def shown_in(main: pl.DataFrame, *, by_tier: bool) -> Shown:
    """Count what was shown and said; check that strengths compare.

    Parameters
    ----------
    main
        Comparisons of one study, probe ``main``, of two generators.
    by_tier
        Whether generators are to have a strength per tier.

    Raises
    ------
    UndefinedEstimateError
        No verdict; all verdicts alike; strengths do not compare because the graph of comparisons falls apart.
    """
    shown = _presentations(main)
    unit = _unit(shown)
    known = shown
    if unit is not None:
        known = shown.filter(pl.col(f"{unit}_a") > 0, pl.col(f"{unit}_b") > 0)
    _refuse_constant(known)
    tiers: list[str | None] = [None]
    if by_tier:
        known = known.filter(pl.col("tier").is_not_null())
        if known.is_empty():
            raise UndefinedEstimateError("no task has a tier: there are no strengths by tier")
        tiers = list(known["tier"].cast(pl.String).unique().sort().to_list())
    table = _counted(known, unit, by_tier=by_tier)
    for tier in tiers:
        pairs = in_tier(table, tier).select("a", "b").unique().rows()
        if not is_connected(pairs):
            where = "" if tier is None else f" in tier {tier}"
            raise UndefinedEstimateError(
                f"the comparison graph is disconnected{where}: strengths do not compare"
            )
    n_without_lengths = int(shown["n"].sum()) - int(known["n"].sum())
    return Shown(table, unit, tiers, _family_pairs(main), n_without_lengths)


def _presentations(main: pl.DataFrame) -> pl.DataFrame:
    """Count verdicts by what was shown, as shown; both orders of a comparison one below the other."""
    names = _codes_of(main, "judge", "first", "second")
    halves: list[pl.DataFrame] = []
    for slot, (a, b) in {"a": ("first", "second"), "b": ("second", "first")}.items():
        verdict = pl.col(f"verdict_first_in_{slot}")
        lengths = {
            f"{unit}_{shown}": pl.col(f"{unit}_{side}")
            for unit in ("words", "chars")
            for shown, side in (("a", a), ("b", b))
        }
        halves.append(
            main.filter(verdict.is_not_null()).select(
                *(_coded(name, _codes_of(main, name)) for name in ("task_id", "tier")),
                _coded("judge", names),
                _coded(a, names).alias("a"),
                _coded(b, names).alias("b"),
                verdict=verdict.cast(pl.String),
                **lengths,
            )
        )
    keys = [name for name in halves[0].columns if name != "verdict"]
    return (
        pl.concat(halves)
        .group_by(keys)
        .agg(
            won_a=(pl.col("verdict") == "a").sum().cast(pl.Int64),
            won_b=(pl.col("verdict") == "b").sum().cast(pl.Int64),
            tied=(pl.col("verdict") == "tie").sum().cast(pl.Int64),
            n=pl.len().cast(pl.Int64),
        )
    )


def _codes_of(main: pl.DataFrame, *columns: str) -> pl.Enum:
    """Codes of the names in some columns, in alphabetical order."""
    names = pl.concat([main[name].unique().cast(pl.String) for name in columns])
    return pl.Enum(names.drop_nulls().unique().sort())


def _coded(column: str, codes: pl.Enum) -> pl.Expr:
    return pl.col(column).cast(pl.String).cast(codes)


def in_tier(table: pl.DataFrame, tier: str | None) -> pl.DataFrame:
    """Rows of one tier; of all where it is null."""
    return table if tier is None else table.filter(pl.col("tier") == tier)


def _unit(shown: pl.DataFrame) -> str | None:
    """Words where all are known, else characters where all are, else whichever is known of more."""
    known = {unit: int(shown[f"{unit}_a"].is_not_null().sum()) for unit in ("words", "chars")}
    best = max(known, key=lambda unit: known[unit])
    return best if known[best] else None


def _refuse_constant(known: pl.DataFrame) -> None:
    columns = {"a": "won_a", "b": "won_b", "tie": "tied"}
    counts = {word: int(known[column].sum()) for word, column in columns.items()}
    if not any(counts.values()):
        raise UndefinedEstimateError("no presentation with a verdict and the lengths of both answers")
    if sum(count > 0 for count in counts.values()) == 1:
        word = next(word for word, count in counts.items() if count)
        raise UndefinedEstimateError(f"every verdict is {word}: constant verdicts identify no term")


def _counted(known: pl.DataFrame, unit: str | None, *, by_tier: bool) -> pl.DataFrame:
    ratio = pl.lit(0.0) if unit is None else (pl.col(f"{unit}_a") / pl.col(f"{unit}_b")).log()
    keys = ["task_id", *(["tier"] if by_tier else []), "judge", "a", "b", "ratio"]
    codes = [pl.col(side).to_physical() for side in ("a", "b")]
    return (
        known.with_columns(ratio=ratio)
        .group_by(keys)
        .agg(pl.col("won_a", "won_b", "tied").sum())
        .with_columns(pair=pl.struct(pl.min_horizontal(codes), pl.max_horizontal(codes).alias("other")))
        .sort(keys)
    )


def _family_pairs(main: pl.DataFrame) -> set[tuple[str, str]]:
    """Judge and generator of one family that are not the same model.

    The comparisons say whether a judge shares a family with at least one of two generators; where it does
    not, it shares one with neither. What that leaves open is decided by the shipped table of names.
    """
    told = main.select(
        pl.col("judge", "first", "second").cast(pl.String),
        "judge_in_family",
        "judge_is_first",
        "judge_is_second",
    ).unique()
    names = {*told["judge"], *told["first"], *told["second"]}
    family = family_of(sorted(names))
    strangers = {
        (judge, side)
        for judge, *sides in told.filter(~pl.col("judge_in_family")).select("judge", "first", "second").rows()
        for side in sides
    }
    pairs = {
        (judge, side)
        for judge, *sides in told.select("judge", "first", "second").rows()
        for side in sides
        if side != judge and family[judge] == family[side]
    }
    uninvolved = told.filter("judge_in_family", ~pl.col("judge_is_first"), ~pl.col("judge_is_second"))
    for judge, first, second in uninvolved.select("judge", "first", "second").rows():
        known = {(judge, first), (judge, second)}
        if not known & pairs:
            pairs |= known
    return pairs - strangers
