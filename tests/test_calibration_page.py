"""The outputs on docs/calibration.md are the program's own.

Run with RECUSE_WRITE_PAGE=1 to write them anew.
"""

import contextlib
import io
import os
import re
import runpy
import shlex
import sys
from pathlib import Path

import published_labels
import pytest

from recuse.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "calibration.md"
BLOCK = re.compile(
    r"```console\n\$ (?P<command>[^\n]+)\n(?P<output>.*?)```\n(?:<!-- shows: (?P<shows>[\d ]+) -->\n)?",
    re.DOTALL,
)
GATES = re.compile(r"```toml\n(.*?)```", re.DOTALL)
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
PUBLISHED = {
    "pandalm.csv": published_labels.pandalm,
    "llmbar-gpt-4.csv": lambda: published_labels.llmbar("GPT-4"),
    "swap-battle.csv": published_labels.swap_battle,
}
BLOCKS = list(BLOCK.finditer(PAGE.read_text(encoding="utf-8")))


def output_of(command: str, shows: str | None) -> str:
    """Run a command of the page; of its paragraphs keep those that are to be shown."""
    program, *arguments = shlex.split(command)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        if program == "python":
            with contextlib.suppress(SystemExit):
                runpy.run_path(str(PAGE.parents[1] / arguments[0]), run_name="__main__")
        else:
            main(arguments)
    lines = "\n".join(
        line.rstrip() for line in TIME.sub("2026-01-01T00:00:00", printed.getvalue()).splitlines()
    )
    if shows is None:
        return lines + "\n"
    paragraphs = lines.split("\n\n")
    wanted = [int(place) for place in shows.split()]
    kept = ["…"] if wanted[0] else []
    for place, following in zip(wanted, [*wanted[1:], -1], strict=True):
        kept.append(paragraphs[place])
        if following != place + 1 and place + 1 < len(paragraphs):
            kept.append("…")
    return "\n\n".join(kept) + "\n"


def prepare(command: str, folder: Path, earlier: list[str]) -> None:
    (folder / "gates.toml").write_text(GATES.search(PAGE.read_text(encoding="utf-8"))[1], encoding="utf-8")
    for name, labels in PUBLISHED.items():
        if name in command:
            labels().write_csv(folder / name)
    for before in earlier:
        if "--held-out" in before and "--held-out" in command:
            with contextlib.redirect_stdout(io.StringIO()):
                main(shlex.split(before)[1:])


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(BLOCKS)), ids=[block["command"] for block in BLOCKS])
def test_a_block_is_what_the_program_prints(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["recuse"])
    block = BLOCKS[place]
    prepare(block["command"], tmp_path, [other["command"] for other in BLOCKS[:place]])
    printed = output_of(block["command"], block["shows"])
    if os.environ.get("RECUSE_WRITE_PAGE"):
        text = PAGE.read_text(encoding="utf-8")
        start = f"```console\n$ {block['command']}\n"
        old = start + block["output"] + "```"
        assert text.count(old) >= 1
        PAGE.write_text(text.replace(old, start + printed + "```"), encoding="utf-8")
        return
    assert block["output"] == printed


def test_the_page_shows_every_kind_of_run():
    commands = " ".join(block["command"] for block in BLOCKS)
    assert all(word in commands for word in ("--held-out", "compare", "--gates", "--judged", *PUBLISHED))
    assert all(block["output"] for block in BLOCKS)
