"""The outputs on docs/claims.md are the program's own, of the file of claims that it shows.

Run with RECUSE_WRITE_PAGE=1 to write them anew.
"""

import contextlib
import io
import os
import re
import shlex
from pathlib import Path

import pytest

from recuse.analysis.claims.ladder import RUNGS
from recuse.analysis.claims.record import KINDS
from recuse.cli import main
from recuse.figures.claim_words import MEANINGS, RUNG_NAMES

PAGE = Path(__file__).parents[1] / "docs" / "claims.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = list(re.finditer(r"```console\n\$ (?P<command>[^\n]+)\n(?P<output>.*?)```", TEXT, re.DOTALL))
CLAIMS = re.search(r"```toml\n(.*?)```", TEXT, re.DOTALL)[1]


@pytest.mark.parametrize("place", range(len(BLOCKS)), ids=[block["command"] for block in BLOCKS])
def test_a_block_is_what_the_program_prints(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("claims.toml").write_text(CLAIMS, encoding="utf-8")
    block = BLOCKS[place]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = main(shlex.split(block["command"])[1:])
    assert status == 1
    shown = "\n".join(line.rstrip() for line in printed.getvalue().splitlines()) + "\n"
    if os.environ.get("RECUSE_WRITE_PAGE"):
        start = f"```console\n$ {block['command']}\n"
        text = PAGE.read_text(encoding="utf-8")
        assert text.count(start + block["output"] + "```") == 1
        PAGE.write_text(
            text.replace(start + block["output"] + "```", start + shown + "```"), encoding="utf-8"
        )
        return
    assert block["output"] == shown


def test_the_page_speaks_of_every_kind_rung_and_verdict():
    assert all(f"`{kind}`" in TEXT for kind in KINDS)
    assert all(f"| {RUNG_NAMES[name]} |" in TEXT for name in RUNGS)
    assert all(f"| {verdict} |" in TEXT for verdict in MEANINGS)
