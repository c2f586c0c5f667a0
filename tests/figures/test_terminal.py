import io

import hand_made_estimates
import pytest
from rich.console import Console

from recuse.figures.terminal import print_report
from recuse.schema import EstimateFrame


@pytest.fixture
def three_judges() -> EstimateFrame:
    return hand_made_estimates.three_judges()


def printed(estimates: EstimateFrame, **options: object) -> str:
    file = io.StringIO()
    console = Console(file=file, **options)  # type: ignore[arg-type]
    print_report(
        estimates, set_aside_counts={"no verdict": 2, "unused": 0}, notes=["One [bold]note"], console=console
    )
    return file.getvalue()


def test_a_pipe_gets_every_line_whole(three_judges: EstimateFrame) -> None:
    lines = printed(three_judges, width=40).splitlines()
    assert any("is not evidence of no bias" in line and "grok-4.3" in line.lower() for line in lines)
    row = next(line for line in lines if "[+6.0, +37.4]" in line and "judges is" not in line)
    assert row.split()[-2:] == ["30", "15"]
    assert "…" not in "".join(lines)


def test_the_answer_comes_first_and_what_was_set_aside_last(three_judges: EstimateFrame) -> None:
    lines = printed(three_judges, width=40).splitlines()
    assert "self-preference against uninvolved judges is" in lines[0]
    assert lines[-2:] == ["Set aside: no verdict: 2.", "Note: One [bold]note"]


def test_a_narrow_terminal_cuts_no_cell(three_judges: EstimateFrame) -> None:
    assert "[+6.0, +37.4]" in printed(three_judges, width=40, force_terminal=True)
