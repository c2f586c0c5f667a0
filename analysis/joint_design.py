"""The design of the joint model: what its columns stand for, and which terms are identified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from recuse.analysis.cells import task_codes
from recuse.analysis.inference.clusters import FloatArray
from recuse.analysis.inference.ordered_logit import Counts
from recuse.analysis.joint_presentations import Shown, in_tier

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


def joint_model(shown: Shown, *, by_judge: bool) -> Model:
    """Lay out the presentations as a design; leave out the terms that they do not identify.

    Parameters
    ----------
    shown
        From :func:`recuse.analysis.joint_presentations.shown_in`.
    by_judge
        Whether slot, length, own-answer and own-family terms are each judge's own, or shared by all.
    """
    table, tiers = shown.table, shown.tiers
    constant = _CONSTANT if shown.unit else {**_CONSTANT, "length": _NO_LENGTHS}
    terms, design, left_out = _independent(list(_columns(shown, by_judge=by_judge)), constant)
    outcomes = table.select("won_b", "tied", "won_a").cast(pl.Float64).to_numpy()
    of_judges = table.group_by("judge").agg(
        verdicts=pl.sum_horizontal("won_a", "won_b", "tied").sum(), tasks=pl.col("task_id").n_unique()
    )
    comparisons = table.select("judge", "task_id", "pair").unique().group_by("judge").agg(pl.len())
    return Model(
        counts=Counts(design, _groups(table), outcomes, task_codes(table["task_id"])),
        terms=terms,
        left_out=left_out,
        met={tier: tuple(_met(table, tier)) for tier in tiers},
        of_tier={tier: _counts_of(table, tier) for tier in tiers},
        judges=tuple(_names(table["judge"])),
        verdicts_of=dict(of_judges.select("judge", "verdicts").iter_rows()),
        comparisons_of=dict(comparisons.iter_rows()),
        tasks_of=dict(of_judges.select("judge", "tasks").iter_rows()),
        n_without_lengths=shown.n_without_lengths,
    )


def _categories(codes: pl.Series) -> list[str]:
    return cast("pl.Enum", codes.dtype).categories.to_list()


def _names(codes: pl.Series) -> list[str]:
    return codes.unique().cast(pl.String).sort().to_list()


def _counts_of(table: pl.DataFrame, tier: str | None) -> tuple[int, int, int]:
    of = in_tier(table, tier)
    verdicts = int(of.select(pl.sum_horizontal("won_a", "won_b", "tied").sum()).item())
    return verdicts, of.select("task_id", "judge", "pair").unique().height, of["task_id"].n_unique()


def _met(table: pl.DataFrame, tier: str | None) -> list[str]:
    of = in_tier(table, tier)
    return sorted({*_names(of["a"]), *_names(of["b"])})


def _groups(table: pl.DataFrame) -> npt.NDArray[np.int64]:
    """Give each judge that ever ties a number; one that never does has no tie band: -1."""
    ties = _names(table.filter(pl.col("tied") > 0)["judge"])
    known = {judge: place for place, judge in enumerate(ties)}
    places = np.array([known.get(judge, -1) for judge in _categories(table["judge"])], dtype=np.int64)
    of_rows: npt.NDArray[np.int64] = places[table["judge"].to_physical().to_numpy()]
    return of_rows


def _columns(shown: Shown, *, by_judge: bool) -> Iterator[tuple[Term, FloatArray]]:
    """Every column there could be, strengths of all but each tier's first generator before the effects."""
    table = shown.table
    code = {name: place for place, name in enumerate(_categories(table["judge"]))}
    a, b, judge = (table[name].to_physical().to_numpy() for name in ("a", "b", "judge"))
    for tier in shown.tiers:
        here = np.ones(len(a)) if tier is None else (table["tier"] == tier).cast(pl.Float64).to_numpy()
        for generator in _met(table, tier)[1:]:
            yield Term("strength", generator, tier), here * _side(a, b, code[generator])
    kin = np.zeros((len(code), len(code)))
    for pair in shown.kin:
        if code.keys() >= set(pair):
            kin[code[pair[0]], code[pair[1]]] = 1.0
    values = {
        "slot": np.ones(len(a)),
        "length": table["ratio"].to_numpy() if shown.unit is not None else np.zeros(len(a)),
        "own": _side(a, b, judge),
        "family": kin[judge, a] - kin[judge, b],
    }
    for effect in EFFECTS:
        if not by_judge:
            yield Term(effect, None), values[effect]
            continue
        for name in _names(table["judge"]):
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
