"""Judgments with everything in them that a reduction has to keep apart."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

MODELS = ["Zeta/z", "alpha/a", "beta b", "éclair/ü", 'judge,"x"']
JUDGES = [*MODELS[:3], "human-1"]
WITHOUT = ["parse_failed", "refused", "error", "abstained"]


def of_all_kinds(n: int, seed: int = 1) -> pl.DataFrame:
    """About n rows: three probes, variants, replicates, one order by design, missing swaps and verdicts."""
    rng = np.random.default_rng(seed)
    of_main = _presentations("main", n * 2 // 3, rng, pairs=[(a, b) for a in range(5) for b in range(a)])
    of_length = _presentations("length", n // 6, rng, pairs=[(a, a) for a in range(3)], variants=True)
    identical = _presentations("identical", n // 6, rng, pairs=[(a, a) for a in range(5)])
    frame = pl.concat([of_main, of_length, identical])
    n = frame.height
    verdict = pl.Series(rng.choice(["a", "b", "tie", None], n, p=[0.45, 0.35, 0.15, 0.05]), dtype=pl.String)
    status = pl.when(verdict.is_not_null()).then(pl.lit("ok")).otherwise(pl.Series(rng.choice(WITHOUT, n)))
    return (
        frame.with_columns(verdict=verdict, raw=pl.lit("My verdict is [[A]], because it is longer. " * 5))
        .with_columns(status=status)
        .filter(pl.Series(rng.random(n) > 0.01))
        .sample(fraction=1, shuffle=True, seed=seed)
    )


def _presentations(
    probe: str, n: int, rng: np.random.Generator, pairs: list[tuple[int, int]], *, variants: bool = False
) -> pl.DataFrame:
    """Every judge on every pair of every task, twice, in both orders; the last judge of main in one."""
    both_orders = probe != "identical"
    design = [
        (judge, *(pair[::-1] if swapped else pair), swapped, replicate)
        for judge in range(len(JUDGES))
        for pair in pairs
        for swapped in range(1 + both_orders)
        for replicate in range(2)
        if not (judge == 3 and probe == "main" and swapped)
    ]
    n_tasks = -(-n // len(design))
    judge, slot_a, slot_b, swapped, replicate = (np.tile(column, n_tasks) for column in np.array(design).T)
    task = np.repeat(np.arange(n_tasks), len(design))
    words = rng.integers(40, 200, (n_tasks, 5, 2))
    shown_b = np.where(variants, 1 - swapped, 0)
    shown_a = np.where(variants, swapped, 0)
    variant = np.array(["long", "short"] if variants else [None, None], dtype=object)
    return pl.DataFrame({
        "study": "odd", "task_id": [f"{probe}-{index}" for index in task],
        "tier": np.array(["objective", "subjective"])[task % 2], "probe": probe,
        "rewards": "elaboration" if variants else None,
        "judge": np.array(JUDGES)[judge], "judge_kind": np.where(judge == 3, "human", "model"),
        "slot_a": np.array(MODELS)[slot_a], "slot_b": np.array(MODELS)[slot_b],
        "variant_a": pl.Series(variant[shown_a].tolist(), dtype=pl.String),
        "variant_b": pl.Series(variant[shown_b].tolist(), dtype=pl.String),
        "replicate": replicate.astype(np.int64), "words_a": words[task, slot_a, shown_a],
        "words_b": words[task, slot_b, shown_b],
    }, schema_overrides={"rewards": pl.String, "words_a": pl.Int64, "words_b": pl.Int64})  # fmt: skip


@pytest.fixture(scope="session")
def judgments_of_all_kinds() -> Callable[..., pl.DataFrame]:
    """Give the maker: a number of rows and a seed."""
    return of_all_kinds
