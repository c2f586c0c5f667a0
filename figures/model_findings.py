"""Sentences on what models say: flips against the quality gap, self-preference beside position and length."""

from __future__ import annotations

from recuse.figures.lookup import Lookup
from recuse.figures.wording import Row, interval_text, method_text, n_text, p_text, value_text

__all__ = ["gap_sentences"]


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
        f"({p_text(row['p_value'])}; {method_text(row['interval'])}; {n_text(row)})."
    )
    return [sentence]


def _logits(row: Row) -> str:
    return f"{value_text(row)} logits {interval_text(row)}"
