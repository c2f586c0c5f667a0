"""Stored verdicts beside what the judge's own text says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import polars as pl

from recuse.collectors.importers.declaration import Presentation
from recuse.collectors.importers.wording import counted
from recuse.collectors.readers import ROW
from recuse.collectors.verdict_parser import parse_verdict
from recuse.errors import name_up_to_three

__all__ = ["reparsed_notes"]


def reparsed_notes(frame: pl.DataFrame, presentations: Sequence[Presentation]) -> list[str]:
    """Parse the raw texts again and say how often they disagree with the stored verdict.

    Parameters
    ----------
    frame
        Judgments with ``raw``, ``verdict`` and ``ROW``.
    presentations
        Those of the format; the first says how its texts are read, or that they are not.

    Returns
    -------
    list of str
        Nothing where there is no text to parse. The stored verdict counts in every case.
    """
    words = next((one.reparsed for one in presentations if one.reparsed is not None), None)
    if words is None or "raw" not in frame.columns:
        return []
    with_text = frame.filter(pl.col("raw").is_not_null()).select(ROW, "raw", "verdict")
    if with_text.is_empty():
        return []
    counts: Counter[str] = Counter()
    differing: list[str] = []
    for row, raw, stored in with_text.iter_rows():
        parsed = parse_verdict(raw, words)
        if parsed.is_contradictory:
            counts["states two verdicts"] += 1
        elif parsed.verdict == stored:
            counts["agrees"] += 1
        elif parsed.verdict is None:
            counts["states none that the strict parser reads"] += 1
        else:
            kind = "states one where none is stored" if stored is None else "states another"
            counts[kind] += 1
            differing.append(f"{row:,} ({stored or 'none'} stored, {parsed.verdict} in the text)")
    spoken = "; ".join(f"{kind} {n:,}" for kind, n in counts.most_common())
    named = f"; {name_up_to_three(differing)}" if differing else ""
    texts = counted(with_text.height, "text", "texts")
    return [f"{texts} parsed again beside the stored verdicts, which count: {spoken}{named}"]
