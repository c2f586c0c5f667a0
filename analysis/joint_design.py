"""The table of counts behind the joint model: who was shown where, to whom, and what was said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from recuse.analysis.cells import task_codes
from recuse.analysis.families import family_of
from recuse.analysis.inference.clusters import FloatArray
from recuse.analysis.inference.ordered_logit import Counts
from recuse.analysis.presentations import is_connected
from recuse.errors import UndefinedEstimateError

__all__ = ["EFFECTS", "Model", "Term", "joint_model"]

EFFECTS: Final = ("slot", "length", "own", "family")
"""Terms beside the strengths."""
_CONSTANT: Final[Mapping[str, str]] = {
    "slot": "there is no presentation",
    "length": "both answers are equally long in every presentation",
    "own": "no answer of its own is among these presentations",
    "family": "no answer of another model of its family is among these presentations",
}
_ALIASED: Final[Mapping[str, str]] = {
    "slot": "not identified: slot and generator cannot be told apart, since the order never changes",
    "own": "not identified: no uninvolved judge tells a taste for its own answers from their strength",
}
_EXPLAINED: Final = "not identified: the other terms explain it entirely"
_FLAT: Final = 1e-8
_Codes: TypeAlias = npt.NDArray[np.unsignedinteger[Any]]
_NO_LENGTHS: Final = "no presentation with the lengths of both answers"


@dataclass(frozen=True, slots=True)
class Term:
    """What one column of the design stands for."""

    effect: str  # "strength" or one of EFFECTS
    name: str | None  # the generator, or the judge; null: all judges
    tier: str | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """The counts, what their columns stand for, and which terms had to be left out."""

    counts: Counts
    terms: tuple[Term, ...]
    left_out: Mapping[Term, str]
    met: Mapping[str | None, tuple[str, ...]]
    """Tier (null: all) → the generators compared in it."""
    of_tier: Mapping[str | None, tuple[int, int, int]]
    """Tier (null: all) → its verdicts, comparisons and tasks."""
    judges: tuple[str, ...]
    verdicts_of: Mapping[str, int]
    comparisons_of: Mapping[str, int]
    tasks_of: Mapping[str, int]
    n_without_lengths: int

    @property
    def at_nought(self) -> str | None:
        """What a reader of the strengths must know: which effects they are taken without."""
        effects = {
            term.effect for term, why in self.left_out.items() if why in {*_ALIASED.values(), _EXPLAINED}
        }
        named = [effect for effect in EFFECTS if effect in effects]
        return (
            f"without terms that are not identified beside strengths: {', '.join(named)}" if named else None
        )


def joint_model(main: pl.DataFrame, *, by_judge: bool, by_tier: bool) -> Model:
    """Lay out the presentations of one study with a verdict; check what identifies the terms.

    Parameters
    ----------
    main
        Comparisons of one study, probe ``main``, of two generators.
    by_judge
        Whether slot, length, own-answer and own-family terms are each judge's own, or shared by all.
    by_tier
        Whether generators have a strength per tier.

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
        tiers = list(known["tier"].unique().sort().to_list())
    table = _counted(known, unit, by_tier=by_tier)
    for tier in tiers:
        pairs = _in_tier(table, tier).select("a", "b").unique().rows()
        if not is_connected(pairs):
            where = "" if tier is None else f" in tier {tier}"
            raise UndefinedEstimateError(
                f"the comparison graph is disconnected{where}: strengths do not compare"
            )
    columns = list(_columns(table, tiers, unit, by_judge=by_judge, families=_family_pairs(main)))
    constant = _CONSTANT if unit else {**_CONSTANT, "length": _NO_LENGTHS}
    terms, design, left_out = _independent(columns, constant)
    task = task_codes(table["task_id"])
    outcomes = table.select("won_b", "tied", "won_a").cast(pl.Float64).to_numpy()
    per_judge = known.group_by("judge").agg(pl.col("n").sum())
    tasks = table.group_by("judge").agg(pl.col("task_id").n_unique())
    comparisons = table.group_by("judge").agg(pl.struct("task_id", "pair").n_unique())
    return Model(
        counts=Counts(design, _groups(table), outcomes, task),
        terms=terms,
        left_out=left_out,
        met={tier: tuple(_met(table, tier)) for tier in tiers},
        of_tier={tier: _counts_of(table, tier) for tier in tiers},
        judges=tuple(table["judge"].unique().sort().to_list()),
        verdicts_of=dict(per_judge.iter_rows()),
        comparisons_of=dict(comparisons.iter_rows()),
        tasks_of=dict(tasks.iter_rows()),
        n_without_lengths=int(shown["n"].sum()) - int(known["n"].sum()),
    )


def _presentations(main: pl.DataFrame) -> pl.DataFrame:
    """Count verdicts by what was shown, as shown; both orders of a comparison one below the other."""
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
                pl.col("task_id", "tier", "judge").cast(pl.String),
                a=pl.col(a).cast(pl.String),
                b=pl.col(b).cast(pl.String),
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


def _in_tier(table: pl.DataFrame, tier: str | None) -> pl.DataFrame:
    return table if tier is None else table.filter(pl.col("tier") == tier)


def _counts_of(table: pl.DataFrame, tier: str | None) -> tuple[int, int, int]:
    of = _in_tier(table, tier)
    verdicts = int(of.select(pl.sum_horizontal("won_a", "won_b", "tied").sum()).item())
    return verdicts, of.select("task_id", "judge", "pair").unique().height, of["task_id"].n_unique()


def _met(table: pl.DataFrame, tier: str | None) -> list[str]:
    of = _in_tier(table, tier)
    return sorted({*of["a"].to_list(), *of["b"].to_list()})


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
    return (
        known.with_columns(ratio=ratio)
        .group_by(keys)
        .agg(pl.col("won_a", "won_b", "tied").sum())
        .with_columns(
            pair=pl.concat_str(pl.min_horizontal("a", "b"), pl.max_horizontal("a", "b"), separator="\n")
        )
        .sort(keys)
    )


def _groups(table: pl.DataFrame) -> npt.NDArray[np.int64]:
    """Give each judge that ever ties a number; one that never does has no tie band: -1."""
    ties = table.filter(pl.col("tied") > 0)["judge"].unique().sort().to_list()
    codes = {judge: place for place, judge in enumerate(ties)}
    return table["judge"].replace_strict(codes, default=-1, return_dtype=pl.Int64).to_numpy()


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


def _columns(
    table: pl.DataFrame,
    tiers: Sequence[str | None],
    unit: str | None,
    *,
    by_judge: bool,
    families: set[tuple[str, str]],
) -> Iterator[tuple[Term, FloatArray]]:
    """Every column there could be, strengths of all but each tier's first generator before the effects."""
    names = pl.Enum(pl.concat([table[name] for name in ("a", "b", "judge")]).unique().sort())
    code = {name: place for place, name in enumerate(names.categories)}
    a, b, judge = (table[name].cast(names).to_physical().to_numpy() for name in ("a", "b", "judge"))
    for tier in tiers:
        here = np.ones(len(a)) if tier is None else (table["tier"] == tier).cast(pl.Float64).to_numpy()
        for generator in _met(table, tier)[1:]:
            yield Term("strength", generator, tier), here * _side(a, b, code[generator])
    kin = np.zeros((len(code), len(code)))
    for pair in families:
        if code.keys() >= set(pair):
            kin[code[pair[0]], code[pair[1]]] = 1.0
    values = {
        "slot": np.ones(len(a)),
        "length": table["ratio"].to_numpy() if unit is not None else np.zeros(len(a)),
        "own": _side(a, b, judge),
        "family": kin[judge, a] - kin[judge, b],
    }
    for effect in EFFECTS:
        if not by_judge:
            yield Term(effect, None), values[effect]
            continue
        for name in table["judge"].unique().sort().to_list():
            yield Term(effect, name), values[effect] * (judge == code[name])


def _side(a: _Codes, b: _Codes, who: _Codes | int) -> FloatArray:
    """1 where that answer stands in slot A, -1 in slot B, else 0."""
    return np.equal(a, who).astype(np.float64) - np.equal(b, who).astype(np.float64)


def _independent(
    columns: Sequence[tuple[Term, FloatArray]], constant: Mapping[str, str]
) -> tuple[tuple[Term, ...], FloatArray, dict[Term, str]]:
    """Leave out every effect that takes part in a direction along which the design does not change.

    Where only a sum of terms is known, none of these terms is identified; the strengths are then those with
    such effects at 0.
    """
    left_out: dict[Term, str] = {}
    varying: list[tuple[Term, FloatArray]] = []
    for term, column in columns:
        if np.any(column):
            varying.append((term, column))
        else:
            left_out[term] = constant.get(term.effect, "it is in no presentation")
    table = np.column_stack([column for _, column in varying])
    triangle = np.linalg.qr(table / np.linalg.norm(table, axis=0), mode="r")
    _, sizes, directions = np.linalg.svd(triangle)
    flat = np.ones(len(directions), dtype=np.bool_)
    flat[: len(sizes)] = sizes < _FLAT * sizes[0]
    loads = np.square(directions[flat]).sum(0)
    kept: list[int] = []
    for place, (term, _) in enumerate(varying):
        if term.effect == "strength" or loads[place] < _FLAT:
            kept.append(place)
        else:
            left_out[term] = _ALIASED.get(term.effect, _EXPLAINED)
    return tuple(varying[place][0] for place in kept), table[:, kept], left_out
