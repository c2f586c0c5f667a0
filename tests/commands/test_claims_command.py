"""``recuse claims`` from the outside: exit status, what it prints and writes, and what it refuses."""

import json
from pathlib import Path

import polars as pl
import pytest

from recuse.cli import main

HEAD = '[[claim]]\nid = "own"\nkind = "self_preference"\njudge = "openai/gpt-5.5"\n'
BAD_NAME = 'p</script><b>"%&_{}'


def judgments(path: Path, judges=("p", "q"), contestants=("p", "q"), tasks="abcdefghijkl") -> Path:
    one, other = contestants
    rows = [
        {"task_id": task, "judge": judge, "slot_a": a, "slot_b": b, "verdict": verdict}
        for place, task in enumerate(tasks)
        for judge in judges
        for a, b, verdict in (
            (one, other, "a" if (place + len(judge)) % 5 else "b"),
            (other, one, "b" if (place + len(judge)) % 5 else "a"),
        )
    ]
    pl.DataFrame(rows).write_csv(path)
    return path


def test_some_do_not_survive(capsys):
    assert main(["claims"]) == 1
    out = capsys.readouterr().out
    assert "4 of 27 claims survive; 20 weaken, 3 fall." in out
    assert out.index("4 of 27") < out.index("Verdict")


def test_all_survive(tmp_path, capsys):
    path = tmp_path / "claims.toml"
    path.write_text(HEAD)
    assert main(["claims", str(path), "three-judges"]) == 0
    assert "1 of 1 claim survives." in capsys.readouterr().out


@pytest.mark.slow
def test_holm_over_the_file_is_shown_beside(capsys):
    assert main(["claims", "--holm-all"]) == 1
    out = capsys.readouterr().out
    first = next(line for line in out.splitlines() if line.startswith("survives   gpt-own "))
    assert first.rstrip().endswith("weakens")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD.replace("gpt-5.5", "gpt-5.6"), "claim own: unknown judge 'openai/gpt-5.6'; did you mean"),
        (HEAD.replace("judge =", "jugde ="), "did you mean 'judge'?"),
        (HEAD.replace("self_preference", "selfpreference"), "did you mean 'self_preference'?"),
        (HEAD + 'tier = "objectiv"\n', "unknown tier 'objectiv'; did you mean 'objective'?"),
        (HEAD + "published = { estimate = 28.3 }\n", "write shares, not percent"),
        (HEAD + 'study = "three-juges"\n', "unknown study 'three-juges'; did you mean 'three-judges'?"),
        ("[[claim]\n", "not TOML"),
        ("", "begin each with a line [[claim]]"),
    ],
)  # fmt: skip
def test_a_file_with_a_mistake_is_one_line_and_status_2(tmp_path, capsys, text, said):
    path = tmp_path / "claims.toml"
    path.write_text(text)
    assert main(["claims", str(path), "three-judges"]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.err.count("\n") == 1
    assert not captured.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["none.toml"], "check the path"),
        (["three-judges", "claims.toml"], "name the file of claims before SOURCE"),
        (["pilot"], "unknown study 'three-judges'"),
        (["--out", "{file}"], "is a file"),
        (["no-such-source"], "no such file"),
    ],
)
def test_wrong_use_is_one_line_and_status_2(tmp_path, capsys, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    assert main(["claims", *(word.format(file="file") for word in words)]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.err.count("\n") == 1


def test_a_file_without_sources_says_so(tmp_path, capsys):
    path = tmp_path / "claims.toml"
    path.write_text(HEAD)
    assert main(["claims", str(path)]) == 2
    assert 'write sources = ["…"]' in capsys.readouterr().err


def test_sources_lie_beside_the_file(tmp_path, capsys, monkeypatch):
    judgments(tmp_path / "mine.csv", judges=("p", "q", "r"))
    text = 'sources = ["mine.csv"]\n' + HEAD.replace("openai/gpt-5.5", "p")
    (tmp_path / "claims.toml").write_text(text)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert main(["claims", "../claims.toml"]) in {0, 1}
    assert "of 1 claim" in capsys.readouterr().out


def test_nothing_is_identifiable_where_both_judges_compete(tmp_path, capsys):
    source = judgments(tmp_path / "two.csv")
    path = tmp_path / "claims.toml"
    path.write_text(HEAD.replace("openai/gpt-5.5", "p"))
    assert main(["claims", str(path), str(source)]) == 1
    out = capsys.readouterr().out
    assert "0 of 1 claim survives; 1 is not identifiable." in out
    assert "not identifiable" in out


@pytest.mark.slow
def test_json_holds_every_rung(capsys):
    assert main(["claims", "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["answer"] == "4 of 27 claims survive; 20 weaken, 3 fall."
    own = next(claim for claim in told["claims"] if claim["id"] == "gpt-own")
    assert (own["kind"], own["verdict"], own["decided_by"]) == (
        "self_preference",
        "survives",
        "length_adjusted",
    )
    rungs = {rung["rung"]: rung for rung in own["ladder"]}
    assert rungs["uninvolved"]["estimate"] == pytest.approx(0.2166667)
    assert rungs["uninvolved"]["change"]["estimate"] == pytest.approx(-0.0666667)
    assert rungs["human"]["reason"] == "no human judge on any comparison"


@pytest.mark.slow
def test_what_is_written(tmp_path, capsys):
    path = tmp_path / "three.toml"
    judges = ("openai/gpt-5.5", "anthropic/claude-sonnet-4-6", "xai/grok-4.3")
    ids = ("gpt-own", "claude-own", "grok-own")
    claims = [
        HEAD.replace('"own"', f'"{one}"').replace("openai/gpt-5.5", judge)
        for one, judge in zip(ids, judges, strict=True)
    ]
    path.write_text("\n".join(claims))
    assert main(["claims", str(path), "three-judges", "--out", str(tmp_path)]) == 1
    capsys.readouterr()
    names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert {"claims.html", "claims.json", "manifest.json", "estimates.parquet", "estimates.csv"} <= names
    assert {f"figures/ladders.{form}" for form in ("svg", "pdf", "png")} <= names
    assert {"tables/claims.tex", "tables/ladder-gpt-own.tex"} <= names
    page = (tmp_path / "claims.html").read_text(encoding="utf-8")
    assert page.index("1 of 3 claims survives") < page.index("<table")
    estimates = pl.read_parquet(tmp_path / "estimates.parquet")
    row = estimates.row(
        by_predicate=(pl.col("group") == "claim=gpt-own rung=length_adjusted")
        & (pl.col("estimand") == "claim_estimate"),
        named=True,
    )
    assert row["p_adjusted"] == pytest.approx(3 * row["p_value"])


@pytest.mark.slow
def test_names_stay_text_in_page_and_tables(tmp_path, capsys):
    source = judgments(tmp_path / "odd.csv", judges=(BAD_NAME, "q", "r"), contestants=(BAD_NAME, "q"))
    path = tmp_path / "claims.toml"
    quoted = json.dumps(BAD_NAME)
    path.write_text(
        f'[[claim]]\nid = {quoted}\nkind = "self_preference"\nsays = {quoted}\njudge = {quoted}\n'
    )
    assert main(["claims", str(path), str(source), "--out", str(tmp_path / "out")]) in {0, 1}
    capsys.readouterr()
    page = (tmp_path / "out" / "claims.html").read_text(encoding="utf-8")
    assert "</script><b>" not in page
    assert "&lt;/script&gt;" in page
    table = (tmp_path / "out" / "tables" / "claims.tex").read_text(encoding="utf-8")
    assert r"\%\&\_\{\}" in table
    inside = {path.parent.name for path in (tmp_path / "out").rglob("*.tex")}
    assert inside == {"tables"}


@pytest.mark.slow
def test_a_starter_file_can_be_run(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["claims", "--init", "three-judges"]) == 0
    assert "recuse claims claims.toml" in capsys.readouterr().out
    text = Path("claims.toml").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert text.count("[[claim]]") > 8
    assert main(["claims", "claims.toml"]) in {0, 1}
    assert main(["claims", "--init", "three-judges"]) == 2
    assert "exists already" in capsys.readouterr().err


@pytest.mark.slow
def test_a_starter_file_with_odd_names_can_be_run(tmp_path, capsys):
    source = judgments(tmp_path / "odd.csv", judges=(BAD_NAME, "q", "r"), contestants=(BAD_NAME, "q"))
    assert main(["claims", "--init", str(source), "--out", str(tmp_path)]) == 0
    assert main(["claims", str(tmp_path / "claims.toml")]) in {0, 1}
    capsys.readouterr()
