"""Extra judgments: the smallest set that would make self-preference claims identifiable."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from recuse.analysis.cells import each_cell
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.inference.clusters import FloatArray
from recuse.analysis.involvement import RECUSALS
from recuse.analysis.settings import Settings
from recuse.schema import EstimateFrame

__all__ = ["FEWEST_TASKS", "PAIR", "judgments_to_identify", "lacking_delta", "smallest_set"]

FEWEST_TASKS: Final = 2
"""Tasks below which no standard error over tasks exists, hence no interval and no verdict."""
PAIR: Final = ["study", "task_id", "first", "first_variant", "second", "second_variant"]
"""What a comparison is, whoever judges it."""
_ORDERS: Final = 2
_SECONDS: Final = 10.0
_OUTSIDER: Final = 1e-3
"""What a judge from outside the panel costs more: of two sets of one size, the panel's own is taken."""


@dataclass(frozen=True, slots=True)
class _Program:
    """The integer program of one study and baseline."""

    cells: pl.DataFrame  # one row per comparison × claim whose delta it lacks
    slot: npt.NDArray[np.int64]  # (rows,) claim
    comparison: npt.NDArray[np.int64]  # (rows,) comparison
    reached: npt.NDArray[np.int64]  # (rows,) claim × task
    demand: npt.NDArray[np.int64]  # (claims,) tasks that each claim needs, as far as there are any


def judgments_to_identify(own: pl.DataFrame, settings: Settings) -> EstimateFrame:
    """Fewest extra judgments (judge calls) that make self-preference claims identifiable.

    0: nothing is missing. With ``judge`` null the set serves all claims of the baseline together; it is
    smaller than the sum over claims where one uninvolved judge on one comparison serves both contestants.
    ``group``: ``smallest`` leaves each claim two tasks, without which there is no interval at all;
    ``every comparison`` leaves none of the judge's own comparisons without an uninvolved judge.

    Parameters
    ----------
    own
        From :func:`recuse.analysis.self_preference.against_baselines`.

    Notes
    -----
    Both orders of a comparison are two judgments. Where the judge's own score is missing too, its own two
    are counted. ``n_comparisons`` counts the comparisons to be judged, ``n_tasks`` their tasks. Null where a
    claim has fewer than two tasks with comparisons: then only new tasks help.
    """
    rows: list[Estimate] = []
    recused = _slim(own.filter(pl.col("baseline").is_in(RECUSALS)))
    for keys, cell in each_cell(recused, ["study", "baseline"]):
        by_judge = cell.sort("judge").partition_by("judge", maintain_order=True)
        named = [(str(mine["judge"][0]), mine) for mine in by_judge]
        for judge, mine in [(None, cell), *named]:
            row = Estimate(
                estimand="judgments_to_identify", unit="count", judge=judge, scoring=settings.scoring, **keys
            )
            rows += [_least(row, mine), _every(row, mine)]
    return estimate_frame(rows)


def smallest_set(own: pl.DataFrame) -> tuple[pl.DataFrame, bool]:
    """Comparisons that leave each claim of one study and baseline two tasks, at the fewest judge calls.

    Parameters
    ----------
    own
        Rows of :func:`recuse.analysis.self_preference.against_baselines` for one study and baseline; a column
        ``outside``, where there is one, says that nobody of the panel qualifies for the comparison.

    Returns
    -------
    pl.DataFrame
        One row per comparison × judge whose claim it serves; ``own`` and ``peers`` are null where the judge's
        own score, or an uninvolved judge's, has to be asked for.
    bool
        Whether the set is proven smallest; large programs are given up after ten seconds.

    Notes
    -----
    Exact, by integer programming: a comparison is bought once and serves both contestants; each claim needs
    two different tasks. Tasks that offer the same comparisons are interchangeable, so only as many of a kind
    are looked at as any solution could use.
    """
    program = _program(_slim(own))
    if program.cells.is_empty():
        return program.cells, True
    served, proven = _solve(program)
    return program.cells.filter(pl.Series(served)), proven


def lacking_delta(own: pl.DataFrame) -> pl.DataFrame:
    """Rows of ``own`` without a delta, for want of an uninvolved judge or of the judge's own score."""
    return _slim(own).filter(pl.col("delta").is_null())


def _slim(own: pl.DataFrame) -> pl.DataFrame:
    if "outside" not in own.columns:
        own = own.with_columns(outside=pl.lit(value=False))
    texts = [*PAIR, "judge", "baseline", "tier"]
    return own.select(pl.col(texts).cast(pl.String), "own", "peers", "delta", "outside")


def _least(row: Estimate, own: pl.DataFrame) -> Estimate:
    row = replace(row, group="smallest")
    tasks = own.group_by("judge").agg(pl.col("task_id").n_unique().alias("n"))
    short = tasks.filter(pl.col("n") < FEWEST_TASKS)["judge"].sort().to_list()
    if short:
        return row.undefined(f"fewer than {FEWEST_TASKS} tasks with own answers: only new tasks help")
    bought, proven = smallest_set(own)
    filled = _counted(row, bought)
    if bought.is_empty():
        return replace(filled, reason=f"nothing is missing: every claim has {FEWEST_TASKS} tasks or more")
    words = f"leaves every claim {FEWEST_TASKS} tasks: enough for an interval, not for a narrow one"
    return replace(filled, reason=words if proven else f"{words}; not proven to be the smallest set")


def _every(row: Estimate, own: pl.DataFrame) -> Estimate:
    filled = _counted(replace(row, group="every comparison"), lacking_delta(own))
    return replace(filled, reason="an uninvolved judge on every comparison of its own")


def _counted(row: Estimate, bought: pl.DataFrame) -> Estimate:
    asked = bought.filter(pl.col("peers").is_null()).select(PAIR).n_unique() if bought.height else 0
    calls = _ORDERS * (asked + bought["own"].null_count())
    return replace(
        row,
        estimate=float(calls),
        n_comparisons=bought.select(PAIR).n_unique() if bought.height else 0,
        n_tasks=bought["task_id"].n_unique(),
    )


def _program(own: pl.DataFrame) -> _Program:
    """Bring the comparisons that lack a delta to a size at which the best choice can be found."""
    there = own.filter(pl.col("delta").is_not_null()).select("judge", "task_id").unique()
    had = there.group_by("judge").agg(pl.len().cast(pl.Int64).alias("had"))
    lacking = (
        own.filter(pl.col("delta").is_null())
        .join(there, on=["judge", "task_id"], how="anti")
        .join(had, on="judge", how="left")
        .with_columns(need=FEWEST_TASKS - pl.col("had").fill_null(0))
        .filter(pl.col("need") > 0)
        .sort([*PAIR, "judge"], nulls_last=False)
    )
    cells = lacking.join(_enough_of_each_kind(lacking), on=["study", "task_id"]).sort(
        [*PAIR, "judge"], nulls_last=False
    )
    claims = cells.group_by("judge", maintain_order=True).agg(
        pl.col("need").first(), pl.col("task_id").n_unique().cast(pl.Int64).alias("possible")
    )
    claims = claims.sort("judge")
    return _Program(
        cells,
        slot=_codes(cells, ["judge"]),
        comparison=_codes(cells, PAIR),
        reached=_codes(cells, ["judge", "task_id"]),
        demand=claims.select(pl.min_horizontal("need", "possible")).to_series().to_numpy(),
    )


def _enough_of_each_kind(lacking: pl.DataFrame) -> pl.DataFrame:
    """Tasks to look at: of those that offer the same comparisons to the same claims, the first few."""
    offer = pl.struct(
        "first", "first_variant", "second", "second_variant", "judge", "outside",
        pl.col("own").is_null(), pl.col("peers").is_null(),
    )  # fmt: skip
    kinds = (
        lacking.group_by("study", "task_id", maintain_order=True)
        .agg(kind=offer.hash(), claims=pl.col("judge").n_unique())
        .with_columns(pl.col("kind").cast(pl.List(pl.String)).list.join(","))
    )
    place = pl.int_range(pl.len()).over("kind")
    return kinds.filter(place < FEWEST_TASKS * pl.col("claims")).select("study", "task_id")


def _codes(frame: pl.DataFrame, columns: list[str]) -> npt.NDArray[np.int64]:
    ranked = frame.select(pl.struct(columns).rank("dense").cast(pl.Int64) - 1)
    codes: npt.NDArray[np.int64] = ranked.to_series().to_numpy()
    return codes


def _solve(program: _Program) -> tuple[npt.NDArray[np.bool_], bool]:
    """Which rows of the program are served in a cheapest solution, and whether it is proven cheapest.

    Variables: y (an uninvolved judge is asked on the comparison), z (row served), w (claim × task reached).
    Minimise 2·Σ y·[no uninvolved score] + 2·Σ z·[no own score] under z ≤ y, w ≤ Σ z of its claim and task,
    Σ w ≥ demand of the claim.
    """
    from scipy import sparse
    from scipy.optimize import Bounds, LinearConstraint, milp

    n_z = program.cells.height
    n_y, n_w = int(program.comparison.max()) + 1, int(program.reached.max()) + 1
    z, w, ones = np.arange(n_z), np.arange(n_w), np.ones(n_z)
    claim_of = np.zeros(n_w, dtype=np.int64)
    claim_of[program.reached] = program.slot

    def rows(
        values: FloatArray, row: npt.NDArray[np.int64], column: npt.NDArray[np.int64], height: int
    ) -> sparse.csr_array:
        return sparse.coo_array((values, (row, column)), shape=(height, n_y + n_z + n_w)).tocsr()

    served = rows(np.r_[ones, -ones], np.r_[z, z], np.r_[n_y + z, program.comparison], n_z)
    within = np.r_[n_y + n_z + w, n_y + z]
    reached = rows(np.r_[np.ones(n_w), -ones], np.r_[w, program.reached], within, n_w)
    enough = rows(np.ones(n_w), claim_of, n_y + n_z + w, len(program.demand))
    cost = _cost(program, n_y, n_w)
    found = milp(
        cost,
        integrality=np.ones(len(cost), dtype=np.int64),
        bounds=Bounds(0, 1),
        constraints=[
            LinearConstraint(served, -np.inf, 0),
            LinearConstraint(reached, -np.inf, 0),
            LinearConstraint(enough, program.demand, np.inf),
        ],
        options={"time_limit": _SECONDS},
    )
    if found.x is None:
        return np.ones(n_z, dtype=np.bool_), False
    return np.asarray(found.x[n_y : n_y + n_z] > 0.5), bool(found.status == 0)


def _cost(program: _Program, n_y: int, n_w: int) -> FloatArray:
    nobody, outside = np.zeros(n_y), np.zeros(n_y)
    nobody[program.comparison] = program.cells["peers"].is_null().to_numpy()
    outside[program.comparison] = program.cells["outside"].to_numpy()
    # A row served without need would be listed without need.
    unscored = _ORDERS * program.cells["own"].is_null().to_numpy() + 1e-6
    return np.concatenate([nobody * (_ORDERS + _OUTSIDER * outside), unscored, np.zeros(n_w)])
