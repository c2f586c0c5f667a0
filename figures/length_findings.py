"""Sentences about length: the raw rate, what the model puts down to it, and what the probe shows."""

from __future__ import annotations

from recuse.figures.lookup import Lookup
from recuse.figures.wording import Row, could_have_seen, is_sampled, n_text, number, with_interval

__all__ = ["length_sentence", "raw_beside_controlled"]


def length_sentence(lookup: Lookup, study: str | None, judge: str) -> str | None:
    """Say how often the longer answer wins with a judge, and what of it the model puts down to length."""
    raw = lookup.one("longer_wins_rate", study=study, judge=judge)
    share = lookup.one("length_length_share", study=study, judge=judge)
    if raw is None or raw["estimate"] is None or share is None or share["estimate"] is None:
        return None
    probe = lookup.one("long_wins_score", study=study, judge=judge, probe="length")
    controlled = "no length probe holds the rest fixed"
    if probe is not None and probe["estimate"] is not None:
        controlled = (
            "in the length probe, which holds the rest fixed, the longer answer scores "
            f"{with_interval(probe)} ({n_text(probe)})"
        )
    fitted = " (fitted to a sample of tasks)" if is_sampled(share) else ""
    return (
        f"With {lookup.name(judge)} the longer answer wins {with_interval(raw)} of decisions "
        f"({n_text(raw)}{could_have_seen(raw, 0.5)}), nothing held fixed; of its distance from "
        f"50 % the model puts {with_interval(share)} down to length{fitted}{could_have_seen(share)}; "
        f"{controlled}."
    )


def raw_beside_controlled(lookup: Lookup, study: str | None) -> list[str]:
    """Say where the raw rate at which longer answers win is no sign of what the length probe shows."""
    raw: list[str] = []
    hidden: list[tuple[str, str]] = []
    controlled: list[Row] = []
    for judge in lookup.values("judge", "longer_wins_rate", study=study):
        row = lookup.one("longer_wins_rate", study=study, judge=judge)
        probe = lookup.one("long_wins_score", study=study, judge=judge, probe="length")
        if row is None or row["conf_low"] is None or probe is None or probe["estimate"] is None:
            continue
        rate = number(row["estimate"], row["unit"])
        raw.append(f"{rate} ({lookup.name(judge)})")
        controlled.append(probe)
        if abs(row["estimate"] - 0.5) < 0.05 and not row["conf_low"] <= probe["estimate"] <= row["conf_high"]:
            hidden.append((rate, lookup.name(judge)))
    if not hidden:
        return []
    lowest, highest = (pick(controlled, key=lambda row: float(row["estimate"])) for pick in (min, max))
    rates = " and ".join(dict.fromkeys(rate for rate, _ in hidden))
    who = " and ".join(name for _, name in hidden)
    scores = f"{number(lowest['estimate'], 'proportion')} to {number(highest['estimate'], 'proportion')}"
    counted = " or ".join(dict.fromkeys(n_text(row) for row in controlled))
    told = sum(row["conf_low"] is not None and row["conf_low"] > 0.5 for row in controlled)
    sentence = (
        f"Uncontrolled, the longer answer wins {', '.join(raw)} of decisions; controlled, with generator and "
        f"task fixed and only length varied, the longer version scores {scores} with the same judges "
        f"({counted} each; the interval of {told} of {len(controlled)} lies above 50 %). "
        f"The {rates} of {who} mixes length with whose answers are long, and hides what the probe shows."
    )
    return [sentence]
