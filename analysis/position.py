"""Position: whether a judge prefers a slot, whichever answer stands in it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import polars as pl

from recuse.analysis.cells import (
    cluster_sums,
    each_cell,
    many_tasks,
    mean_of,
    pooled_and_by,
    rate_of,
    tasks_of,
    total,
)
from recuse.analysis.estimates import Estimate, estimate_frame, joined
from recuse.analysis.grouping import cells_of
from recuse.analysis.inference.exact import binomial_p, clopper_pearson, sign_test_p
from recuse.analysis.inference.signflip import sign_flip
from recuse.analysis.patterns import N_TASKS, patterns, task_patterns
from recuse.analysis.row_codes import JUDGE, STRATUM, TASK, coded, codes_in, outcomes_of
from recuse.analysis.settings import Settings
from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = ["position", "position_of", "position_sums"]

_RATES: Final = {
    "tie_rate": ("ties", "n_verdicts"),
    "flip_rate": ("flips", "complete"),
    "flip_rate_decided": ("flips", "decided_twice"),
    "unstable_rate": ("unstable", "complete"),
    "position_consistency": ("consistent", "complete"),
}
_INDEPENDENT: Final = "presentations taken as independent"
_SINGLE: Final = "one order was asked: slot and generator cannot be told apart"


def position(comparisons: ComparisonFrame, settings: Settings) -> EstimateFrame:
    """Slot-A rate with its three tests, flip rates, ties, consistency and preference fairness.

    Per judge, probe and tier. ``slot_a_rate``: share of decided presentations that name slot A; ½ is
    no preference on average. ``flip_rate``: comparisons whose winner changes with the order, over
    complete comparisons; ``flip_rate_decided``: over those in which both orders name a winner.
    ``position_consistency``: the same outcome in both orders (win or tie), over complete comparisons.
    ``preference_fairness``: (recency - primacy) / complete comparisons, in [-1, 1], unstable pairs
    counted with the slot that their one winner names; 0 is balanced. ``reversal_a_share``: share of
    hard reversals that name slot A twice.

    The tests of ``slot_a_rate``, each in a row of its own, in this order:

    - ``sign_flip_task_lean``: task sums of lean (#A - #B)/2 over complete comparisons, symmetric about
      0 across tasks under the null. ``n_dropped`` counts tasks whose lean sums to 0.
    - ``sign_test_reversals``: as many hard reversals toward A as toward B; the null is that slot
      matters in no comparison. ``n_comparisons`` counts the reversals.
    - ``binomial_pooled``: decided presentations as independent coin flips, as most publications print
      it. Conservative while fewer than half of the decided pairs reverse, anti-conservative above.

    Notes
    -----
    Judges asked one order only keep their rows, null with a reason.

    References
    ----------
    Preference fairness: arXiv:2406.07791, its positional preference score over all complete pairs.
    """
    return position_of(patterns(position_sums(comparisons)), settings)


def position_of(sums: pl.DataFrame, settings: Settings) -> EstimateFrame:
    """Estimate :func:`position` from patterns of :func:`position_sums`."""
    # Where a judge that was asked one order by design gave no verdict, it was asked one order, too.
    asked = sums.group_by("study", "judge", "probe").agg(pl.col("single", "complete").sum())
    by_design = asked.filter((pl.col("single") > 0) & (pl.col("complete") == 0))
    one_order = set(by_design.select("study", "judge", "probe").rows())
    rows: list[Estimate] = []
    rng = settings.rng("position")
    for keys, cell in each_cell(pooled_and_by(sums), ["study", "judge", "probe", "tier"]):
        base = Estimate(estimand="slot_a_rate", unit="proportion", **keys)
        if (keys["study"], keys["judge"], keys["probe"]) in one_order:
            names = ["slot_a_rate", *_RATES, "preference_fairness", "reversal_a_share"]
            # The pooled rows say it; the tiers would only repeat it.
            rows += [replace(base, estimand=name).undefined(_SINGLE) for name in names if not keys["tier"]]
            continue
        rows += _slot_a_rows(base, cell, settings, rng)
        rows += [_rate_row(base, cell, name, settings, rng) for name in _RATES]
        rows += [_fairness(base, cell, settings, rng), _reversals(base, cell, settings)]
    return estimate_frame(rows)


def position_sums(comparisons: pl.DataFrame) -> pl.DataFrame:
    """Count by judge, probe and task what its verdicts say of slots, as patterns of tasks.

    ``single`` were asked in one order.
    """
    frame = coded(comparisons)
    probe = codes_in(frame, ["probe"])
    cells = cells_of(frame[TASK].to_numpy(), frame[JUDGE].to_numpy(), probe)
    kinds, outcomes = outcomes_of(frame)
    meaning = _meaning(outcomes)
    counts = np.bincount(cells.index * kinds.n + kinds.index, minlength=cells.n * kinds.n)
    sums = counts.reshape(cells.n, kinds.n) @ meaning.to_numpy().astype(np.float64)
    names = {name: frame[name] for name in ("study", "judge", "probe", "tier")}
    codes = [frame[STRATUM].to_numpy(), frame[JUDGE].to_numpy(), probe]
    return task_patterns(
        names, cells, codes, dict(zip(meaning.columns, sums.astype(np.int64).T, strict=True))
    )


def _meaning(outcomes: pl.DataFrame) -> pl.DataFrame:
    """Count what one comparison of each outcome says of slots: nothing, if one order was asked by design."""
    both_asked = (pl.col("resolution") != "single").cast(pl.Int64)
    is_flip = pl.col("resolution") == "flip"
    is_unstable = pl.col("resolution") == "unstable"
    complete = pl.col("resolution").is_in(["win", "tie", "flip", "unstable"])
    slot_a, slot_b, ties = (
        pl.col(name).cast(pl.Int64) * both_asked for name in ("n_slot_a", "n_slot_b", "n_ties")
    )
    recency = (is_flip & (slot_b == 2)) | (is_unstable & (slot_b == 1))
    primacy = (is_flip & (slot_a == 2)) | (is_unstable & (slot_a == 1))
    decided = slot_a + slot_b
    return outcomes.select(
        single=pl.col("resolution") == "single",
        slot_a=slot_a,
        slot_b=slot_b,
        ties=ties,
        complete=complete,
        incomplete=~complete,
        flips=is_flip,
        flips_a=is_flip & (slot_a == 2),
        unstable=is_unstable,
        consistent=pl.col("resolution").is_in(["win", "tie"]),
        decided_twice=pl.col("resolution").is_in(["win", "flip"]),
        twice_lean=(slot_a - slot_b) * complete,
        recency=recency,
        primacy=primacy,
        decided=decided,
        n_verdicts=decided + ties,
        net_recency=recency.cast(pl.Int64) - primacy.cast(pl.Int64),
    ).cast(pl.Int64)


def _slot_a_rows(
    base: Estimate, cell: pl.DataFrame, settings: Settings, rng: np.random.Generator
) -> list[Estimate]:
    decided, slot_a = total(cell, "decided"), total(cell, "slot_a")
    row = replace(
        base,
        n_presentations=decided,
        n_comparisons=total(cell, "complete"),
        n_dropped=total(cell, "ties"),
    )
    if not decided:
        return [row.undefined("no decided presentation: every verdict is a tie or missing")]
    by_task = rate_of(row, cluster_sums(cell, "slot_a", "decided"), settings, rng)
    flip = sign_flip(
        cell["twice_lean"].to_numpy(), rng, settings.n_resamples, tasks=tasks_of(cell), many=many_tasks(row)
    )
    lean = replace(
        by_task,
        test="sign_flip_task_lean",
        p_value=flip.p_value,
        n_dropped=(by_task.n_tasks or 0) - flip.n_nonzero,
        reason=flip.reason or by_task.reason if flip.exact else joined(flip.reason, by_task.reason),
    )
    toward_a, flips = total(cell, "flips_a"), total(cell, "flips")
    reversals = replace(
        by_task,
        test="sign_test_reversals",
        p_value=sign_test_p(toward_a, flips - toward_a),
        n_comparisons=flips,
        n_dropped=total(cell, "complete") - flips,
        reason=joined(by_task.reason, None if flips else "no hard reversal to test"),
    )
    low, high = clopper_pearson(slot_a, decided, settings.conf_level)
    pooled = replace(
        by_task,
        test="binomial_pooled",
        p_value=binomial_p(slot_a, decided),
        std_error=None,
        mde=None,
        conf_low=low,
        conf_high=high,
        interval="clopper_pearson_rows",
        reason=_pooled_caveat(flips, total(cell, "decided_twice")),
    )
    tests = [lean, reversals, pooled]
    return tests[::-1] if settings.convention == "article" else tests


def _pooled_caveat(flips: int, decided_twice: int) -> str:
    if 2 * flips > decided_twice:
        return f"{_INDEPENDENT}: anti-conservative, since more than half of the decided pairs reverse"
    return f"{_INDEPENDENT}: conservative, since at most half of the decided pairs reverse"


def _rate_row(
    base: Estimate, cell: pl.DataFrame, name: str, settings: Settings, rng: np.random.Generator
) -> Estimate:
    numerator, denominator = _RATES[name]
    dropped = (
        0
        if name == "tie_rate"
        else total(cell, "complete") - total(cell, denominator) + total(cell, "incomplete")
    )
    row = replace(
        base,
        estimand=name,
        n_presentations=total(cell, "n_verdicts"),
        n_comparisons=None if name == "tie_rate" else total(cell, denominator),
        n_dropped=dropped,
    )
    if not total(cell, denominator):
        reason = {
            "tie_rate": "no presentation with a verdict",
            "flip_rate_decided": "no comparison in which both orders name a winner",
        }
        return row.undefined(reason.get(name, "no comparison with a verdict in both orders"))
    return rate_of(row, cluster_sums(cell, numerator, denominator), settings, rng)


def _fairness(base: Estimate, cell: pl.DataFrame, settings: Settings, rng: np.random.Generator) -> Estimate:
    row = replace(
        base,
        estimand="preference_fairness",
        unit="difference",
        n_comparisons=total(cell, "complete"),
        n_dropped=total(cell, "incomplete"),
    )
    if not total(cell, "complete"):
        return row.undefined("no comparison with a verdict in both orders")
    return mean_of(row, cluster_sums(cell, "net_recency", "complete"), settings, rng, bounds=(-1.0, 1.0))


def _reversals(base: Estimate, cell: pl.DataFrame, settings: Settings) -> Estimate:
    flips, toward_a = total(cell, "flips"), total(cell, "flips_a")
    row = replace(
        base, estimand="reversal_a_share", n_comparisons=flips, n_dropped=total(cell, "complete") - flips
    )
    if not flips:
        return row.undefined("no hard reversal")
    low, high = clopper_pearson(toward_a, flips, settings.conf_level)
    return replace(
        row,
        estimate=toward_a / flips,
        conf_low=low,
        conf_high=high,
        conf_level=settings.conf_level,
        interval="clopper_pearson_rows",
        test="sign_test_reversals",
        p_value=sign_test_p(toward_a, flips - toward_a),
        n_tasks=int(cell.filter(pl.col("flips") > 0)[N_TASKS].sum()),
        reason="given these tasks, reversals independent",
    )
