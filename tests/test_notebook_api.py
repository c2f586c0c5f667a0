"""The package in a notebook: what it loads, what it answers, and the example notebook."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import recuse
from recuse.analysis.comparisons import compare
from recuse.analysis.report import estimate_all
from recuse.analysis.settings import Settings
from recuse.collectors.sources import load
from recuse.errors import ConfigurationError, SourceError, UnknownNameError

NOTEBOOK = Path(__file__).parents[1] / "docs" / "notebook.py"
HOSTILE = "<b>judge & jury"


@pytest.fixture(scope="module")
def study() -> recuse.Study:
    return recuse.load("three-judges")


def test_importing_loads_no_library() -> None:
    script = "import sys, recuse; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert not {"polars", "numpy", "altair", "pydantic", "rich"} & set(done.stdout.split())


def test_an_unknown_attribute_is_one() -> None:
    with pytest.raises(AttributeError, match="no attribute 'laod'"):
        _ = recuse.laod


def test_it_says_what_it_is(study: recuse.Study) -> None:
    assert repr(study) == "Study three-judges: 378 judgments by 3 judges on 21 tasks"


@pytest.mark.slow
def test_answers_are_the_rows_of_the_report(study: recuse.Study) -> None:
    source = load()
    report = estimate_all(compare(source.judgments, families=source.families), Settings(), tiers=source.tiers)
    own = study.self_preference(baseline="uninvolved").frame
    expected = report.filter(pl.col("estimand").is_in(own["estimand"].unique()), baseline="uninvolved")
    assert own.equals(expected)
    slots = study.position().frame
    assert slots.equals(report.filter(pl.col("estimand").is_in(slots["estimand"].unique())))


def test_the_joint_model_is_asked_for_with_its_strengths(study: recuse.Study) -> None:
    plain = study.joint().frame
    assert set(plain["tier"]) == {None}
    asked = study.joint(by_tier=True, uninvolved=True).frame.filter(estimand="bt_strength")
    assert asked["tier"].n_unique() == 4
    assert set(asked["baseline"]) == {None, "uninvolved"}
    assert study.joint().frame.equals(plain)
    assert "all judges" in str(study.joint())


def test_flips_by_gap_are_a_table_of_the_rows(study: recuse.Study) -> None:
    (table,) = study.gap().tables()
    slopes = study.gap().frame.filter(estimand="flip_gap_slope")
    assert [row[-2:] for row in table.body] == [("45", "15")] * 3 + [("135", "15")]
    assert [row[5] for row in table.body] == [
        f"{value:.2f}".replace("-", "−") for value in slopes["estimate"]
    ]
    rates = study.gap().frame.filter(estimand="flip_rate_by_gap", judge="xai/grok-4.3")
    assert [row[1:5] for row in table.body if row[0] == "Grok-4.3"] == [
        (f"{100 * rates['estimate'][0]:.1f}", "–", *(f"{100 * rate:.1f}" for rate in rates["estimate"][1:]))
    ]


def test_an_answer_without_a_number_says_why(study: recuse.Study) -> None:
    once = study.stability()
    assert str(once).startswith("No number for test_retest_agreement, modal_share: every presentation was")
    assert once._repr_html_().startswith("<p>No number for test_retest_agreement")
    assert str(study.robustness()) == "These judgments hold nothing that answers this."


def test_an_answer_is_frame_figure_latex_and_text(study: recuse.Study) -> None:
    own = study.self_preference(baseline="uninvolved")
    assert set(own.frame["baseline"]) == {"uninvolved"}
    assert set(own.figures) == {"self_preference", "self_preference_by_tier"}
    assert own.figure().to_dict(validate=False)["title"]["text"].startswith("Does a judge favour")
    assert own.latex().count(r"\begin{table}") == len(own.tables()) == 2
    assert "GPT-5.5" in str(own)
    assert own._repr_html_().startswith("<table><caption>Does a judge prefer its own answers")
    with pytest.raises(UnknownNameError, match="did you mean 'self_preference_by_tier'"):
        own.figure("self_preference_by_tiers")


def test_a_frame_is_a_source_and_names_stay_text(study: recuse.Study) -> None:
    columns = ["task_id", "tier", "judge", "slot_a", "slot_b", "verdict"]
    frame = (
        study.judgments.filter(probe="main")
        .select(columns)
        .with_columns(pl.col("judge", "slot_a", "slot_b").str.replace("xai/grok-4.3", HOSTILE, literal=True))
    )
    own = recuse.load(frame).self_preference("uninvolved")
    same = study.self_preference("uninvolved").frame
    rows = {"estimand": "self_preference_delta", "interval": "bootstrap_t"}
    assert own.frame.filter(**rows)["estimate"].sort().to_list() == pytest.approx(
        same.filter(**rows)["estimate"].sort().to_list()
    )
    assert "<b>" not in own._repr_html_()
    assert "&lt;b&gt;judge &amp; jury" in own._repr_html_()


def test_wrong_use_is_one_line(study: recuse.Study) -> None:
    with pytest.raises(UnknownNameError, match="unknown baseline 'uninvolvd'; did you mean 'uninvolved'"):
        study.self_preference(baseline="uninvolvd")
    with pytest.raises(SourceError, match="no such file, directory or bundled study"):
        recuse.load("no-such-study")
    with pytest.raises(ConfigurationError, match="stands alone"):
        recuse.load(study.judgments, "pilot")
    with pytest.raises(SourceError, match="column verdict is missing"):
        recuse.load(pl.DataFrame({"task_id": ["t"], "judge": ["j"], "slot_a": ["a"], "slot_b": ["b"]}))


@pytest.mark.slow
def test_claims_answer_with_verdicts_and_curves(study: recuse.Study) -> None:
    claims = study.claims([{"id": "gpt", "kind": "self_preference", "judge": "openai/gpt-5.5"}])
    assert claims.frame.select("claim", "verdict").rows() == [("gpt", "survives")]
    assert claims.specifications is claims.specifications
    assert claims.figure("gpt").to_dict(validate=False)["title"]["text"] == "GPT-5.5 prefers its own answers"
    assert claims.figure().to_dict(validate=False)["title"]["text"].startswith("Does each claim hold")
    assert claims.multiverse().body[0][1] == "gpt"
    with pytest.raises(UnknownNameError, match="did you mean 'gpt'"):
        claims.figure("gtp")


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_the_example_notebook_runs_from_top_to_bottom() -> None:
    app = runpy.run_path(str(NOTEBOOK))["app"]
    outputs, names = app.run()
    assert names["deltas"].height == 3
    assert names["shares"]["estimate"].to_list()[0] > 0.5
    assert sum(output is not None for output in outputs) >= 12
