"""The outputs on docs/power.md are the program's own.

Run with RECUSE_WRITE_PAGE=1 to write them anew.
"""

import contextlib
import io
import os
import re
import shlex
from pathlib import Path

import pytest

from recuse.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "power.md"
BLOCK = re.compile(r"```console\n\$ (?P<command>[^\n]+)\n(?P<output>.*?)```\n", re.DOTALL)
BLOCKS = list(BLOCK.finditer(PAGE.read_text(encoding="utf-8")))


def output_of(command: str) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main(shlex.split(command)[1:]) == 0
    return "\n".join(line.rstrip() for line in printed.getvalue().splitlines()) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(BLOCKS)), ids=[block["command"] for block in BLOCKS])
def test_a_block_is_what_the_program_prints(place):
    block = BLOCKS[place]
    printed = output_of(block["command"])
    if os.environ.get("RECUSE_WRITE_PAGE"):
        text = PAGE.read_text(encoding="utf-8")
        start = f"```console\n$ {block['command']}\n"
        old = start + block["output"] + "```"
        assert text.count(old) == 1
        PAGE.write_text(text.replace(old, start + printed + "```"), encoding="utf-8")
        return
    assert block["output"] == printed


def test_the_page_asks_a_study_and_states_rates():
    commands = " ".join(block["command"] for block in BLOCKS)
    asked = ("three-judges", "--own", "--replicates", "--of slot", "--flip-rate")
    assert all(word in commands for word in asked)
    assert all("detectable" in block["output"] for block in BLOCKS)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("three-judges --judge nobody", "unknown judge 'nobody'"),
        ("three-judges --judges 3", "cannot be resampled from a study"),
        ("--own 0.7 --of slot", "rates are stated instead of a study"),
        ("no-such-study", "cannot read no-such-study"),
        ("--own 0.95 --effect 0.1", "half the undecided share"),
        ("three-judges --baseline human", "no judge has a baseline human"),
    ],
)
def test_what_cannot_be_answered_is_one_line(words, said, capsys):
    assert main(["power", *shlex.split(words)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
