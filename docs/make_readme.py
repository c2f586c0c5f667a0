"""Write what README.md shows: the claims' outcome, the findings and the first figure, made by this code.

Usage: ``python docs/make_readme.py [--check]``; with ``--check`` nothing is written and a difference exits 1.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from recuse.analysis.claims.outcomes import Outcome, judge_claims
from recuse.analysis.comparisons import compare
from recuse.analysis.report import estimate_all
from recuse.analysis.settings import Settings
from recuse.collectors.claims import read_claims
from recuse.collectors.sources import load, load_all
from recuse.figures.charts import all_charts
from recuse.figures.claim_tables import as_published, where_decided
from recuse.figures.claim_words import answer
from recuse.figures.findings import findings
from recuse.figures.save import to_svg
from recuse.schema import EstimateFrame

ROOT = Path(__file__).parent.parent
BEGIN, END = "<!-- output of recuse report: begin -->\n", "<!-- output of recuse report: end -->"
BEGIN_CLAIMS = "<!-- outcome of recuse claims: begin -->\n"
END_CLAIMS = "<!-- outcome of recuse claims: end -->"
FIGURE = ROOT / "docs" / "figures" / "self_preference.svg"


def estimates() -> EstimateFrame:
    """Estimate the bundled study as ``recuse report`` does."""
    source = load()
    comparisons = compare(source.judgments, families=source.families)
    return estimate_all(comparisons, Settings(), tiers=source.tiers)


def outcomes() -> list[Outcome]:
    """Put the bundled claims on the ladder as ``recuse claims`` does."""
    file = read_claims()
    source = load_all(file.sources)
    comparisons = compare(source.judgments, families=source.families)
    return judge_claims(file.claims, comparisons, Settings(), tiers=source.tiers, study=file.study)


def readme(found: EstimateFrame, claims: list[Outcome]) -> str:
    """Put the claims and the findings into the page."""
    lines = [
        textwrap.fill(f"• {sentence}", 112, subsequent_indent="  ", break_on_hyphens=False)
        for sentence in findings(found)
        if _on_the_first_screen(sentence)
    ]
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    before, after = page.split(BEGIN_CLAIMS)[0], page.split(END_CLAIMS)[1]
    page = before + BEGIN_CLAIMS + _claims(claims) + END_CLAIMS + after
    before, after = page.split(BEGIN)[0], page.split(END)[1]
    block = "```text\n" + "\n".join(lines) + "\n```\n"
    return before + BEGIN + block + END + after


def _claims(claims: list[Outcome]) -> str:
    header = ("Verdict", "What the article says", "As published", "Where it is decided")
    rows = [header, ("---",) * len(header)]
    for outcome in claims:
        there, rung = where_decided(outcome)
        verdict = f"{outcome.verdict} \\*" if outcome.is_supported is False else outcome.verdict
        cells = (verdict, outcome.claim.says, as_published(outcome), f"{there}, {rung}")
        rows.append(tuple(cell.replace("|", r"\|") for cell in cells))
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    starred = any(outcome.is_supported is False for outcome in claims)
    return f"**{answer(claims)}**\n\n{table}\n" + (_STARRED if starred else "")


_STARRED = """
\\* Not shown by the printed interval, or, where none was printed, by the usual reading of the judgments.
"""


def _on_the_first_screen(sentence: str) -> bool:
    if sentence.startswith(("At equal length", "From ")):
        return False
    return "self-preference against uninvolved" in sentence or "slot A" in sentence


def main(*, check: bool) -> int:
    """Write both, or say whether they are as the code makes them."""
    found = estimates()
    page = readme(found, outcomes())
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
