"""Claims about rates: slots, flips, ties, win rates, and how often the longer answer wins."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl

from recuse.analysis.claims.choices import Choices
from recuse.analysis.claims.evidence import Evidence
from recuse.analysis.claims.forms import Contrast
from recuse.analysis.claims.reading import Reading, column, mean_of_rows, of_panel, task_codes, unread
from recuse.analysis.claims.reading_preferences import win_rate_of
from recuse.analysis.claims.record import LongerWins, Rate, SlotPreference, SlotPreferenceGradient
from recuse.analysis.comparisons import tier_order
from recuse.analysis.length_probe import long_scores
from recuse.analysis.longer_wins import longer_wins_counts
from recuse.analysis.self_preference import NOBODY

__all__ = ["read_longer_wins", "read_rate", "read_slot_gradient", "read_slot_preference"]

_BOTH_ORDERS: Final = ("win", "tie", "flip", "unstable")
_ONE_ORDER: Final = "one order was asked: slot and generator cannot be told apart"
_NONE_DECIDED: Final = "no decided presentation: every verdict is a tie or missing"
_COMPLETE: Final = pl.col("resolution").is_in(_BOTH_ORDERS)
_PARTS: Final = {
    "tie_rate": (pl.col("n_ties"), pl.col("n_slot_a") + pl.col("n_slot_b") + pl.col("n_ties")),
    "flip_rate": (pl.col("resolution") == "flip", _COMPLETE),
    "flip_rate_decided": (pl.col("resolution") == "flip", pl.col("resolution").is_in(["win", "flip"])),
    "unstable_rate": (pl.col("resolution") == "unstable", _COMPLETE),
    "position_consistency": (pl.col("resolution").is_in(["win", "tie"]), _COMPLETE),
    "slot_a_rate": (pl.col("n_slot_a"), pl.col("n_slot_a") + pl.col("n_slot_b")),
}
"""Rate → what is counted in a comparison, and out of how many."""


def read_slot_preference(claim: SlotPreference, evidence: Evidence, choices: Choices) -> Reading:
    """Share of a judge's decided presentations that name slot A; in comparisons with both orders."""
    mine = _of_judge(claim.judge, claim.probe, claim.tier, evidence)
    return _rate(mine, "slot_a_rate", evidence, naive=choices.naive)


def read_slot_gradient(claim: SlotPreferenceGradient, evidence: Evidence, choices: Choices) -> Reading:
    """Slot-A rate on the most subjective tier less that on the most objective one."""
    mine = _of_judge(claim.judge, claim.probe, None, evidence)
    order = tier_order(mine["tier"].cast(pl.String), evidence.tiers)
    if len(order) < 2:
        return unread("fewer than two tiers", mine.height)
    ends = [
        _rate(mine.filter(pl.col("tier") == tier), "slot_a_rate", evidence, naive=choices.naive)
        for tier in (order[-1], order[0])
    ]
    for end in ends:
        if end.reason is not None:
            return unread(end.reason, mine.height)
    high, low = (end.forms[0] for end in ends)
    return Reading(
        (Contrast(high, low),),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        sum(end.n_comparisons for end in ends),
        sum(end.n_dropped for end in ends),
        sum(end.n_presentations or 0 for end in ends),
        sum(end.n_tasks for end in ends),
    )


def read_rate(claim: Rate, evidence: Evidence, choices: Choices) -> Reading:
    """Read any other rate of a judge, or a generator's win rate."""
    if claim.rate != "win_rate":
        return _rate(
            _of_judge(claim.judge, claim.probe, claim.tier, evidence),
            claim.rate,
            evidence,
            naive=choices.naive,
        )
    pairs = evidence.pairs(choices.scoring).filter(
        (pl.col("first") == claim.generator) | (pl.col("second") == claim.generator)
    )
    if claim.tier is not None:
        pairs = pairs.filter(pl.col("tier") == claim.tier)
    asked = of_panel(pairs, claim.judge, choices.baseline)
    if asked.is_empty():
        return unread(NOBODY[choices.baseline], pairs.height)
    form = win_rate_of(asked, str(claim.generator), evidence)
    dropped = 0 if claim.judge is not None else pairs.height - asked.height
    return Reading((form,), asked.height, dropped, n_tasks=asked["task_id"].n_unique())


def read_longer_wins(claim: LongerWins, evidence: Evidence, choices: Choices) -> Reading:
    """How often the longer of two answers wins: decided presentations, or scores in the length probe."""
    if claim.controlled:
        return _read_probe(claim, evidence, choices)
    counts = longer_wins_counts(evidence.scored(None))
    counts = counts if claim.tier is None else counts.filter(pl.col("tier") == claim.tier)
    asked = of_panel(counts, claim.judge, choices.baseline)
    if counts.is_empty() or asked.is_empty():
        return unread(NOBODY[choices.baseline], counts.height)
    whole = asked if choices.naive else asked.filter(_COMPLETE | (pl.col("resolution") == "single"))
    used = whole.filter(pl.col("n") > 0)
    if used.is_empty():
        return unread("no decided presentation of answers of unequal known length", asked.height)
    form = mean_of_rows(used, "wins", "n", evidence, is_rate=True)
    n_presentations = int(form.weight.sum())
    lost = (counts.height if claim.judge is None else asked.height) - used.height
    return Reading((form,), used.height, lost, n_presentations, used["task_id"].n_unique())


def _read_probe(claim: LongerWins, evidence: Evidence, choices: Choices) -> Reading:
    probe = long_scores(evidence.scored(choices.scoring))
    for name, value in (("judge", claim.judge), ("rewards", claim.rewards), ("tier", claim.tier)):
        probe = probe if value is None else probe.filter(pl.col(name) == value)
    if claim.task is not None:
        task = pl.col("task_id").cast(pl.String)
        study = task.str.extract("^([^/]*/)")
        probe = probe.filter((task.str.strip_prefix(study) if evidence.is_pooled else task) == claim.task)
    scored = probe.filter(pl.col("score").is_not_null())
    if scored.is_empty():
        return unread("no comparison with a score and a longer side", probe.height)
    form = mean_of_rows(scored, "score", None, evidence, is_rate=True)
    return Reading((form,), scored.height, probe.height - scored.height, n_tasks=scored["task_id"].n_unique())


def _of_judge(judge: str | None, probe: str, tier: str | None, evidence: Evidence) -> pl.DataFrame:
    mine = evidence.scored(None).filter(pl.col("judge") == judge, pl.col("probe") == probe)
    return mine if tier is None else mine.filter(pl.col("tier") == tier)


def _rate(mine: pl.DataFrame, rate: str, evidence: Evidence, *, naive: bool) -> Reading:
    if mine.is_empty():
        return unread("no comparison by this judge")
    two_orders = mine.filter(pl.col("resolution") != "single")
    if two_orders.is_empty():
        return unread(_ONE_ORDER, mine.height)
    numerator, denominator = _PARTS[rate]
    whole = two_orders if naive and rate in {"slot_a_rate", "tie_rate"} else two_orders.filter(_COMPLETE)
    rows = whole.with_columns(hits=numerator.cast(pl.Float64), out_of=denominator.cast(pl.Float64))
    used = rows.filter(pl.col("out_of") > 0)
    if used.is_empty():
        return unread(_NONE_DECIDED if rate == "slot_a_rate" else "nothing in the denominator", mine.height)
    form = mean_of_rows(used, "hits", "out_of", evidence, is_rate=True)
    lean = None
    if rate == "slot_a_rate":
        leans = whole.filter(_COMPLETE).with_columns(
            lean=pl.col("n_slot_a").cast(pl.Int64) - pl.col("n_slot_b").cast(pl.Int64)
        )
        lean = np.bincount(task_codes(leans), column(leans, "lean"), evidence.n_tasks).astype(np.float64)
    n_presentations = int(form.weight.sum()) if rate in {"slot_a_rate", "tie_rate"} else None
    return Reading(
        (form,),
        used.height,
        mine.height - used.height,
        n_presentations,
        used["task_id"].n_unique(),
        lean=lean,
    )
