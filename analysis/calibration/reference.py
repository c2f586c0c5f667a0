"""What the humans say of a case, once their labels are brought together."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import polars as pl

from recuse.errors import UnknownNameError
from recuse.labels import LabelFrame

__all__ = ["ADJUDICATORS", "BASES", "adjudicators_of", "human_labels", "human_reference"]

ADJUDICATORS: Final = ("adjudicator", "adjudicated")
"""Names of raters whose label settles a case, where no other name is given."""
BASES: Final = ("adjudicated", "unanimous", "majority", "disagree", "abstained", "nobody")
"""How a case came to its reference; the last three have none."""


def adjudicators_of(labels: LabelFrame, name: str | None = None) -> list[str]:
    """Name the human raters whose label settles a case.

    Parameters
    ----------
    labels
        The labels.
    name
        The adjudicator's name; None takes whoever is called one of ``ADJUDICATORS``.

    Raises
    ------
    UnknownNameError
        No human rater has that name.
    """
    humans = labels.filter(pl.col("rater_kind") == "human")["rater"].unique().sort().to_list()
    if name is None:
        return [human for human in humans if human.lower() in ADJUDICATORS]
    if name not in humans:
        raise UnknownNameError("human rater", name, humans)
    return [name]


def human_labels(labels: LabelFrame) -> pl.DataFrame:
    """Keep one label per human and case: probe ``main``, and of repetitions the first."""
    return (
        labels.filter((pl.col("rater_kind") == "human") & (pl.col("probe") == "main"))
        .sort("case_id", "rater", "replicate", maintain_order=True)
        .unique(["case_id", "rater"], keep="first", maintain_order=True)
    )


def human_reference(labels: LabelFrame, adjudicators: Collection[str] = ()) -> pl.DataFrame:
    """Settle each case: the adjudicator's label, else what all or most humans say.

    Humans who abstained do not count. Two that disagree, with nobody to settle it, leave a case without a
    reference; it then enters no error rate.

    Parameters
    ----------
    labels
        The labels.
    adjudicators
        Human raters whose label settles a case.

    Returns
    -------
    polars.DataFrame
        One row per case: ``case_id, case_type, split``; ``reference`` (approved by the humans, or null);
        ``basis`` (one of ``BASES``); ``reference_choice``, what the adjudicator or most humans picked (null
        where no pick is commonest); ``reference_checks``, the criteria that the adjudicator or more than
        half of the deciding humans found failed, and ``open_checks``, those that exactly half did. Both are
        null where no human recorded any.
    """
    settles = pl.col("rater").is_in(list(adjudicators))
    humans = human_labels(labels).with_columns(settles=settles)
    approved = pl.col("approved")
    votes = humans.group_by("case_id").agg(
        adjudicated=approved.filter("settles").drop_nulls().first(),
        n_yes=(approved & ~pl.col("settles")).sum(),
        n_no=(~approved & ~pl.col("settles")).sum(),
    )
    cases = labels.group_by("case_id").agg(pl.col("case_type").first(), pl.col("split").first())
    majority = (
        pl.when(pl.col("n_yes") > pl.col("n_no"))
        .then(pl.lit(value=True))
        .when(pl.col("n_no") > pl.col("n_yes"))
        .then(pl.lit(value=False))
    )
    basis = (
        pl.when(pl.col("n_yes").is_null())
        .then(pl.lit("nobody"))
        .when(pl.col("adjudicated").is_not_null())
        .then(pl.lit("adjudicated"))
        .when(pl.col("n_yes") + pl.col("n_no") == 0)
        .then(pl.lit("abstained"))
        .when(pl.col("n_yes") == pl.col("n_no"))
        .then(pl.lit("disagree"))
        .when(pl.min_horizontal("n_yes", "n_no") == 0)
        .then(pl.lit("unanimous"))
        .otherwise(pl.lit("majority"))
    )
    return (
        cases.join(votes, on="case_id", how="left")
        .join(_choices(humans), on="case_id", how="left")
        .join(_checks(humans), on="case_id", how="left")
        .select(
            "case_id",
            "case_type",
            "split",
            reference=pl.coalesce("adjudicated", majority),
            basis=basis,
            reference_choice="reference_choice",
            reference_checks="reference_checks",
            open_checks="open_checks",
        )
        .sort("case_id")
    )


def _choices(humans: pl.DataFrame) -> pl.DataFrame:
    """Take the adjudicator's pick where there is one, else the commonest."""
    counted = (
        humans.filter(pl.col("choice").is_not_null())
        .group_by("case_id", "choice")
        .agg(n=pl.len(), settled=pl.col("settles").any())
    )
    most = counted.filter(pl.col("n") == pl.col("n").max().over("case_id"))
    commonest = pl.when(pl.col("choice").len() == 1).then(pl.col("choice").first())
    return (
        most.group_by("case_id")
        .agg(commonest=commonest)
        .join(
            counted.filter("settled").group_by("case_id").agg(settled=pl.col("choice").first()),
            on="case_id",
            how="left",
        )
        .select("case_id", reference_choice=pl.coalesce("settled", "commonest"))
    )


def _checks(humans: pl.DataFrame) -> pl.DataFrame:
    """Take the adjudicator's failed checks where there are some, else those of most humans."""
    decided = humans.filter(pl.col("approved").is_not_null())
    recorded = decided["rater"].is_in(
        decided.filter(pl.col("failed_checks").is_not_null())["rater"].unique().to_list()
    )
    decided = decided.filter(recorded).with_columns(
        settled=pl.col("settles").any().over("case_id"),
    )
    decided = decided.filter(pl.col("settles") | ~pl.col("settled"))
    n_humans = decided.group_by("case_id").agg(n_humans=pl.len())
    named = (
        decided.select("case_id", "failed_checks")
        .explode("failed_checks", empty_as_null=False, keep_nulls=False)
        .group_by("case_id", "failed_checks")
        .agg(n_naming=pl.len())
        .join(n_humans, on="case_id")
    )
    twice, n = 2 * pl.col("n_naming"), pl.col("n_humans")
    by_case = named.group_by("case_id").agg(
        reference_checks=pl.col("failed_checks").filter(twice > n).sort(),
        open_checks=pl.col("failed_checks").filter(twice == n).sort(),
    )
    nothing = pl.lit([], dtype=pl.List(pl.String))
    return n_humans.join(by_case, on="case_id", how="left").select(
        "case_id",
        reference_checks=pl.col("reference_checks").fill_null(nothing),
        open_checks=pl.col("open_checks").fill_null(nothing),
    )
