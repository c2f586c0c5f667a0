"""Statements shown on a page of documentation, run again with what they show."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from recuse.errors import RecuseError

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


def with_outputs(
    page: str, capsys: pytest.CaptureFixture[str], *, run_it: Callable[[str], bool] = lambda _: True
) -> str:
    """The page with every block's outputs made anew, except of blocks that are not to be run."""
    names: dict[str, object] = {}

    def run(block: re.Match[str]) -> str:
        if not run_it(block[1]):
            return block[0]
        statements = [line.removeprefix(">>> ") for line in block[1].splitlines() if line.startswith(">>> ")]
        parts: list[str] = []
        for statement in statements:
            told = shown([statement], names)
            first, _, rest = told.partition("\n")
            parts.append(f"{first}\n{capsys.readouterr().out}{rest}")
        return f"```python\n{''.join(parts)}```"

    return BLOCK.sub(run, page)
