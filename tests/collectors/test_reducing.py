"""Sources reduced by each engine: the same file to the last byte, and one line about what cannot be."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest

from recuse.analysis.comparisons import compare, compare_reduced
from recuse.analysis.reduction import COUNTS, REDUCED
from recuse.analysis.report import estimate_all
from recuse.analysis.settings import Settings
from recuse.collectors.engines import registry, spark_engine
from recuse.collectors.reducing import reduce_source
from recuse.collectors.sources import load, load_frame
from recuse.errors import ConfigurationError, SourceError, UnknownNameError

ENGINES = ["polars", "duckdb", "dask", pytest.param("spark", marks=pytest.mark.slow)]
QUICK = ["polars", "duckdb"]
ROWS = {
    "task_id": ["t", "t", "u", "u"],
    "judge": ["j", "j", "j", "j"],
    "slot_a": ["y", "x", "x", "y"],
    "slot_b": ["x", "y", "y", "x"],
    "verdict": ["a", "tie", "b", None],
    "words_a": [10, None, 8, 9],
}
ALIASES = 'name = "other"\n[aliases]\n"beta b" = "zeta"\n"judge,\\"x\\"" = "a"\n'


@pytest.fixture(autouse=True)
def _where(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def reduced(source: str | Path, engine: str = "polars", **named: object) -> pl.DataFrame:
    reduce_source(str(source), Path("reduced.parquet"), engine=engine, **named)
    return pl.read_parquet("reduced.parquet")


def written(rows: dict[str, object], path: str = "small.parquet", **changed: object) -> str:
    frame = pl.DataFrame(rows | changed)
    {".parquet": frame.write_parquet, ".csv": frame.write_csv, ".jsonl": frame.write_ndjson}[
        Path(path).suffix
    ](path)
    return path


@pytest.mark.slow
def test_four_engines_write_one_file(judgments_of_all_kinds):
    judgments_of_all_kinds(100_000).write_parquet("odd.parquet")
    Path("study.toml").write_text(ALIASES)
    hashes = {}
    for engine in registry.ENGINES:
        done = reduce_source("odd.parquet", Path("r.parquet"), engine=engine, study_file=Path("study.toml"))
        hashes[engine] = hashlib.sha256(Path("r.parquet").read_bytes()).hexdigest()
        assert done.n_judgments == pl.scan_parquet("odd.parquet").select(pl.len()).collect().item()
    assert len(set(hashes.values())) == 1, hashes
    table = pl.read_parquet("r.parquet")
    assert table.columns == list(REDUCED)
    assert set(table.select(*COUNTS, "n_presentations", "replicate").dtypes) == {pl.Int64}
    whole = load("odd.parquet", study_file=Path("study.toml")).judgments
    expected = compare(whole)
    assert compare_reduced(table).equals(expected)
    again = load("r.parquet").judgments
    assert estimate_all(compare(again), Settings()).equals(estimate_all(expected, Settings()))


@pytest.mark.parametrize("engine", ENGINES)
def test_defaults_and_nulls_are_those_of_the_border(engine):
    expected = compare(load_frame(pl.DataFrame(ROWS), name="small").judgments)
    for suffix in ("parquet", "csv", "jsonl"):
        table = reduced(written(ROWS, f"small.{suffix}"), engine)
        assert compare_reduced(table).equals(expected), suffix
        assert table["words_first"].to_list() == [None, 8]
        assert table["first_in_b_parse_failed"].to_list() == [0, 1]


@pytest.mark.parametrize("engine", ENGINES)
def test_folders_give_columns_as_texts(engine):
    for task, probe in (("007", "main"), ("8 a/b", "length"), ("é", "main")):
        folder = Path("hive [1]") / f"probe={probe}" / f"task_id={task.replace('/', '%2F')}"
        folder.mkdir(parents=True)
        rows = {name: values[:2] for name, values in ROWS.items() if name != "task_id"}
        written(rows, str(folder / "part-0.parquet"), variant_a=["s", "l"], variant_b=["l", "s"])
    table = reduced("hive [1]", engine)
    assert table.select("task_id", "probe", "study").rows() == [
        ("007", "main", "hive [1]"), ("8 a/b", "length", "hive [1]"), ("é", "main", "hive [1]"),
    ]  # fmt: skip
    assert table["n_presentations"].to_list() == [2, 2, 2]
    assert table.select("first", "first_variant").rows() == [("x", "l")] * 3


@pytest.mark.parametrize("engine", QUICK)
def test_a_folder_of_files_is_one_study_with_its_own_names(engine):
    Path("study").mkdir()
    Path("study/study.toml").write_text('name = "n"\n[aliases]\nx = "z"\n')
    written({name: values[:2] for name, values in ROWS.items()}, "study/one.parquet")
    written({name: values[2:] for name, values in ROWS.items()}, "study/two.parquet")
    table = reduced("study", engine)
    assert table.select("study", "task_id", "first", "second").rows() == [
        ("n", "t", "y", "z"),
        ("n", "u", "y", "z"),
    ]


@pytest.mark.parametrize("source", ["three-judges", "pilot"])
def test_a_bundled_study_is_reduced_with_its_lengths_and_tiers(source):
    expected = compare(load(source).judgments)
    assert compare_reduced(reduced(source)).equals(expected)


@pytest.mark.parametrize("engine", QUICK)
@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"verdict": ["A", "A", "B", "c"]}, r"4 rows have a verdict that is none: 'A', 'B', 'c'; write a"),
        ({"status": ["ok", "error", "ok", "error"]}, r"1 row has a verdict and a status .*: 'tie' with"),
        ({"status": ["ok", "ok", "ok", "ok"]}, r"1 row has the status ok and no verdict"),
        ({"status": ["ok", "ok", "ok", "lost"]}, r"1 row has a status that is none: 'lost'"),
        ({"replicate": [0, 0, 0, -1]}, r"1 comparison has a negative replicate: \(j, u, -1\)"),
        ({"slot_a": "x", "slot_b": "y"}, r"2 comparisons have a presentation more than once: .*replicate"),
        ({"judge": ["j", "j", "j", None]}, r"1 comparison has no task_id, judge, slot_a or slot_b"),
        ({"judge_kind": "machine"}, r"2 comparisons have a judge_kind that is none: \(j, machine\)"),
        ({"words_a": [-1, 5, 4, 3]}, r"1 comparison has a negative length"),
        ({"tier": ["one", "two", "one", "one"]}, r"one tier; 1 task has several: t \(one, two\)"),
        ({"words_a": [1.5, 2, 3, 4]}, r"column words_a holds values of type Float64 and needs whole numbers"),
    ],
)  # fmt: skip
def test_rows_that_are_no_judgments_are_refused_in_one_line(engine, changed, complaint):
    with pytest.raises(SourceError, match=complaint) as raised:
        reduced(written(ROWS, **changed), engine)
    assert "\n" not in str(raised.value)
    assert not Path("reduced.parquet").exists()
    assert not list(Path().glob(".recuse*"))


def test_a_missing_column_names_file_and_engine():
    written({name: values for name, values in ROWS.items() if name != "verdict"})
    with pytest.raises(SourceError, match=r"small.parquet: column verdict is missing, .* duckdb has nothing"):
        reduced("small.parquet", "duckdb")


def test_files_of_one_source_have_the_same_columns():
    Path("parts").mkdir()
    written(ROWS, "parts/a.parquet")
    written(ROWS, "parts/b.parquet", tier="t")
    with pytest.raises(
        SourceError, match=r"differ in their columns: parts/b.parquet from parts/a.parquet in tier"
    ):
        reduced("parts")


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("nowhere.parquet", "there is no such file, folder or bundled study"),
        ("arena:battles.json", "recuse export"),
        ("empty", "recuse export"),
        ("text.txt", "recuse export"),
        ("broken.parquet", "no Parquet"),
        ("empty.csv", "empty"),
        ("header.parquet", "no rows"),
    ],
)
def test_what_is_no_source_for_an_engine_is_told_so(source, complaint):
    Path("empty").mkdir()
    Path("text.txt").write_text("hello")
    Path("broken.parquet").write_text("hello")
    Path("empty.csv").write_text("")
    pl.DataFrame(ROWS).clear().write_parquet("header.parquet")
    with pytest.raises(SourceError, match=complaint):
        reduced(source)


def test_a_reduced_table_and_a_cache_are_no_source(tmp_path):
    table = tmp_path / "once.parquet"
    reduce_source("pilot", table)
    with pytest.raises(SourceError, match="it is a reduced table already"):
        reduced(table)
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "cache.db").write_text("")
    with pytest.raises(SourceError, match="it is a cache; recuse export"):
        reduced("cache")


def test_a_number_that_is_none_stops_an_engine_in_one_line():
    written(ROWS, "small.csv", words_a=["1", "2", "three", ""])
    for engine in (*QUICK, "dask"):
        with pytest.raises(SourceError, match=r"small.csv: (polars|DuckDB|Dask) stopped: .*three"):
            reduced("small.csv", engine)


def test_an_engine_that_is_not_there(monkeypatch):
    with pytest.raises(UnknownNameError, match="did you mean 'duckdb'"):
        reduced("pilot", "ducdb")
    monkeypatch.setattr(registry, "find_spec", lambda name: find_spec(name) if name == "polars" else None)
    with pytest.raises(ConfigurationError, match=r"pip install 'recuse\[spark\]'"):
        reduced("pilot", "spark")


def test_spark_without_java(monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(spark_engine.shutil, "which", lambda _: None)
    with pytest.raises(ConfigurationError, match="Spark needs Java 17 and there is none"):
        reduced(written(ROWS), "spark")


def test_the_source_is_not_written_over():
    written(ROWS, "reduced.parquet")
    with pytest.raises(ConfigurationError, match="is the source"):
        reduced("reduced.parquet")
    with pytest.raises(ConfigurationError, match=r"name it \.parquet"):
        reduce_source("pilot", Path("reduced.csv"))
