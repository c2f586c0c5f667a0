"""`recuse paper`, as a person runs it: the bundled paper, a paper on one's own study, and the check."""

import re
import shutil
import subprocess

import pytest

from recuse.cli import main

TEX = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(map(shutil.which, ("pdflatex", "pdfinfo", "pdftotext"))),
        reason="TeX and poppler are not installed",
    ),
]
HOSTILE = r"own/m_1 & \input{x}%$#"


@pytest.fixture(scope="module")
def bundled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper") / "out"
    assert main(["paper", "--out", str(folder)]) == 0
    return folder


def run(words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def words_of(pdf):
    return subprocess.run(
        ["pdftotext", "-layout", pdf, "-"], check=True, capture_output=True, text=True
    ).stdout


class TestBundled:
    pytestmark = TEX

    def test_it_has_four_to_six_pages_and_nothing_sticks_out(self, bundled):
        told = run(["pdfinfo", bundled / "paper.pdf"])
        assert 4 <= int(re.search(r"Pages:\s+(\d+)", told)[1]) <= 6
        log = (bundled / "paper.log").read_text(encoding="utf-8", errors="replace")
        assert not [
            float(width) for width in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log) if float(width) > 5
        ]
        assert "undefined" not in log
        assert "Missing character" not in log

    def test_it_says_what_the_estimates_say(self, bundled):
        text = " ".join(words_of(bundled / "paper.pdf").split())
        assert "??" not in text
        assert "not estimated" not in text
        assert "378 published judgments by 3 models" in text
        assert re.search(r"\d of 27 claims survive; \d+ weaken", text)
        assert "within ±10.0 pp" in text
        assert re.search(r"by \+21\.7 pp \[\+5\.\d, \+37\.\d\]", text)

    def test_the_check_agrees_until_something_changes(self, bundled, tmp_path, capsys):
        copy = tmp_path / "copy"
        shutil.copytree(bundled, copy)
        assert main(["paper", "--check", str(copy)]) == 0
        capsys.readouterr()
        text = (copy / "paper.tex").read_text(encoding="utf-8")
        changed = text.replace("interval above zero", "interval below zero", 1)
        changed = changed.replace("Tasks are few", "15 tasks are few")
        (copy / "paper.tex").write_text(changed, encoding="utf-8")
        numbers = (copy / "numbers.tex").read_text(encoding="utf-8")
        (copy / "numbers.tex").write_text(numbers.replace("{+21.7 pp}", "{+31.7 pp}", 1), encoding="utf-8")
        assert main(["paper", "--check", str(copy)]) == 1
        printed = capsys.readouterr().out
        for problem in (
            "numbers.tex: it is not made from estimates.parquet",
            "the estimates do not say 'interval below zero' of self_preference_delta/judge=gpt-5.5",
            "15 is typed, not looked up",
            "paper.pdf is older than numbers.tex",
            "paper.pdf is older than paper.tex",
            "5 problems",
        ):
            assert problem in printed


class TestOwnStudy:
    pytestmark = TEX

    def test_a_study_with_a_hostile_name_and_no_uninvolved_judge(self, tmp_path, capsys):
        rows = ["task_id,judge,slot_a,slot_b,verdict"]
        for task in range(6):
            for judge in (HOSTILE, "other"):
                rows += [f'{task},"{judge}","{HOSTILE}",other,a', f'{task},"{judge}",other,"{HOSTILE}",b']
        (tmp_path / "mine.csv").write_text("\n".join(rows), encoding="utf-8")
        folder = tmp_path / "paper"
        keys = ["kind = 'self_preference'", "id = 'a_b'", f"judge = '{HOSTILE}'", "direction = 'above'"]
        claim = "\n".join(["[[claim]]", *keys])
        (tmp_path / "claims.toml").write_text(claim, encoding="utf-8")
        claims = ["--claims", str(tmp_path / "claims.toml")]
        assert main(["paper", "--init", str(folder), str(tmp_path / "mine.csv")]) == 0
        assert not (folder / "paper.pdf").exists()
        end = r"\end{abstract}"
        mine = (folder / "paper.tex").read_text(encoding="utf-8").replace(end, f"My own words.\n{end}")
        (folder / "paper.tex").write_text(mine, encoding="utf-8")
        again = ["paper", str(tmp_path / "mine.csv"), "--out", str(folder), *claims]
        assert main(again) == 0, capsys.readouterr()
        text = words_of(folder / "paper.pdf")
        assert "My own words." in text
        assert "0 of 1 claim" in text
        assert r"m_1 & \input{x}%$#" in text
        assert "??" not in text


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["--check", "no-such-folder"],
            "there is no paper.tex; recuse paper --init no-such-folder SOURCE makes it",
        ),
        (["no-such.csv"], "no-such.csv"),
        (["--out", "a-file"], "a-file is a file; name a folder"),
        (["--init", "a-file"], "a-file is a file; name a folder"),
        (["--claims", "no-such.toml"], "no-such.toml"),
        (["--check", "a-folder", "pilot"], "leave out SOURCE and --init"),
    ],
)
def test_errors_are_one_line_and_exit_2(words, line, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a-file").touch()
    assert main(["paper", *words]) == 2
    told = capsys.readouterr()
    assert line in told.err
    assert len(told.err.strip().splitlines()) == 1
    assert told.out == ""
