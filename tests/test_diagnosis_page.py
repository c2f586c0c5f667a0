"""The words and the output on docs/diagnosis.md are the program's own.

Run with RECUSE_WRITE_PAGE=1 to write them anew.
"""

import os
import textwrap
from pathlib import Path

import pytest

from recuse.analysis.comparisons import compare
from recuse.analysis.report import estimate_all
from recuse.analysis.settings import Settings
from recuse.collectors.sources import load
from recuse.figures.diagnosis import diagnosis_lines
from recuse.figures.diagnosis_words import REMEDIES

PAGE = Path(__file__).parents[1] / "docs" / "diagnosis.md"


def held(block: str, wanted: str) -> None:
    begin, end = f"<!-- {block}: begin -->\n", f"<!-- {block}: end -->"
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(begin)
    shown, after = rest.split(end)
    if os.environ.get("RECUSE_WRITE_PAGE"):
        PAGE.write_text(before + begin + wanted + end + after, encoding="utf-8")
        return
    assert shown == wanted


def test_the_words():
    rows = [
        f"| {one.name} | {one.mechanism} | {one.mitigation} | {one.caveat} | {one.source} |"
        for one in REMEDIES.values()
    ]
    head = ["| bias | mechanism | what to do | caveat | source |", "|---|---|---|---|---|"]
    held("words", "\n".join([*head, *rows]) + "\n")


@pytest.mark.slow
def test_the_output():
    source = load()
    comparisons = compare(source.judgments, families=source.families)
    estimates = estimate_all(comparisons, Settings(), tiers=source.tiers)
    lines = [
        textwrap.fill(f"• {line}", 112, subsequent_indent="  ", break_on_hyphens=False)
        for line in diagnosis_lines(estimates)
    ]
    held("diagnosis of three-judges", "```text\n" + "\n".join(lines) + "\n```\n")
