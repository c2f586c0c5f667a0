"""The judge calls that would leave no claim without an uninvolved judge: who, on what, in which order."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from recuse.analysis.cells import each_cell
from recuse.analysis.extra_judgments import PAIR, lacking_delta, smallest_set
from recuse.analysis.families import family_of
from recuse.analysis.involvement import RECUSALS
from recuse.analysis.self_preference import against_baselines
from recuse.schema import ComparisonFrame

__all__ = ["judgment_plan"]


def judgment_plan(comparisons: ComparisonFrame, families: Mapping[str, str] | None = None) -> pl.DataFrame:
    """List the calls after which every own comparison has an uninvolved judge, the smallest set first.

    Parameters
    ----------
    comparisons
        All comparisons; their model judges are the candidates.
    families
        The study's own name patterns → family, before the shipped table.

    Returns
    -------
    pl.DataFrame
        One row per judge call: ``study``, ``baseline``, ``part`` (``smallest``: the fewest that leave each
        claim two tasks; ``every comparison``: what is missing beyond them), ``task_id``, ``tier``, ``judge``
        (null: nobody of the panel qualifies), ``who`` (who qualifies, in words), ``slot_a``, ``variant_a``,
        ``slot_b``, ``variant_b``, and ``serves``: the judges whose claims need it.

    Notes
    -----
    A judge of an uninvolved family is named before one that only is no contestant, so that one call serves
    both baselines where it can.
    """
    own = against_baselines(comparisons, RECUSALS)
    names = pl.concat([comparisons[name].cast(pl.String) for name in ("judge", "first", "second")])
    family = family_of(names.unique().sort().to_list(), families)
    panel = comparisons.filter(pl.col("judge_kind") == "model").select(
        pl.col("study", "judge").cast(pl.String)
    )
    panel = panel.unique().sort("study", "judge")
    parts: list[pl.DataFrame] = []
    for keys, cell in each_cell(own.filter(pl.col("baseline").is_in(RECUSALS)), ["study", "baseline"]):
        judges = panel.filter(pl.col("study") == keys["study"])["judge"]
        who = _qualified(cell, judges, family, by_family=keys["baseline"] == "uninvolved_family")
        sides = cell.select(pl.col(PAIR).cast(pl.String), pl.exclude(PAIR)).join(who, on=["first", "second"])
        parts.append(_calls(sides.with_columns(outside=pl.col("candidate").is_null()), who))
    if not parts:
        return pl.DataFrame()
    by = ["study", "baseline", "part"]
    return pl.concat(parts).sort(by, descending=[False, False, True], maintain_order=True)


def _qualified(
    own: pl.DataFrame, judges: pl.Series, family: Mapping[str, str], *, by_family: bool
) -> pl.DataFrame:
    """Say for each pair of generators which judge of the panel may be asked, and who may in words."""
    pairs = own.select(pl.col("first", "second").cast(pl.String)).unique().sort("first", "second")
    kin = {side: pl.col(side).replace_strict(family) for side in ("first", "second")}
    related = (pl.col("candidate_family") == kin["first"]) | (pl.col("candidate_family") == kin["second"])
    contestant = (pl.col("candidate") == pl.col("first")) | (pl.col("candidate") == pl.col("second"))
    candidates = pl.DataFrame({"candidate": judges}).with_columns(
        candidate_family=pl.col("candidate").replace_strict(family, return_dtype=pl.String)
    )
    fit = (
        pairs.join(candidates, how="cross")
        .filter(~(related if by_family else contestant))
        .sort("first", "second", related, "candidate")
        .group_by("first", "second", maintain_order=True)
        .agg(pl.col("candidate").first(), pl.col("candidate").alias("all"))
    )
    beyond = (
        pl.when(kin["first"] == kin["second"])
        .then(pl.format("a judge of a family other than {}", kin["first"]))
        .otherwise(pl.format("a judge of a family other than {} and {}", kin["first"], kin["second"]))
        if by_family
        else pl.format("a judge other than {} and {}", "first", "second")
    )
    return (
        pairs.join(fit, on=["first", "second"], how="left")
        .with_columns(who=pl.coalesce(pl.col("all").list.join(" or "), beyond))
        .drop("all")
    )


def _calls(own: pl.DataFrame, who: pl.DataFrame) -> pl.DataFrame:
    least, _ = smallest_set(own)
    lacking = lacking_delta(own)
    chosen = lacking.join(
        least.select(*PAIR, "judge", part=pl.lit("smallest")),
        on=[*PAIR, "judge"],
        how="left",
        nulls_equal=True,
        maintain_order="left",
    ).with_columns(pl.col("part").fill_null("every comparison"))
    keys = [*PAIR, "tier", "baseline"]
    serves = pl.col("judge").sort().str.join(" and ").alias("serves")
    uninvolved = (
        chosen.filter(pl.col("peers").is_null())
        .sort(*PAIR, "judge")
        .group_by(keys, maintain_order=True)
        .agg(pl.col("part").max(), serves)
        .join(who, on=["first", "second"])
        .rename({"candidate": "judge"})
    )
    its_own = chosen.filter(pl.col("own").is_null()).with_columns(who=pl.col("judge"), serves=pl.col("judge"))
    columns = [*keys, "part", "judge", "who", "serves"]
    asked = pl.concat([uninvolved.select(columns), its_own.select(columns)])
    orders = [
        asked.select(
            "study", "baseline", "part", "task_id", "tier", "judge", "who",
            slot_a=one, variant_a=f"{one}_variant", slot_b=other, variant_b=f"{other}_variant",
            serves="serves",
        )
        for one, other in (("first", "second"), ("second", "first"))
    ]  # fmt: skip
    return pl.concat(orders).sort(
        "part", "task_id", "judge", "serves", descending=[True, False, False, False]
    )
