"""Sentences about quantities whose interval may include the null, and what the design could have seen."""

from __future__ import annotations

from recuse.analysis.diagnosis import CHANCE_MARGIN
from recuse.figures.lookup import Lookup
from recuse.figures.wording import (
    could_have_seen,
    detectable_span,
    method_text,
    n_text,
    with_interval,
)

__all__ = ["chance_agreement", "tier_gradient"]

_PAIRS = 3
"""Pairs of judges named one by one."""


def tier_gradient(lookup: Lookup, study: str | None, judge: str) -> str | None:
    """Say how a judge's self-preference changes from the most objective to the most subjective tier."""
    name = "self_preference_tier_gradient"
    keys: dict[str, str | None] = {"study": study, "judge": judge, "baseline": "uninvolved"}
    tiers = next(iter(lookup.values("group", name, **keys)), None)
    row = lookup.one(name, group=tiers, **keys)
    if row is None or row["estimate"] is None or row["conf_low"] is None:
        return None
    high, _, low = str(tiers).partition(" - ")
    return (
        f"From {low} to {high} tasks {lookup.name(judge)}'s self-preference against uninvolved judges "
        f"changes by {with_interval(row)} ({method_text(row['interval'])}; {n_text(row)})"
        f"{could_have_seen(row)}."
    )


def chance_agreement(lookup: Lookup, study: str | None) -> list[str]:
    """Say which pairs of judges are not told from chance, and what the design could have told."""
    pairs = [
        (judge, other, row)
        for judge in lookup.values("judge", "cohen_kappa", study=study)
        for other in lookup.values("judge_2", "cohen_kappa", study=study, judge=judge)
        if (row := lookup.one("cohen_kappa", study=study, judge=judge, judge_2=other)) is not None
        and row["conf_low"] is not None
    ]
    # An interval close around 0 is evidence of it; the diagnosis says so.
    unclear = [
        pair
        for pair in pairs
        if pair[2]["conf_low"] <= 0 <= pair[2]["conf_high"]
        and max(-pair[2]["conf_low"], pair[2]["conf_high"]) > CHANCE_MARGIN
    ]
    if not unclear:
        return []
    named = "; ".join(
        f"{lookup.name(judge)} and {lookup.name(other)} {with_interval(row)}"
        for judge, other, row in unclear[:_PAIRS]
    )
    more = f" and {len(unclear) - _PAIRS} more" if len(unclear) > _PAIRS else ""
    seen = [row["mde"] for *_, row in unclear if row["mde"] is not None]
    reach = ""
    if seen:
        span = detectable_span(seen, "coefficient")
        reach = f"; this design could have seen {span} (minimum detectable effect)"
    count = f"{len(unclear)} of {len(pairs)} pairs"
    sentence = (
        f"The κ of {count} of judges has an interval that includes 0 ({named}{more}){reach}, so this is not "
        "evidence of chance agreement."
    )
    return [sentence]
