import base64
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import hand_made_estimates
import pytest

from recuse.figures.html import json_for_script, report_html
from recuse.schema import EstimateFrame


@pytest.fixture
def three_judges() -> EstimateFrame:
    return hand_made_estimates.three_judges()


@pytest.fixture
def hostile() -> EstimateFrame:
    return hand_made_estimates.hostile()


ATTACK = "</script><script>document.title='owned'</script>"
SPEC: dict[str, Any] = {
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "title": "Does it draw?",
    "data": {"values": [{"x": 1, "y": ATTACK}, {"x": 2, "y": "b"}]},
    "mark": "point",
    "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "y", "type": "nominal"}},
}
SVG = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 10 10'><circle cx='5' cy='5' r='4'/></svg>"


def test_json_in_a_script_cannot_end_it() -> None:
    assert not set("<>&") & set(json_for_script({"name": ATTACK, "and": "&"}))


def test_a_hostile_name_stays_text(hostile: EstimateFrame) -> None:
    page = report_html(hostile, static={"win": SVG}, notes=[ATTACK], set_aside_counts={ATTACK: 1})
    assert "<script>" not in page
    assert "&lt;/script&gt;" in page


def test_the_answer_comes_before_figures_and_tables(three_judges: EstimateFrame) -> None:
    page = report_html(three_judges, static={"win": SVG}, manifest={"seed": 0})
    places = [page.index(f'id="{name}"') for name in ("answer", "figures", "self_preference", "set-aside")]
    assert places == sorted(places)
    assert page.index("excludes 0") < page.index('id="figures"')
    assert base64.b64encode(SVG.encode()).decode() in page


def test_the_page_is_whole_and_accessible(three_judges: EstimateFrame) -> None:
    page = report_html(three_judges, static={"win": SVG}, alt={"win": "a circle"})
    assert 'alt="a circle"' in page
    assert 'class="skip" href="#answer"' in page
    assert not re.search(r"<th(?! scope=)[ >]", page)
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page)
    assert not re.search(r">\s*(?:None|nan|NaN)\s*<", page)


@pytest.mark.slow
def test_a_browser_draws_the_charts_and_runs_no_name(hostile: EstimateFrame, tmp_path: Path) -> None:
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("no Chromium is installed")
    page = tmp_path / "report.html"
    page.write_text(report_html(hostile, charts={"win": SPEC}, static={"win": SVG}), encoding="utf-8")
    done = subprocess.run(
        [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--no-first-run",
            f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=20000",
            "--dump-dom", page.as_uri(),
        ],
        capture_output=True, text=True, check=True, timeout=180,
    )  # fmt: skip
    assert 'data-drawn="yes"' in done.stdout
    assert "<title>Do the judges" in done.stdout
    assert "vega-actions" not in done.stdout.split("<body>")[1].split("<script")[0]
