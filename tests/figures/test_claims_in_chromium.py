"""The page of claims with hostile names, as a real browser shows it on a desk, on a phone and on paper."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path

import polars as pl
import pytest
from headless_browser import BROWSER, Page, offline

from recuse.cli import main
from recuse.collectors.sources import load

pytestmark = [pytest.mark.slow, pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")]

HOSTILE = "x/</script><script>document.title='owned'</script><img src=x onerror=alert(1)>"
DRAWN = "!!document.querySelector('[data-drawn]')"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    source = load()
    models = ("judge", "slot_a", "slot_b")
    renamed = source.judgments.with_columns(pl.col(models).replace("xai/grok-4.3", HOSTILE))
    renamed.drop("judgment_id").write_csv(folder / "judgments.csv")
    name = json.dumps(HOSTILE)
    claims = [
        f'title = {name}\n[[claim]]\nid = {name}\nkind = "self_preference"\nsays = {name}\njudge = {name}',
        f'[[claim]]\nid = "slot"\nkind = "slot_preference"\njudge = {name}\ndirection = "absent"',
    ]
    (folder / "claims.toml").write_text("\n".join(claims), encoding="utf-8")
    words = ["claims", str(folder / "claims.toml"), str(folder / "judgments.csv")]
    assert main([*words, "--out", str(folder / "out")]) == 1
    return folder / "out" / "claims.html"


@pytest.fixture(scope="module")
def page(written: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[Page]:
    with offline(tmp_path_factory.mktemp("profile"), written, DRAWN) as tab:
        yield tab


def test_it_draws_the_ladders_and_says_and_asks_nothing(page: Page, written: Path) -> None:
    assert page.ask("document.querySelectorAll('[data-drawn=yes] svg.marks').length") == 1
    assert page.complaints() == []
    assert {url for url in page.requests() if not url.startswith("data:")} == {written.as_uri()}


def test_names_stay_text(page: Page) -> None:
    assert page.ask("document.title").endswith(HOSTILE)
    assert page.ask("document.querySelectorAll('img[onerror], script[src]').length") == 0
    assert page.ask("document.querySelector('h1').textContent") == HOSTILE
    assert page.ask("document.querySelector('.says a').textContent") == HOSTILE


def test_the_answer_comes_first_and_leads_to_its_ladder(page: Page) -> None:
    assert page.ask("document.querySelector('.answer p').textContent") == "0 of 2 claims survive; 2 fall."
    assert page.ask("document.querySelectorAll('details').length") == 2
    page.ask("document.querySelectorAll('.says a')[1].click()")
    assert page.ask(
        "new Promise((done) => setTimeout(() => done(document.querySelectorAll('details')[1].open), 200))"
    )


def test_no_line_leaves_a_phone_s_screen(page: Page) -> None:
    page.resize(390)
    assert page.ask("document.documentElement.scrollWidth") <= 390
    assert page.ask("getComputedStyle(document.querySelector('.claims thead')).display") == "none"
    page.resize(1200)


def test_every_ladder_is_on_paper(page: Page) -> None:
    page.ask("dispatchEvent(new Event('beforeprint'))")
    assert page.every("details", "node.open")
    assert page.print_pdf().startswith(b"%PDF")
