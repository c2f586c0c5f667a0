"""A reduced table is a source like any other: what comes of it is what comes of the judgments it counts."""

from __future__ import annotations

import narwhals as nw
import polars as pl
import pytest

from recuse.analysis.comparisons import compare
from recuse.analysis.reduction import COUNTS, reduced
from recuse.analysis.report import estimate_all
from recuse.analysis.settings import Settings
from recuse.cli import main
from recuse.collectors.border import KEY_FIELDS
from recuse.collectors.sources import load, load_frame
from recuse.errors import JudgmentsError, SourceError


def table(judgments: pl.DataFrame) -> pl.DataFrame:
    return reduced(nw.from_native(judgments.lazy()), study="s").to_native().collect()


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_of_all_kinds_every_presentation_comes_back(judgments_of_all_kinds, tmp_path, suffix):
    judgments = load_frame(judgments_of_all_kinds(4_000)).judgments
    path = tmp_path / f"small.{suffix}"
    frame = table(judgments)
    {"parquet": frame.write_parquet, "csv": frame.write_csv, "jsonl": frame.write_ndjson}[suffix](path)
    source = load(str(path))
    kept = [
        "judgment_id",
        *KEY_FIELDS,
        "tier",
        "rewards",
        "judge_kind",
        "verdict",
        "status",
        "words_a",
        "words_b",
    ]
    assert source.judgments.select(kept).sort(kept).equals(judgments.select(kept).sort(kept))
    assert source.judgments["raw"].null_count() == judgments.height
    assert source.notes[0].startswith(f"small.{suffix} is a reduced table of {frame.height:,} comparisons")
    assert not source.set_aside.height


def test_repeated_presentations_are_set_aside_as_from_the_judgments():
    rows = {
        "task_id": ["t"] * 4,
        "judge": "j",
        "slot_a": "x",
        "slot_b": "y",
        "verdict": ["a", "a", None, "a"],
    }
    source = load_frame(table(pl.DataFrame(rows)))
    expected = load_frame(pl.DataFrame(rows))
    assert source.set_aside["rule"].to_list() == expected.set_aside["rule"].to_list()
    assert compare(source.judgments).drop("study").equals(compare(expected.judgments).drop("study"))


@pytest.mark.parametrize("name", ["three-judges", "pilot"])
def test_estimates_of_a_reduced_study_are_those_of_the_study(name, tmp_path):
    source = load(name)
    table(source.judgments).write_parquet(tmp_path / "small.parquet")
    again = load(str(tmp_path / "small.parquet"))
    estimates, expected = (
        estimate_all(compare(one.judgments, families=one.families), Settings()) for one in (again, source)
    )
    assert estimates.equals(expected)


def test_claims_of_a_reduced_study_are_those_of_the_study(tmp_path, capsys):
    table(load("three-judges").judgments).write_parquet(tmp_path / "small.parquet")
    claims = "collectors/data/three-judges/claims.toml"
    told = []
    for source in ("three-judges", str(tmp_path / "small.parquet")):
        main(["claims", claims, source, "--format", "json"])
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("column", "value", "complaint"),
    [
        ("first_in_a_a", 5, "add up to its n_presentations"),
        ("first_in_b_tie", -1, "lie between 0 and 7"),
        ("first_in_b_tie", 10**12, "lie between 0 and 7"),
    ],
)
def test_counts_that_no_reduction_writes_are_refused(column, value, complaint):
    frame = table(load("pilot").judgments)
    number = pl.int_range(pl.len())
    with pytest.raises(JudgmentsError, match=complaint):
        load_frame(frame.with_columns(pl.when(number == 3).then(value).otherwise(column).alias(column)))


def test_a_table_that_lacks_counts_is_no_reduced_table():
    frame = table(load("pilot").judgments).drop(next(iter(COUNTS)))
    with pytest.raises(SourceError, match="slot_a, slot_b, verdict are missing"):
        load_frame(frame)
