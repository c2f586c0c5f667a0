"""The outputs on docs/api.md are the program's own.

Run with RECUSE_WRITE_PAGE=1 to write them anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from recuse.errors import RecuseError

PAGE = Path(__file__).parents[1] / "docs" / "api.md"
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def shown(lines: list[str], names: dict[str, object]) -> str:
    """Run the statements of a block, each with what it shows after it."""
    page: list[str] = []
    for line in lines:
        page.append(f">>> {line}")
        try:
            value = eval(line, names)  # noqa: S307 - the page's own statements
        except SyntaxError:
            exec(line, names)  # noqa: S102
            continue
        except RecuseError as error:
            page.append(f"{type(error).__name__}: {error}")
            continue
        if value is not None:
            page.append(repr(value))
    return "\n".join(page) + "\n"


def with_outputs(page: str, capsys: pytest.CaptureFixture[str]) -> str:
    names: dict[str, object] = {}

    def run(block: re.Match[str]) -> str:
        statements = [line.removeprefix(">>> ") for line in block[1].splitlines() if line.startswith(">>> ")]
        parts: list[str] = []
        for statement in statements:
            told = shown([statement], names)
            first, _, rest = told.partition("\n")
            parts.append(f"{first}\n{capsys.readouterr().out}{rest}")
        return f"```python\n{''.join(parts)}```"

    return BLOCK.sub(run, page)


@pytest.mark.slow
def test_the_page_shows_what_the_program_says(capsys):
    page = PAGE.read_text(encoding="utf-8")
    made = with_outputs(page, capsys)
    if os.environ.get("RECUSE_WRITE_PAGE"):
        PAGE.write_text(made, encoding="utf-8")
    assert made == PAGE.read_text(encoding="utf-8")
