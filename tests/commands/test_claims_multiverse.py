"""What recuse claims writes of the multiverse."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import recuse
from recuse.cli import main
from recuse.figures.multiverse_pages import share_text

CLAIMS = """
[[claim]]
id = "gpt own"
kind = "self_preference"
judge = "openai/gpt-5.5"
published = { estimate = 0.283 }

[[claim]]
id = "../human"
kind = "rate"
rate = "flip_rate"
judge = "xai/grok-4.3"
bar = 0.2
"""


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("claims")
    (folder / "claims.toml").write_text(CLAIMS, encoding="utf-8")
    assert main(["claims", str(folder / "claims.toml"), "three-judges", "--out", str(folder / "out")]) in {
        0,
        1,
    }
    return folder / "out"


@pytest.mark.slow
def test_specifications_shares_and_curves_are_written(out: Path) -> None:
    specifications = pl.read_parquet(out / "specifications.parquet")
    assert set(specifications["claim"]) == {"gpt own", "../human"}
    shares = pl.read_parquet(out / "estimates.parquet").filter(pl.col("estimand") == "specification_share")
    mine = specifications.filter(pl.col("claim") == "gpt own", pl.col("holds").is_not_null())
    share = shares.filter(pl.col("group") == "claim=gpt own")["estimate"].item()
    assert share == pytest.approx(mine["holds"].mean())
    drawn = {path.name for path in (out / "figures").iterdir() if "curve" in path.name}
    assert {name.rsplit(".", 1)[0] for name in drawn} == {
        "specification_curve_gpt_own",
        "specification_curve_.._human",
    }
    assert (out / "tables" / "multiverse.tex").exists()


@pytest.mark.slow
def test_the_page_shows_them(out: Path) -> None:
    page = (out / "claims.html").read_text(encoding="utf-8")
    mine = pl.read_parquet(out / "specifications.parquet").filter(
        pl.col("claim") == "gpt own", pl.col("holds").is_not_null()
    )
    assert f"It holds in {mine['holds'].sum():,} of {mine.height:,} feasible specifications" in page
    assert page.count('<img class="curve"') == 2
    assert 'id="multiverse"' in page
    assert json.loads((out / "claims.json").read_text(encoding="utf-8"))["claims"][0]["id"] == "gpt own"


def test_where_only_contestants_judge_the_share_says_that_the_usual_specification_is_missing() -> None:
    sides = ("a/own", "b/other")
    frame = pl.DataFrame(
        [
            {
                "task_id": f"t{task}",
                "judge": judge,
                "slot_a": one,
                "slot_b": other,
                "verdict": "a" if one == judge or task == 2 else "b",
            }
            for task in range(3)
            for judge in sides
            for one, other in (sides, sides[::-1])
        ]
    )
    claims = recuse.load(frame).claims([{"id": "c", "kind": "self_preference", "judge": "a/own"}])
    told = share_text(claims.outcomes[0], claims.specifications)
    assert told.startswith("It holds in ")
    assert told.endswith("The usual one is not among them: no uninvolved judge for any comparison.")
