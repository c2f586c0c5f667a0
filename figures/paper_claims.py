"""The table of claims as a paper prints it: what is claimed, what became of it, and what decided."""

from __future__ import annotations

from collections.abc import Sequence

from recuse.analysis.claims.outcomes import Outcome
from recuse.figures.claim_tables import as_published, where_decided
from recuse.figures.claim_words import MEANINGS, models_of, statement
from recuse.figures.names import plain
from recuse.figures.table import Table
from recuse.figures.wording import p_text

__all__ = ["paper_claims_table"]


def paper_claims_table(outcomes: Sequence[Outcome]) -> Table:
    """One row per claim, in the order of the file; the ladders themselves are for ``recuse claims``."""
    names = models_of(outcome.claim for outcome in outcomes)
    stated = [statement(outcome.claim, names) for outcome in outcomes]
    body = tuple(
        (
            said if stated.count(said) == 1 else f"{said} ({plain(outcome.claim.id)})",
            outcome.verdict,
            as_published(outcome),
            where_decided(outcome)[0],
            p_text(outcome.p_adjusted, name=False),
        )
        for said, outcome in zip(stated, outcomes, strict=True)
    )
    used = [verdict for verdict in MEANINGS if any(outcome.verdict == verdict for outcome in outcomes)]
    told = [f"{verdict.capitalize()}: {MEANINGS[verdict]}." for verdict in used]
    if any(row[2].startswith("(") for row in body):
        told.append("In brackets: the naive reading, where nothing printed is on file.")
    rungs = sorted({where_decided(outcome)[1] for outcome in outcomes if outcome.decided_by is not None})
    told.append(f"Deciding rungs: {'; '.join(rungs)}." if rungs else "")
    return Table(
        "paper_claims",
        "Published claims on the ladder: what is left on the rung that decides.",
        ("Claim", "Verdict", "As published", "Where it is decided", "p, Holm"),
        body,
        2,
        " ".join(told).strip(),
    )
