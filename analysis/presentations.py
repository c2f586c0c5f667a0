"""One judge's decided presentations as a design matrix: strengths, log length ratio, slot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from recuse.analysis.cells import task_codes
from recuse.analysis.inference.clusters import FloatArray
from recuse.errors import UndefinedEstimateError

__all__ = ["Presentations", "decided_presentations", "is_connected"]


@dataclass(frozen=True, slots=True)
class Presentations:
    """Decided presentations of one judge, in the order of their tasks."""

    design: FloatArray  # (n, generators - 1 + 2): generators but the first, log length ratio, slot
    sides: FloatArray  # (n, generators): 1 in slot A, -1 in slot B, else 0
    a_wins: FloatArray  # (n,) 1 where slot A wins
    a_longer: FloatArray  # (n,) 1, -1, or 0 at equal lengths
    task: npt.NDArray[np.int64]  # (n,) code of the task
    generators: list[str]

    @property
    def n_tasks(self) -> int:
        """Tasks with a presentation."""
        return int(self.task.max()) + 1

    @property
    def longer_won(self) -> FloatArray:
        """1 where the longer answer won, else 0; without meaning at equal lengths."""
        won: FloatArray = np.equal(self.a_wins > 0, self.a_longer > 0).astype(np.float64)
        return won

    @property
    def parts(self) -> tuple[slice, slice, slice]:
        """Columns of quality, length and slot."""
        quality = self.design.shape[1] - 2
        return slice(0, quality), slice(quality, quality + 1), slice(quality + 1, quality + 2)


def decided_presentations(cell: pl.DataFrame) -> tuple[Presentations, int]:
    """Lay out one judge's decided presentations; count those left out for want of lengths.

    Raises
    ------
    UndefinedEstimateError
        No two answers differ in known length, or strengths do not compare because the graph of
        comparisons falls apart.
    """
    unit = (
        "words"
        if not cell.select(pl.col("words_first", "words_second").is_null().any()).row(0)[0]
        else "chars"
    )
    decided = pl.concat(
        [
            _one_order(cell, "verdict_first_in_a", ("first", "second"), unit),
            _one_order(cell, "verdict_first_in_b", ("second", "first"), unit),
        ]
    )
    known = decided.filter(pl.col("length_a") > 0, pl.col("length_b") > 0)
    if (known["length_a"] != known["length_b"]).sum() == 0:
        raise UndefinedEstimateError("no decided presentation of answers of unequal known length")
    generators = pl.concat([known["a"], known["b"]]).unique().sort().to_list()
    if not is_connected(known.select("a", "b").unique().rows()):
        raise UndefinedEstimateError("the comparison graph is disconnected: strengths do not compare")
    named = pl.Enum(generators)
    strength = np.zeros((known.height, len(generators)))
    rows = np.arange(known.height)
    strength[rows, known["a"].cast(named).to_physical().to_numpy()] += 1
    strength[rows, known["b"].cast(named).to_physical().to_numpy()] -= 1
    ratio = np.log(known["length_a"].to_numpy() / known["length_b"].to_numpy())
    design = np.column_stack([strength[:, 1:], ratio, np.ones(known.height)])
    task = task_codes(known["task_id"])
    a_wins = known["a_wins"].cast(pl.Float64).to_numpy()
    dropped = decided.height - known.height
    return Presentations(design, strength, a_wins, np.sign(ratio), task, generators), dropped


def _one_order(cell: pl.DataFrame, verdict: str, slots: tuple[str, str], unit: str) -> pl.DataFrame:
    shown = pl.col(verdict).cast(pl.String)
    return cell.filter(shown.is_in(["a", "b"])).select(
        pl.col("task_id").cast(pl.String),
        a=pl.col(slots[0]).cast(pl.String),
        b=pl.col(slots[1]).cast(pl.String),
        length_a=f"{unit}_{slots[0]}",
        length_b=f"{unit}_{slots[1]}",
        a_wins=shown == "a",
    )


def is_connected(pairs: Sequence[tuple[str, ...]]) -> bool:
    """Whether every name reaches every other over these pairs."""
    names = {name for pair in pairs for name in pair}
    reached, grown = set(sorted(names)[:1]), True
    while grown:
        more = {name for pair in pairs if reached & set(pair) for name in pair} - reached
        reached |= more
        grown = bool(more)
    return len(reached) == len(names)
