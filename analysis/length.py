"""Length-confound decomposition: how much of *longer wins* is quality, length, slot, or none of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import Final

import numpy as np
import polars as pl

from recuse.analysis.cells import each_cell
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.inference.clusters import FloatArray
from recuse.analysis.inference.firth import fit_logistic
from recuse.analysis.inference.jackknife import jackknife_interval, jackknife_rate_interval
from recuse.analysis.longer_wins import longer_wins_counts
from recuse.analysis.presentations import Presentations, decided_presentations
from recuse.analysis.settings import Settings
from recuse.errors import UndefinedEstimateError
from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = ["length_decomposition", "shapley_shares"]

_MOST_REFITS: Final = 200
_SHARES: Final = ("quality", "length", "slot", "remainder")
_LONGER_WINS: Final = "longer wins"
_ALL: Final = frozenset({0, 1, 2})
_PARTS: Final = [frozenset(part) for size in (1, 2, 3) for part in combinations(range(3), size)]
"""Sets of quality (0), length (1) and slot (2)."""


@dataclass(frozen=True, slots=True)
class _Statistic:
    """Mean over `counted` presentations of the chance of a side, from some parts of the model."""

    parts: list[slice]
    sign: FloatArray  # (n,) 1 where the side stands in slot A, -1 where in B
    counted: FloatArray  # (n,) 1 where the presentation counts

    def chance(self, coefficients: FloatArray, design: FloatArray) -> FloatArray:
        """Chance per presentation, shape (B, n)."""
        predictor = sum(coefficients[:, part] @ design[:, part].T for part in self.parts)
        chance: FloatArray = 1 / (1 + np.exp(-self.sign * predictor))
        return chance


def length_decomposition(comparisons: ComparisonFrame, settings: Settings) -> EstimateFrame:
    """Split a judge's longer-wins rate less ½ into quality, length, slot and a remainder.

    Per judge, probe ``main``, decided presentations: logit P(A wins) = θ_A - θ_B + β log(length_A/length_B)
    + γ, with Firth's penalty; lengths in words, or characters where a judge's words are not all known.
    Over the presentations of unequal length each part's share is its Shapley value in what the model
    predicts the longer answer to win; the remainder is what the model leaves unexplained. The four add up to
    ``longer_wins_rate`` - ½. ``length_controlled_win_rate`` is what the model predicts for a generator at
    equal lengths and without a slot, over the opponents that it met.

    Generators whose answers are better and longer share the credit as the model attributes it: an
    association, no experiment; the length probe is the experiment.

    ``n_presentations`` counts what enters the shares, ``n_dropped`` decided presentations without lengths.

    References
    ----------
    Length-controlled win rates: arXiv:2404.04475 (there with instruction difficulty, and one baseline).
    """
    rows: list[Estimate] = []
    main = comparisons.filter((pl.col("probe") == "main") & (pl.col("first") != pl.col("second")))
    for keys, cell in each_cell(main, ["study", "judge"]):
        base = Estimate(estimand="length_quality_share", unit="difference", n_comparisons=cell.height, **keys)
        try:
            rows += _judge_rows(base, cell, settings)
        except UndefinedEstimateError as error:
            rows += [replace(base, estimand=f"length_{name}_share").undefined(str(error)) for name in _SHARES]
    return estimate_frame(rows)


def shapley_shares(values: Mapping[frozenset[int], FloatArray]) -> list[FloatArray]:
    """Shapley values of three parts from the value of every set of them; they add up to that of all three.

    Parameters
    ----------
    values
        Set of parts → its value; the empty set is worth 0.
    """
    shares: list[FloatArray] = [np.zeros_like(values[_ALL]) for _ in range(3)]
    for order in permutations(range(3)):
        for place, index in enumerate(order):
            before = frozenset(order[:place])
            gained = values[before | {index}] - values[before] if before else values[frozenset({index})]
            shares[index] = shares[index] + gained / 6
    return shares


def _judge_rows(base: Estimate, cell: pl.DataFrame, settings: Settings) -> list[Estimate]:
    there, dropped = decided_presentations(cell)
    replicates = _refitted if there.n_tasks <= _MOST_REFITS else _linearised
    found = replicates(there)
    longer_wins = found[_LONGER_WINS] - 0.5
    shares = shapley_shares({part: found[_name(part)] - 0.5 for part in _PARTS})
    remainder = longer_wins - ((shares[0] + shares[1]) + shares[2])
    counts = longer_wins_counts(cell).select("first", "second", "n", "decided")
    row = replace(
        base,
        n_presentations=int(np.abs(there.a_longer).sum()),
        n_comparisons=counts.filter(pl.col("n") > 0).height,
        n_tasks=there.n_tasks,
        n_dropped=dropped,
    )
    rows = [
        _jackknifed(replace(row, estimand=f"length_{name}_share"), values, settings)
        for name, values in zip(_SHARES, [*shares, remainder], strict=True)
    ]
    for generator in there.generators:
        takes_part = (pl.col("first") == generator) | (pl.col("second") == generator)
        named = replace(
            row,
            estimand="length_controlled_win_rate",
            unit="proportion",
            generator=generator,
            n_presentations=int((there.sides[:, there.generators.index(generator)] != 0).sum()),
            n_comparisons=counts.filter(takes_part, pl.col("decided") > 0).height,
        )
        rows.append(_jackknifed(named, found[generator], settings))
    return rows


def _name(part: frozenset[int]) -> str:
    return "+".join(_SHARES[index] for index in sorted(part))


def _statistics(there: Presentations) -> dict[str, _Statistic]:
    """Everything to be estimated, as a mean over presentations of a chance under part of the model."""
    unequal = np.abs(there.a_longer)
    quality, length, slot = there.parts
    found = {
        _name(part): _Statistic(
            [one for index, one in enumerate((quality, length, slot)) if index in part],
            there.a_longer,
            unequal,
        )
        for part in _PARTS
    }
    for place, generator in enumerate(there.generators):
        side = there.sides[:, place]
        found[generator] = _Statistic([quality], side, np.abs(side))
    return found


def _refitted(there: Presentations) -> dict[str, FloatArray]:
    """Each statistic on all tasks and, behind it, without each task, the model fitted again."""
    left_out = there.task[None, :] != np.arange(there.n_tasks)[:, None]
    weights = np.vstack([np.ones(len(there.task)), left_out.astype(np.float64)])
    coefficients = fit_logistic(there.design, there.a_wins, weights).coefficients
    found: dict[str, FloatArray] = {}
    for name, statistic in _statistics(there).items():
        counted = weights * statistic.counted
        found[name] = (counted * statistic.chance(coefficients, there.design)).sum(1) / counted.sum(1)
    counted = weights * np.abs(there.a_longer)
    found[_LONGER_WINS] = (counted * there.longer_won).sum(1) / counted.sum(1)
    return found


def _linearised(there: Presentations) -> dict[str, FloatArray]:
    """As :func:`_refitted`, where tasks are many: without a task the coefficients move by one Newton step.

    A refit without one of hundreds of tasks differs from that step by the square of a task's weight.
    """
    coefficients = fit_logistic(there.design, there.a_wins, np.ones((1, len(there.task)))).coefficients
    chance = 1 / (1 + np.exp(-(there.design @ coefficients[0])))
    information = (there.design * (chance * (1 - chance))[:, None]).T @ there.design
    score = _by_task(there, there.design * (there.a_wins - chance)[:, None])
    inverse: FloatArray = np.asarray(np.linalg.inv(information), dtype=np.float64)
    moves: FloatArray = -(score @ inverse)
    found: dict[str, FloatArray] = {}
    for name, statistic in _statistics(there).items():
        outcome = statistic.chance(coefficients, there.design)[0]
        steep = statistic.counted * outcome * (1 - outcome) * statistic.sign
        slope = np.zeros(there.design.shape[1])
        for part in statistic.parts:
            slope[part] = steep @ there.design[:, part]
        whole = float(statistic.counted.sum())
        found[name] = _leaving_out(there, statistic.counted, outcome, moves @ (slope / whole))
    unequal = np.abs(there.a_longer)
    found[_LONGER_WINS] = _leaving_out(there, unequal, there.longer_won, np.zeros(there.n_tasks))
    return found


def _leaving_out(
    there: Presentations, counted: FloatArray, outcome: FloatArray, moved: FloatArray
) -> FloatArray:
    tops, rows = _by_task(there, np.column_stack([counted * outcome, counted])).T
    without = (tops.sum() - tops) / (rows.sum() - rows) + moved
    return np.concatenate([[tops.sum() / rows.sum()], without])


def _by_task(there: Presentations, table: FloatArray) -> FloatArray:
    columns = [np.bincount(there.task, column, there.n_tasks).astype(np.float64) for column in table.T]
    return np.column_stack(columns)


def _jackknifed(row: Estimate, values: FloatArray, settings: Settings) -> Estimate:
    if np.isnan(values[0]):
        return row.undefined("this generator is in no presentation that counts")
    interval_of = jackknife_rate_interval if row.unit == "proportion" else jackknife_interval
    interval = interval_of(float(values[0]), values[1:], conf_level=settings.conf_level)
    return replace(row, estimate=float(values[0])).with_interval(interval, settings.conf_level)
