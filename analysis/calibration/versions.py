"""Two versions of a judge on the same cases: which errors came, which went."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

import numpy as np
import polars as pl
from scipy import special

from recuse.analysis.calibration.cases import Calibration, each_group
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.inference.exact import sign_test_p
from recuse.analysis.inference.interval import Interval, check_level
from recuse.analysis.inference.multiplicity import holm
from recuse.errors import UndefinedEstimateError
from recuse.schema import CONFIDENCE_LEVEL, EstimateFrame

__all__ = ["Comparison", "compare_versions", "paired_difference_interval"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed between two versions."""

    estimates: EstimateFrame
    counts: pl.DataFrame
    """One row per error and group: ``estimand, group, n, old_wrong, new_wrong, came, went``."""
    changed: pl.DataFrame
    """One row per case whose verdict differs: ``case_id, case_type, reference, old, new, change``."""
    only_old: tuple[str, ...]
    """Cases that only the old version labelled; they enter nothing."""
    only_new: tuple[str, ...]


def compare_versions(
    old: Calibration,
    new: Calibration,
    judge_old: str,
    judge_new: str,
    *,
    conf_level: float = CONFIDENCE_LEVEL,
) -> Comparison:
    """Change of each error from one version to the next, on the cases that both decided.

    ``false_approval_rate_change``: the new version's rate less the old one's, over human-rejected cases;
    ``false_rejection_rate_change`` likewise over human-approved ones. −1: every such error went; 0: as many
    came as went; 1: every case became an error. ``judge`` is the new version, ``judge_2`` the old one.
    ``n_tasks`` counts cases, ``n_comparisons`` those on which the versions differ, ``n_dropped`` those on
    which one of them abstained.

    The test is McNemar's, exact: given the cases on which the versions differ, the new one is as likely to
    be wrong as the old one. ``p_adjusted`` is Holm's over the case types of one error. The interval is
    Agresti and Min's.

    Raises
    ------
    UndefinedEstimateError
        No case was labelled by both versions.

    References
    ----------
    McNemar (1947), Psychometrika 12(2); Agresti and Min (2005), Statistics in Medicine 24(5).
    """
    columns = ["case_id", "case_type", "approved", "reference"]
    sides = [
        calibration.judged.filter(pl.col("judge") == judge).select(columns)
        for calibration, judge in ((old, judge_old), (new, judge_new))
    ]
    both = sides[0].join(sides[1].select("case_id", new="approved"), on="case_id", how="inner")
    both = both.rename({"approved": "old"}).sort("case_id")
    if not both.height:
        raise UndefinedEstimateError(
            f"no case of split {new.split} was labelled by both {judge_old} and {judge_new}: "
            "a comparison needs the same cases"
        )
    base = Estimate(
        estimand="false_approval_rate_change",
        unit="difference",
        study=new.study,
        judge=judge_new,
        judge_2=judge_old,
        split=new.split,
    )
    rows: list[Estimate] = []
    counted: list[_Counts] = []
    for estimand, reference in (
        ("false_approval_rate_change", False),
        ("false_rejection_rate_change", True),
    ):
        cases = both.filter(pl.col("reference") == pl.lit(reference))
        named = replace(base, estimand=estimand)
        counts = [
            _count(estimand, group, in_group, reference=reference)
            for group, in_group in each_group(cases, new.case_types)
        ]
        changes = [_row(named, count, conf_level) for count in counts]
        counted += counts
        rows += changes[:1] + list(_adjusted(changes[1:]))
    gone, come = [
        tuple(sorted(set(one["case_id"]) - set(other["case_id"])))
        for one, other in ((sides[0], sides[1]), (sides[1], sides[0]))
    ]
    table = pl.DataFrame([asdict(count) for count in counted]).drop("n_dropped", "humans")
    return Comparison(estimate_frame(rows), table, _changed(both), gone, come)


def paired_difference_interval(b: int, c: int, n: int, conf_level: float = CONFIDENCE_LEVEL) -> Interval:
    """Interval of a difference of two rates over the same n cases, after Agresti and Min.

    Half a case is added to each cell of the 2 × 2 table: d = (b − c)/(n + 2), with variance
    ((b + c + 1) − (b − c)²/(n + 2))/(n + 2)²; d ± z times its root, cut to [−1, 1].

    Parameters
    ----------
    b, c
        Cases that count only for the first rate, and only for the second.
    n
        All cases.
    conf_level
        Two-sided confidence level.
    """
    check_level(conf_level)
    size = n + 2
    difference = (b - c) / size
    error = float(np.sqrt((b + c + 1) - (b - c) ** 2 / size)) / size
    z = float(special.ndtri(1 - (1 - conf_level) / 2))
    low, high = max(-1.0, difference - z * error), min(1.0, difference + z * error)
    return Interval(low, high, error, None, None, "agresti_min")


@dataclass(frozen=True, slots=True)
class _Counts:
    estimand: str
    group: str | None
    humans: str  # what the humans did with these cases
    n: int
    n_dropped: int
    old_wrong: int
    new_wrong: int
    came: int  # errors of the new version alone
    went: int  # errors of the old version alone


def _count(estimand: str, group: str | None, cases: pl.DataFrame, *, reference: bool) -> _Counts:
    decided = cases.drop_nulls(["old", "new"])
    was, now = decided["old"] != reference, decided["new"] != reference
    return _Counts(
        estimand,
        group,
        "approved" if reference else "rejected",
        n=decided.height,
        n_dropped=cases.height - decided.height,
        old_wrong=int(was.sum()),
        new_wrong=int(now.sum()),
        came=int((now & ~was).sum()),
        went=int((was & ~now).sum()),
    )


def _row(base: Estimate, count: _Counts, conf_level: float) -> Estimate:
    row = replace(
        base,
        group=count.group,
        n_tasks=count.n,
        n_comparisons=count.came + count.went,
        n_dropped=count.n_dropped,
    )
    if not count.n:
        return row.undefined(f"no case that humans {count.humans} was decided by both versions")
    interval = paired_difference_interval(count.came, count.went, count.n, conf_level)
    p_value = sign_test_p(count.came, count.went)
    return replace(
        row,
        estimate=(count.came - count.went) / count.n,
        p_value=p_value,
        test=None if p_value is None else "mcnemar_exact",
        reason="no case on which the versions differ: nothing to test" if p_value is None else None,
    ).with_interval(interval, conf_level)


def _adjusted(rows: list[Estimate]) -> Iterator[Estimate]:
    for row, p_adjusted in zip(rows, holm([row.p_value for row in rows]), strict=True):
        yield replace(row, p_adjusted=p_adjusted)


def _changed(both: pl.DataFrame) -> pl.DataFrame:
    reference, old, new = pl.col("reference"), pl.col("old"), pl.col("new")
    change = (
        pl.when(new.is_null())
        .then(pl.lit("abstains now"))
        .when(old.is_null())
        .then(pl.lit("abstained before"))
        .when(reference.is_null())
        .then(pl.lit("changed, without a reference"))
        .when(new == reference)
        .then(pl.lit("right now"))
        .otherwise(pl.lit("wrong now"))
    )
    return both.filter(old.ne_missing(new)).with_columns(change=change)
