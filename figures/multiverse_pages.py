"""What a run of claims shows of its multiverse: a curve per claim, and the shares in one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import polars as pl

from recuse.analysis.claims.outcomes import Outcome
from recuse.analysis.multiverse.frame import SpecificationFrame
from recuse.analysis.multiverse.summary import holds_by_choice
from recuse.figures.claim_words import models_of, statement
from recuse.figures.names import plain
from recuse.figures.specification_curve import Curve, specification_curve
from recuse.figures.table import Table
from recuse.figures.wording import NOTHING, bare_number

if TYPE_CHECKING:
    import altair as alt

__all__ = ["curves", "multiverse_table", "share_text"]

QUANTITIES: Final = {
    "self_preference": "own score − baseline score",
    "self_preference_gradient": "difference of deltas between tiers",
    "beats": "mean score against the opponent",
    "ranking": "smallest difference between neighbours",
    "slot_preference": "slot-A rate",
    "slot_preference_gradient": "difference of slot-A rates between tiers",
    "longer_wins": "longer wins",
    "agreement": "agreement",
    "rate": "rate",
}


_NOTE: Final = (
    "A specification chooses how flips and unstable pairs are scored, whom the judge is compared with, what "
    "is taken as independent, what a tie counts, and whether a judge or a task is left out. It holds with "
    "p ≤ .05 on the claimed side, not adjusted; an absence with both one-sided tests. Lowest to highest: the "
    "estimate over feasible specifications. The share describes how much hangs on the choices; it is no test."
)


def curves(outcomes: Sequence[Outcome], specifications: SpecificationFrame) -> dict[str, alt.VConcatChart]:
    """Specification curve of each claim that has a feasible specification, by the claim's id."""
    names = models_of(outcome.claim for outcome in outcomes)
    drawn: dict[str, alt.VConcatChart] = {}
    for outcome in outcomes:
        claim = outcome.claim
        curve = Curve(
            says=statement(claim, names),
            null=claim.null,
            unit=_unit(outcome),
            margin=claim.margin_or_usual if claim.is_equivalence else None,
            published=None if claim.published is None else claim.published.estimate,
            quantity=QUANTITIES[claim.kind],
        )
        chart = specification_curve(specifications.filter(pl.col("claim") == claim.id), curve)
        if chart is not None:
            drawn[claim.id] = chart
    return drawn


def multiverse_table(outcomes: Sequence[Outcome], specifications: SpecificationFrame) -> Table:
    """Lay out in how many specifications each claim holds, and how far its estimate moves."""
    names = models_of(outcome.claim for outcome in outcomes)
    whole = {
        row["claim"]: row
        for row in holds_by_choice(specifications).filter(pl.col("choice").is_null()).to_dicts()
    }
    body: list[tuple[str, ...]] = []
    for outcome in outcomes:
        row, unit = whole[outcome.claim.id], _unit(outcome)
        spread = (
            NOTHING if row[name] is None else bare_number(row[name], unit)
            for name in ("lowest", "median", "highest")
        )
        share = f"{100 * row['n_holds'] / row['n_feasible']:.0f}" if row["n_feasible"] else NOTHING
        cells = (share, f"{row['n_holds']:,}", f"{row['n_feasible']:,}", f"{row['n'] - row['n_feasible']:,}")
        said = statement(outcome.claim, names)
        body.append((outcome.verdict, plain(outcome.claim.id), said, *cells, *spread))
    return Table(
        "multiverse",
        "Under how many defensible combinations of choices does each claim hold?",
        ("Verdict", "Claim", "What it says", "Holds, %", "Holds in", "Feasible", "Infeasible",
         "Lowest", "Median", "Highest"),
        tuple(body),
        3,
        _NOTE,
    )  # fmt: skip


def share_text(outcome: Outcome, specifications: SpecificationFrame) -> str:
    """Say in how many specifications a claim holds, for the text beside its ladder."""
    mine = specifications.filter(pl.col("claim") == outcome.claim.id)
    feasible = mine.filter(pl.col("holds").is_not_null())
    if not feasible.height:
        return f"None of {mine.height:,} specifications is feasible."
    held = int(feasible["holds"].sum())
    share = f"{100 * held / feasible.height:.0f} %"
    counted = f"It holds in {held:,} of {feasible.height:,} feasible specifications ({share})."
    usual = mine.filter(pl.col("is_usual"), pl.col("holds").is_null())["reason"].to_list()
    # Without the usual one, what is feasible may all rest on involved judges.
    return f"{counted} The usual one is not among them: {plain(usual[0])}." if usual else counted


def _unit(outcome: Outcome) -> str:
    claim = outcome.claim
    if claim.kind == "agreement":
        return "proportion" if getattr(claim, "statistic", "") == "raw_agreement" else "coefficient"
    return "difference" if claim.is_difference else "proportion"
