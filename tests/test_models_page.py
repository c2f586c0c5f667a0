"""The outputs on docs/models.md are the program's own, and what it says of them is so.

Run with RECUSE_WRITE_PAGE=1 to write them, and the figure, anew. Blocks of the published verdicts are run
where these lie beside the checkout.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import polars as pl
import pytest
from python_pages import with_outputs

import recuse
from recuse.analysis.joint import MOST_BY_DEFAULT
from recuse.figures.save import to_svg

DOCS = Path(__file__).parents[1] / "docs"
PAGE, FIGURE = DOCS / "models.md", DOCS / "figures" / "stability.svg"
TEXT = PAGE.read_text(encoding="utf-8")
PUBLISHED = DOCS.parents[1] / "shared" / "data" / "position-bias" / "verdicts.csv.gz"


@pytest.fixture(scope="module")
def own() -> pl.DataFrame:
    return recuse.load("three-judges").joint().frame.filter(estimand="joint_own")


@pytest.mark.slow
def test_the_page_shows_what_the_program_says(capsys, tmp_path, monkeypatch):
    if PUBLISHED.exists():
        (tmp_path / PUBLISHED.name).symlink_to(PUBLISHED)
    monkeypatch.chdir(tmp_path)
    made = with_outputs(TEXT, capsys, run_it=lambda block: "published" not in block or PUBLISHED.exists())
    made = re.sub(r"[ \t]+$", "", made, flags=re.MULTILINE)
    if os.environ.get("RECUSE_WRITE_PAGE"):
        PAGE.write_text(made, encoding="utf-8")
        return
    assert made == TEXT


@pytest.mark.slow
@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published verdicts are not beside the checkout")
def test_the_figure_is_of_the_published_verdicts():
    published = recuse.load(f"position-bias:{PUBLISHED}")
    again = recuse.load(published.judgments.filter(study="mtbench", probe="three_rounds"))
    svg = to_svg(again.stability().figure("stability").to_dict(validate=False))
    if os.environ.get("RECUSE_WRITE_PAGE"):
        FIGURE.write_text(svg, encoding="utf-8")
    assert FIGURE.read_text(encoding="utf-8") == svg


def test_one_judge_of_three_keeps_its_self_preference(own):
    by_judge = own.filter(pl.col("judge").is_not_null())
    above = by_judge.filter(pl.col("conf_low") > 0)
    assert above["judge"].to_list() == ["openai/gpt-5.5"]
    assert above["p_adjusted"].item() < 0.05
    others = by_judge.filter(pl.col("judge") != "openai/gpt-5.5")
    assert (others["conf_low"] < 0).all()
    assert (others["conf_high"] > 0).all()
    assert others["mde"].min() > 1


def test_of_slot_and_length_the_page_says_what_the_terms_are():
    frame = recuse.load("three-judges").joint().frame.filter(pl.col("judge").is_not_null())
    slots = frame.filter(pl.col("conf_low") > 0, estimand="joint_slot")
    assert slots["judge"].to_list() == ["xai/grok-4.3"]
    lengths = frame.filter(estimand="joint_length")
    assert ((lengths["conf_low"] < 0) & (lengths["conf_high"] > 0)).all()


def test_the_limit_on_judgments_is_the_one_of_the_program():
    assert f"Above {MOST_BY_DEFAULT:,} judgments" in TEXT


def test_the_shared_term_of_two_contestants_is_the_mean_of_both():
    """Two judges that are the only contestants: each is told from the other, and the page says so."""
    wins = {("j", "j"): 30, ("j", "m"): 12, ("m", "j"): 18, ("m", "m"): 25}
    rows = [
        {"task_id": f"t{n}", "judge": judge, "slot_a": a, "slot_b": "m" if a == "j" else "j",
         "verdict": "a" if n < won else "b"}
        for (judge, a), won in wins.items() for n in range(40)
    ]  # fmt: skip
    found = recuse.load(pl.DataFrame(rows)).joint().frame.filter(estimand="joint_own")
    assert found.filter(pl.col("judge").is_not_null())["estimate"].null_count() == 2
    assert found.filter(pl.col("judge").is_null())["estimate"].item() is not None


LABELS = {
    ("joint_own of one judge", "planted"): "own answer, one judge",
    ("joint_own", "planted"): "own answer, all judges",
    ("joint_slot", "planted"): "slot, all judges",
    ("joint_length", "planted"): "length, all judges",
    ("bt_strength", "planted"): "strength of a generator",
    ("flip_gap_slope", "balanced"): "slope of flips on the gap",
    ("flip_gap_slope", "unbalanced"): "slope of flips, unbalanced tasks",
}


def test_the_table_of_coverage_is_of_the_measurements():
    measured = pl.read_csv(DOCS / "validation.csv").filter(pl.col("measure") != "type I error")
    lines = []
    for (estimand, shape), label in LABELS.items():
        for row in measured.filter(estimand=estimand, shape=shape).to_dicts():
            values = [row["mean_length"], row["true"], row["mean_estimate"]]
            told = " | ".join(f"{value:.2f}".replace("-", "−") for value in values)
            lines.append(f"| {label} | {row['tasks']} | {100 * row['rate']:.1f} | {told} |")
    assert len(lines) == 3 * len(LABELS)
    assert "\n".join(lines) in TEXT
    shown = measured.join(
        pl.DataFrame(list(LABELS), schema=["estimand", "shape"], orient="row"), on=["estimand", "shape"]
    )
    assert shown["rate"].min() >= 0.9


def test_the_level_of_the_test_of_own_answers_is_the_measured_one():
    tested = pl.read_csv(DOCS / "validation.csv").filter(measure="type I error", estimand="joint_own")
    told = [f"{100 * rate:.1f}" for rate in tested.sort("tasks")["rate"]]
    assert f"{told[0]}, {told[1]} and {told[2]} % of data sets" in TEXT
