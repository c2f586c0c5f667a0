"""README.md shows what the code prints, not what somebody typed."""

import runpy
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def test_the_findings_are_the_code_s_own():
    script = runpy.run_path(str(REPOSITORY / "docs" / "make_readme.py"))
    page = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert script["readme"](script["estimates"](), script["outcomes"]()) == page
    shown = page.partition(script["BEGIN"])[2].partition(script["END"])[0]
    assert shown.count("\n• ") >= 6
    claims = page.partition(script["BEGIN_CLAIMS"])[2].partition(script["END_CLAIMS"])[0]
    assert claims.count("\n| ") >= 16 + 2
    assert "\n| " not in page.partition(script["BEGIN_CLAIMS"])[0]
