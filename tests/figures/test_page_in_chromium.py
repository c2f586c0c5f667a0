"""The report of a study with hostile names, as a real browser shows it."""

from __future__ import annotations

import itertools
from collections.abc import Generator
from pathlib import Path

import polars as pl
import pytest
from headless_browser import BROWSER, Page, browser, offline

from recuse.cli import main
from recuse.collectors.sources import load

pytestmark = [pytest.mark.slow, pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")]

HOSTILE = "x/</script><script>document.title='owned'</script><img src=x onerror=alert(1)>"
DRAWN = (
    "document.querySelectorAll('[data-drawn]').length === document.querySelectorAll('[id^=chart-]').length"
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Report on the bundled study with one of its models renamed."""
    folder = tmp_path_factory.mktemp("hostile")
    source = load()
    models = ("judge", "slot_a", "slot_b")
    renamed = source.judgments.with_columns(pl.col(models).replace("xai/grok-4.3", HOSTILE)).drop(
        "judgment_id"
    )
    renamed.write_csv(folder / "judgments.csv")
    assert main(["report", str(folder / "judgments.csv"), "--out", str(folder / "out")]) == 0
    return folder / "out" / "report.html"


@pytest.fixture(scope="module")
def page(report: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[Page]:
    with offline(tmp_path_factory.mktemp("profile"), report, DRAWN) as tab:
        yield tab


def test_it_draws_every_chart_and_says_and_asks_nothing(page: Page, report: Path) -> None:
    n = page.ask("document.querySelectorAll('[id^=chart-]').length")
    assert n >= 6
    assert page.ask("document.querySelectorAll('[data-drawn=yes] svg.marks').length") == n
    assert page.ask("document.querySelectorAll('.chart img').length") == 0
    assert page.complaints() == []
    assert {url for url in page.requests() if not url.startswith("data:")} == {report.as_uri()}


def test_a_name_stays_text(page: Page) -> None:
    assert page.ask("document.title").startswith("Do the judges")
    assert page.ask("document.querySelectorAll('img[onerror], script[src]').length") == 0
    assert page.ask("document.scripts.length") == 3
    names = page.ask("[...document.querySelectorAll('tbody th')].map((cell) => cell.textContent)")
    assert any("onerror=" in name for name in names)


def test_a_row_tells_how_it_was_made_when_pointed_at(page: Page) -> None:
    page.ask("document.getElementById('chart-1').scrollIntoView()")
    x, y = page.ask(
        "(() => { const text = [...document.querySelectorAll('#chart-1 text')]"
        ".find((node) => node.textContent === 'against uninvolved judges').getBoundingClientRect();"
        "return [text.x + 5, text.y + text.height / 2]; })()"
    )
    page.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    page.send("Input.dispatchMouseEvent", type="mouseMoved", x=x + 1, y=y)
    told = page.ask("document.getElementById('vg-tooltip-element').innerText")
    assert "against uninvolved judges" in told
    assert "15.0 pp [−5.7, 35.7]" in told
    assert "bootstrap-t over tasks" in told
    assert page.ask("getComputedStyle(document.getElementById('vg-tooltip-element')).visibility") == "visible"


def test_a_keyboard_and_a_screen_reader_find_their_way(page: Page) -> None:
    for key in ("rawKeyDown", "keyUp"):
        page.send("Input.dispatchKeyEvent", type=key, key="Tab", code="Tab", windowsVirtualKeyCode=9)
    assert page.ask("document.activeElement.textContent") == "Skip to the answer"
    levels = page.ask("[...document.querySelectorAll('h1, h2, h3')].map((node) => Number(node.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below <= above + 1 for above, below in itertools.pairwise(levels))
    for landmark in ("header", "nav[aria-label]", "main"):
        assert page.ask(f"document.querySelectorAll('{landmark}').length") == 1
    assert page.every("main table", "node.caption.textContent.endsWith('?')")
    assert page.every("main th", "node.scope")
    assert page.every(".scroll", "node.tabIndex === 0 && node.ariaLabel")
    assert page.every(".chart", "node.role === 'img' && node.ariaLabel.length > 80")
    assert page.every("a", "document.getElementById(node.hash.slice(1))")
    assert page.every("[id]", "document.getElementById(node.id) === node")


def test_on_a_phone_nothing_but_figures_and_tables_is_wider_than_the_screen(page: Page, report: Path) -> None:
    page.open(report.as_uri(), width=390, ready=DRAWN)
    assert page.ask("document.documentElement.scrollWidth") <= 390
    assert page.ask("document.querySelector('#chart-0 svg').getBoundingClientRect().width") > 390
    assert page.complaints() == []
    page.resize(1200)


def test_it_prints(page: Page) -> None:
    printed = page.print_pdf()
    assert printed.startswith(b"%PDF")
    assert 5 <= printed.count(b"/Type /Page\n") <= 14


def test_without_scripts_it_shows_its_drawings(report: Path, tmp_path: Path) -> None:
    with browser(tmp_path) as tab:
        tab.send("Emulation.setScriptExecutionDisabled", value=True)
        tab.open(report.as_uri())
        assert tab.ask("document.querySelectorAll('.chart img').length") >= 6
        assert tab.every(".chart img", "node.naturalWidth > 300 && node.alt.length > 80")
        assert "Scripts are off" in tab.ask("document.getElementById('figures').innerText")
