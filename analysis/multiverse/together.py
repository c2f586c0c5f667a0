"""The multiverse of several claims, with what they share made once."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from recuse.analysis.claims.evidence import gather
from recuse.analysis.claims.parsing import check_names
from recuse.analysis.claims.record import Claim
from recuse.analysis.multiverse.evaluation import multiverse
from recuse.analysis.multiverse.frame import SpecificationFrame, Specifications
from recuse.analysis.multiverse.variants import Variants
from recuse.schema import TIERS, ComparisonFrame

__all__ = ["multiverses"]


def multiverses(
    claims: Sequence[Claim],
    comparisons: ComparisonFrame,
    *,
    tiers: tuple[str, ...] = TIERS,
    study: Sequence[str] = (),
) -> SpecificationFrame:
    """Evaluate every claim over all combinations of choices, in the order of the claims.

    Parameters
    ----------
    claims
        What is claimed; their ids tell the rows apart.
    comparisons
        From :func:`recuse.analysis.comparisons.compare`, under any scoring rule.
    tiers
        Tiers in ascending order of subjectivity.
    study
        Studies of the claims that name none; none means all, pooled.

    Raises
    ------
    UnknownNameError
        A claim names a study, judge, generator, tier, probe or task that is not there.
    """
    check_names(claims, comparisons, study)
    shared: dict[tuple[str, ...], Variants] = {}
    frames: list[pl.DataFrame] = [Specifications.create_empty()]
    for claim in claims:
        studies = claim.study or tuple(study)
        if studies not in shared:
            shared[studies] = Variants(gather(comparisons, studies, tiers))
        variants = shared[studies]
        judges = variants.evidence.comparisons["judge"].unique().sort().to_list()
        frames.append(multiverse(claim, variants.evidence, judges, variants))
    return Specifications.validate(pl.concat(frames))
