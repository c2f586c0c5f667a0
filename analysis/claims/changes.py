"""How far a claim's estimate moves from one rung to the next, the pairing of tasks kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from recuse.analysis.claims.evaluation import Evaluation
from recuse.analysis.claims.forms import Contrast, Form, How, Mean, RatioDifference
from recuse.analysis.inference.clusters import ZERO
from recuse.analysis.inference.interval import Interval
from recuse.analysis.inference.jackknife import jackknife_interval
from recuse.analysis.inference.means import cut
from recuse.analysis.inference.sandwich import t_interval
from recuse.analysis.settings import Settings

__all__ = ["Change", "change"]

_STREAM: Final = "claim_change"


@dataclass(frozen=True, slots=True)
class Change:
    """An estimate less the estimate on the rung before, with the interval of that difference."""

    estimate: float
    interval: Interval
    """Without bounds, and with a reason, where nothing changes or no spread can be seen."""


def change(before: Evaluation, after: Evaluation, settings: Settings) -> Change | None:
    """Paired change of a claim's estimate between two readings of it.

    Where both weigh every task alike, the differences of the task sums are a mean of their own (bootstrap-t,
    or CR2 below 10 tasks). Else both are estimated without each task in turn, and the jackknife of the
    difference is taken. Tasks are the clusters whatever the two readings took as independent. Of a ranking
    it is the change of the pair that is closest in the later reading.

    Returns
    -------
    Change or None
        None where either has no estimate.
    """
    if not before.forms or not after.forms:
        return None
    one, other = before.forms[after.link], after.forms[after.link]
    moved = other.estimate - one.estimate
    how = How(settings.rng(_STREAM), conf_level=settings.conf_level, n_resamples=settings.n_resamples)
    paired = _paired(one, other)
    if paired is not None and not _differs(paired):
        return Change(0.0, Interval.missing("none", "the same on every task"))
    if paired is not None:
        return Change(moved, paired.interval(how, 0.0))
    there = one.there() | other.there()
    replicates = (other.without() - one.without())[there]
    if np.isfinite(replicates).all() and np.abs(replicates).max() <= ZERO:
        return Change(0.0, Interval.missing("none", "the same on every task"))
    found = jackknife_interval(moved, replicates, conf_level=settings.conf_level)
    fewest = min(int(one.there().sum()), int(other.there().sum()))
    if found.std_error is None or fewest < 2:
        return Change(moved, found if fewest > 1 else Interval.missing("jackknife", "fewer than two tasks"))
    # The spread rests on the reading with fewer tasks: its degrees of freedom are the ones there are.
    narrower = t_interval(
        moved, found.std_error**2, fewest - 1.0, method="jackknife", conf_level=settings.conf_level
    )
    return Change(moved, cut(narrower, (-1.0, 1.0)))


def _paired(one: Form, other: Form) -> Mean | Contrast | None:
    """Give the difference of two forms as one form, where both weigh every task alike."""
    match one, other:
        case Mean(), Mean():
            return _paired_means(one, other)
        case RatioDifference(), RatioDifference():
            means = one.paired(), other.paired()
            return None if means[0] is None or means[1] is None else _paired_means(means[0], means[1])
        case Contrast(), Contrast():
            high, low = _paired_means(one.high, other.high), _paired_means(one.low, other.low)
            return None if high is None or low is None else Contrast(high, low)
        case _:
            return None


def _paired_means(one: Mean, other: Mean) -> Mean | None:
    (before, rows), (after, rows_after) = one.by_task(), other.by_task()
    if not np.array_equal(rows, rows_after):
        return None
    return Mean(after - before, rows, np.arange(len(rows)), len(rows), is_rate=False)


def _differs(paired: Mean | Contrast) -> bool:
    parts = (paired.high, paired.low) if isinstance(paired, Contrast) else (paired,)
    return any(bool(np.abs(part.value).max() > ZERO) for part in parts)
