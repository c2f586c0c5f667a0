"""Sentences on what models say: flips against the quality gap, self-preference beside position and length."""

from __future__ import annotations

from recuse.figures.lookup import Lookup
from recuse.figures.wording import (
    Row,
    could_have_seen,
    interval_text,
    method_text,
    n_text,
    p_text,
    value_text,
)

__all__ = ["gap_sentences", "joint_sentences"]


def gap_sentences(lookup: Lookup, study: str | None) -> list[str]:
    """Say whether flips become rarer as other judges see the answers further apart."""
    row = lookup.one("flip_gap_slope", study=study)
    if row is None or row["estimate"] is None or row["conf_low"] is None:
        return []
    if row["conf_high"] < 0:
        said = "become rarer as the other judges see a larger gap between the answers"
    elif row["conf_low"] > 0:
        said = "become more frequent as the other judges see a larger gap between the answers"
    else:
        said = "are not shown to depend on the gap between the answers that the other judges see"
    sentence = (
        f"Over all judges flips {said}: slope {_logits(row)} from no gap to full agreement "
        f"({p_text(row['p_value'])}; {method_text(row['interval'])}; {n_text(row)}){could_have_seen(row)}."
    )
    return [sentence]


def joint_sentences(lookup: Lookup, study: str | None) -> list[str]:
    """Say whether own answers still gain once strengths, position and length are in the model."""
    said = [_own(lookup, study, judge) for judge in lookup.values("judge", "joint_own", study=study)]
    return [sentence for sentence in said if sentence]


def _own(lookup: Lookup, study: str | None, judge: str) -> str:
    row = lookup.one("joint_own", study=study, judge=judge)
    if row is None or row["estimate"] is None or row["conf_low"] is None:
        return ""
    length = lookup.one("joint_length", study=study, judge=judge)
    known = length is not None and length["estimate"] is not None
    held = "strengths, position and length" if known else "strengths and position"
    if row["conf_low"] > 0:
        verdict = "its verdicts still favour them"
    elif row["conf_high"] < 0:
        verdict = "its verdicts go against them"
    else:
        verdict = "no favour is shown, nor is one excluded"
    return (
        f"With {held} in one model, being its own answer adds {_logits(row)} before {lookup.name(judge)}: "
        f"{verdict} ({p_text(row['p_value'])}; {method_text(row['interval'])}; {n_text(row)})"
        f"{could_have_seen(row)}."
    )


def _logits(row: Row) -> str:
    return f"{value_text(row)} logits {interval_text(row)}"
