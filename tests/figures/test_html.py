import base64
import re

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
SVG = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 10 10'><circle cx='5' cy='5' r='4'/></svg>"


def test_json_in_a_script_cannot_end_it() -> None:
    assert not set("<>&") & set(json_for_script({"name": ATTACK, "and": "&"}))


def test_a_hostile_name_stays_text(hostile: EstimateFrame) -> None:
    page = report_html(hostile, static={"win": SVG}, notes=[ATTACK], set_aside_counts={ATTACK: 1})
    assert "<script>" not in page
    assert "&lt;/script&gt;" in page


def test_the_answer_comes_before_figures_and_tables(three_judges: EstimateFrame) -> None:
    page = report_html(three_judges, static={"win": SVG}, manifest={"seed": 0})
    names = ("answer", "setup", "rests-on", "figures", "self_preference", "set-aside")
    places = [page.index(f'id="{name}"') for name in names]
    assert places == sorted(places)
    assert "1 of 2 judges scores its own answers higher" in page[: page.index("<nav")]
    assert page.index("excludes 0") < page.index('id="figures"')
    assert base64.b64encode(SVG.encode()).decode() in page


def test_the_page_is_whole_and_accessible(three_judges: EstimateFrame) -> None:
    page = report_html(three_judges, static={"win": SVG}, alt={"win": "a circle"})
    assert 'alt="a circle"' in page
    assert 'class="skip" href="#answer"' in page
    assert not re.search(r"<th(?! scope=)[ >]", page)
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page)
    assert not re.search(r">\s*(?:None|nan|NaN)\s*<", page)


def test_a_figure_is_described_by_its_question_and_set_up_and_leads_to_its_table(
    three_judges: EstimateFrame,
) -> None:
    spec = {"title": {"text": "Who?"}, "vconcat": [{"title": {"text": ["One judge.", "Five tasks."]}}]}
    page = report_html(three_judges, charts={"self_preference": spec}, static={"self_preference": SVG})
    assert 'aria-label="Who? One judge. Five tasks."' in page
    assert '<a href="#self_preference">table “Does a judge prefer its own answers' in page


def test_the_set_up_is_told_in_words(three_judges: EstimateFrame) -> None:
    manifest = {"seed": 7, "settings": {"n_resamples": 9999, "convention": "article"}}
    page = report_html(three_judges, manifest=manifest)
    assert "<dt>Resamples</dt><dd>9,999, seed 7</dd>" in page
    assert "the source article&#39;s own intervals and tests" in page
    assert "Grok-4.3 (xai/grok-4.3)" in page
