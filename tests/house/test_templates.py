"""Each template of docs/templates is a module that works as it stands."""

import json
import sys
import types
from pathlib import Path

import polars as pl
import pytest

from recuse.analysis.comparisons import compare
from recuse.analysis.settings import Settings
from recuse.cli import COMMANDS, main
from recuse.collectors import sources
from recuse.errors import SourceError

TEMPLATES = Path(__file__).parents[2] / "docs" / "templates"


def module(kind: str, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    made = types.ModuleType(f"recuse_template_{kind}")
    monkeypatch.setitem(sys.modules, made.__name__, made)
    code = (TEMPLATES / f"{kind}.py.txt").read_text(encoding="utf-8")
    exec(compile(code, f"{kind}.py.txt", "exec"), made.__dict__)  # noqa: S102
    return made


@pytest.fixture
def estimates(monkeypatch):
    comparisons = compare(sources.load("three-judges").judgments)
    return module("estimand", monkeypatch).both_tie_rate(comparisons, Settings(n_resamples=99))


def test_estimand(estimates):
    pooled = estimates.filter(pl.col("tier").is_null())
    judgments = sources.load("three-judges").judgments.filter(pl.col("probe") == "main")
    assert pooled["judge"].to_list() == sorted(judgments["judge"].unique())
    assert pooled["n_comparisons"].sum() * 2 == judgments.height
    assert estimates["estimate"].is_between(0, 1).all()
    assert (estimates["conf_low"] <= estimates["conf_high"]).all()


def test_figure(estimates, monkeypatch):
    chart = module("figure", monkeypatch).both_tie_rates(estimates).to_dict()
    records = chart["datasets"][chart["data"]["name"]]
    judges = estimates["judge"].n_unique()
    assert len(records) == judges + estimates.filter(pl.col("tier").is_not_null()).height
    assert chart["title"]["text"].endswith("?")


def test_importer(monkeypatch, tmp_path):
    made = module("importer", monkeypatch)
    monkeypatch.setitem(sources.IMPORTERS, "template", made.__name__)
    line = {"question": "q1", "grader": "j", "left": "x", "right": "y", "winner": "left", "seconds": 3}
    swapped = line | {"left": "y", "right": "x", "winner": "draw"}
    file = tmp_path / "verdicts.jsonl"
    file.write_text("\n".join(map(json.dumps, [line, swapped])), encoding="utf-8")
    read = sources.load(f"template:{file}").judgments
    assert read.select("task_id", "judge", "slot_a", "slot_b", "verdict").rows() == [
        ("q1", "j", "x", "y", "a"),
        ("q1", "j", "y", "x", "tie"),
    ]
    file.write_text('{"question": "q1"}', encoding="utf-8")
    with pytest.raises(SourceError, match="it is no file of verdicts of …: it has question; such a file has"):
        sources.load(f"template:{file}")


def test_command(monkeypatch, capsys):
    made = module("command", monkeypatch)
    monkeypatch.setitem(COMMANDS, "count", (made.__name__, "Count."))
    assert main(["count", "three-judges"]) == 0
    assert capsys.readouterr().out == "378 judgments, 0 rows set aside\n"
    assert main(["count", "three-jugdes"]) == 2
    assert capsys.readouterr().err.startswith("recuse: cannot read three-jugdes: ")
