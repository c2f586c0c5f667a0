"""docs/validation.md shows what is in docs/validation.csv, and its figure is drawn from it.

Run with RECUSE_WRITE_PAGE=1 to write both anew.
"""

import contextlib
import io
import os
import re
import shlex
from pathlib import Path

import polars as pl
import pytest

from recuse.analysis.validation import NULLS, SHAPES, TASKS
from recuse.cli import main
from recuse.figures.save import to_svg
from recuse.figures.validation_chart import validation_chart

DOCS = Path(__file__).parents[1] / "docs"
PAGE, FIGURE, MEASURED = DOCS / "validation.md", DOCS / "figures" / "validation.svg", DOCS / "validation.csv"
BLOCK = re.compile(r"```console\n\$ (?P<command>[^\n]+)\n(?P<output>.*?)```\n", re.DOTALL)


def shown(out: Path) -> str:
    command = BLOCK.search(PAGE.read_text(encoding="utf-8"))["command"]
    words = shlex.split(command.replace("docs/validation.csv", str(MEASURED)))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main([*words[1:], "--out", str(out)]) == 0
    lines = [line.rstrip() for line in printed.getvalue().splitlines()]
    return "\n".join(lines[:-2]) + "\n"  # without the folder that was written to


def test_the_tables_are_those_of_the_measurements(tmp_path):
    printed = shown(tmp_path)
    if os.environ.get("RECUSE_WRITE_PAGE"):
        text = PAGE.read_text(encoding="utf-8")
        block = BLOCK.search(text)
        start = f"```console\n$ {block['command']}\n"
        PAGE.write_text(text.replace(block[0], f"{start}{printed}```\n"), encoding="utf-8")
        FIGURE.write_text((tmp_path / "validation.svg").read_text(encoding="utf-8"), encoding="utf-8")
        return
    assert BLOCK.search(PAGE.read_text(encoding="utf-8"))["output"] == printed
    assert (tmp_path / "validation.csv").read_text(encoding="utf-8") == MEASURED.read_text(encoding="utf-8")
    assert FIGURE.read_text(encoding="utf-8") == (tmp_path / "validation.svg").read_text(encoding="utf-8")


def test_every_cell_was_measured_on_many_data_sets():
    measured = pl.read_csv(MEASURED)
    assert set(measured["shape"]) == {*SHAPES, "planted"}
    assert set(measured["tasks"]) == set(TASKS)
    # On fewer, as they take long: the joint model and the slope of reversals on the gap.
    later = (pl.col("measure") == "recovery") | pl.col("estimand").is_in(["flip_gap_slope", "joint_own"])
    assert set(measured.filter(pl.col("measure") == "recovery")["tasks"]) == set(TASKS)
    assert measured.filter(later)["n_data_sets"].min() >= 400
    # A generator in no decided presentation of a data set has no length-controlled win rate there.
    assert measured.filter(~later)["n_data_sets"].min() >= 999
    tested = measured.filter(pl.col("measure") == "type I error")
    assert set(tested.select("estimand", "method").rows()) == {test for null in NULLS for test in null.tests}


def test_the_page_says_nothing_that_the_measurements_do_not():
    covered = pl.read_csv(MEASURED).filter(pl.col("measure") == "coverage")
    short = covered.filter(pl.col("rate") < 0.92)
    assert set(short["estimand"]) <= {
        "expected_agreement", "length_length_share", "length_controlled_win_rate",
    }  # fmt: skip
    tested = pl.read_csv(MEASURED).filter(pl.col("measure") == "type I error")
    assert tested["rate"].max() <= 0.065


def test_a_chart_draws_a_point_for_every_cell():
    measured = pl.read_csv(MEASURED).filter(pl.col("tasks") == 15)
    chart = validation_chart(measured).to_dict()
    points = [row for rows in chart["datasets"].values() for row in rows if "low" in row]
    assert len(points) == measured.height
    assert "<svg" in to_svg(chart)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--shape round", "unknown shape 'round'"),
        ("--show no-such.csv", "no-such.csv"),
        ("--show {page}", "cannot read"),
        ("--data-sets 1", "data-sets"),
    ],
)
def test_what_cannot_be_measured_is_one_line(words, said, tmp_path, capsys):
    words = words.format(page=PAGE)
    assert main(["validate", *shlex.split(words), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_models_alone_are_measured_where_there_is_nothing_else(tmp_path, capsys):
    words = ["validate", "--models", "--data-sets", "2", "--tasks", "5", "--shape", "ceiling"]
    assert main([*words, "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "joint_own of one judge" in printed
    assert "Type I error" not in printed
    measured = pl.read_csv(tmp_path / "validation.csv")
    assert set(measured["measure"]) == {"recovery"}
    assert "null" in measured.columns


def test_a_small_run_measures_and_writes(tmp_path, capsys):
    words = ["validate", "--data-sets", "3", "--tasks", "6", "--shape", "balanced", "--resamples", "99"]
    assert main([*words, "--out", str(tmp_path)]) == 0
    assert "6 balanced" in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {
        "validation.csv", "validation.svg", "validation.pdf", "validation.png",
    }  # fmt: skip
