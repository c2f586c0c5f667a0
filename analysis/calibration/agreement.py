"""Agreement between the humans first, then between each judge and the humans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl

from recuse.analysis.calibration.cases import Calibration, each_group
from recuse.analysis.calibration.counts import exact_rate
from recuse.analysis.calibration.reference import human_labels
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.inference import nominal
from recuse.analysis.inference.clusters import FloatArray
from recuse.analysis.inference.jackknife import jackknife_interval
from recuse.errors import JudgmentsError
from recuse.schema import CONFIDENCE_LEVEL, EstimateFrame

__all__ = ["BETWEEN_HUMANS", "WITH_REFERENCE", "agreement_with_humans", "kappa_row", "pair_table"]

BETWEEN_HUMANS = "between_humans"
WITH_REFERENCE = "human_reference"


def agreement_with_humans(calibration: Calibration, *, conf_level: float = CONFIDENCE_LEVEL) -> EstimateFrame:
    """Share of equal labels and Cohen's kappa: between humans (the ceiling), then judge and reference.

    ``raw_agreement``: share of cases with equal labels among those that both decided. ``human_kappa``: 1
    complete agreement, 0 what both raters' own approval rates would give by chance, below 0 less than
    that. ``scoring`` is ``approved``, or ``choice`` for raters of pairs whose picks are on file: kappa over
    more than two words differs from kappa over approvals. An adjudicator is left out between humans, since
    only disputed cases came to him or her. ``n_dropped`` counts cases that one of the two did not decide.

    Raw agreement has an exact interval; kappa the jackknife over cases with t(n − 1).

    References
    ----------
    Cohen (1960), Educational and Psychological Measurement 20(1).
    """
    rows: list[Estimate] = []
    base = Estimate(
        estimand="human_kappa", unit="coefficient", study=calibration.study, split=calibration.split
    )
    humans = _human_pairs(calibration)
    if not humans:
        rows.append(
            replace(base, baseline=BETWEEN_HUMANS, scoring="approved").undefined(
                "no two humans labelled one case: how far humans agree is not known"
            )
        )
    for one, other, pairs in humans:
        named = replace(base, judge=one, judge_2=other, baseline=BETWEEN_HUMANS)
        rows += _rows(named, pairs, calibration.case_types, conf_level)
    for judge in calibration.judges:
        named = replace(base, judge=judge, baseline=WITH_REFERENCE)
        mine = calibration.judged.filter((pl.col("judge") == judge) & pl.col("reference").is_not_null())
        pairs = mine.select(
            "case_type",
            approved_one="approved",
            approved_other="reference",
            choice_one="choice",
            choice_other="reference_choice",
        )
        rows += _rows(named, pairs, calibration.case_types, conf_level)
    return estimate_frame(rows)


def pair_table(one: Sequence[object], other: Sequence[object]) -> FloatArray:
    """Cross the labels of two raters; shape (q, q), words in sorted order, nulls left out.

    Raises
    ------
    JudgmentsError
        The two do not have as many labels.
    """
    if len(one) != len(other):
        raise JudgmentsError(
            "both raters label the same cases",
            [f"{len(one)} against {len(other)} labels"],
            "join them by case",
        )
    frame = pl.DataFrame({"one": list(map(_word, one)), "other": list(map(_word, other))}).drop_nulls()
    words = sorted({*frame["one"], *frame["other"]})
    codes = {word: code for code, word in enumerate(words)}
    table = np.zeros((len(words), len(words)))
    counted = frame.group_by("one", "other").len()
    for left, right, n in counted.iter_rows():
        table[codes[left], codes[right]] = n
    return table


def kappa_row(row: Estimate, table: FloatArray, conf_level: float) -> Estimate:
    """Fill a row with Cohen's kappa of a table of counts, each case its own task."""
    n = int(table.sum())
    row = replace(row, n_tasks=n)
    if not n:
        return row.undefined(row.reason or "no case that both decided")
    value = _kappa(table)
    if np.isnan(value):
        return row.undefined("one category only: kappa is 0/0")
    cells = np.argwhere(table > 0)
    without = np.repeat(table[None], len(cells), axis=0)
    without[np.arange(len(cells)), cells[:, 0], cells[:, 1]] -= 1
    replicates = np.repeat(nominal.cohen_kappa(without, symmetric=False), table[table > 0].astype(np.int64))
    interval = jackknife_interval(value, replicates, bounds=(-1.0, 1.0), conf_level=conf_level)
    interval = replace(interval, reason=(interval.reason or "").replace("task", "case") or None)
    return replace(row, estimate=value).with_interval(interval, conf_level)


def _kappa(table: FloatArray) -> float:
    return float(nominal.cohen_kappa(table[None], symmetric=False)[0])


def _word(value: object) -> str | None:
    return None if value is None else str(value)


def _human_pairs(calibration: Calibration) -> list[tuple[str, str, pl.DataFrame]]:
    labels = human_labels(calibration.labels).filter(  # type: ignore[arg-type]
        ~pl.col("rater").is_in(calibration.adjudicators)
    )
    humans = sorted(labels["rater"].unique().to_list())
    found: list[tuple[str, str, pl.DataFrame]] = []
    for one, other in combinations(humans, 2):
        sides = [
            labels.filter(pl.col("rater") == rater).select(
                "case_id", "case_type", pl.col("approved", "choice").name.suffix(suffix)
            )
            for rater, suffix in ((one, "_one"), (other, "_other"))
        ]
        pairs = sides[0].join(sides[1].drop("case_type"), on="case_id", how="inner")
        if pairs.height:
            found.append((one, other, pairs))
    return found


def _rows(
    base: Estimate, pairs: pl.DataFrame, case_types: Sequence[str], conf_level: float
) -> Iterator[Estimate]:
    chosen = pairs.select((pl.col("choice_one", "choice_other").is_not_null()).any()).row(0)
    scorings = ["approved", "choice"] if all(chosen) else ["approved"]
    for scoring in scorings:
        for group, cases in each_group(pairs, case_types):
            table = pair_table(cases[f"{scoring}_one"].to_list(), cases[f"{scoring}_other"].to_list())
            n = int(table.sum())
            row = replace(base, group=group, scoring=scoring, n_dropped=cases.height - n)
            yield exact_rate(
                replace(row, estimand="raw_agreement", unit="proportion"),
                int(np.trace(table)),
                n,
                conf_level,
                "no case that both decided",
            )
            yield kappa_row(row, table, conf_level)
