"""The specification curve: what is drawn is what the frame says, whatever is in the names."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest

from recuse.analysis.multiverse.frame import Specifications
from recuse.analysis.multiverse.grid import SAME_JUDGES
from recuse.figures.save import to_svg
from recuse.figures.specification_curve import Curve, specification_curve

SCHEMA = {name: column.dtype for name, column in Specifications.columns().items()}
HOSTILE = "evil</script><script>alert(1)</script>"


def row(estimate: float | None, *, holds: bool | None, **fields: object) -> dict[str, object]:
    bounds = (None, None) if estimate is None else (estimate - 0.1, estimate + 0.1)
    return {
        "claim": "c", "scoring": "resolved", "baseline": "uninvolved", "cluster": "task", "ties": "kept",
        "left_out": "nothing", "left_out_name": None, "is_usual": False, "estimate": estimate,
        "std_error": None, "conf_low": bounds[0], "conf_high": bounds[1], "p_value": 0.01, "effect": estimate,
        "holds": holds, "n_comparisons": 10, "n_tasks": 5,
        "reason": None if holds is not None else "why", **fields,
    }  # fmt: skip


@pytest.fixture
def specifications() -> pl.DataFrame:
    rows = [
        row(0.2, holds=True, is_usual=True),
        row(0.1, holds=False, baseline="all_peers"),
        row(None, holds=None, baseline="uninvolved_family", reason=SAME_JUDGES),
        row(None, holds=None, baseline="human", reason="no human judge on any comparison"),
        row(0.3, holds=True, left_out="judge", left_out_name="openai/gpt-5.5"),
        row(0.15, holds=True, left_out="task", left_out_name="t1"),
        row(0.25, holds=False, left_out="task", left_out_name="t2"),
    ]
    return Specifications.validate(pl.DataFrame(rows, schema=SCHEMA, orient="row"))


def texts(svg: str) -> list[str]:
    return [re.sub("<[^>]+>", "", found) for found in re.findall(r"<text[^>]*>.*?</text>", svg, re.DOTALL)]


def test_specifications_stand_in_the_order_of_their_estimates(specifications: pl.DataFrame) -> None:
    chart = specification_curve(specifications, Curve("A judge prefers its own answers"))
    found = json.dumps(chart.to_dict())
    assert [float(x) for x in re.findall(r'"estimate": ([\d.]+)', found)] == [10.0, 20.0, 30.0]
    usual = re.search(
        r'"place": (\d), "holds": true, "usual": true[^}]*"least": ([\d.]+), "most": ([\d.]+)', found
    )
    assert usual
    assert (int(usual[1]), float(usual[2]), float(usual[3])) == (1, 15.0, 25.0)


def test_shares_count_tasks_left_out_too(specifications: pl.DataFrame) -> None:
    shown = texts(to_svg(specification_curve(specifications, Curve("A claim")).to_dict()))
    assert "75 % of 4" in shown  # uninvolved: .2, .3 and .15 hold, .25 does not
    assert "0 % of 1" in shown  # all other judges
    assert "the same judges" in shown
    assert "infeasible" in shown
    assert any("holds in 3 of 5 feasible specifications (60 %)" in text for text in shown)
    assert any("no human judge on any comparison" in text for text in shown)


def test_a_choice_of_one_level_has_no_row(specifications: pl.DataFrame) -> None:
    shown = texts(to_svg(specification_curve(specifications, Curve("A claim")).to_dict()))
    assert "Compared with" in shown
    assert "Ties" not in shown


def test_nothing_feasible_is_no_figure(specifications: pl.DataFrame) -> None:
    assert specification_curve(specifications.filter(pl.col("holds").is_null()), Curve("A claim")) is None


def test_names_stay_text(specifications: pl.DataFrame) -> None:
    renamed = specifications.with_columns(
        left_out_name=pl.when(pl.col("left_out") == "judge").then(pl.lit(HOSTILE)).otherwise("left_out_name")
    )
    svg = to_svg(specification_curve(renamed, Curve(HOSTILE)).to_dict())
    assert "<script" not in svg


def test_many_judges_left_out_are_one_row(specifications: pl.DataFrame) -> None:
    judges = [
        row(0.2 + place / 100, holds=True, left_out="judge", left_out_name=f"j{place}") for place in range(9)
    ]
    many = pl.concat([specifications, pl.DataFrame(judges, schema=SCHEMA, orient="row")])
    shown = texts(to_svg(specification_curve(many, Curve("A claim")).to_dict()))
    assert "each judge in turn" in shown
    assert "j3" not in shown
