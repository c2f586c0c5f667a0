"""``recuse collect`` and ``recuse rejudge`` as a user calls them, against a server of the tests' own."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import LENGTH_TASK, TASKS

from recuse.cache.snapshot import judgments
from recuse.cache.store import Store
from recuse.cli import main
from recuse.collectors.sources import load

pytestmark = pytest.mark.slow  # importing litellm alone takes seconds
SOURCES = Path(__file__).parents[3] / "src"


def collected(tmp_path, *options):
    return main(["collect", str(tmp_path / "study.toml"), "--into", str(tmp_path / "cache"), *options])


def test_the_plan_is_what_is_then_asked(study, tmp_path, stub, capsys):
    study(
        tasks=[*TASKS, LENGTH_TASK],
        tables="[probes]\nlength = true\nidentical = {}\n",
        endpoint="price = { input = 1.0, output = 2.0 }\n",
    )
    assert collected(tmp_path, "--dry-run") == 0
    planned = capsys.readouterr().out
    assert stub.requests == []
    assert not (tmp_path / "cache").exists()
    n_calls = int(re.search(r"(\d+) calls to make, 0 in the cache; cost \$", planned).group(1))
    columns = [re.split(r"\s{2,}", line) for line in planned.splitlines()[1:-1]]
    by_row = {(row[0], row[1]): int(row[3]) for row in columns}

    assert collected(tmp_path) == 0
    assert f"{n_calls} calls made, {n_calls} replies kept" in capsys.readouterr().out
    assert len(stub.asked()) == n_calls
    for (phase, name), n in by_row.items():
        is_judging = phase == "judgments"
        sent = [body for body in stub.asked() if body["model"] == name]
        assert sum("<answer_a>" in body["messages"][0]["content"] for body in sent) == (
            n if is_judging else 0
        )

    assert collected(tmp_path, "--dry-run") == 0
    assert f"0 calls to make, {n_calls} in the cache" in capsys.readouterr().out
    assert collected(tmp_path) == 0
    assert "0 calls made" in capsys.readouterr().out
    assert len(stub.asked()) == n_calls


def test_an_unknown_price_is_unknown(study, tmp_path, capsys):
    study()
    assert collected(tmp_path, "--dry-run") == 0
    assert capsys.readouterr().out.rstrip().endswith("cost unknown")


def test_offline_proves_or_names_what_is_missing(study, tmp_path, stub, capsys):
    study(judges=("first", "too-long"))
    assert collected(tmp_path, "--offline") == 2
    assert "no such directory" in capsys.readouterr().err
    assert collected(tmp_path) == 1
    capsys.readouterr()
    n_asked = len(stub.requests)
    assert collected(tmp_path, "--offline") == 2
    said = capsys.readouterr()
    assert said.out.count("missing: judgment by too-long: t1, main, one, other") == 1
    assert (
        said.err.strip()
        == "recuse: cache lacks 4 of the study's 12 calls; without --offline they are asked for"
    )
    assert collected(tmp_path, "--failures") == 0
    assert "4 calls failed and have no record, 0 failed and then succeeded" in capsys.readouterr().out
    study(judges=("first",))
    assert collected(tmp_path, "--offline") == 0
    assert len(stub.requests) == n_asked


def test_the_collected_study_is_a_source(study, tmp_path, capsys):
    study(judges=("first", "one"), top='blinding = "flag"')
    assert collected(tmp_path, "--out", str(tmp_path / "panel")) == 0
    folder, cache = load(str(tmp_path / "panel")), load(str(tmp_path / "cache"))
    facts = ["judgment_id", "task_id", "tier", "judge", "slot_a", "slot_b", "verdict", "words_a", "raw"]
    assert (
        folder.judgments.select(facts)
        .sort("judgment_id")
        .equals(cache.judgments.select(facts).sort("judgment_id"))
    )
    assert folder.name == "panel"
    manifest = json.loads((tmp_path / "panel" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["calls"]["judgments"] == {"kept": 8, "missing": 0, "never_asked": 0}
    assert manifest["models"][0]["model_resolved"] == {"one-2026-01-01": 2}
    assert manifest["models"][0]["cost_usd"] is None
    capsys.readouterr()
    assert (
        main(
            [
                "report",
                str(tmp_path / "cache"),
                "--study",
                str(tmp_path / "study.toml"),
                "--out",
                str(tmp_path / "r"),
            ]
        )
        == 0
    )
    assert main(["cache", "verify", str(tmp_path / "cache")]) == 0


def test_imported_judgments_live_beside_collected_ones_and_are_marked(study, tmp_path):
    study()
    assert collected(tmp_path) == 0
    other = tmp_path / "elsewhere.csv"
    other.write_text("task_id,judge,slot_a,slot_b,verdict\nt1,third,one,other,a\n", encoding="utf-8")
    assert main(["import", "csv", str(other), "--into", str(tmp_path / "cache")]) == 0
    with Store(tmp_path / "cache") as store:
        marked = {
            record["imported"]
            for record in store.records()
            if record.get("judgment", {}).get("judge") == "third"
        }
        assert marked == {True}
        assert store.stats().n_imported == 1
        assert judgments(store).height == 9
        assert store.verify().ok
    assert collected(tmp_path, "--offline") == 0


def test_pointwise_judgments_become_labels(study, tmp_path):
    study(
        top='modes = ["pointwise"]\n',
        judges=("strict-judge",),
        tables='[criteria]\ncorrect = "It is right."\n',
    )
    path = tmp_path / "labels.jsonl"
    assert collected(tmp_path, "--labels", str(path)) == 0
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {row["case_id"] for row in rows} == {"t1/one", "t1/other", "t2/one", "t2/other"}
    assert {(row["approved"], tuple(row["failed_checks"]), row["rater"]) for row in rows} == {
        (False, ("correct",), "strict-judge")
    }
    from recuse.collectors.labels import read_labels

    assert read_labels(str(path)).labels.height == 4
    assert collected(tmp_path, "--labels", str(tmp_path / "labels.csv")) == 2


def test_another_parser_shows_what_it_would_change(study, tmp_path, capsys):
    study(judges=("contradicts", "first"))
    assert collected(tmp_path) == 0
    capsys.readouterr()
    assert main(["rejudge", str(tmp_path / "cache"), "--parser", "strict"]) == 0
    assert "parser strict: 0 of 8 verdicts change" in capsys.readouterr().out
    assert main(["rejudge", str(tmp_path / "cache"), "--parser", "first-letter"]) == 1
    said = capsys.readouterr().out
    assert "parser first-letter: 4 of 8 verdicts change" in said
    assert re.search(r"contradicts +parse_failed +a +4", said)
    assert re.search(r"contradicts +main .*100\.0 %", said)
    assert main(["rejudge", str(tmp_path / "cache"), "--parser", "first"]) == 2


def test_wrong_use_gets_one_line(capsys):
    for words, said in (
        (["collect"], "needs STUDY.toml and --into CACHE"),
        (["collect", "nowhere.toml", "--into", "c"], "nowhere.toml cannot be read"),
        (["collect", "x.toml", "--into", "c", "--offline", "--batch"], "exclude each other"),
    ):
        assert main(words) == 2
        error = capsys.readouterr().err
        assert said in error
        assert error.count("\n") == 1


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_collection_that_is_cut_off_goes_on_where_it_was(study, tmp_path, stub, how):
    tasks = [{"id": f"t{n}", "prompt": f"Say {n}."} for n in range(20)]
    study(tasks=tasks, tables="[limits.default]\nconcurrency = 2\n")
    words = [
        sys.executable,
        "-m",
        "recuse",
        "collect",
        str(tmp_path / "study.toml"),
        "--into",
        str(tmp_path / "cache"),
    ]
    environment = os.environ | {"PYTHONPATH": str(SOURCES)}
    with subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as first:
        deadline = time.monotonic() + 60
        while len(stub.asked()) < 50 and time.monotonic() < deadline:
            time.sleep(0.01)
        first.send_signal(how)
        first.communicate(timeout=60)
    n_sent = len(stub.asked())
    assert 50 <= n_sent < 120
    assert first.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
    with Store(tmp_path / "cache") as store:
        n_kept = len(store)
        assert store.verify().ok
    # At most what was under way has to be asked again: two calls side by side.
    assert n_sent - 2 <= n_kept <= n_sent
    second = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert second.returncode == 0, second.stderr
    assert len(stub.asked()) - n_sent == 120 - n_kept
    with Store(tmp_path / "cache") as store:
        assert len(store) == 120
        assert judgments(store).height == 80
