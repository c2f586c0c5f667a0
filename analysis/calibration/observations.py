"""What a reader of a calibration has to know of the labels, and what entered nothing."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from recuse.analysis.calibration.cases import Calibration
from recuse.errors import name_up_to_three
from recuse.labels import SPLITS, LabelFrame

__all__ = ["observations"]


def observations(calibration: Calibration, labels: LabelFrame) -> list[str]:
    """Say in one line each how cases came to their reference and which cases enter no error rate.

    Parameters
    ----------
    calibration
        The split that is looked at.
    labels
        The whole file; only types and splits are read of the other split.
    """
    return [
        *_how_settled(calibration),
        *_without_reference(calibration),
        *_not_judged(calibration),
        *_types_in_one_split(calibration, labels),
        *_repeated(calibration),
    ]


def _named(cases: pl.Series) -> str:
    return name_up_to_three(cases.sort().to_list())


def _n(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _how_settled(calibration: Calibration) -> Iterator[str]:
    counts = dict(calibration.cases["basis"].value_counts().iter_rows())
    settled = [
        f"{counts[basis]:,} {words}"
        for basis, words in (
            ("unanimous", "where all humans say the same"),
            ("majority", "by majority"),
            ("adjudicated", f"settled by {', '.join(calibration.adjudicators)}"),
        )
        if counts.get(basis)
    ]
    if settled:
        yield f"human reference: {', '.join(settled)}"


def _without_reference(calibration: Calibration) -> Iterator[str]:
    by_basis = calibration.cases.partition_by("basis", as_dict=True)
    decided = calibration.judged.filter(pl.col("approved").is_not_null())["case_id"].unique().to_list()
    disagree = by_basis.get(("disagree",))
    if disagree is not None:
        yield (
            f"{_n(disagree.height, 'case')} on which the humans disagree and nobody adjudicated "
            f"({_named(disagree['case_id'])}): in no error rate"
        )
    nobody = calibration.cases.filter(
        pl.col("basis").is_in(["abstained", "nobody"]) & ~pl.col("case_id").is_in(decided)
    )
    if nobody.height:
        yield f"{_n(nobody.height, 'case')} labelled by nobody ({_named(nobody['case_id'])}): in no rate"
    abstained = by_basis.get(("abstained",))
    if abstained is not None:
        judged = abstained.filter(pl.col("case_id").is_in(decided))
        if judged.height:
            yield (
                f"{_n(judged.height, 'case')} on which every human abstained ({_named(judged['case_id'])}): "
                "in no error rate"
            )
    unlabelled = by_basis.get(("nobody",))
    if unlabelled is not None:
        judged = unlabelled.filter(pl.col("case_id").is_in(decided))
        if judged.height:
            yield f"{_n(judged.height, 'case')} without a human label: in pass rates only"


def _not_judged(calibration: Calibration) -> Iterator[str]:
    settled = calibration.cases.filter(pl.col("reference").is_not_null())["case_id"]
    for judge in calibration.judges:
        mine = calibration.judged.filter(pl.col("judge") == judge)["case_id"].to_list()
        missing = settled.filter(~settled.is_in(mine))
        if len(missing):
            said = f"{_n(len(missing), 'case')} ({_named(missing)})"
            yield f"{judge} has no label for {said}: in none of its rates"


def _types_in_one_split(calibration: Calibration, labels: LabelFrame) -> Iterator[str]:
    splits = labels.group_by("case_type").agg(pl.col("split").unique()).sort("case_type")
    other = next(split for split in SPLITS if split != calibration.split)
    for case_type, found in splits.iter_rows():
        if len(found) == 1 and labels["split"].n_unique() > 1:
            empty = calibration.split if found[0] == other else other
            yield f"type {case_type} is only in split {found[0]}: {empty} says nothing of it"


def _repeated(calibration: Calibration) -> Iterator[str]:
    main = calibration.labels.filter(
        (pl.col("probe") == "main") & (pl.col("rater_kind") == "model") & (pl.col("replicate") > 0)
    )
    if main.height:
        yield (
            f"{_n(main.height, 'repeated label')} of probe main: the first of each case enters the errors, "
            "all enter the agreement between askings"
        )
