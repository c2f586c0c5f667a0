"""Self-preference: how much better a judge scores its own answers than other judges score them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import lcm
from typing import Any, Final

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
from recuse.analysis.comparisons import of_pairs, pair_scores
from recuse.analysis.estimates import Estimate, estimate_frame, joined
from recuse.analysis.grouping import Codes, cells_of
from recuse.analysis.inference.clusters import FloatArray
from recuse.analysis.inference.rows import rows_interval
from recuse.analysis.inference.signflip import sign_flip
from recuse.analysis.patterns import DECIMALS, N_TASKS, patterns, task_patterns
from recuse.analysis.row_codes import JUDGE, PAIR, STRATUM, TASK, coded, codes_in, without_codes
from recuse.analysis.settings import Settings
from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = [
    "BASELINES",
    "NOBODY",
    "against_baselines",
    "delta_sums",
    "judges_there",
    "self_preference",
    "self_preference_of",
]

BASELINES: Final = ("all_peers", "uninvolved", "uninvolved_family", "human")
_BASELINE: Final = pl.Enum(BASELINES)
_CODES: Final = (TASK, STRATUM, JUDGE, PAIR)
_MODEL: Final = pl.col("judge_kind") == "model"
_MEMBERS: Final = {
    "all_peers": _MODEL,
    "uninvolved": _MODEL & ~pl.col("judge_is_first") & ~pl.col("judge_is_second"),
    "uninvolved_family": _MODEL & ~pl.col("judge_in_family"),
    "human": ~_MODEL,
}
"""Baseline → whose scores make it up."""
_MOST_JUDGES: Final = 20
_UNIT: Final = 16 * lcm(*range(1, _MOST_JUDGES + 1))
"""Quarters, averaged over up to four replicates and then over so many judges, are whole in this unit."""
_AGAINST: Final = (
    "study", "task_id", "tier", "judge", "baseline", "first", "first_variant", "second", "second_variant",
    "own", "peers", "n_judges", "delta", "words_own", "words_opponent", "chars_own", "chars_opponent",
)  # fmt: skip
_COMPARISON: Final = ("study", "task_id", "first", "first_variant", "second", "second_variant")
NOBODY: Final = {
    "all_peers": "no other judge on any comparison",
    "uninvolved": "no uninvolved judge for any comparison",
    "uninvolved_family": "no judge of an uninvolved family for any comparison",
    "human": "no human judge on any comparison",
}
"""Baseline → why nothing can be said against it."""


def self_preference(
    comparisons: ComparisonFrame, settings: Settings, own: pl.DataFrame | None = None
) -> EstimateFrame:
    """Self-preference delta, with both rates behind it, by judge, baseline and tier.

    ``self_preference_delta``: mean over the comparisons in which the judge's own answer takes part of
    its score for that answer less the mean score that the baseline's judges give the same answer there,
    in [-1, 1]. 0: the judge scores its own answers as the baseline does; positive: higher. Baselines:
    ``all_peers`` (every other model judge, the opponent included), ``uninvolved`` (model judges that are
    neither contestant), ``uninvolved_family`` (that share a family with neither), ``human``.

    ``own_rate`` and ``baseline_rate`` are the two means on the same comparisons. ``n_comparisons``
    counts task × pair with both scores, ``n_dropped`` those of the judge's own that lack one.

    Notes
    -----
    Every comparison weighs equally; the interval takes tasks as clusters and speaks of these judges on
    new tasks. A delta is an association: it does not say why a judge scores its own answers higher.
    ``own`` is :func:`against_baselines` of the same comparisons, where it is at hand.
    Baselines of the same judges on the same comparisons are estimated once.
    The row of test ``sign_flip`` tests the task sums; its ``n_dropped`` counts tasks that sum to 0.
    """
    own = against_baselines(comparisons) if own is None else own
    deltas = _deltas_for_rows(own) if _resamples_rows(settings) else None
    return self_preference_of(patterns(delta_sums(own), judges_there(comparisons)), settings, deltas)


def self_preference_of(
    sums: pl.DataFrame, settings: Settings, deltas: pl.DataFrame | None = None
) -> EstimateFrame:
    """Estimate :func:`self_preference` from patterns of :func:`delta_sums` and :func:`judges_there`.

    ``deltas`` holds the differences of single comparisons, for intervals that take these as independent.
    """
    there = sums.filter(pl.col("baseline").is_not_null())
    known = there.group_by("study", "judge", "baseline").agg((pl.col("n") > 0).any().alias("any"))
    somebody = set(known.filter("any").select("study", "judge", "baseline").rows())
    rows: list[Estimate] = []
    told: dict[tuple[str, ...], tuple[pl.DataFrame, list[Estimate]]] = {}
    for keys, cell in each_cell(pooled_and_by(there), ["study", "judge", "baseline", "tier"]):
        if not total(cell, "n"):
            # One row says that a baseline has nobody; the tiers would only repeat it.
            nobody = (keys["study"], keys["judge"], keys["baseline"]) not in somebody
            rows += [] if keys["tier"] and nobody else [_undefined(cell, keys, settings)]
            continue
        mine = cell.filter(pl.col("n") > 0).drop("baseline")
        place = (keys["study"], keys["judge"], str(keys["tier"]))
        same = told.get(place)
        if same is None or not same[0].equals(mine):
            same = (mine, _cell_rows(cell, _of_cell(deltas, keys), keys, settings))
            told[place] = same
        rows += [replace(row, baseline=keys["baseline"]) for row in same[1]]
    return estimate_frame([*rows, *_without_own_answers(sums, settings)])


def against_baselines(
    comparisons: pl.DataFrame,
    baselines: Sequence[str] = BASELINES,
    *,
    pairs: pl.DataFrame | None = None,
    with_lengths: bool = True,
) -> pl.DataFrame:
    """Own score and baseline score of each comparison in which a judge's own answer takes part.

    ``pairs`` is :func:`recuse.analysis.comparisons.pair_scores` of the same comparisons, where it is at hand.
    Without lengths these four columns are left out.

    Returns
    -------
    pl.DataFrame
        One row per judge × baseline × task × pair: ``own``, ``peers`` and ``delta`` (null where either is
        missing), ``n_judges`` in the baseline there, and the words and characters of both answers.
    """
    frame = coded(comparisons)
    pairs = pair_scores(frame) if pairs is None else pairs
    own = _own_pairs(frame, pairs, with_lengths=with_lengths)
    on = cells_of(*(np.concatenate([pairs[code].to_numpy(), own[code].to_numpy()]) for code in (TASK, PAIR)))
    there, here = np.split(on.index, [pairs.height])
    is_first = own["judge_is_first"].to_numpy()
    score, panel_score = own["score_first"].to_numpy(), pairs["score_first"].to_numpy()
    own_score = np.where(is_first, score, 1 - score)
    names = own.select(*_COMPARISON, "tier", "judge", *_CODES, *(_lengths_of_sides() if with_lengths else ()))
    found: list[pl.DataFrame] = []
    for baseline in baselines:
        member, is_member = (some.select(_MEMBERS[baseline]).to_series().to_numpy() for some in (pairs, own))
        summed = np.bincount(there, np.where(member, panel_score, 0.0), on.n)[here]
        counted = is_member & ~np.isnan(score)
        n_judges = np.bincount(there[member], minlength=on.n)[here] - counted
        first = np.full(own.height, np.nan)
        np.divide(summed - np.where(counted, score, 0.0), n_judges, out=first, where=n_judges > 0)
        peers = np.where(is_first, first, 1 - first)
        found.append(
            names.with_columns(
                pl.lit(baseline, dtype=_BASELINE).alias("baseline"),
                pl.Series("own", own_score, nan_to_null=True),
                pl.Series("peers", peers, nan_to_null=True),
                pl.Series("delta", own_score - peers, nan_to_null=True),
                pl.Series("n_judges", n_judges),
            )
        )
    against = pl.concat(found)
    against = against.select(*(name for name in _AGAINST if name in against.columns), *_CODES)
    return against if TASK in comparisons.columns else without_codes(against)


def _lengths_of_sides() -> list[pl.Expr]:
    return [
        pl.when("judge_is_first").then(f"{unit}_{mine}").otherwise(f"{unit}_{other}").alias(f"{unit}_{side}")
        for unit in ("words", "chars")
        for side, mine, other in (("own", "first", "second"), ("opponent", "second", "first"))
    ]


def _own_pairs(comparisons: pl.DataFrame, pairs: pl.DataFrame, *, with_lengths: bool) -> pl.DataFrame:
    keys = [
        *_COMPARISON,
        "tier",
        "judge",
        "judge_kind",
        "judge_is_first",
        "judge_is_second",
        "judge_in_family",
        *_CODES,
    ]
    lengths = ("words_first", "words_second", "chars_first", "chars_second")
    wanted = [*keys, "score_first", *(lengths if with_lengths else ())]
    is_own = pl.col("judge_is_first") | pl.col("judge_is_second")
    involved = of_pairs(comparisons).select(wanted).filter(is_own)
    if comparisons["replicate"].n_unique() < 2:
        return involved
    return (
        involved.select(keys)
        .unique(maintain_order=True)
        .join(pairs.select(wanted), on=keys, how="left", nulls_equal=True, maintain_order="left")
    )


def judges_there(comparisons: pl.DataFrame) -> pl.DataFrame:
    """Name each model judge once, without a baseline or a count: one without own answers is not lost."""
    frame = coded(comparisons)
    rows = cells_of(frame[STRATUM].to_numpy(), frame[JUDGE].to_numpy()).first
    named = pl.DataFrame([frame[name][rows] for name in ("study", "judge", "judge_kind")])
    judges = named.filter(pl.col("judge_kind") == "model").select("study", "judge").unique()
    return judges.with_columns(n=pl.lit(0, dtype=pl.Int64), n_own=pl.lit(0, dtype=pl.Int64))


def delta_sums(own: pl.DataFrame) -> pl.DataFrame:
    """Sum own scores, baseline scores and their differences by judge, baseline and task, as patterns.

    ``n`` counts the comparisons that have both, ``n_own`` those of the judge's own answers.
    """
    own = coded(own)
    of_judge = [own[JUDGE].to_numpy(), codes_in(own, ["baseline"])]
    cells = cells_of(own[TASK].to_numpy(), *of_judge)
    known = own["delta"].is_not_null().to_numpy()
    n_judges = own["n_judges"].to_numpy()
    fewest, most = np.full(cells.n, np.iinfo(np.int64).max), np.zeros(cells.n, dtype=np.int64)
    np.minimum.at(fewest, cells.index[known], n_judges[known])
    np.maximum.at(most, cells.index[known], n_judges[known])
    n = cells.count(known)
    sums = {name: cells.sum(np.where(known, own[name].to_numpy(), 0.0)) for name in ("own", "peers", "delta")}
    counts = {"n": n, "n_own": cells.count(), "fewest": np.where(n > 0, fewest, 0), "most": most}
    names = {name: own[name] for name in ("study", "judge", "baseline", "tier")}
    found = task_patterns(names, cells, [own[STRATUM].to_numpy(), *of_judge], sums | counts)
    return found.with_columns(pl.when(pl.col("n") > 0).then(pl.col("fewest", "most")))


def _undefined(cell: pl.DataFrame, keys: dict[str, Any], settings: Settings) -> Estimate:
    row = Estimate(estimand="self_preference_delta", unit="difference", scoring=settings.scoring, **keys)
    counted = replace(row, n_comparisons=0, n_dropped=total(cell, "n_own"))
    return counted.undefined(NOBODY[str(keys["baseline"])])


def _resamples_rows(settings: Settings) -> bool:
    return settings.interval == "rows" or (
        settings.convention == "article" and settings.interval == "default"
    )


def _deltas_for_rows(own: pl.DataFrame) -> pl.DataFrame:
    return own.select("study", "judge", "baseline", "tier", "delta").drop_nulls("delta")


def _of_cell(deltas: pl.DataFrame | None, keys: dict[str, Any]) -> pl.Series | None:
    """Differences of the cell's comparisons, where its interval takes comparisons as independent."""
    if deltas is None:
        return None
    names = [name for name in ("study", "judge", "baseline", "tier") if keys[name] is not None]
    return deltas.filter(*(pl.col(name) == keys[name] for name in names))["delta"]


def _cell_rows(
    cell: pl.DataFrame, deltas: pl.Series | None, keys: dict[str, Any], settings: Settings
) -> list[Estimate]:
    rng = settings.rng("self_preference_delta")
    row = Estimate(
        estimand="self_preference_delta",
        unit="difference",
        scoring=settings.scoring,
        n_comparisons=total(cell, "n"),
        n_dropped=total(cell, "n_own") - total(cell, "n"),
        **keys,
    )
    sums = cell.filter(pl.col("n") > 0)
    rates = [
        rate_of(
            replace(row, estimand=name, unit="proportion"), cluster_sums(sums, column, "n"), settings, rng
        )
        for name, column in (("own_rate", "own"), ("baseline_rate", "peers"))
    ]
    row = replace(row, reason=_few_judges(sums))
    delta = mean_of(row, cluster_sums(sums, "delta", "n"), settings, rng, bounds=(-1.0, 1.0), test=True)
    if deltas is not None:
        interval = rows_interval(
            deltas.sort().to_numpy(),
            rng=rng,
            conf_level=settings.conf_level,
            n_resamples=settings.n_resamples,
        )
        delta = replace(delta, mde=None).with_interval(interval, settings.conf_level, test=True)
    whole = _whole(sums["delta"].to_numpy(), int(sums["most"].max() or 0))  # type: ignore[arg-type]
    flip = sign_flip(whole, rng, settings.n_resamples, tasks=tasks_of(sums), many=many_tasks(row))
    n_tasks = int(sums[N_TASKS].sum())
    signs = replace(
        row,
        estimate=delta.estimate,
        n_tasks=n_tasks,
        n_dropped=n_tasks - flip.n_nonzero,
        test="sign_flip",
        p_value=flip.p_value,
        reason=flip.reason or row.reason if flip.exact else joined(flip.reason, row.reason),
    )
    return [*rates, delta, signs]


def _whole(deltas: FloatArray, most_judges: int) -> Codes:
    """Write sums of differences as whole numbers, so that equal totals compare as equal."""
    unit = _UNIT if most_judges <= _MOST_JUDGES else 10**DECIMALS
    whole = np.rint(deltas * unit).astype(np.int64)
    found: Codes = whole // max(1, int(np.gcd.reduce(whole)))
    return found


def _few_judges(sums: pl.DataFrame) -> str | None:
    fewest, most = min(sums["fewest"].to_list()), max(sums["most"].to_list())
    if most == 1:
        return "one baseline judge per comparison: its own taste is part of the delta"
    if fewest == 1:
        return f"between 1 and {most} baseline judges per comparison"
    return None


def _without_own_answers(sums: pl.DataFrame, settings: Settings) -> list[Estimate]:
    own = sums.filter(pl.col("baseline").is_not_null()).select("study", "judge")
    judges = sums.select("study", "judge").unique()
    others = judges.join(own, on=["study", "judge"], how="anti")
    return [
        Estimate(
            estimand="self_preference_delta",
            unit="difference",
            study=study,
            judge=judge,
            baseline=baseline,
            scoring=settings.scoring,
        ).undefined("no answer of its own is compared in this study")
        for study, judge in others.sort("study", "judge").rows()
        for baseline in BASELINES
    ]
