"""The outputs on docs/api.md are the program's own.

Run with RECUSE_WRITE_PAGE=1 to write them anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from python_pages import with_outputs

PAGE = Path(__file__).parents[1] / "docs" / "api.md"


@pytest.mark.slow
def test_the_page_shows_what_the_program_says(capsys):
    page = PAGE.read_text(encoding="utf-8")
    made = with_outputs(page, capsys)
    if os.environ.get("RECUSE_WRITE_PAGE"):
        PAGE.write_text(made, encoding="utf-8")
    assert made == PAGE.read_text(encoding="utf-8")
