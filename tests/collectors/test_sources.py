from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recuse.collectors.bundled import folder_of
from recuse.collectors.sources import load, load_all
from recuse.errors import ConfigurationError, JudgmentsError, SourceError, UnknownNameError

HEADER = "task_id,judge,slot_a,slot_b,verdict"
ROWS = f"{HEADER}\nt,grok-4,grok-4,gpt-4,a\nt,grok-4,gpt-4,grok-4,tie\n"
SHARED = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(path: str, content: str) -> str:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "n_judgments", "n_main", "n_length"), [("three-judges", 378, 270, 108), ("pilot", 162, 108, 54)]
)
def test_bundled_studies_are_complete(name: str, n_judgments: int, n_main: int, n_length: int) -> None:
    source = load(name)
    judgments = source.judgments
    assert source.name == name
    assert judgments.height == n_judgments
    assert dict(judgments.group_by("probe").len().iter_rows()) == {"main": n_main, "length": n_length}
    assert source.notes == ()
    assert source.set_aside.is_empty()
    complete = ["verdict", "tier", "words_a", "words_b", "chars_a", "chars_b"]
    assert judgments.select(complete).null_count().sum_horizontal().item() == 0
    assert judgments.filter(probe="length")["rewards"].null_count() == 0
    assert set(judgments["judge"]) == set(judgments["slot_a"])
    assert sorted(source.inputs) == [
        f"{name}/{file}" for file in ("answers.csv", "judgments.csv", "study.toml", "tasks.csv")
    ]


@pytest.mark.parametrize(
    ("name", "folder"), [("three-judges", "three-judges"), ("pilot", "three-judges-pilot")]
)
@pytest.mark.skipif(not SHARED.exists(), reason="the published tables are not beside the checkout")
def test_bundled_tables_are_the_published_ones(name: str, folder: str) -> None:
    for table in ("judgments.csv", "answers.csv", "tasks.csv"):
        assert (folder_of(name) / table).read_bytes() == (SHARED / folder / table).read_bytes()


def test_no_source_is_the_bundled_study_and_two_are_kept_apart() -> None:
    assert load_all([]).judgments.equals(load("three-judges").judgments)
    both = load_all(["three-judges", "pilot"])
    assert both.name == "three-judges, pilot"
    assert dict(both.judgments.group_by("study").len().iter_rows()) == {"three-judges": 378, "pilot": 162}
    assert len(both.inputs) == 8
    assert both.tiers == ("objective", "medium", "subjective")


def test_lengths_of_a_bundled_judgment_are_those_of_its_answers() -> None:
    row = load("three-judges").judgments.row(0, named=True)
    assert (row["task_id"], row["slot_a"], row["slot_b"]) == (
        "obj-parse-duration",
        "anthropic/claude-sonnet-4-6",
        "openai/gpt-5.5",
    )
    assert (row["words_a"], row["words_b"], row["chars_a"], row["chars_b"]) == (79, 48, 630, 352)


def test_defaults_of_a_bare_file() -> None:
    source = load(write("my-study.csv", f"{HEADER}\nt,grok-4,grok-4,gpt-4,a\nt,grok-4,gpt-4,grok-4,\n"))
    assert source.name == "my-study"
    assert source.inputs == {"my-study.csv": hashlib.sha256(Path("my-study.csv").read_bytes()).hexdigest()}
    columns = ["study", "probe", "judge_kind", "status", "replicate", "tier", "variant_a"]
    assert source.judgments.select(columns).rows() == [
        ("my-study", "main", "model", "ok", 0, None, None),
        ("my-study", "main", "model", "parse_failed", 0, None, None),
    ]


def test_an_address_in_the_file_is_kept() -> None:
    path = write("v.csv", f"{HEADER},judgment_id\nt,grok-4,grok-4,gpt-4,a,given\nt,grok-4,gpt-4,grok-4,a,\n")
    ids = load(path).judgments["judgment_id"].to_list()
    assert ids[0] == "given"
    assert len(ids[1]) == 64


def test_a_byte_order_mark_windows_line_ends_and_a_gzip_change_nothing() -> None:
    plain = load(write("v.csv", ROWS)).judgments
    Path("v.csv").write_bytes(b"\xef\xbb\xbf" + ROWS.replace("\n", "\r\n").encode())
    assert load("v.csv").judgments.equals(plain)
    Path("v.csv").unlink()
    Path("v.csv.gz").write_bytes(gzip.compress(ROWS.encode()))
    assert load("v.csv.gz").judgments.equals(plain)


def test_text_with_quotes_commas_and_new_lines_arrives_whole() -> None:
    source = load(
        write("v.csv", f'{HEADER},raw\nt,grok-4,grok-4,gpt-4,a,"I ""say"",\nA"\nt,grok-4,gpt-4,gpt-4,a,\n')
    )
    assert source.judgments["raw"].to_list() == ['I "say",\nA']
    assert source.set_aside.select("rule", "row").rows() == [("self_comparison", 3)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    suffix=st.sampled_from(["csv", "jsonl", "parquet"]),
    cut=st.integers(0, 4000),
    inserted=st.sampled_from([b"", b'"', b",", b"\n", b"{", b"\\u", b"\x00", b"\xff", b"verdict"]),
    removed=st.integers(0, 30),
)
def test_a_damaged_file_is_read_or_refused_in_one_line(
    suffix: str, cut: int, inserted: bytes, removed: int
) -> None:
    table = load("pilot").judgments.head(12)
    {"csv": table.write_csv, "jsonl": table.write_ndjson, "parquet": table.write_parquet}[suffix](
        f"good.{suffix}"
    )
    whole_file = Path(f"good.{suffix}").read_bytes()
    cut = min(cut, len(whole_file))
    Path(f"v.{suffix}").write_bytes(whole_file[:cut] + inserted + whole_file[cut + removed :])
    try:
        source = load(f"v.{suffix}")
    except (SourceError, JudgmentsError) as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert source.judgments.height + source.set_aside.height <= 13


def test_format_and_path() -> None:
    write("v.txt", ROWS)
    with pytest.raises(
        SourceError, match=r"cannot read v\.txt: its name does not say what it holds; name it \.csv"
    ):
        load("v.txt")
    assert load("csv:v.txt").judgments.height == 2
    with pytest.raises(UnknownNameError, match="unknown format 'cvs'; did you mean 'csv'"):
        load("cvs:v.txt")


def test_blank_lines_of_jsonl_keep_the_numbering() -> None:
    good = '{"task_id":7,"judge":"grok-4","slot_a":"grok-4","slot_b":"gpt-4","verdict":"a"}\n'
    source = load(write("v.jsonl", good + "\n" + good))
    assert source.set_aside.select("rule", "row").rows() == [("duplicate", 3)]
    assert source.judgments["task_id"].to_list() == ["7"]


names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6).filter(
    lambda text: text != ""
)
whole = st.none() | st.integers(0, 10**6)
study_rows = st.lists(
    st.fixed_dictionaries(
        {
            "task_id": names,
            "judge": names,
            "slot_a": names,
            "slot_b": names,
            "verdict": st.sampled_from(["a", "b", "tie", None]),
            "variant_a": st.none() | names,
            "words_a": whole,
            "cost_usd": st.none() | st.floats(0, 1e3),
            "replicate": st.integers(0, 3),
        }
    ).filter(lambda row: row["slot_a"] != row["slot_b"]),
    min_size=1,
    max_size=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
@given(rows=study_rows)
def test_one_study_in_three_formats_is_one_study(rows: list[dict[str, object]]) -> None:
    texts = ["task_id", "judge", "slot_a", "slot_b", "verdict", "variant_a"]
    dtypes = dict.fromkeys(texts, pl.String) | {
        "words_a": pl.Int64,
        "cost_usd": pl.Float64,
        "replicate": pl.Int64,
    }
    table = pl.DataFrame(rows, schema=dtypes)
    table.write_csv("v.csv")
    table.write_ndjson("v.jsonl")
    table.write_parquet("v.parquet")
    try:
        by_format = [load(path) for path in ("v.csv", "v.jsonl", "v.parquet")]
    except SourceError as error:
        assert "no judgment is left" in str(error)  # noqa: PT017
        return
    for source in by_format[1:]:
        assert source.judgments.equals(by_format[0].judgments)
        assert source.set_aside.drop("row").equals(by_format[0].set_aside.drop("row"))


def test_parquet_as_other_libraries_write_it() -> None:
    table = pl.DataFrame(
        {
            "task_id": [1, 2],
            "judge": pl.Series(["grok-4", "grok-4"], dtype=pl.Categorical),
            "slot_a": ["grok-4", "grok-4"],
            "slot_b": ["gpt-4", "gpt-4"],
            "verdict": pl.Series(["a", None], dtype=pl.Enum(["a", "b", "tie"])),
            "words_a": [62.0, float("nan")],
            "cost_usd": [float("nan"), 0.5],
            "__index_level_0__": [0, 1],
        }
    )
    table.write_parquet("v.parquet")
    source = load("v.parquet")
    assert source.judgments.select("task_id", "words_a", "cost_usd").rows() == [
        ("1", 62, None),
        ("2", None, 0.5),
    ]
    assert source.notes[:3] == (
        "v.parquet: 1 NaN in words_a read as empty",
        "v.parquet: 1 NaN in cost_usd read as empty",
        "v.parquet: not in the schema and left out: '__index_level_0__'",
    )


def test_a_folder_with_its_second_tables() -> None:
    write("mine/judgments.csv", f"{HEADER},words_a\nt,grok-4,grok-4,gpt-4,a,9\nt,grok-4,gpt-4,grok-4,a,\n")
    write("mine/answers.csv", "task_id,generator,words,chars\nt,grok-4,10,50\nt,gpt,20,80\nu,gpt,1,1\n")
    write("mine/tasks.csv", "task_id,tier\nt,objective\n")
    write("mine/study.toml", 'name = "renamed"\n[aliases]\ngpt = "gpt-4"\n')
    source = load("mine")
    assert source.name == "renamed"
    lengths = source.judgments.select("words_a", "words_b", "chars_a", "chars_b", "tier").rows()
    assert lengths == [(9, 20, 50, 80, "objective"), (20, 10, 80, 50, "objective")]
    assert source.notes == (
        "alias gpt counts as gpt-4: no judgment names it",
        "answers.csv: words_a differs from that of the judgments in 1 row; theirs counts",
        "answers.csv: 1 of 3 answers are in no judgment",
    )
    assert sorted(source.inputs) == [
        "mine/answers.csv",
        "mine/judgments.csv",
        "mine/study.toml",
        "mine/tasks.csv",
    ]


def test_second_tables_that_say_two_things() -> None:
    write("mine/judgments.csv", ROWS)
    write("mine/answers.csv", "task_id,generator,words\nt,gpt-4,9\nt,grok-4,3\nt,gpt-4,10\n")
    with pytest.raises(JudgmentsError) as caught:
        load("mine")
    assert str(caught.value) == (
        "answers.csv: each answer is described once or the same way twice; "
        "2 rows fail: row 2 ('t', 'gpt-4'), row 4 ('t', 'gpt-4'); keep the row that is right"
    )
    write("mine/answers.csv", "task_id,generator,words\nt,gpt-4,-9\n")
    with pytest.raises(
        JudgmentsError, match=r"answers\.csv: words cannot be negative; 1 row fails: row 2 \('-9'\)"
    ):
        load("mine")
    write("mine/answers.csv", "task_id,generator,words\nt,gpt-4,9\n")
    assert "answers.csv: 2 of 2 judgments show an answer that it lacks" in load("mine").notes
    write("mine/tasks.csv", "task_id,rewards\nt,length\n")
    with pytest.raises(JudgmentsError, match=r"tasks\.csv: rewards is elaboration or concision"):
        load("mine")


def test_a_task_table_without_probe_holds_for_every_probe() -> None:
    write(
        "mine/judgments.csv",
        f"{HEADER},probe\nt,grok-4,grok-4,gpt-4,a,main\nt,grok-4,grok-4,gpt-4,a,repetition\n",
    )
    write("mine/tasks.csv", "task_id,tier\nt,medium\n")
    assert load("mine").judgments["tier"].to_list() == ["medium", "medium"]
    write("mine/tasks.csv", "task_id,probe,tier\nt,main,medium\n")
    source = load("mine")
    assert source.judgments["tier"].to_list() == ["medium", None]
    assert "tasks.csv: 1 of 2 judgments are of a task that it lacks" in source.notes


def test_aliases_make_one_model_and_leave_addresses_alone() -> None:
    write(
        "v.csv", "task_id,judge,slot_a,slot_b,verdict\nt,gpt-4-0613,gpt-4,grok-4,a\nt,gpt-4,gpt-4,grok-4,a\n"
    )
    study = Path(write("study.toml", '[aliases]\n"gpt-4-0613" = "gpt-4"\n'))
    before, after = load("v.csv"), load("v.csv", study_file=study)
    assert before.judgments.height == 2
    assert set(after.judgments["judge"]) == {"gpt-4"}
    assert after.set_aside["rule"].to_list() == ["duplicate"]
    assert after.judgments["judgment_id"][0] == before.judgments["judgment_id"][0]


def test_a_file_with_its_tables_beside_it_says_that_they_were_not_read() -> None:
    write("mine/judgments.csv", ROWS)
    write("mine/tasks.csv", "task_id,tier\nt,medium\n")
    assert load("mine/judgments.csv").notes == (
        "tasks.csv beside judgments.csv not read; name the folder mine to use them",
    )


SOURCES = {
    "no such thing": (
        "nothing.csv",
        (
            "cannot read nothing.csv: there is no such file, directory or bundled study; "
            "check the path; the bundled studies are three-judges, pilot and local-panel"
        ),
    ),
    "nearly a name": (
        "tree-judges",
        (
            "cannot read tree-judges: there is no such file, directory or bundled study; "
            "did you mean three-judges?"
        ),
    ),
    "a folder that is no study": (
        "folder",
        (
            "cannot read folder: the directory is neither a study nor a cache; "
            "a study's folder holds judgments.csv (or .jsonl, .parquet), a cache holds cache.db"
        ),
    ),
    "two tables of judgments": (
        "twice",
        (
            "cannot read twice: the folder holds judgments 2 times: judgments.csv, judgments.jsonl; "
            "keep one of them"
        ),
    ),
}


@pytest.mark.parametrize(("source", "message"), SOURCES.values(), ids=SOURCES.keys())
def test_sources_that_cannot_be_found(source: str, message: str) -> None:
    write("folder/notes.txt", "nothing")
    write("twice/judgments.csv", ROWS)
    write("twice/judgments.jsonl", "{}")
    with pytest.raises(SourceError) as caught:
        load(source)
    assert str(caught.value) == message


def test_two_sources_with_one_study_are_refused() -> None:
    write("a/v.csv", ROWS)
    write("b/v.csv", ROWS)
    with pytest.raises(ConfigurationError) as caught:
        load_all(["a/v.csv", "b/v.csv"])
    assert str(caught.value) == (
        "both a/v.csv and b/v.csv hold a study named v; "
        "name one of them otherwise in its study.toml or its column study, or give it once"
    )


def test_families_of_several_studies_must_agree() -> None:
    for name, family in (("a", "meta"), ("b", "lmsys")):
        write(f"{name}/judgments.csv", ROWS)
        write(f"{name}/study.toml", f'[families]\n"vicuna*" = "{family}"\n')
    with pytest.raises(ConfigurationError) as caught:
        load_all(["a", "b"])
    assert str(caught.value) == (
        "'vicuna*' is of family meta in one study, of lmsys in another; "
        "let the [families] of the studies agree"
    )
    write("b/study.toml", '[families]\n"koala*" = "berkeley"\n')
    assert load_all(["a", "b"]).families == {"vicuna*": "meta", "koala*": "berkeley"}


def test_a_study_file_is_for_one_source() -> None:
    study = Path(write("study.toml", 'name = "x"'))
    with pytest.raises(ConfigurationError, match="a study file speaks of one source, and there are several"):
        load_all(["three-judges", "pilot"], study_file=study)
    assert load_all([write("v.csv", ROWS)], study_file=study).name == "x"


STUDY_FILES = {
    "unknown field": (
        'nam = "x"',
        (
            "study.toml: 'nam' is no field of a study file; "
            "it may hold name, title, source, licence, aliases, families, tiers"
        ),
    ),
    "wrong type": (
        "name = 3",
        (
            "study.toml: name: Input should be a valid string; "
            "it may hold name, title, source, licence, aliases, families, tiers"
        ),
    ),
    "no TOML": ("name =", "study.toml is not TOML: Invalid value (at end of document); correct it there"),
    "alias of an alias": (
        '[aliases]\nx = "y"\ny = "z"\n',
        (
            "study.toml: an alias must lead to a name that is no alias itself: x; "
            "it may hold name, title, source, licence, aliases, families, tiers"
        ),
    ),
}


@pytest.mark.parametrize(("content", "message"), STUDY_FILES.values(), ids=STUDY_FILES.keys())
def test_study_files_that_cannot_be_followed(content: str, message: str) -> None:
    write("v.csv", ROWS)
    write("study.toml", content)
    with pytest.raises(ConfigurationError) as caught:
        load("v.csv", study_file=Path("study.toml"))
    assert str(caught.value) == message


def test_a_study_file_that_is_not_there() -> None:
    write("v.csv", ROWS)
    with pytest.raises(
        ConfigurationError, match=r"cannot read none\.toml: No such file or directory; check the path"
    ):
        load("v.csv", study_file=Path("none.toml"))


def test_a_folder_of_a_table_that_is_no_study_names_it(tmp_path: Path) -> None:
    (tmp_path / "votes.csv").write_text("worker,left,right\nw,x,y\n")
    with pytest.raises(SourceError, match=r"to read one of its files, name it: votes\.csv"):
        load(str(tmp_path))


def test_a_folder_of_several_formats_is_not_read_as_one_of_them(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    review = {"question_id": 1, "answer1_id": "x", "answer2_id": "y", "text": "9 8", "score": [9, 8]}
    review |= {"reviewer_id": 1, "review_id": "r", "metadata": {}}
    (tmp_path / "a" / "review_x_y.jsonl").write_text(json.dumps(review) + "\n")
    result = {"input": "q", "output_1": "x", "output_2": "y", "results": [{"swap = False": {"winner": "1"}}]}
    (tmp_path / "b" / "result.json").write_text(json.dumps([result]))
    with pytest.raises(SourceError, match="files of several formats: vicuna, llmbar; write which are meant"):
        load(str(tmp_path))


OTHER_COLUMNS = "dataset,rep,judge,question,model_a,model_b,verdict\nd,1,j,q,x,y,A\n"


def test_judgments_that_a_folder_leaves_unread_are_named() -> None:
    write("mine/judgments.csv", ROWS)
    for name in ("old.csv", "second_round.csv", "third_round.csv"):
        write(f"mine/{name}", ROWS)
    write("mine/verdicts.csv", OTHER_COLUMNS)
    write("mine/costs.csv", "judge,dollars\nj,1\n")
    write("mine/broken.json", "{")
    source = load("mine")
    assert source.judgments.height == load("mine/judgments.csv").judgments.height
    assert source.notes[0] == (
        "not read of the folder mine: old.csv, second_round.csv, third_round.csv and 1 more, which look like "
        "judgments; name a file itself to read it, and beside the folder only if they hold other judgments"
    )


def test_a_published_folder_does_not_count_judgments_twice_and_says_so() -> None:
    write("set/mtbench_judge.tsv", "cmp_index\tA\tB\tjudge\nq;x;y\tx\ty\t[[A]]\n")
    with gzip.open("set/verdicts.csv.gz", "wt") as file:
        file.write(OTHER_COLUMNS)
    source = load("set")
    assert source.judgments.height == 1
    assert source.notes[1].startswith(
        "not read of the folder set: verdicts.csv.gz, which looks like judgments;"
    )


@pytest.mark.parametrize("content", [ROWS, OTHER_COLUMNS])
def test_the_only_file_of_judgments_of_a_folder_is_read(content: str) -> None:
    Path("set").mkdir()
    with gzip.open("set/verdicts.csv.gz", "wt") as file:
        file.write(content)
    write("set/README.md", "what it is")
    whole = load("set/verdicts.csv.gz")
    assert load("set").judgments.equals(whole.judgments)
    write("set/other.csv", content)
    with pytest.raises(SourceError, match=r"name it: other\.csv, verdicts\.csv\.gz"):
        load("set")


def test_judgments_beside_parquet_are_named() -> None:
    source = load("three-judges")
    Path("parts/deep").mkdir(parents=True)
    source.judgments.write_parquet("parts/deep/part.parquet")
    write("parts/deep/more.csv", ROWS)
    assert load("parts").notes[0].startswith("not read of the folder parts: deep/more.csv, which looks like")
