"""Claims about scores: a judge's own answers, one generator against another, an order of generators."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
import polars as pl

from recuse.analysis.claims.choices import Choices
from recuse.analysis.claims.evidence import Evidence
from recuse.analysis.claims.forms import Contrast, Form, Mean, RatioDifference, Regression
from recuse.analysis.claims.reading import Reading, column, mean_of_rows, of_panel, task_codes, unread
from recuse.analysis.claims.record import Beats, Ranking, SelfPreference, SelfPreferenceGradient
from recuse.analysis.comparisons import tier_order
from recuse.analysis.length_adjusted import with_log_ratio
from recuse.analysis.self_preference import NOBODY

__all__ = ["read_beats", "read_delta", "read_gradient", "read_ranking"]

_NO_LENGTHS: Final = "no comparison with the lengths of both answers"
_ALIKE: Final = "the lengths do not vary: nothing to adjust for"
_NOT_OWN: Final = "no answer of its own is compared"


def read_delta(claim: SelfPreference, evidence: Evidence, choices: Choices) -> Reading:
    """Self-preference delta of a judge against a baseline, by tier where the claim says so."""
    mine = _own(claim, evidence, choices)
    if claim.tier is not None:
        mine = mine.filter(pl.col("tier") == claim.tier)
    if mine.is_empty():
        return unread(_NOT_OWN)
    found = mine.filter(pl.col("delta").is_not_null())
    if found.is_empty():
        return unread(NOBODY[choices.baseline], mine.height)
    if not choices.length_adjusted:
        return _reading(mean_of_rows(found, "delta", None, evidence, is_rate=False), found, mine)
    known = with_log_ratio(found, "own", "opponent").sort("task_id", "first", "second")
    ones = np.ones(known.height)
    design = np.column_stack([ones, column(known, "log_ratio")])
    return _adjusted(design, known, "delta", evidence, mine)


def read_gradient(claim: SelfPreferenceGradient, evidence: Evidence, choices: Choices) -> Reading:
    """Delta on the most subjective tier less delta on the most objective one.

    At equal length: one slope of log length ratio for both tiers, and a mean for each.
    """
    order = tier_order(evidence.own(choices.scoring)["tier"].cast(pl.String), evidence.tiers)
    if len(order) < 2:
        return unread("fewer than two tiers")
    mine = _own(claim, evidence, choices).filter(pl.col("tier").cast(pl.String).is_in([order[-1], order[0]]))
    if mine.is_empty():
        return unread(_NOT_OWN)
    found = mine.filter(pl.col("delta").is_not_null())
    ends = [found.filter(pl.col("tier") == tier) for tier in (order[-1], order[0])]
    if found.is_empty():
        return unread(NOBODY[choices.baseline], mine.height)
    if any(end.is_empty() for end in ends):
        return unread("a tier without an identified comparison", mine.height)
    if not choices.length_adjusted:
        high, low = (mean_of_rows(end, "delta", None, evidence, is_rate=False) for end in ends)
        return _reading(Contrast(high, low), found, mine)
    known = with_log_ratio(found, "own", "opponent").sort("task_id", "first", "second")
    is_high = (known["tier"] == order[-1]).cast(pl.Float64).to_numpy() - 0.5
    design = np.column_stack([is_high, np.ones(known.height), column(known, "log_ratio")])
    return _adjusted(design, known, "delta", evidence, mine)


def read_beats(claim: Beats, evidence: Evidence, choices: Choices) -> Reading:
    """Mean score of a generator against one opponent."""
    first, second = sorted([claim.generator, claim.opponent])
    between = (pl.col("first") == first) & (pl.col("second") == second)
    pairs = _of_tier(evidence.pairs(choices.scoring).filter(between), claim.tier)
    asked = of_panel(pairs, claim.judge, choices.baseline)
    if pairs.is_empty():
        return unread("the two are never compared")
    if asked.is_empty():
        return unread(NOBODY[choices.baseline], pairs.height)
    if claim.judge is not None:
        pairs = pairs.filter(pl.col("judge") == claim.judge)
    mine = pl.col("score_first") if claim.generator == first else 1 - pl.col("score_first")
    scored = asked.with_columns(score=mine)
    if not choices.length_adjusted:
        return _reading(mean_of_rows(scored, "score", None, evidence, is_rate=True), scored, pairs)
    ways = ("first", "second") if claim.generator == first else ("second", "first")
    known = with_log_ratio(scored, *ways).sort("task_id", "judge")
    design = np.column_stack([np.ones(known.height), column(known, "log_ratio")])
    return _adjusted(design, known, "score", evidence, pairs)


def read_ranking(claim: Ranking, evidence: Evidence, choices: Choices) -> Reading:
    """Win rates of neighbours in the order, each less the next."""
    pairs = _of_tier(evidence.pairs(choices.scoring), claim.tier)
    asked = of_panel(pairs, claim.judge, choices.baseline)
    if asked.is_empty():
        return unread(NOBODY[choices.baseline], pairs.height)
    rates = {name: win_rate_of(asked, name, evidence) for name in claim.order}
    missing = [name for name, rate in rates.items() if not rate.weight.any()]
    if missing:
        return unread(f"no scored comparison of {missing[0]}", pairs.height)
    links = tuple(RatioDifference(rates[one], rates[other]) for one, other in pairwise(claim.order))
    n_tasks = len(np.unique(task_codes(asked)))
    return Reading(links, asked.height, _lost(asked, pairs, claim.judge), n_tasks=n_tasks)


def win_rate_of(asked: pl.DataFrame, generator: str, evidence: Evidence) -> Mean:
    """Win rate of a generator, with a row for every pair whether it takes part or not."""
    first, second = (asked[side] == generator for side in ("first", "second"))
    scores = asked.select(
        score=pl.when(first).then("score_first").when(second).then(1 - pl.col("score_first")).otherwise(0.0)
    )
    weight = (first | second).cast(pl.Float64).to_numpy()
    return Mean(column(scores, "score"), weight, task_codes(asked), evidence.n_tasks, is_rate=True)


def _own(
    claim: SelfPreference | SelfPreferenceGradient, evidence: Evidence, choices: Choices
) -> pl.DataFrame:
    own = evidence.own(choices.scoring)
    return own.filter(pl.col("judge") == claim.judge, pl.col("baseline") == choices.baseline)


def _of_tier(rows: pl.DataFrame, tier: str | None) -> pl.DataFrame:
    return rows if tier is None else rows.filter(pl.col("tier") == tier)


def _adjusted(
    design: np.ndarray, known: pl.DataFrame, outcome: str, evidence: Evidence, mine: pl.DataFrame
) -> Reading:
    if known.is_empty():
        return unread(_NO_LENGTHS, mine.height)
    bounds = (0.0, 1.0) if outcome == "score" else None
    form = Regression(design, column(known, outcome), task_codes(known), evidence.n_tasks, bounds=bounds)
    return unread(_ALIKE, mine.height) if np.isnan(form.estimate) else _reading(form, known, mine)


def _reading(form: Form, used: pl.DataFrame, of: pl.DataFrame) -> Reading:
    n_tasks = len(np.unique(task_codes(used)))
    return Reading((form,), used.height, of.height - used.height, n_tasks=n_tasks)


def _lost(asked: pl.DataFrame, pairs: pl.DataFrame, judge: str | None) -> int:
    return 0 if judge is not None else pairs.height - asked.height
