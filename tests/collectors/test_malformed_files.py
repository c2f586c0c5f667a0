"""Files that are cut off, wrongly encoded, empty, too large or of another kind: one line each."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from recuse.cli import main
from recuse.collectors.importers import documents
from recuse.collectors.importers.registry import IMPORTERS

RECORD = {"question_id": 1, "model_a": "x", "model_b": "y", "winner": "tie"}
LINE = json.dumps(RECORD)
GIB = 2**30


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refusal(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "Traceback" not in captured.err
    return captured.err


MALFORMED = {
    "a.json": (LINE[:-9].encode(), "the JSON is cut off ("),
    "b.json": (b"", "the file is empty"),
    "c.json": (b" \n ", "the file is empty"),
    "d.json": (
        json.dumps({"a": "\u00e4"}, ensure_ascii=False).encode("latin-1"),
        "line 1 is not UTF-8 (byte 0xe4)",
    ),
    "e.json": (LINE.encode("utf-16"), "it is written in UTF-16"),
    "f.json": (b"<html>not found</html>", "it is not JSON ("),
    "g.json": (b"[" * 100_000, "its JSON is nested too deeply"),
    "h.json": (b"[]", "it has no record"),
    "i.json": (b"[1, 2]", "it has no record"),
    "j.json": (b"{}", "it has no record"),
    "k.jsonl": (f"{LINE}\n{LINE[:20]}".encode(), "line 2 is cut off ("),
    "l.jsonl": (f"{LINE}\nnonsense\n{LINE}".encode(), "line 2 is not JSON ("),
    "m.csv": (b"model_a,model_b,winner\nx,y,tie\nx", "the header has 3 fields and 1 row has another number"),
    "n.tsv": (b"cmp_index\tA\tB\nq;x;y\tx", "the header has 3 fields and row 2 another number"),
    "o.json.gz": (gzip.compress(LINE.encode(), mtime=0)[:-10], "the gzip file is cut off or damaged"),
    "p.parquet": (b"PAR1 and nothing else", "it is no Parquet file, or it is cut off"),
    "q.json": (
        json.dumps([{"who": 1, "knows": 2}]).encode(),
        "it is no file of Chatbot Arena battles: it has who, knows",
    ),
}


@pytest.mark.parametrize(("name", "content", "line"), [(name, *case) for name, case in MALFORMED.items()])
def test_a_malformed_file_is_one_line(capsys, name, content, line):
    Path(name).write_bytes(content)
    assert line in refusal(capsys, "report", f"arena:{name}")


def test_a_file_that_is_not_there_is_one_line(capsys):
    assert "there is no such file" in refusal(capsys, "report", "arena:nowhere.json")


@pytest.mark.parametrize("name", [name for name in IMPORTERS if name != "table"])
def test_a_folder_without_such_files_is_one_line(capsys, name):
    Path("folder").mkdir()
    line = refusal(capsys, "import", name, "folder", "--into", "cache")
    assert "the directory holds no file of this format; it is looked for as" in line
    assert not Path("cache").exists()


@pytest.mark.parametrize("name", [name for name in IMPORTERS if name != "table"])
def test_a_file_of_another_format_is_one_line(capsys, name):
    Path("other.json").write_text(json.dumps([{"who": 1, "knows": 2}]))
    line = refusal(capsys, "import", name, "other.json", "--into", "cache")
    assert "it has who, knows; such a file has" in line


def test_a_file_of_no_known_format_is_one_line(capsys):
    Path("other.json").write_text(json.dumps([{"who": 1, "knows": 2}]))
    assert "it is of no format that is known: it has who, knows; recuse import --list" in refusal(
        capsys, "report", "other.json"
    )


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["jsonl", "csv", "json", "tsv", "jsonl.gz"])
def test_two_gigabytes_of_one_line_are_one_line_and_little_memory(tmp_path, suffix):
    path = tmp_path / f"large.{suffix}"
    if suffix.endswith(".gz"):
        with gzip.open(path, "wb", compresslevel=1) as file:
            for _ in range(80):
                file.write(b" " * 2**20)
    else:
        with path.open("wb") as file:
            file.truncate(2 * GIB)
    code = (
        "import resource, sys; from recuse.cli import main; status = main(['report', sys.argv[1]]); "
        "print(status, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"
    )
    run = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    status, mebibytes = map(int, run.stdout.split())
    assert status == 2
    assert mebibytes < 700
    assert run.stderr.count("\n") == 1
    expected = {"json": "more than 512 MiB in one JSON document", "tsv": "it is of no format that is known"}
    assert expected.get(suffix, "is longer than 64 MiB") in run.stderr


def test_a_large_document_is_refused_before_it_is_read(capsys, monkeypatch):
    monkeypatch.setattr(documents, "LARGEST_DOCUMENT", 2**20)
    with gzip.open("large.json.gz", "wb") as file:
        file.write(b"[" + b" " * 2**21 + b"]")
    assert "more than 1 MiB in one JSON document" in refusal(capsys, "report", "arena:large.json.gz")
