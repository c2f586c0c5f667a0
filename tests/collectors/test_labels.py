import gzip
import json

import polars as pl
import pytest

from recuse.collectors.gates import read_gates
from recuse.collectors.label_sets import with_humans_of, with_judged
from recuse.collectors.labels import read_labels
from recuse.collectors.worked_example import EXAMPLES, worked_example
from recuse.errors import ConfigurationError, JudgmentsError, SourceError

HEADER = "case_id,case_type,split,rater,rater_kind,approved\n"
GOOD = (
    HEADER + "c1,plain,dev,ann,human,true\nc1,plain,dev,judge,model,false\nc2,plain,held_out,judge,model,\n"
)


@pytest.fixture
def file_of(tmp_path):
    def write(text, name="labels.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def test_csv_jsonl_parquet_and_gzip_give_one_frame(tmp_path, file_of):
    as_csv = read_labels(file_of(GOOD)).labels
    rows = as_csv.select("case_id", "case_type", "split", "rater", "rater_kind", "approved")
    lines = "".join(json.dumps(row) + "\n" for row in rows.to_dicts())
    rows.write_parquet(tmp_path / "labels.parquet")
    (tmp_path / "labels.csv.gz").write_bytes(gzip.compress(GOOD.encode()))
    for source in (file_of(lines, "labels.jsonl"), tmp_path / "labels.parquet", tmp_path / "labels.csv.gz"):
        assert read_labels(str(source)).labels.equals(as_csv)
    assert as_csv["approved"].to_list() == [True, False, None]
    assert as_csv["probe"].to_list() == ["main"] * 3


@pytest.mark.parametrize(
    ("word", "approved"),
    [
        *((word, True) for word in ("TRUE", "1", "yes", "Approved", "1.0", " true ")),
        *((word, False) for word in ("False", "0", "no", "rejected")),
        *((word, None) for word in ("", "abstained")),
    ],
)
def test_words_for_an_approval(file_of, word, approved):
    assert read_labels(file_of(f"{HEADER}c,plain,dev,j,model,{word}\n")).labels["approved"].item() is approved


def test_failed_checks_as_a_list_or_with_semicolons(file_of):
    text = (
        HEADER.replace("\n", ",failed_checks\n")
        + "c,plain,dev,j,model,false,tone; fact;tone\nd,plain,dev,j,model,true,\n"
    )
    from_csv = read_labels(file_of(text)).labels["failed_checks"].to_list()
    assert from_csv == [["tone", "fact"], None]
    rows = [
        {
            "case_id": name,
            "case_type": "p",
            "split": "dev",
            "rater": "j",
            "rater_kind": "model",
            "approved": False,
            "failed_checks": checks,
        }
        for name, checks in (("c", ["tone", "fact"]), ("d", []))
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    assert read_labels(file_of(lines, "l.jsonl")).labels["failed_checks"].to_list() == [["tone", "fact"], []]


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        (
            HEADER + "c1,plain,dev,ann,human,maybe\n",
            JudgmentsError,
            "and empty for an abstention; 1 row fails: row 2 ('ann', 'maybe'); write one of these",
        ),
        (
            HEADER + "c1,plain,dev,ann,human,true\nc1,plain,dev,ann,human,false\n",
            JudgmentsError,
            "labels.csv: a rater labels a case once; 2 rows fail: row 2 ('c1', 'ann'), row 3 ('c1', 'ann')",
        ),
        (
            HEADER + "c1,plain,dev,ann,human,true\nc1,plain,held_out,bob,human,false\n",
            JudgmentsError,
            "a case has one split; some have several (c1 (dev, held_out)); 2 rows fail: row 2, row 3",
        ),
        (
            HEADER + "c1,plain,dev,ann,human,true\nc1,rare,dev,bob,human,false\n",
            JudgmentsError,
            "a case has one case_type; some have several (c1 (plain, rare))",
        ),
        (
            HEADER + "c1,plain,dev,ann,human,true\nc2,plain,dev,ann,model,false\n",
            JudgmentsError,
            "a rater has one rater_kind; some have several (ann (human, model))",
        ),
        (
            HEADER + "c1,plain,test,ann,human,true\n",
            JudgmentsError,
            "split is dev or held_out, in lower case",
        ),
        (
            HEADER + "c1,plain,dev,ann,robot,true\n",
            JudgmentsError,
            "rater_kind is human or model, in lower case",
        ),
        (HEADER + ",plain,dev,ann,human,true\n", JudgmentsError, "every row needs a case_id"),
        (HEADER, SourceError, "the file has a header and no rows"),
        ("", SourceError, "the file is empty"),
        (
            "case_id,case_type,split,rater,kind,approved\nc,p,dev,a,human,1\n",
            SourceError,
            "column rater_kind is missing",
        ),
        (
            HEADER.replace("\n", ",probe,variant\n") + "c1,plain,dev,j,model,true,length,tall\n",
            JudgmentsError,
            "variant of probe length is short_correct or long_wrong",
        ),
    ],
)
def test_bad_labels_are_one_clear_line(file_of, text, error, says):
    with pytest.raises(error) as caught:
        read_labels(file_of(text))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_repeated_label_may_be_numbered(file_of):
    text = HEADER.replace("\n", ",replicate\n") + "c1,plain,dev,j,model,true,0\nc1,plain,dev,j,model,true,1\n"
    assert read_labels(file_of(text)).labels.height == 2


def test_no_such_file_names_the_examples():
    with pytest.raises(SourceError, match="the bundled examples are worked-example, worked-example-v2"):
        read_labels("nowhere.csv")


def test_the_example_that_ships_is_the_one_that_the_module_makes():
    for name, made in worked_example().items():
        source = read_labels(name)
        assert source.notes[0] == f"{name} is synthetic: no human and no model gave these labels"
        shipped = source.labels.select(pl.col("approved"), pl.col("case_id", "rater", "rubric_version"))
        assert shipped.equals(made.select("approved", "case_id", "rater", "rubric_version"))
    assert set(EXAMPLES) == set(worked_example())


def test_the_example_has_eighty_cases_half_of_them_held_out():
    labels = read_labels("worked-example").labels.filter(pl.col("probe") == "main")
    counts = dict(labels.group_by("split").agg(pl.col("case_id").n_unique()).rows())
    assert counts == {"dev": 40, "held_out": 40}
    assert labels["rater"].unique().sort().to_list() == [
        "adjudicator", "synthetic-human-1", "synthetic-human-2", "synthetic-judge",
    ]  # fmt: skip


def test_another_seed_changes_which_cases_and_no_count():
    one, other = worked_example(1)["worked-example"], worked_example(2)["worked-example"]
    assert not one.equals(other)
    keys = ["case_type", "split", "rater", "approved", "probe"]
    counts = [
        frame.filter(pl.col("rater") != "synthetic-human-2")
        .filter(pl.col("rater") != "adjudicator")
        .group_by(keys)
        .len()
        .sort(keys)
        for frame in (one, other)
    ]
    main = [frame.filter(pl.col("probe") == "main") for frame in counts]
    assert main[0].equals(main[1])


def test_judged_cases_join_the_split_that_is_looked_at(file_of):
    source = read_labels(file_of(GOOD))
    judged = read_labels(
        file_of("case_id,case_type,rater,rater_kind,approved\nu1,plain,judge,model,1\n", "more.csv"),
        split="dev",
    )
    joined = with_judged(source, judged, "held_out")
    assert joined.labels.filter(pl.col("case_id") == "u1")["split"].item() == "held_out"


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("u1,plain,dev,ann,human,1", "it holds human labels"),
        ("u1,plain,dev,judge-2,model,1", "judge-2 labelled no case of labels"),
        (
            "c1,plain,dev,judge,model,1",
            "cases judged without a human label are not in labels; 1 row fails: c1",
        ),
    ],
)
def test_judged_cases_that_are_none_are_refused(file_of, row, says):
    with pytest.raises((SourceError, JudgmentsError)) as caught:
        with_judged(read_labels(file_of(GOOD)), read_labels(file_of(HEADER + row + "\n", "more.csv")), "dev")
    assert says in str(caught.value)


def test_two_versions_share_their_humans(file_of):
    new = HEADER + "c1,plain,dev,judge,model,true\n"
    old, other = with_humans_of(read_labels(file_of(GOOD)), read_labels(file_of(new, "new.csv")))
    assert old.labels.filter(pl.col("rater") == "ann").equals(other.labels.filter(pl.col("rater") == "ann"))
    assert other.labels.height == 2


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("c1,plain,dev,ann,human,false", "both files have the same human labels; 1 row fails: c1 (ann)"),
        ("c1,rare,dev,judge,model,false", "a case has the same case_type in both files; 1 row fails: c1"),
    ],
)
def test_two_files_that_contradict_each_other_are_refused(file_of, row, says):
    with pytest.raises(JudgmentsError) as caught:
        with_humans_of(read_labels(file_of(GOOD)), read_labels(file_of(HEADER + row + "\n", "new.csv")))
    assert says in str(caught.value)


def test_gates_of_a_file(tmp_path):
    path = tmp_path / "gates.toml"
    path.write_text(
        'blocking = ["false_approval upper bound <= 5 %"]\nreview = ["kappa lower bound ≥ .6"]\n',
        encoding="utf-8",
    )
    found = read_gates(path)
    assert [(gate.estimand, gate.limit, gate.blocking) for gate in found] == [
        ("false_approval_rate", 0.05, True),
        ("human_kappa", 0.6, False),
    ]


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("blocking = [", SourceError, "it is not TOML"),
        ("", ConfigurationError, "holds no gate"),
        ('blocked = ["x"]', ConfigurationError, "gates are listed under blocking and review"),
        ("blocking = [1]", ConfigurationError, "is no list of texts"),
        ('blocking = "false_approval upper bound ≤ 0.1"', ConfigurationError, "is no list of texts"),
    ],
)
def test_bad_files_of_gates_are_one_line(tmp_path, text, error, says):
    path = tmp_path / "gates.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(error, match=says):
        read_gates(path)


def test_no_file_of_gates(tmp_path):
    with pytest.raises(SourceError, match="No such file"):
        read_gates(tmp_path / "none.toml")
