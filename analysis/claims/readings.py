"""Each kind of claim read off the evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

import numpy as np
import polars as pl

from recuse.analysis.agreement import UNDEFINED, coincidences, labelled, labels_of, pair_tables
from recuse.analysis.claims.choices import Choices
from recuse.analysis.claims.evidence import Evidence
from recuse.analysis.claims.forms import Coefficient
from recuse.analysis.claims.reading import Reading, unread
from recuse.analysis.claims.reading_preferences import read_beats, read_delta, read_gradient, read_ranking
from recuse.analysis.claims.reading_rates import (
    read_longer_wins,
    read_rate,
    read_slot_gradient,
    read_slot_preference,
)
from recuse.analysis.claims.record import (
    Agreement,
    Beats,
    Claim,
    LongerWins,
    Ranking,
    Rate,
    SelfPreference,
    SelfPreferenceGradient,
    SlotPreference,
    SlotPreferenceGradient,
)
from recuse.analysis.inference import nominal
from recuse.analysis.inference.clusters import FloatArray

__all__ = ["read"]

_LABELS: Final = 2


def read(claim: Claim, evidence: Evidence, choices: Choices) -> Reading:
    """Read a claim's quantity under the choices, without an interval yet."""
    match claim:
        case SelfPreference():
            found = read_delta(claim, evidence, choices)
        case SelfPreferenceGradient():
            found = read_gradient(claim, evidence, choices)
        case Beats():
            found = read_beats(claim, evidence, choices)
        case Ranking():
            found = read_ranking(claim, evidence, choices)
        case SlotPreference():
            found = read_slot_preference(claim, evidence, choices)
        case SlotPreferenceGradient():
            found = read_slot_gradient(claim, evidence, choices)
        case LongerWins():
            found = read_longer_wins(claim, evidence, choices)
        case Agreement():
            found = _read_agreement(claim, evidence, choices)
        case Rate():
            found = read_rate(claim, evidence, choices)
    return found


def _read_agreement(claim: Agreement, evidence: Evidence, choices: Choices) -> Reading:
    """Read agreement on the complete comparisons that both judges (or two of the panel) label."""
    cell = labelled(evidence.scored(None))
    if claim.tier is not None:
        cell = cell.filter(pl.col("tier") == claim.tier)
    if claim.judge is not None:
        cell = cell.filter(pl.col("judge").cast(pl.String).is_in([claim.judge, claim.judge_2]))
    if cell.is_empty():
        return unread("no labelled comparison")
    labels = labels_of(cell.with_columns(pl.col("judge").cast(pl.String)))
    if len(labels.judges) < _LABELS:
        return unread("fewer than two judges with a labelled comparison")
    if claim.judge is None or claim.judge_2 is None:
        tables, there = coincidences(labels)
    else:
        tables, there = pair_tables(labels, claim.judge, claim.judge_2)
    dropped = int((~there).sum())
    if not there.any():
        return unread("no comparison labelled by two judges", dropped)
    codes = np.unique(cell["task_id"].to_physical().cast(pl.Int64).to_numpy())
    bounds = (0.0, 1.0) if claim.statistic == "raw_agreement" else (-1.0, 1.0)
    task = codes[labels.task[there]]
    form = Coefficient(tables, task, evidence.n_tasks, _statistic(claim, symmetric=not choices.naive), bounds)
    counts = Reading((form,), len(tables), dropped, n_tasks=len(np.unique(task)))
    if np.isnan(form.estimate):
        return unread(UNDEFINED[claim.statistic], dropped)
    return counts


def _statistic(claim: Agreement, *, symmetric: bool) -> Callable[[FloatArray], FloatArray]:
    if claim.statistic == "raw_agreement":
        return nominal.agreement
    chosen = getattr(nominal, claim.statistic)

    def statistic(tables: FloatArray) -> FloatArray:
        return cast("FloatArray", chosen(tables, symmetric=symmetric))

    return statistic
