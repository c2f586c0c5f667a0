import csv
import json
from pathlib import Path

import hand_made_estimates
import polars as pl
import pytest

from recuse.figures.files import safe_for_spreadsheets, write_estimates, write_manifest, write_text
from recuse.schema import EstimateFrame


@pytest.fixture
def three_judges() -> EstimateFrame:
    return hand_made_estimates.three_judges()


def test_formulas_get_an_apostrophe_and_numbers_do_not() -> None:
    frame = pl.DataFrame({"name": ["=1+1", "+a", "-b", "@c", "\td", "plain", None], "value": [-1.0] * 7})
    safe = safe_for_spreadsheets(frame)
    assert safe["name"].to_list() == ["'=1+1", "'+a", "'-b", "'@c", "'\td", "plain", None]
    assert safe["value"].to_list() == [-1.0] * 7


def test_estimates_come_back_as_they_were(three_judges: EstimateFrame, tmp_path: Path) -> None:
    parquet, table = write_estimates(three_judges, tmp_path / "out")
    assert pl.read_parquet(parquet).equals(three_judges.lazy().collect())
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == three_judges.lazy().collect().height
    assert rows[3]["conf_low"] == "-0.13"


def test_the_manifest_names_files_and_no_places(tmp_path: Path) -> None:
    path = write_manifest(
        tmp_path, inputs={"some/folder/judgments.csv": "ab12"}, versions={"polars": "2", "altair": "6"},
        seed=7, settings={"scoring": "resolved"}, set_aside={"no verdict": 2}, notes=["one"],
    )  # fmt: skip
    manifest = json.loads(path.read_text(encoding="utf-8"))
    assert manifest["inputs"] == [{"name": "judgments.csv", "sha256": "ab12"}]
    assert manifest["seed"] == 7
    assert manifest["set_aside"] == {"no verdict": 2}
    assert str(tmp_path) not in path.read_text(encoding="utf-8")


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    target = write_text(tmp_path / "a.txt", "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(target, "\ud800")
    assert target.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
