"""Every kind of claim, in every direction, gets a verdict on small studies full of holes."""

import io
import itertools
import json

import numpy as np
import polars as pl
import pytest
from rich.console import Console

from recuse.analysis.claims.outcomes import judge_claims
from recuse.analysis.claims.parsing import parse_claims
from recuse.analysis.claims.record import KINDS
from recuse.analysis.claims.rows import ladder_estimates
from recuse.analysis.claims.verdicts import VERDICTS
from recuse.analysis.comparisons import compare
from recuse.analysis.settings import Settings
from recuse.collectors.sources import load
from recuse.figures.claim_pages import claims_json, print_claims

GENERATORS = ("p", "q", "r")
JUDGES = ("p", "q", "z", "h")


def holes(seed: int, n_tasks: int, *, one_order: bool) -> pl.DataFrame:
    """Draw verdicts with ties, missing ones and missing presentations; one judge is human."""
    rng = np.random.default_rng(seed)
    rows = [
        {
            "task_id": f"t{task}",
            "tier": ("x", "y")[task % 2],
            "judge": judge,
            "judge_kind": "human" if judge == "h" else "model",
            "slot_a": a,
            "slot_b": b,
            "verdict": rng.choice(["a", "b", "tie", ""], p=[0.4, 0.35, 0.15, 0.1]),
            "words_a": 10 + ord(a) * (task + 1) % 37,
            "words_b": 10 + ord(b) * (task + 1) % 37,
        }
        for task in range(n_tasks)
        for judge in JUDGES
        for a, b in itertools.permutations(GENERATORS, 2)
        if rng.random() > 0.1 and not (one_order and a > b)
    ]
    return pl.DataFrame(rows)


def every_claim() -> list[dict[str, object]]:
    tables: list[dict[str, object]] = [
        {"kind": "beats", "generator": "p", "opponent": "q"},
        {"kind": "longer_wins"},
        {"kind": "longer_wins", "controlled": True},
        {"kind": "agreement", "statistic": "krippendorff_alpha"},
        {"kind": "agreement", "judge": "p", "judge_2": "z", "statistic": "gwet_ac1"},
        {"kind": "agreement", "judge": "p", "judge_2": "z", "statistic": "raw_agreement", "bar": 0.5},
        {"kind": "rate", "rate": "win_rate", "generator": "p", "bar": 0.5},
        {"kind": "rate", "rate": "tie_rate", "judge": "p", "bar": 0.0},
        {"kind": "rate", "rate": "position_consistency", "judge": "p", "bar": 1.0},
        {"kind": "rate", "rate": "flip_rate_decided", "judge": "p", "bar": 0.3},
    ]
    judged = ("self_preference", "self_preference_gradient", "slot_preference", "slot_preference_gradient")
    tables += [{"kind": kind, "judge": "p"} for kind in judged]
    tables = [{**table, "direction": word} for table in tables for word in ("above", "below", "absent")]
    tables += [
        {"kind": "ranking", "order": list(GENERATORS)},
        {"kind": "ranking", "order": ["r", "p"], "judge": "z"},
    ]
    return [{"id": f"c{place}", **table} for place, table in enumerate(tables)]


@pytest.mark.slow
@pytest.mark.parametrize(("n_tasks", "one_order"), [(1, False), (3, False), (6, False), (5, True)])
def test_every_claim_gets_a_verdict(tmp_path, n_tasks, one_order):
    holes(n_tasks, n_tasks, one_order=one_order).write_csv(tmp_path / "odd.csv")
    file = parse_claims({"claim": every_claim()})
    assert {claim.kind for claim in file.claims} == set(KINDS)
    settings = Settings(n_resamples=199)
    outcomes = judge_claims(file.claims, compare(load(str(tmp_path / "odd.csv")).judgments), settings)
    assert all(outcome.verdict in VERDICTS for outcome in outcomes)
    assert all(outcome.reason for outcome in outcomes if outcome.verdict == "not identifiable")
    told = json.loads(claims_json(outcomes))
    assert [claim["verdict"] for claim in told["claims"]] == [outcome.verdict for outcome in outcomes]
    assert ladder_estimates(outcomes, settings).height >= 7 * len(outcomes)
    shown = io.StringIO()
    print_claims(outcomes, Console(file=shown), ladders=True)
    assert not {"nan", "None", "inf"} & set(shown.getvalue().split())
