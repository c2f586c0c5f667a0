"""docs/paper.md names macros that there are, and every macro that there is."""

import re
from pathlib import Path

from recuse.cli import main
from recuse.figures.numbers import numbers_tex
from recuse.paper.check import STATEMENTS
from recuse.schema import Estimates

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")


def test_its_macros_are_those_of_numbers_and_preamble():
    preamble = (ROOT / "paper" / "tex" / "preamble.tex").read_text(encoding="utf-8")
    written = numbers_tex(Estimates.create_empty()) + preamble
    defined = re.findall(r"\\def(\\Recuse\w+)|\\newcommand\{(\\Recuse\w+)\}", written)
    assert set(re.findall(r"\\Recuse[A-Z]\w*", PAGE)) == {name for pair in defined for name in pair if name}


def test_its_statement_is_one():
    said = re.findall(r"\\RecuseSays\{KEY\}\{([^}]*)\}", PAGE)
    assert said
    assert set(said) <= set(STATEMENTS)


def test_its_options_are_those_of_the_command(capsys):
    assert main(["paper", "--help"]) == 0
    offered = capsys.readouterr().out
    assert all(option in offered for option in re.findall(r"--[a-z][a-z-]+", PAGE))
