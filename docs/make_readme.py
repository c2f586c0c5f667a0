"""Write what README.md shows: the findings and the first figure, made by the code of this checkout.

Usage: ``python docs/make_readme.py [--check]``; with ``--check`` nothing is written and a difference exits 1.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from recuse.analysis.comparisons import compare
from recuse.analysis.report import estimate_all
from recuse.analysis.settings import Settings
from recuse.collectors.sources import load
from recuse.figures.charts import all_charts
from recuse.figures.findings import findings
from recuse.figures.save import to_svg
from recuse.schema import EstimateFrame

ROOT = Path(__file__).parent.parent
BEGIN, END = "<!-- output of recuse report: begin -->\n", "<!-- output of recuse report: end -->"
FIGURE = ROOT / "docs" / "figures" / "self_preference.svg"


def estimates() -> EstimateFrame:
    """Estimate the bundled study as ``recuse report`` does."""
    source = load()
    comparisons = compare(source.judgments, families=source.families)
    return estimate_all(comparisons, Settings(), tiers=source.tiers)


def readme(found: EstimateFrame) -> str:
    """Put the findings into the page."""
    lines = [
        textwrap.fill(f"• {sentence}", 112, subsequent_indent="  ", break_on_hyphens=False)
        for sentence in findings(found)
        if _on_the_first_screen(sentence)
    ]
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    before, after = page.split(BEGIN)[0], page.split(END)[1]
    block = "```text\n" + "\n".join(lines) + "\n```\n"
    return before + BEGIN + block + END + after


def _on_the_first_screen(sentence: str) -> bool:
    if sentence.startswith(("At equal length", "From ")):
        return False
    return "self-preference against uninvolved" in sentence or "slot A" in sentence


def main(*, check: bool) -> int:
    """Write both, or say whether they are as the code makes them."""
    found = estimates()
    page = readme(found)
    drawing = to_svg(all_charts(found)["self_preference"].to_dict())
    wanted = {ROOT / "README.md": page, FIGURE: drawing}
    if check:
        stale = [path.name for path, text in wanted.items() if path.read_text(encoding="utf-8") != text]
        if stale:
            sys.stderr.write(
                f"not as the code makes it: {', '.join(stale)}; run python docs/make_readme.py\n"
            )
        return int(bool(stale))
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(check="--check" in sys.argv))
