"""Estimates made by hand in the shape that the analysis returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl
import pytest

from recuse.schema import TIERS, Estimates

PANEL = ("openai/gpt-5.5", "anthropic/claude-sonnet-4-6", "xai/grok-4.3")
BASELINES = ("all_peers", "uninvolved", "uninvolved_family")


def _row(estimand: str, place: int, **keys: object) -> dict[str, Any]:
    estimate = ((place * 37) % 90 + 5) / 100
    if estimand in {"self_preference_delta", "cohen_kappa"}:
        estimate -= 0.35
    return {
        "estimand": estimand, "study": "three-judges", "scoring": "resolved", "unit": "proportion",
        "estimate": estimate, "std_error": 0.06, "conf_low": estimate - 0.12,
        "conf_high": min(estimate + 0.13, 1.0), "conf_level": 0.95, "interval": "bootstrap_t",
        "n_presentations": 60, "n_comparisons": 30, "n_tasks": 15,
        "n_dropped": 0, "reason": None, **keys,
    }  # fmt: skip


def _rows(judges: Sequence[str]) -> list[dict[str, Any]]:
    keys: list[tuple[str, dict[str, object]]] = []
    tiers = (None, *TIERS)
    keys += [("win_rate", {"judge": j, "generator": g}) for g in judges for j in (None, *judges)]
    keys += [
        ("self_preference_delta", {"judge": j, "baseline": b, "tier": t})
        for j in judges for b in BASELINES for t in tiers
    ]  # fmt: skip
    keys += [(e, {"judge": j, "tier": t, "probe": "main"})
             for e in ("slot_a_rate", "flip_rate") for j in judges for t in tiers]  # fmt: skip
    pairs = [(a, b) for a in sorted(judges) for b in sorted(judges) if a < b]
    keys += [("cohen_kappa", {"judge": a, "judge_2": b, "tier": t}) for a, b in pairs for t in tiers]
    keys += [
        ("long_wins_score", {"judge": j, "group": f"rewards={r}", "probe": "length"})
        for r in ("elaboration", "concision") for j in (None, *judges)
    ]  # fmt: skip
    return [_row(estimand, place, **named) for place, (estimand, named) in enumerate(keys)]


@pytest.fixture
def make_estimates() -> Callable[..., pl.DataFrame]:
    def make(judges: Sequence[str] = PANEL, **columns: object) -> pl.DataFrame:
        schema = Estimates.create_empty().schema
        frame = pl.DataFrame(_rows(judges), schema=schema)
        changed = [pl.lit(value).cast(schema[name]).alias(name) for name, value in columns.items()]
        return Estimates.validate(frame.with_columns(changed))

    return make
