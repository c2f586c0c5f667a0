"""Judges beside the human reference, one row per judge and case."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import polars as pl

from recuse.analysis.calibration.reference import human_reference
from recuse.errors import UndefinedEstimateError
from recuse.labels import SPLITS, LabelFrame

__all__ = ["Calibration", "calibration_of", "each_group", "judge_names", "named_judges"]


@dataclass(frozen=True, slots=True)
class Calibration:
    """One split of a file of labels, made ready for the estimands."""

    study: str
    split: str
    cases: pl.DataFrame
    """One row per case of the split: ``case_id, case_type, reference, basis``, and the failed checks."""
    judged: pl.DataFrame
    """One row per judge and case of the split: ``judge, case_id, approved, reference``, and what belongs."""
    labels: pl.DataFrame
    """The labels of the split, with ``judge`` naming models by version where a file has several."""
    judges: tuple[str, ...]
    case_types: tuple[str, ...]
    """Every type of the file, also those that this split does not have."""
    adjudicators: tuple[str, ...]


def judge_names(labels: LabelFrame) -> pl.DataFrame:
    """Name each version of each model: ``rater``, with ``@version`` and ``/rubric`` where these vary.

    Returns
    -------
    polars.DataFrame
        ``rater, judge_version, rubric_version, judge``, one row per version.
    """
    versions = (
        labels.filter(pl.col("rater_kind") == "model")
        .select("rater", "judge_version", "rubric_version")
        .unique()
        .sort("rater", "judge_version", "rubric_version", nulls_last=False)
    )
    version, rubric = pl.col("judge_version"), pl.col("rubric_version")
    suffix = [
        pl.when(column.n_unique().over("rater") > 1)
        .then(pl.lit(mark) + column.fill_null("none"))
        .otherwise(pl.lit(""))
        for mark, column in (("@", version), ("/", rubric))
    ]
    return versions.with_columns(judge=pl.concat_str("rater", *suffix))


def named_judges(labels: LabelFrame) -> pl.DataFrame:
    """Give the labels a column ``judge``: the model's name, with its version where there are several."""
    keys = ["rater", "judge_version", "rubric_version"]
    return labels.join(
        judge_names(labels), on=keys, how="left", nulls_equal=True, maintain_order="left"
    ).with_columns(judge=pl.when(pl.col("rater_kind") == "model").then("judge").otherwise("rater"))


def calibration_of(
    labels: LabelFrame,
    *,
    study: str,
    split: str = "dev",
    adjudicators: Collection[str] = (),
) -> Calibration:
    """Take one split and set every judge beside the human reference.

    Of a judge's repeated labels of one case (probe ``main``) the first counts.

    Raises
    ------
    UndefinedEstimateError
        The split has no case, or no model or no human labelled any.
    """
    types = tuple(labels.filter(pl.col("probe") == "main")["case_type"].unique().sort().to_list())
    reference = human_reference(labels, adjudicators).filter(pl.col("split") == split)
    main = pl.col("probe") == "main"
    named = named_judges(labels).filter(pl.col("split") == split)
    if not named.height:
        others = [other for other in SPLITS if other != split]
        raise UndefinedEstimateError(f"no case is in split {split}: all are in {', '.join(others)}")
    models = (
        named.filter(main & (pl.col("rater_kind") == "model"))
        .sort("judge", "case_id", "replicate")
        .unique(["judge", "case_id"], keep="first", maintain_order=True)
    )
    if not models.height:
        raise UndefinedEstimateError(
            f"no row of split {split} is a model's label of probe main: give its rows rater_kind model"
        )
    if not named.filter(main & (pl.col("rater_kind") == "human")).height:
        raise UndefinedEstimateError(
            f"no human labelled a case of split {split}: a judge is calibrated against human labels"
        )
    judged = models.select("judge", "case_id", "approved", "failed_checks", "choice").join(
        reference.drop("split"), on="case_id", how="left", maintain_order="left"
    )
    return Calibration(
        study=study,
        split=split,
        cases=reference.filter(pl.col("case_id").is_in(named.filter(main)["case_id"].unique().to_list())),
        judged=judged,
        labels=named,
        judges=tuple(judged["judge"].unique().sort().to_list()),
        case_types=types,
        adjudicators=tuple(adjudicators),
    )


def each_group(frame: pl.DataFrame, case_types: Collection[str]) -> Iterator[tuple[str | None, pl.DataFrame]]:
    """Go through all cases together (group null), then the cases of each type, also where there are none."""
    yield None, frame
    for case_type in case_types:
        yield f"case_type={case_type}", frame.filter(pl.col("case_type") == case_type)
