"""`recuse calibrate` as a shell sees it: what it prints, writes, logs and answers."""

import re

import polars as pl
import pytest

from recuse.cache.store import Store
from recuse.cli import main

EXAMPLE = ["calibrate", "worked-example"]
COMPARE = ["calibrate", "compare", "worked-example", "worked-example-v2"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def gates_file(tmp_path, *, blocking=(), review=()):
    path = tmp_path / "gates.toml"
    path.write_text(f"blocking = {list(blocking)!r}\nreview = {list(review)!r}\n", encoding="utf-8")
    return str(path)


def test_the_default_is_the_example_and_dev(capsys, tmp_path):
    assert main(["calibrate"]) == 0
    printed = capsys.readouterr().out
    assert "Worst in exclusion: it approves 4 of 4 cases that humans reject" in printed
    assert "split dev, 40 cases" in printed
    assert "Held-out cases: Never opened." in printed
    assert not (tmp_path / "recuse-cache").exists()


def test_dev_shows_nothing_of_the_held_out_cases(capsys, tmp_path):
    assert main([*EXAMPLE, "--out", "out"]) == 0
    printed = capsys.readouterr().out + "".join(
        path.read_text() for path in (tmp_path / "out").glob("judge-card*")
    )
    assert set(pl.read_parquet(tmp_path / "out/estimates.parquet")["split"]) == {"dev"}
    assert "case-04" not in printed
    assert "case-08" not in printed


def test_opening_is_logged_counted_and_a_later_rubric_is_said(capsys, tmp_path):
    assert main([*EXAMPLE, "--held-out"]) == 0
    first = capsys.readouterr().out
    assert re.search(r"Held-out cases: Opened once, at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d UTC\.", first)
    assert main(EXAMPLE) == 0
    assert "Opened once" in capsys.readouterr().out
    assert main([*EXAMPLE, "--held-out"]) == 0
    assert "Opened 2 times" in capsys.readouterr().out
    assert main([*COMPARE, "--held-out"]) == 0
    third = capsys.readouterr().out
    assert "Opened 3 times" in third
    assert "Rubric r2 came after they had been opened under r1: these cases are no longer unseen." in third
    with Store(tmp_path / "recuse-cache") as store:
        requests = [record["request"] for record in store.records()]
    assert [(each["judge_version"], each["rubric_version"]) for each in requests] == [
        ("v1", "r1"), ("v1", "r1"), ("v1", "r1"), ("v2", "r2"),
    ]  # fmt: skip


def test_what_cannot_be_logged_is_not_opened(capsys, tmp_path):
    (tmp_path / "recuse-cache").write_text("no directory", encoding="utf-8")
    assert main([*EXAMPLE, "--held-out"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize("command", [EXAMPLE, COMPARE])
@pytest.mark.parametrize(
    ("blocking", "review", "status"),
    [
        (["agreement lower bound ≥ 0.7"], [], 0),
        (["false_approval{case_type=exclusion} upper bound ≤ 0.05"], [], 1),
        ([], ["false_approval{case_type=exclusion} upper bound ≤ 0.05"], 0),
        (["false_approval{case_type=exklusion} upper bound ≤ 0.05"], [], 2),
        (["false_approval estimate ≤ 0.05"], [], 2),
    ],
)
def test_gates_decide_the_status(capsys, tmp_path, command, blocking, review, status):
    assert main([*command, "--gates", gates_file(tmp_path, blocking=blocking, review=review)]) == status
    assert (capsys.readouterr().err != "") == (status == 2)


def test_too_few_cases_are_said_with_the_number_needed(capsys, tmp_path):
    gates = gates_file(tmp_path, blocking=["false_approval{case_type=deadline} upper bound ≤ 0.05"])
    assert main([*EXAMPLE, "--gates", gates]) == 1
    assert "NOT SHOWN" in (printed := capsys.readouterr().out)
    assert (
        "cannot be shown with n = 3: even without an error the upper bound would be 0.71; 72 cases" in printed
    )


def test_files_of_a_run(capsys, tmp_path):
    assert main([*EXAMPLE, "--judged", "worked-example-judged", "--out", "out"]) == 0
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [
        "estimates.csv",
        "estimates.parquet",
        *(f"judge-card-synthetic-judge.{suffix}" for suffix in ("html", "md", "tex")),
    ]
    estimates = pl.read_parquet(tmp_path / "out/estimates.parquet")
    assert estimates.filter(pl.col("interval") == "rogan_gladen")["estimate"].drop_nulls().len() > 0
    assert "Written to out" in capsys.readouterr().out


def test_files_of_a_comparison(tmp_path):
    assert main([*COMPARE, "--out", "out"]) == 0
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"changed-cases-synthetic-judge.csv", "comparison-synthetic-judge.html", "estimates.csv"} <= names
    estimates = pl.read_parquet(tmp_path / "out/estimates.parquet")
    assert estimates.filter(pl.col("estimand") == "false_approval_rate_change").height == 5


def test_a_judge_named_as_a_path_stays_in_the_folder(tmp_path):
    rows = "case_id,case_type,split,rater,rater_kind,approved\n" + "".join(
        f"c{n},p,dev,{rater},{kind},{said}\n"
        for n, said in enumerate((1, 0))
        for rater, kind in (("ann", "human"), ("../../evil", "model"), (".. .. evil", "model"))
    )
    (tmp_path / "labels.csv").write_text(rows, encoding="utf-8")
    assert main(["calibrate", "labels.csv", "--out", "out"]) == 0
    cards = sorted(path.name for path in (tmp_path / "out").glob("*.html"))
    assert len(cards) == 2
    assert all(
        re.fullmatch(r"judge-card-evil-[0-9a-f]{8}\.html|judge-card-[\w.-]+\.html", name) for name in cards
    )
    assert not list(tmp_path.parent.glob("evil*"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["calibrate", "nowhere.csv"], "there is no such file or bundled example"),
        ([*EXAMPLE, "--conf-level", "95"], "a confidence level lies between 0 and 1"),
        ([*EXAMPLE, "--candidate", "x"], "a candidate belongs to judgments of pairs; add --pairs"),
        ([*EXAMPLE, "--adjudicator", "nobody"], "unknown human rater 'nobody'"),
        (["calibrate", "worked-example-v2"], "no human labelled a case of split dev"),
        (["calibrate", "three-judges", "--pairs"], "no human labelled a case of split dev"),
        ([*EXAMPLE, "--gates", "none.toml"], "No such file"),
        ([*EXAMPLE, "--judged", "worked-example-v2"], "cases judged without a human label are not in"),
    ],
)
def test_what_cannot_run_is_one_line_and_two(capsys, arguments, says):
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert says in printed.err
    assert printed.err.count("\n") == 1


def test_help_names_both_ways(capsys):
    assert main(["calibrate", "--help"]) == 0
    printed = capsys.readouterr().out
    assert "compare" in printed
    assert "recuse calibrate LABELS" in printed
