"""The repetition probe: an answer against itself padded, and probes that only bear its name."""

from __future__ import annotations

from itertools import product

import polars as pl
import pytest

from recuse.analysis.comparisons import compare
from recuse.analysis.repetition_probe import padded_wins_score
from recuse.analysis.settings import Settings
from recuse.collectors.sources import load


def estimated(rows: list[dict[str, object]], tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    path = tmp_path_factory.mktemp("probe") / "probe.csv"
    pl.DataFrame(rows, infer_schema_length=None).write_csv(path)
    return padded_wins_score(compare(load(str(path)).judgments), Settings())


def probe_rows(wins: int, n: int, *, variants: tuple[str | None, str | None]) -> list[dict[str, object]]:
    """On each of n tasks, three generators; the padded version wins both orders on the first ``wins``."""
    rows: list[dict[str, object]] = []
    for task, generator, padded_in_a in product(range(n), "xyz", (True, False)):
        first, second = variants if padded_in_a else variants[::-1]
        won = task < wins
        rows.append(
            {
                "task_id": f"t{task}", "judge": "j", "probe": "repetition", "slot_a": generator,
                "slot_b": generator, "variant_a": first, "variant_b": second,
                "words_a": 90 if padded_in_a else 40, "words_b": 40 if padded_in_a else 90,
                "verdict": "a" if won == padded_in_a else "b",
            }
        )  # fmt: skip
    return rows


@pytest.mark.parametrize("variants", [("padded", None), ("padded", "original"), ("v2", "v1")])
def test_share_of_tasks_that_the_padded_version_wins(
    variants: tuple[str | None, str | None], tmp_path_factory: pytest.TempPathFactory
) -> None:
    estimates = estimated(probe_rows(2, 4, variants=variants), tmp_path_factory)
    pooled = estimates.filter(pl.col("group").is_null())
    assert pooled["estimate"].to_list() == [0.5, 0.5]
    assert pooled["judge"].to_list() == [None, "j"]
    by_task = estimates.filter(pl.col("group") == "task=t0", pl.col("judge") == "j")
    assert by_task["estimate"].unique().to_list() == [1.0]


def test_all_of_all_is_exact_by_tasks_and_beside_it_by_comparisons(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Clopper–Pearson at n of n has the lower bound (α/2)^(1/n)."""
    estimates = estimated(probe_rows(3, 3, variants=("padded", None)), tmp_path_factory)
    rows = estimates.filter(pl.col("judge") == "j", pl.col("group").is_null())
    assert rows["interval"].to_list() == ["clopper_pearson_tasks", "clopper_pearson_rows"]
    assert rows["conf_low"].to_list() == pytest.approx([0.025 ** (1 / 3), 0.025 ** (1 / 9)])
    assert rows["conf_high"].to_list() == [1.0, 1.0]


def test_different_generators_are_no_such_probe(tmp_path_factory: pytest.TempPathFactory) -> None:
    rows: list[dict[str, object]] = [
        {"task_id": "t", "judge": "j", "probe": "repetition", "slot_a": a, "slot_b": b, "verdict": "a"}
        for a, b in ("xy", "yx")
    ]
    estimates = estimated(rows, tmp_path_factory)
    assert estimates["estimate"].to_list() == [None]
    assert "different generators" in estimates["reason"].item()


def test_no_such_probe_gives_no_row() -> None:
    assert padded_wins_score(compare(load().judgments), Settings()).is_empty()
