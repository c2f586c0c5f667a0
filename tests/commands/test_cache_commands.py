"""`recuse cache` and `recuse import` as a shell sees them."""

import os
import pty
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from recuse.cache.store import Store
from recuse.collectors.bundled import folder_of
from recuse.collectors.sources import load

RECUSE = [sys.executable, "-m", "recuse"]
HEADER = "task_id,judge,slot_a,slot_b,verdict"
STUDY = str(folder_of("three-judges"))


def recuse(*words: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*RECUSE, *map(str, words)], capture_output=True, text=True, check=False)


def on_a_terminal(*words: object, columns: int = 60) -> str:
    """Run with a terminal as stdout and stderr, and give what it showed."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"COLUMNS": str(columns), "TERM": "xterm-256color"}
    with subprocess.Popen([*RECUSE, *map(str, words)], stdout=theirs, stderr=theirs, env=environment):
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
    os.close(ours)
    return shown.decode()


def one_error(done: "subprocess.CompletedProcess[str]", status: int = 2) -> str:
    assert (done.returncode, done.stdout) == (status, ""), done
    assert done.stderr.startswith("recuse: ")
    assert done.stderr.count("\n") == 1
    return done.stderr.strip()


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Import the bundled study, once for all tests that only read."""
    directory = tmp_path_factory.mktemp("imported") / "cache"
    done = recuse("import", "csv", STUDY, "--into", directory)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{directory}: 378 judgments added, 0 already there\n")
    return directory


def test_an_imported_study_is_the_study(cache):
    expected = load("three-judges")
    there = load(str(cache))
    assert_frame_equal(there.judgments.drop("source"), expected.judgments.drop("source"))
    assert there.name == expected.name == "three-judges"
    assert there.judgments["source"].unique().to_list() == ["file"]
    assert there.set_aside.is_empty()
    assert list(there.inputs) == ["cache"]


def test_importing_again_and_in_another_format_adds_nothing(cache, tmp_path):
    file = tmp_path / "judgments.parquet"
    assert recuse("cache", "export", cache, "--out", file).returncode == 0
    for words in (("csv", STUDY), ("parquet", file)):
        done = recuse("import", *words, "--into", cache)
        assert done.returncode == 0
        assert done.stdout.startswith(f"{cache}: 0 judgments added, 378 already there\n")


def test_another_verdict_under_the_same_address_is_reported_and_not_stored(tmp_path):
    file, directory = tmp_path / "s.csv", tmp_path / "cache"
    file.write_text(f"{HEADER}\nt1,j,m1,m2,a\nt2,j,m1,m2,b\n")
    assert recuse("import", "csv", file, "--into", directory).returncode == 0
    file.write_text(f"{HEADER}\nt1,j,m1,m2,b\nt2,j,m1,m2,b\nt3,j,m1,m2,tie\n")
    done = recuse("import", "csv", file, "--into", directory)
    assert done.returncode == 1
    assert done.stdout.startswith(f"{directory}: 1 judgments added, 1 already there\n")
    assert done.stderr.count("\n") == 1
    assert "recuse: 1 judgments not stored" in done.stderr
    assert load(str(directory)).judgments["verdict"].to_list() == ["a", "b", "tie"]


def test_rows_set_aside_and_notes_are_told(tmp_path):
    file = tmp_path / "s.csv"
    file.write_text(f"{HEADER},mood\nt1,j,m1,m2,a,x\nt1,j,m1,m2,a,x\nt1,j,m1,m1,a,x\n")
    done = recuse("import", "csv", file, "--into", tmp_path / "cache")
    assert done.returncode == 0
    assert "1 judgments added" in done.stdout
    assert "1 rows set aside: duplicate" in done.stdout
    assert "1 rows set aside: self_comparison" in done.stdout
    assert "Note: s.csv: not in the schema and left out: 'mood'" in done.stdout


def test_the_formats_are_listed():
    done = recuse("import", "--list")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()][:4] == ["format", "csv", "jsonl", "parquet"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("import",), "needs a format, a path and --into CACHE"),
        (("import", "csv", STUDY), "needs a format, a path and --into CACHE"),
        (("import", "cvs", STUDY, "--into", "c"), "unknown format 'cvs'; did you mean 'csv'?"),
        (("import", "csv", "nowhere.csv", "--into", "c"), "cannot read nowhere.csv: there is no such file"),
        (("cache", "stats", "nowhere"), "is not a cache: there is no such directory"),
        (("cache", "verify", STUDY), "is not a cache: it holds no cache.db"),
        (("cache", "export", "nowhere", "--out", "x.csv"), "is not a cache"),
    ],
)
def test_what_could_not_run_is_one_line_and_status_2(tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    assert said in one_error(recuse(*words))
    assert not list(tmp_path.iterdir())


def test_import_into_a_folder_of_other_things_is_refused(tmp_path):
    (tmp_path / "thesis.tex").touch()
    assert "neither a cache nor an empty directory" in one_error(
        recuse("import", "csv", STUDY, "--into", tmp_path)
    )


def test_stats(cache):
    done = recuse("cache", "stats", cache)
    assert (done.returncode, done.stderr) == (0, "")
    summary, header, *rows = done.stdout.splitlines()
    assert summary.startswith(f"{cache}: 378 records (judgment: 378), 378 of them imported, ")
    assert header.split() == ["study", "judge", "judgments", "without", "verdict", "tasks", "generators"]
    assert sorted(row.split() for row in rows) == [
        ["three-judges", "anthropic/claude-sonnet-4-6", "126", "0", "21", "3"],
        ["three-judges", "openai/gpt-5.5", "126", "0", "21", "3"],
        ["three-judges", "xai/grok-4.3", "126", "0", "21", "3"],
    ]


def test_output_in_a_pipe_is_whole_lines_without_colours(tmp_path):
    judge = "vendor/" + "long-name-" * 30
    file = tmp_path / "s.csv"
    file.write_text(f"{HEADER}\nt1,{judge},[bold]m1[/bold],m2,a\n")
    assert recuse("import", "csv", file, "--into", tmp_path / "cache").returncode == 0
    done = recuse("cache", "stats", tmp_path / "cache")
    assert judge in done.stdout
    assert "\x1b" not in done.stdout
    assert all(line == line.rstrip() for line in done.stdout.splitlines())


def test_output_on_a_terminal_is_wrapped(cache):
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", on_a_terminal("cache", "stats", cache, columns=60))
    assert max(len(line.rstrip()) for line in shown.replace("\r", "\n").splitlines()) <= 60
    assert {"three-ju", "dges", "126"} <= set(shown.split())


def test_names_cannot_steer_a_terminal(tmp_path):
    file, directory = tmp_path / "s.csv", tmp_path / "cache"
    file.write_text(f"{HEADER}\nt1,evil\x1b[2Jjudge,m1,m2,a\n")
    assert recuse("import", "csv", file, "--into", directory).returncode == 0
    done = recuse("cache", "stats", directory)
    assert "evil\\x1b[2Jjudge" in done.stdout
    assert "\x1b[2J" not in on_a_terminal("cache", "stats", directory, columns=200)


def test_verify_passes_and_fails(tmp_path):
    directory = tmp_path / "cache"
    recuse("import", "csv", STUDY, "--into", directory)
    done = recuse("cache", "verify", directory)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{directory}: 378 records, and every hash is that of its content\n"
    with closing(sqlite3.connect(directory / "cache.db")) as con, con:
        con.execute(
            """UPDATE Cache SET value = replace(value, '"verdict":"a"', '"verdict":"b"') WHERE rowid <= 200"""
        )
        con.execute("UPDATE Cache SET mode = 4 WHERE rowid = 300")
    done = recuse("cache", "verify", directory)
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert re.fullmatch(r"row \d+ [0-9a-f]{64}: the record is not the one that was hashed", lines[0])
    assert re.fullmatch(r"and \d+ more", lines[-2]) or "row 300" in lines[-2]
    assert re.fullmatch(r".*: \d+ failures in 378 rows", lines[-1])
    stats = recuse("cache", "stats", directory)
    assert "1 rows may not be read" in stats.stdout
    assert "row 300: the value is pickled" in one_error(
        recuse("cache", "export", directory, "--out", tmp_path / "x.parquet")
    )


def test_verify_cannot_run_on_a_damaged_database(tmp_path):
    (tmp_path / "cache.db").write_bytes(b"this is no database" * 100)
    assert "damaged" in one_error(recuse("cache", "verify", tmp_path))


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_an_export_is_a_source(cache, tmp_path, suffix):
    file = tmp_path / f"out.{suffix}"
    done = recuse("cache", "export", cache, "--out", file)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"378 judgments written to {file} (SHA-256 ")
    there = load(str(file)).judgments.sort("judgment_id")
    assert_frame_equal(there, load(str(cache)).judgments.sort("judgment_id"))


def test_export_tells_of_escaped_texts_and_of_what_stays(tmp_path):
    from recuse.cache.records import make_record

    file, directory = tmp_path / "s.csv", tmp_path / "cache"
    file.write_text(f"{HEADER},raw\nt1,j,m1,m2,a,- better\n")
    recuse("import", "csv", file, "--into", directory)
    with Store(directory) as store:
        store.put(make_record("answer", {"q": 1}, response={"text": "A"}))
    done = recuse("cache", "export", directory, "--out", tmp_path / "out.csv")
    assert "1 texts that begin like a formula have an apostrophe in front\n" in done.stdout
    assert "1 records are no judgments and stay in the cache\n" in done.stdout
    assert pl.read_csv(tmp_path / "out.csv")["raw"].to_list() == ["'- better"]
    assert recuse("cache", "stats", directory).stdout.startswith(
        f"{directory}: 2 records (answer: 1, judgment: 1), 1 of them imported"
    )


def test_a_source_may_be_an_empty_cache(tmp_path):
    from recuse.errors import SourceError

    Store(tmp_path / "cache", create=True).close()
    with pytest.raises(SourceError, match="the cache holds no judgments"):
        load(str(tmp_path / "cache"))
    assert recuse("cache", "stats", tmp_path / "cache").stdout.startswith(
        f"{tmp_path / 'cache'}: 0 records (none), 0 of them imported"
    )


def test_help_of_the_group_needs_no_library():
    done = recuse("cache", "--help")
    assert done.returncode == 0
    assert {"stats", "verify", "export"} <= set(done.stdout.split())
