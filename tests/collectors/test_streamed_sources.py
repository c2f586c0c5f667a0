"""A source read in parts is the source read whole, however its rows lie in files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl
import pytest
from object_stores import STORES, point_at, served
from polars.testing import assert_frame_equal

from recuse.analysis.comparisons import COMPARISON_KEYS, compare, compare_reduced
from recuse.analysis.reduction import reduced
from recuse.collectors.partitions import Partitions, parquet_of, to_stream
from recuse.collectors.sources import load
from recuse.collectors.streaming import StreamedSource, stream
from recuse.errors import ConfigurationError, JudgmentsError, SourceError

STUDY = """
[aliases]
"Zeta/z-new" = "Zeta/z"
[families]
"beta*" = "betas"
"""


@pytest.fixture(scope="module")
def judgments(judgments_of_all_kinds: Callable[..., pl.DataFrame]) -> pl.DataFrame:
    """3,000 rows with an alias, repeated rows, retried ones and such that contradict each other."""
    rows = judgments_of_all_kinds(3_000)
    renamed = pl.when(pl.int_range(pl.len()) % 7 == 0).then(pl.col("judge").replace("Zeta/z", "Zeta/z-new"))
    rows = rows.with_columns(judge=pl.coalesce(renamed, "judge"))
    again = rows.filter(pl.col("verdict").is_not_null()).head(30)
    failed = again.head(10).with_columns(verdict=pl.lit(None, dtype=pl.String), status=pl.lit("error"))
    other = again.tail(5).with_columns(verdict=pl.col("verdict").replace({"a": "b", "b": "tie", "tie": "a"}))
    alone = rows.filter(pl.col("probe") == "main").head(3).with_columns(slot_b="slot_a")
    return pl.concat([rows, again, failed, other, alone])


def as_one_file(rows: pl.DataFrame, folder: Path) -> str:
    rows.write_parquet(folder / "study.parquet")
    return str(folder / "study.parquet")


def as_files_of_whole_tasks(rows: pl.DataFrame, folder: Path) -> str:
    for number, (_, tasks) in enumerate(rows.group_by(pl.col("task_id").hash() % 4, maintain_order=True)):
        tasks.write_parquet(folder / f"study-{number}.parquet")
    return str(folder)


def as_files_by_judge(rows: pl.DataFrame, folder: Path) -> str:
    for number, (_, mine) in enumerate(rows.group_by("judge", maintain_order=True)):
        mine.write_parquet(folder / f"judge-{number}.parquet")
    return str(folder)


def as_hive(rows: pl.DataFrame, folder: Path) -> str:
    for (probe, kind), some in rows.group_by("probe", "judge_kind", maintain_order=True):
        below = folder / "day=monday" / f"probe={probe}" / f"judge_kind={kind}"
        below.mkdir(parents=True)
        some.drop("probe", "judge_kind").write_parquet(below / "part-0.parquet")
    (folder / "_SUCCESS").touch()
    (folder / ".hidden.parquet").touch()
    return str(folder)


LAYOUTS = [as_one_file, as_files_of_whole_tasks, as_files_by_judge, as_hive]


def streamed(source: str, into: Path, *, study_file: Path | None = None, most: int = 700) -> StreamedSource:
    found = parquet_of(source)
    assert found is not None
    into.mkdir()
    return stream(found, into, study_file=study_file, most=most)


def comparisons_of(source: StreamedSource) -> pl.DataFrame:
    parts = [
        compare_reduced(reduced, families=source.families, one_order=source.one_order).lazy().collect()
        for reduced in source.reduced()
    ]
    assert len(parts) > 1
    tasks = pl.concat([part.select("study", "task_id").unique() for part in parts])
    assert not tasks.is_duplicated().any()
    return pl.concat(parts).sort(COMPARISON_KEYS)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_parts_hold_the_comparisons_of_the_whole(
    layout: Callable[[pl.DataFrame, Path], str], judgments: pl.DataFrame, tmp_path: Path
) -> None:
    study_file = tmp_path / "study.toml"
    study_file.write_text(STUDY, encoding="utf-8")
    folder = tmp_path / "odd"
    folder.mkdir()
    source = streamed(layout(judgments, folder), tmp_path / "parts", study_file=study_file)
    judgments.write_parquet(tmp_path / "whole.parquet")
    whole = load(str(tmp_path / "whole.parquet"), study_file=study_file)
    expected = compare(whole.judgments, families=whole.families).lazy().collect()
    assert_frame_equal(comparisons_of(source), expected.sort(COMPARISON_KEYS))
    assert source.name == whole.name
    assert source.set_aside == dict(whole.set_aside.group_by("rule").len().sort("rule").iter_rows())
    assert len(source.set_aside) == 4
    counted = re.compile(r": [^:;]+ and [\d,]+ more$")
    said, expected_notes = (
        {counted.sub("", note) for note in notes} for notes in (source.notes, whole.notes)
    )
    assert {note for note in expected_notes if "raw" not in note} <= said | {
        note for note in expected_notes if "left out" in note
    }
    assert all(len(sha256) == 64 for sha256 in source.inputs.values())


def test_a_reduced_table_streams_too(judgments: pl.DataFrame, tmp_path: Path) -> None:
    lazy: nw.LazyFrame[Any] = nw.from_native(judgments.lazy())
    counted: pl.DataFrame = reduced(lazy, study="odd").to_native().collect()
    source = streamed(as_one_file(counted, tmp_path), tmp_path / "parts")
    judgments.write_parquet(tmp_path / "whole.parquet")
    whole = load(str(tmp_path / "whole.parquet"))
    assert_frame_equal(comparisons_of(source), compare(whole.judgments).lazy().collect())
    assert source.set_aside == dict(whole.set_aside.group_by("rule").len().sort("rule").iter_rows())


def test_several_small_files_load_whole(judgments: pl.DataFrame, tmp_path: Path) -> None:
    """Every layout is a source of the commands that do not stream."""
    whole = load(as_one_file(judgments, tmp_path))
    for layout in LAYOUTS[1:]:
        folder = tmp_path / layout.__name__
        folder.mkdir()
        source = load(layout(judgments, folder))
        assert_frame_equal(
            compare(source.judgments).lazy().collect(), compare(whole.judgments).lazy().collect()
        )


def test_a_design_of_one_order_is_that_of_the_whole_source(tmp_path: Path) -> None:
    """A judge that was asked one order in all but one task is not said to be so by design in any part."""
    rows = pl.DataFrame({"task_id": ["t1", "t1", "t2", "t3"], "slot_a": ["x", "y", "x", "x"]}).with_columns(
        judge=pl.lit("j"), slot_b=pl.lit("y"), verdict=pl.lit("a")
    )
    rows = rows.with_columns(slot_b=pl.when(pl.col("slot_a") == "y").then(pl.lit("x")).otherwise("slot_b"))
    source = streamed(as_one_file(rows, tmp_path), tmp_path / "parts", most=2)
    assert comparisons_of(source)["resolution"].to_list() == ["flip", "incomplete", "incomplete"]
    alone = rows.filter(pl.col("slot_a") == "x").write_parquet(tmp_path / "alone.parquet")
    assert alone is None
    single = streamed(str(tmp_path / "alone.parquet"), tmp_path / "others", most=1)
    assert set(comparisons_of(single)["resolution"]) == {"single"}


def test_tasks_in_several_files_are_noticed(judgments: pl.DataFrame, tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    (tmp_path / "split").mkdir()
    whole = streamed(as_files_of_whole_tasks(judgments, tmp_path / "whole"), tmp_path / "a", most=1_500)
    split = streamed(as_files_by_judge(judgments, tmp_path / "split"), tmp_path / "b", most=1_500)
    assert not any("several of the" in note for note in whole.notes)
    n_tasks = judgments["task_id"].n_unique()
    assert any(note.startswith(f"{n_tasks} tasks have rows in several") for note in split.notes)


def test_tables_beside_the_files_are_used(tmp_path: Path) -> None:
    rows = pl.DataFrame({
        "task_id": ["t1", "t1", "t2", "t2"], "judge": "j", "slot_a": ["x", "y"] * 2,
        "slot_b": ["y", "x"] * 2, "verdict": ["a", "b", "tie", "a"],
    })  # fmt: skip
    (tmp_path / "judgments").mkdir()
    rows.head(2).write_parquet(tmp_path / "judgments" / "1.parquet")
    rows.tail(2).write_parquet(tmp_path / "judgments" / "2.parquet")
    (tmp_path / "tasks.csv").write_text("task_id,tier\nt1,objective\nt2,medium\n", encoding="utf-8")
    (tmp_path / "answers.csv").write_text(
        "task_id,generator,words\nt1,x,3\nt1,y,5\nt2,x,7\nt2,y,9\n", encoding="utf-8"
    )
    (tmp_path / "study.toml").write_text('name = "named"\n', encoding="utf-8")
    source = streamed(str(tmp_path), tmp_path / "parts", most=2)
    whole = load(str(tmp_path))
    assert_frame_equal(comparisons_of(source), compare(whole.judgments).lazy().collect())
    assert comparisons_of(source)["tier"].to_list() == ["objective", "medium"]
    assert comparisons_of(source)["words_second"].to_list() == [5, 9]
    assert source.name == "named"
    assert set(source.inputs) == set(whole.inputs)


@pytest.fixture
def web(tmp_path: Path) -> Iterator[str]:
    with served(tmp_path) as address:
        yield address


def test_an_address_is_read_like_a_file(web: str, judgments: pl.DataFrame, tmp_path: Path) -> None:
    as_one_file(judgments, tmp_path)
    source = streamed(f"{web}/study.parquet?token=secret", tmp_path / "parts")
    whole = load(str(tmp_path / "study.parquet"))
    assert_frame_equal(comparisons_of(source), compare(whole.judgments).lazy().collect())
    size = (tmp_path / "study.parquet").stat().st_size
    assert source.inputs == {
        f"{web}/study.parquet": f'not hashed, Content-Length {size}, ETag "v1", '
        "Last-Modified Mon, 30 Nov 2026 10:00:00 GMT"
    }
    assert_frame_equal(load(f"{web}/study.parquet?token=secret").judgments, whole.judgments)


@pytest.mark.parametrize("scheme", STORES)
def test_everything_below_an_address_of_an_object_store_is_read(
    web: str, judgments: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    point_at(web, scheme, tmp_path, monkeypatch)
    (tmp_path / "bucket" / "odd").mkdir(parents=True)
    as_hive(judgments, tmp_path / "bucket" / "odd")
    source = streamed(f"{scheme}://bucket/odd", tmp_path / "parts")
    whole = load(as_one_file(judgments, tmp_path))
    assert_frame_equal(comparisons_of(source), compare(whole.judgments).lazy().collect())
    assert set(source.inputs.values()) == {"not hashed"}
    assert f"{scheme}://bucket/odd/day=monday/probe=main/judge_kind=human/part-0.parquet" in source.inputs
    with pytest.raises(SourceError, match=f"cannot read {scheme}://bucket/other: there is no such object"):
        parquet_of(f"{scheme}://bucket/other")


def test_an_address_that_leads_nowhere_is_one_line_without_its_secret(web: str) -> None:
    with pytest.raises(
        SourceError, match=r"cannot read http://127[^ ]*/no\.parquet: there is no such obj"
    ) as no:
        parquet_of(f"{web}/no.parquet?token=secret")
    assert "secret" not in str(no.value)


ROW = {"task_id": "t", "judge": "j", "slot_a": "x", "slot_b": "y", "verdict": "a", "status": "ok"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"verdict": "A"}, r"part-1\.parquet: a verdict is a, b or tie.*1 row fails: row 2 \('A'\)"),
        ({"status": "error"}, r"part-1\.parquet: a row without a usable verdict.*row 2"),
        ({"verdict": None}, r"a row of status ok has a verdict; 1 row fails: row 2"),
        ({"judge": None}, r"every row needs a judge; 1 row fails: row 2"),
        ({"replicate": -1}, r"replicate counts from 0; 1 row fails: row 2 \('-1'\)"),
        ({"words_a": -4}, r"words_a cannot be negative; 1 row fails: row 2"),
        ({"tier": "hard"}, r"a task has one tier, and 1 task has several: t \(easy, hard\)"),
        ({"judge_kind": "human"}, r"a judge has one judge_kind, and 1 judge has several: j \(human, model\)"),
    ],
)
def test_what_contradicts_itself_is_refused(change: dict[str, object], says: str, tmp_path: Path) -> None:
    base = {**ROW, "replicate": 0, "words_a": 3, "tier": "easy", "judge_kind": "model"}
    for number, rows in enumerate([[base], [{**base, "slot_a": "y", "slot_b": "x"}, {**base, **change}]]):
        frame = pl.DataFrame(rows, schema_overrides={"verdict": pl.String, "judge": pl.String})
        frame.write_parquet(tmp_path / f"part-{number}.parquet")
    with pytest.raises((SourceError, JudgmentsError), match=says):
        streamed(str(tmp_path), tmp_path / "parts", most=2)


def test_files_are_checked_before_any_row_is_read(tmp_path: Path) -> None:
    pl.DataFrame([ROW]).write_parquet(tmp_path / "1.parquet")
    pl.DataFrame([ROW]).rename({"verdict": "winner"}).write_parquet(tmp_path / "2.parquet")
    with pytest.raises(SourceError, match=r"2\.parquet: column verdict is missing"):
        streamed(str(tmp_path), tmp_path / "parts")


def test_a_file_that_is_cut_off_is_one_line(tmp_path: Path) -> None:
    pl.DataFrame([ROW]).write_parquet(tmp_path / "1.parquet")
    whole = (tmp_path / "1.parquet").read_bytes()
    (tmp_path / "2.parquet").write_bytes(whole[:-20])
    with pytest.raises(SourceError, match=r"2\.parquet: it is no Parquet file, or it is cut off"):
        parquet_of(str(tmp_path))


def test_eight_rows_of_one_presentation_are_refused(tmp_path: Path) -> None:
    pl.DataFrame([ROW] * 8).write_parquet(tmp_path / "1.parquet")
    with pytest.raises(JudgmentsError, match=r"seven times at most.*j on t \(x against y, 8 rows\)"):
        streamed(str(tmp_path), tmp_path / "parts")


def test_nothing_left_is_refused(tmp_path: Path) -> None:
    pl.DataFrame([{**ROW, "slot_b": "x"}]).write_parquet(tmp_path / "1.parquet")
    with pytest.raises(SourceError, match=r"no judgment is left once rows are set aside; self_comparison: 1"):
        streamed(str(tmp_path), tmp_path / "parts")


def test_size_decides_unless_a_person_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pl.DataFrame([ROW, ROW]).write_parquet(tmp_path / "1.parquet")
    path = str(tmp_path / "1.parquet")
    assert to_stream([path], wanted=None) is None
    assert isinstance(to_stream([path], wanted=True), Partitions)
    monkeypatch.setattr("recuse.collectors.partitions.LARGE", 2)
    assert isinstance(to_stream([path], wanted=None), Partitions)
    assert to_stream([path], wanted=False) is None
    assert to_stream([path, "pilot"], wanted=None) is None
    with pytest.raises(ConfigurationError, match="--stream reads one source"):
        to_stream([path, "pilot"], wanted=True)
    with pytest.raises(ConfigurationError, match="pilot cannot be read in parts: it is no Parquet"):
        to_stream(["pilot"], wanted=True)
