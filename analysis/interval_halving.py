"""What it takes to halve the interval of a self-preference delta: tasks, or judges where they can."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Final

import numpy as np
import polars as pl

from recuse.analysis.cells import cluster_sums, each_cell
from recuse.analysis.comparisons import pair_scores
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.inference.means import why_no_spread
from recuse.analysis.inference.sandwich import cr1_variance
from recuse.analysis.involvement import RECUSALS
from recuse.analysis.settings import Settings
from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = ["halving", "tasks_for_half_the_width"]

_ORDERS: Final = 2
_PAIR: Final = ["study", "task_id", "first", "first_variant", "second", "second_variant"]
_TASKS: Final = (
    "half-width ∝ t(G − 1)/√G: new tasks are taken to be like those there are, with as many comparisons each"
)


def halving(
    comparisons: ComparisonFrame, own: pl.DataFrame, settings: Settings, *, sampled: float = 1.0
) -> EstimateFrame:
    """Tasks, judgments, or baseline judges that would halve the interval of each self-preference delta.

    ``tasks_to_halve``: new tasks, beyond an uninvolved judge on every comparison there is (0: filling the
    gaps is enough). ``judgments_to_halve``: the judge calls that this takes, gaps and new tasks, in both
    orders, by the judge itself and as many baseline judges per comparison as there are now.
    ``judges_to_halve``: further baseline judges on the same tasks instead; null with a reason where no number
    of them can do it, because the spread between tasks that is not the baseline judges' own noise remains,
    or where that noise cannot be told because comparisons have a single baseline judge.

    Parameters
    ----------
    comparisons
        All comparisons.
    own
        From :func:`recuse.analysis.self_preference.against_baselines`, of the same comparisons.
    sampled
        Share of all tasks that the comparisons are a sample of; tasks and calls are counted for all.

    Notes
    -----
    The standard error is taken to fall with the square root of the tasks, and Student's t with them:
    t(G′ − 1)/√G′ ≤ ½ t(G − 1)/√G. With m baseline judges whose own noise makes up the share f of the
    variance, m + k of them leave the share 1 − f·k/(m + k); half the width needs a quarter, so f > ¾.
    ``n_tasks`` and ``n_comparisons`` are those of the delta today.
    """
    recused = own.filter(pl.col("baseline").is_in(RECUSALS))
    noise = _noise(comparisons, recused)
    rows: list[Estimate] = []
    for keys, cell in each_cell(recused, ["study", "judge", "baseline"]):
        known = cell.filter(pl.col("delta").is_not_null())
        sums = known.group_by("task_id").agg(pl.col("delta").sum(), pl.len().alias("n")).sort("task_id")
        row = Estimate(
            estimand="tasks_to_halve",
            unit="count",
            scoring=settings.scoring,
            n_comparisons=known.height,
            n_tasks=sums.height,
            **keys,
        )
        clusters = cluster_sums(sums, "delta", "n")
        nothing = why_no_spread(clusters)
        if nothing is not None:
            names = ("tasks_to_halve", "judgments_to_halve", "judges_to_halve")
            rows += [
                replace(row, estimand=name).undefined(f"no interval to halve: {nothing}") for name in names
            ]
            continue
        rows += _by_tasks(row, cell, known, sampled)
        place = (keys["study"], keys["judge"], keys["baseline"])
        spent = noise.get(place, 0.0) * float((1 / known["n_judges"]).sum())
        variance = cr1_variance(clusters) * known.height**2 * (sums.height - 1) / sums.height
        rows.append(_by_judges(row, known, min(1.0, spent / variance)))
    return estimate_frame(rows)


def tasks_for_half_the_width(n_tasks: int, conf_level: float = 0.95) -> int:
    """Fewest tasks G′ with t(G′ − 1)/√G′ ≤ ½ t(G − 1)/√G.

    Parameters
    ----------
    n_tasks
        Tasks G today, at least two.
    conf_level
        Two-sided confidence level of the interval.

    Examples
    --------
    >>> tasks_for_half_the_width(15), tasks_for_half_the_width(10_000)
    (53, 39993)
    """
    from scipy import special

    more = np.arange(n_tasks + 1, 4 * n_tasks + 1, dtype=np.float64)
    upper = (1 + conf_level) / 2
    widths = special.stdtrit(more - 1, upper) / np.sqrt(more)
    enough = widths <= special.stdtrit(n_tasks - 1, upper) / math.sqrt(n_tasks) / 2
    return int(more[int(np.argmax(enough))])


def _by_tasks(row: Estimate, own: pl.DataFrame, known: pl.DataFrame, sampled: float) -> list[Estimate]:
    n_tasks = own["task_id"].n_unique()
    now, there = (round(n / sampled) for n in (known["task_id"].n_unique(), n_tasks))
    wanted = tasks_for_half_the_width(now)
    new = max(0, wanted - there)
    gaps = own.filter(pl.col("delta").is_null())
    to_fill = round((gaps["peers"].null_count() + gaps["own"].null_count()) / sampled)
    judges = 1 + float(np.mean(known["n_judges"].to_numpy()))
    per_task = own.height / n_tasks * judges
    words = f"{_TASKS}; {now:,} tasks now, {wanted:,} needed"
    filled = f", {there - now:,} of them by filling gaps" if there > now else ""
    return [
        replace(row, estimate=float(new), reason=words + filled),
        replace(
            row,
            estimand="judgments_to_halve",
            estimate=float(_ORDERS * (to_fill + math.ceil(new * per_task))),
            reason=f"{_ORDERS * to_fill:,} for the gaps, {_ORDERS} × {per_task:.3g} scores for each new task",
        ),
    ]


def _by_judges(row: Estimate, known: pl.DataFrame, share: float) -> Estimate:
    row = replace(row, estimand="judges_to_halve")
    n_judges = known["n_judges"].to_numpy()
    if n_judges.max() < 2:
        return row.undefined(
            "with one baseline judge its own noise cannot be told from the task: only new tasks are sure"
        )
    if share <= 0.75:
        rest = math.sqrt(1 - share)
        return row.undefined(
            f"no number of further judges on the same tasks halves it: {100 * rest:.0f} % of the width, "
            "the spread between tasks, is left at best"
        )
    # 1 - f·k/(m + k) ≤ ¼
    further = math.ceil(0.75 * float(np.mean(n_judges)) / (share - 0.75))
    return replace(
        row,
        estimate=float(further),
        reason=f"{100 * share:.0f} % of the variance is the baseline judges' noise, taken to be independent",
    )


def _noise(comparisons: ComparisonFrame, own: pl.DataFrame) -> dict[tuple[Any, ...], float]:
    """Squared noise of the baseline judges in the task sums of each delta, per unit of Σ 1/m.

    A judge's noise on a comparison is its score less the mean of the m > 1 judges there, scaled by
    √(m/(m − 1)), over m; its mean over the judge's comparisons is its taste and is taken off first.
    Comparisons with one judge are taken to hold as much noise per judge as the others.
    """
    panel = pair_scores(comparisons).filter(pl.col("judge_kind") == "model")
    outside = {
        "uninvolved": ~pl.col("judge_is_first") & ~pl.col("judge_is_second"),
        "uninvolved_family": ~pl.col("judge_in_family"),
    }
    found: dict[tuple[Any, ...], float] = {}
    for baseline, member in outside.items():
        scores = panel.filter(member).select(*_PAIR, peer="judge", score="score_first")
        wanted = own.filter(
            pl.col("baseline") == baseline, pl.col("delta").is_not_null(), pl.col("n_judges") > 1
        ).select(*_PAIR, "judge", "peers", "n_judges")
        m = pl.col("n_judges")
        mine = pl.when(pl.col("judge") == pl.col("first")).then("score").otherwise(1 - pl.col("score"))
        sums = (
            wanted.join(scores, on=_PAIR, nulls_equal=True)
            .group_by("study", "judge", "peer", "task_id")
            .agg(
                noise=((mine - pl.col("peers")) * (m / (m - 1)).sqrt() / m).sum(),
                n=pl.len(),
                parts=m.cast(pl.Float64).pow(-2).sum(),
            )
            .with_columns(
                rest=pl.col("noise")
                - pl.col("n")
                * pl.col("noise").sum().over("study", "judge", "peer")
                / pl.col("n").sum().over("study", "judge", "peer")
            )
            .group_by("study", "judge")
            .agg(pl.col("rest").pow(2).sum() / pl.col("parts").sum())
        )
        found |= {(str(study), str(judge), baseline): float(rest) for study, judge, rest in sums.rows()}
    return found
