"""The figures of stability and robustness show the numbers of their rows, and only where there are any."""

from __future__ import annotations

from itertools import product
from typing import Any
from xml.etree import ElementTree as ET

import polars as pl
import pytest

import recuse
from recuse.figures.charts import all_charts
from recuse.figures.save import to_svg
from recuse.figures.stability_chart import robustness_beside_second_askings, stability_and_variance

HOSTILE = "</script><b>judge"


def rows(*said: tuple[str, str, str, int, str]) -> pl.DataFrame:
    """Judge, probe, order, replicate → verdicts, one letter a task; x stands in slot A in order xy."""
    return pl.DataFrame(
        [
            {"task_id": f"t{task}", "judge": judge, "probe": probe, "replicate": replicate,
             "slot_a": order[0], "slot_b": order[1], "verdict": verdict,
             **{f"variant_{'ab'[place]}": "cites a source" if probe == "authority" and side == "y" else None
                for place, side in enumerate(order)}}
            for judge, probe, order, replicate, verdicts in said
            for task, verdict in enumerate(verdicts)
        ],
        infer_schema_length=None,
    )  # fmt: skip


TWICE = rows(
    *((judge, "main", "xy", n, text) for judge, n, text in product("jk", range(2), ["abaab"])),
    ("j", "main", "yx", 0, "babba"), ("j", "main", "yx", 1, "babaa"),
    ("k", "main", "yx", 0, "bbbba"), ("k", "main", "yx", 1, "bbbba"),
    ("j", "authority", "xy", 0, "bbabb"),
)  # fmt: skip


def words(chart: Any) -> list[str]:
    tree = ET.fromstring(to_svg(chart.to_dict(validate=False)))  # noqa: S314
    return ["".join(node.itertext()) for node in tree.iter("{http://www.w3.org/2000/svg}text")]


def drawn(chart: Any) -> list[dict[str, Any]]:
    sets = chart.to_dict(validate=False)["datasets"].values()
    return [row for rows in sets for row in rows if "estimate" in row]


def test_points_are_the_rows_of_the_answer() -> None:
    answer = recuse.load(TWICE).stability()
    chart = stability_and_variance(answer.frame)
    shown = sorted(row["estimate"] for row in drawn(chart) if row["label"] == "k")
    of_k = answer.frame.filter(
        pl.col("judge") == "k",
        pl.col("estimand").is_in(["test_retest_agreement", "modal_share", "variance_share"]),
        pl.col("estimate").is_not_null(),
    )
    assert shown == pytest.approx(sorted(100 * value for value in of_k["estimate"]), abs=1e-5)
    text = words(chart)
    assert text[0].endswith("?") or any(line.endswith("?") for line in text)
    assert {"all judges", "j", "k", "tasks", "comparisons"} <= set(text)
    assert any("from the judge, in %" in line for line in text)
    assert any("dashed: 100 %" in line for line in text)


def test_it_appears_only_where_something_was_asked_again() -> None:
    once = recuse.load("three-judges")
    assert stability_and_variance(once.stability().frame) is None
    assert robustness_beside_second_askings(once.stability().frame) is None
    assert set(all_charts(recuse.load(TWICE).stability().frame)) == {"stability"}


def test_one_order_shows_agreement_and_says_why_there_are_no_shares() -> None:
    one = recuse.load(TWICE.filter(pl.col("slot_a") == "x", pl.col("probe") == "main"))
    text = words(stability_and_variance(one.stability().frame))
    assert not any("from the task, in %" in line for line in text)
    assert any("no comparison was asked again in both orders" in line for line in text)
    assert "j" in text


def test_robustness_stands_beside_a_second_asking() -> None:
    frame = recuse.load(TWICE.filter(pl.col("slot_a") == "x")).robustness().frame
    text = words(robustness_beside_second_askings(frame))
    net = frame.filter(pl.col("baseline").is_not_null())["estimate"].item()
    kept = frame.filter(pl.col("baseline").is_null(), pl.col("estimand") == "robustness_rate")[
        "estimate"
    ].item()
    assert net == pytest.approx(kept - 1)
    assert any(f"net −{-100 * net:.1f} pp" in line for line in text)
    assert "kept when asked again" in text


def test_names_are_text_and_several_probes_are_told_apart() -> None:
    both = pl.concat([TWICE, TWICE.filter(pl.col("probe") == "main").with_columns(probe=pl.lit("again"))])
    named = both.with_columns(pl.col("judge").replace("j", HOSTILE))
    chart = stability_and_variance(recuse.load(named).stability().frame)
    assert "</script>" not in to_svg(chart.to_dict(validate=False))
    assert {"k (again)", "k (main)"} <= set(words(chart))
