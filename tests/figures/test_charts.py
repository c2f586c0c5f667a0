"""Every figure is drawn by vl-convert and read back from its SVG."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import polars as pl
import pytest

from recuse.figures import charts
from recuse.figures.charts import all_charts
from recuse.figures.quantities import number, one_per_quantity
from recuse.figures.save import begin_drawing, file_name, save_all, to_svg

Make = Callable[..., pl.DataFrame]
DRAW: dict[str, Callable[[pl.DataFrame], Any]] = {
    "win_rate_by_judge": charts.win_rate_by_judge,
    "self_preference": charts.self_preference_forest,
    "self_preference_by_tier": charts.self_preference_by_tier,
    "position": charts.slot_a_and_flip_rates,
    "agreement": charts.kappa_heat_map,
    "length_probe": charts.length_probe,
}
QUESTIONS = {
    "win_rate_by_judge": "How often does each generator win, and who says so?",
    "self_preference": "Does a judge favour its own answers when involved judges are recused?",
}
HOSTILE = ("x/</script><b>", "y/a & b", 'z/"quo\'ted"', "long/" + "very-long-name-" * 8)


def words(chart: object) -> list[str]:
    """The texts of a figure as a reader of its SVG meets them, in order of drawing."""
    tree = ET.fromstring(to_svg(chart.to_dict(validate=False)))  # noqa: S314  # type: ignore[attr-defined]
    return ["".join(node.itertext()) for node in tree.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("name", list(DRAW))
def test_figure_says_question_judges_interval_and_n(make_estimates: Make, name: str) -> None:
    text = words(DRAW[name](make_estimates()))
    assert any(line.endswith("?") for line in text)
    whole = "\n".join(text)
    assert QUESTIONS.get(name, "?") in whole
    for judge in ("GPT-5.5", "Claude Sonnet 4.6", "Grok-4.3"):
        assert judge in whole
    assert "3 judges" in whole
    assert "15 tasks, 30 comparisons" in whole
    assert "95 % intervals: bootstrap-t over tasks" in whole


def test_sections_stand_above_their_lines(make_estimates: Make) -> None:
    chart = charts.self_preference_forest(make_estimates())
    assert chart is not None
    tree = ET.fromstring(to_svg(chart.to_dict(validate=False)))  # noqa: S314
    heights: dict[str, list[float]] = {}
    for node in tree.iter("{http://www.w3.org/2000/svg}text"):
        place = node.attrib.get("transform", "translate(0,0)").split(",")[1].split(")")[0]
        heights.setdefault("".join(node.itertext()), []).append(float(place))
    peers = sorted(heights["against all other judges"])
    for judge, first in zip(("Claude Sonnet 4.6", "GPT-5.5", "Grok-4.3"), peers, strict=True):
        assert heights[judge][0] == first - 19


def test_numbers_drawn_are_those_of_the_row(make_estimates: Make) -> None:
    estimates = make_estimates(estimate=0.2166, conf_low=-0.0834, conf_high=0.3504)
    assert "21.7 [−8.3, 35.0]" in words(DRAW["self_preference"](estimates))
    assert "0.22" in words(DRAW["agreement"](estimates))


@pytest.mark.parametrize("name", list(DRAW))
def test_what_cannot_be_estimated_is_told_with_its_reason(make_estimates: Make, name: str) -> None:
    nothing = make_estimates(
        estimate=None, std_error=None, conf_low=None, conf_high=None, conf_level=None, interval=None,
        reason="no uninvolved judge for any comparison",
    )  # fmt: skip
    whole = "\n".join(words(DRAW[name](nothing)))
    assert "no uninvolved judge for any comparison" in whole
    assert "No row has an interval." in whole
    assert "NaN" not in whole
    assert "null" not in whole


@pytest.mark.parametrize("judges", [("only/one",), HOSTILE, tuple(f"maker/model-{i}" for i in range(9))])
def test_any_panel_is_drawn(make_estimates: Make, judges: tuple[str, ...]) -> None:
    drawn = all_charts(make_estimates(judges))
    assert set(DRAW) - set(drawn) == ({"agreement"} if len(judges) == 1 else set())
    for chart in drawn.values():
        svg = to_svg(chart.to_dict(validate=False))
        assert "</script>" not in svg
        ET.fromstring(svg)  # noqa: S314


def test_a_missing_interval_is_told_with_its_reason(make_estimates: Make) -> None:
    bare = make_estimates(conf_low=None, conf_high=None, interval=None, reason="every task has the same sum")
    text = words(DRAW["self_preference"](bare))
    assert any(line.endswith("[no interval]") for line in text)
    assert "No interval (Claude Sonnet 4.6, GPT-5.5, Grok-4.3): every task has the same sum." in "".join(text)


def test_names_stay_text(make_estimates: Make) -> None:
    whole = "\n".join(words(DRAW["self_preference"](make_estimates(HOSTILE))))
    assert "a & b" in whole
    assert "script><b>" in whole
    assert '"quo\'ted"' in whole


def test_each_study_has_its_panel(make_estimates: Make) -> None:
    two = pl.concat([make_estimates(study="first"), make_estimates(study="second & last")])
    text = words(DRAW["self_preference"](two))
    assert "first" in text
    assert "second & last" in text
    assert sum(line == "Grok-4.3" for line in text) == 2


def test_no_rows_no_figure(make_estimates: Make) -> None:
    assert all_charts(make_estimates().clear()) == {}


def test_permuting_rows_changes_nothing(make_estimates: Make) -> None:
    estimates = make_estimates()
    mixed = estimates.sample(fraction=1.0, shuffle=True, seed=3)
    for name in ("win_rate_by_judge", "self_preference_by_tier", "position"):
        assert DRAW[name](estimates).to_dict(validate=False) == DRAW[name](mixed).to_dict(validate=False)


def test_one_row_per_quantity_prefers_the_first_with_an_interval(make_estimates: Make) -> None:
    row = make_estimates().head(1)
    bare = row.with_columns(pl.lit(None, dtype=pl.Float64).alias("conf_low"), test=pl.lit("sign"))
    later = row.with_columns(test=pl.lit("binomial"))
    assert one_per_quantity(pl.concat([bare, row, later])).equals(row)
    assert one_per_quantity(bare).equals(bare)


def test_the_font_is_named_and_carried_by_the_renderer(make_estimates: Make) -> None:
    svg = to_svg(DRAW["self_preference"](make_estimates()).to_dict(validate=False))
    assert "Liberation Sans" in svg


def test_save_all_writes_three_forms_under_safe_names(make_estimates: Make, tmp_path: Path) -> None:
    chart = DRAW["self_preference"](make_estimates())
    written = save_all([("../a b", chart)], tmp_path / "figures")
    assert [path.relative_to(tmp_path).as_posix() for path in written] == [
        "figures/a_b.svg",
        "figures/a_b.pdf",
        "figures/a_b.png",
    ]
    assert written[0].read_text(encoding="utf-8").startswith("<svg")
    assert written[1].read_bytes().startswith(b"%PDF")
    assert written[2].read_bytes().startswith(b"\x89PNG")


def test_file_names_and_numbers() -> None:
    assert file_name("..") == "figure"
    assert number(-0.04) == "0.0"
    assert number(-12.34) == "−12.3"


def test_longer_wins_stands_beside_its_share_and_the_probe(make_estimates: Make) -> None:
    rows = make_estimates().filter(pl.col("estimand") == "slot_a_rate", pl.col("tier").is_null())
    raw = rows.with_columns(estimand=pl.lit("longer_wins_rate"), estimate=pl.lit(0.486))
    share = rows.with_columns(
        estimand=pl.lit("length_length_share"), unit=pl.lit("difference"), estimate=pl.lit(-0.067),
        conf_low=pl.lit(-0.2), conf_high=pl.lit(0.1),
    )  # fmt: skip
    chart = charts.longer_wins_three_ways(pl.concat([raw, share, make_estimates()]))
    whole = "\n".join(words(chart))
    assert "Does the longer answer win because it is longer?" in whole
    assert whole.count("raw: the longer answer wins") == 3
    assert "43.3 [30.0, 60.0]" in whole
    assert "controlled: the longer version wins, tasks that reward concision" in whole
    assert charts.longer_wins_three_ways(make_estimates().filter(pl.col("estimand") == "win_rate")) is None


def test_flips_are_drawn_by_gap_with_the_slope_of_each_judge(make_estimates: Make) -> None:
    rows = make_estimates().filter(pl.col("estimand") == "flip_rate", pl.col("tier").is_null())
    rates = [
        rows.with_columns(estimand=pl.lit("flip_rate_by_gap"), group=pl.lit(f"gap={gap}"))
        for gap in ("0-25", "75-100")
    ]
    slope = rows.with_columns(
        estimand=pl.lit("flip_gap_slope"), unit=pl.lit("logit"), estimate=pl.lit(-1.45),
        conf_low=pl.lit(-1.9), conf_high=pl.lit(-1.0), p_value=pl.lit(1e-9), test=pl.lit("dual_of_jackknife"),
    )  # fmt: skip
    text = words(charts.flip_rate_by_gap(pl.concat([*rates, slope])))
    assert text.count("slope −1.45 [−1.90, −1.00], p < .001") == 3
    assert text.count("75–100") == 3
    assert charts.flip_rate_by_gap(make_estimates()) is None


def test_strengths_are_ranked_in_logits(make_estimates: Make) -> None:
    rows = make_estimates().filter(pl.col("estimand") == "slot_a_rate", pl.col("tier").is_null())
    ranked = rows.with_columns(
        estimand=pl.lit("bt_strength"), unit=pl.lit("logit"), generator="judge",
        judge=pl.lit(None, pl.String), estimate=pl.Series([-0.4, 0.6, -0.2]),
        conf_low=pl.Series([-1.0, 0.1, -0.9]),
        conf_high=pl.Series([0.2, 1.1, 0.5]),
    )  # fmt: skip
    text = words(charts.strengths_in_the_joint_model(ranked))
    values = [line for line in text if line.endswith("]") and line[0] in "−0"]
    assert values == ["0.60 [0.10, 1.10]", "−0.20 [−0.90, 0.50]", "−0.40 [−1.00, 0.20]"]
    assert not any("0 judges" in line for line in text)
    undefined = ranked.with_columns(
        estimate=pl.lit(None, pl.Float64), generator=pl.lit(None, pl.String), reason=pl.lit("disconnected")
    )
    assert charts.strengths_in_the_joint_model(undefined.head(1)) is None


def test_a_figure_that_cannot_be_drawn_is_an_error_with_its_reason(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="was not drawn"):
        save_all([("broken", {"mark": "no such mark", "data": {"values": []}})], tmp_path)


def test_processes_begun_for_figures_are_used_once_and_figures_come_in_the_given_order(
    make_estimates: Make, tmp_path: Path
) -> None:
    begin_drawing()
    specification = DRAW["self_preference"](make_estimates()).to_dict(validate=False)
    for folder in (tmp_path / "first", tmp_path / "second"):
        written = save_all([("b", specification), ("a", specification)], folder)
        assert [path.name for path in written] == [f"{n}.{e}" for n in "ba" for e in ("svg", "pdf", "png")]
        assert all(path.stat().st_size for path in written)
        drawn = (folder / "a.svg").read_text(encoding="utf-8")
        # Clips are counted over all that a process draws.
        assert re.sub(r"clip\d+", "", drawn) == re.sub(r"clip\d+", "", to_svg(specification))
