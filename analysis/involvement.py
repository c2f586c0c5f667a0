"""Involvement: how much of a judge's own comparisons is left once every involved judge is recused."""

from __future__ import annotations

from typing import Final

import polars as pl

from recuse.analysis.cells import each_cell, pooled_and_by, total
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.grouping import cells_of
from recuse.analysis.patterns import N_TASKS, patterns, task_patterns
from recuse.analysis.row_codes import JUDGE, STRATUM, TASK, coded, codes_in
from recuse.analysis.settings import Settings
from recuse.schema import EstimateFrame

__all__ = ["RECUSALS", "involvement_sums", "uninvolved_share", "uninvolved_share_of"]

RECUSALS: Final = ("uninvolved", "uninvolved_family")
"""Baselines that recuse the two contestants, and their families."""


def uninvolved_share(own: pl.DataFrame, settings: Settings) -> EstimateFrame:
    """Share of a judge's own comparisons that an uninvolved judge has scored too, by judge and tier.

    0: whoever scored them is a contestant (baseline ``uninvolved``) or of a contestant's family
    (``uninvolved_family``), so that self-preference is not identifiable; 1: every comparison in which the
    judge's own answer takes part has a judge without a stake. It is a count of the design, not an estimate
    from a sample: there is no interval.

    Parameters
    ----------
    own
        From :func:`recuse.analysis.self_preference.against_baselines`.

    Notes
    -----
    ``n_comparisons`` counts task × pair in which the judge's own answer takes part, ``n_dropped`` those
    that enter no delta: without an uninvolved judge, or without the judge's own score; ``reason`` counts the
    two apart. ``n_tasks`` counts the tasks of the comparisons that are left.
    """
    return uninvolved_share_of(patterns(involvement_sums(own)), settings)


def involvement_sums(own: pl.DataFrame) -> pl.DataFrame:
    """Count a judge's own comparisons by baseline and task: ``left``, and why others enter no delta.

    Gives patterns of tasks.
    """
    own = coded(own)
    of_judge = [own[JUDGE].to_numpy(), codes_in(own, ["baseline"])]
    cells = cells_of(own[TASK].to_numpy(), *of_judge)
    nobody, unscored = own["peers"].is_null().to_numpy(), own["own"].is_null().to_numpy()
    sums = {
        "left": cells.count(~nobody & ~unscored),
        "nobody": cells.count(nobody),
        "unscored": cells.count(unscored & ~nobody),
        "n": cells.count(),
    }
    names = {name: own[name] for name in ("study", "judge", "baseline", "tier")}
    found = task_patterns(names, cells, [own[STRATUM].to_numpy(), *of_judge], sums)
    return found.filter(pl.col("baseline").is_in(RECUSALS))


def uninvolved_share_of(sums: pl.DataFrame, settings: Settings) -> EstimateFrame:
    """Count :func:`uninvolved_share` from patterns of :func:`involvement_sums`."""
    rows: list[Estimate] = []
    for keys, cell in each_cell(pooled_and_by(sums), ["study", "judge", "baseline", "tier"]):
        n_left, n = total(cell, "left"), total(cell, "n")
        rows.append(
            Estimate(
                estimand="uninvolved_share",
                unit="proportion",
                scoring=settings.scoring,
                estimate=n_left / n,
                n_comparisons=n,
                n_dropped=n - n_left,
                n_tasks=int(cell.filter(pl.col("left") > 0)[N_TASKS].sum()),
                reason=_lost(total(cell, "nobody"), total(cell, "unscored"), str(keys["baseline"])),
                **keys,
            )
        )
    return estimate_frame(rows)


def _lost(nobody: int, unscored: int, baseline: str) -> str:
    who = "an uninvolved judge" if baseline == "uninvolved" else "a judge of an uninvolved family"
    parts = [f"{nobody:,} without {who}"] if nobody else []
    parts += [f"{unscored:,} without the judge's own score"] if unscored else []
    return "; ".join(parts) or "a count of the design"
