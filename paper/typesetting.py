"""TeX to PDF: run an engine until the references stand still, and write down what the PDF was made from."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from recuse.errors import ConfigurationError, TypesettingError

__all__ = ["ENGINES", "RECORD", "inputs_of", "stale", "typeset"]

ENGINES: Final = ("pdflatex", "lualatex")
RECORD: Final = "paper.made-from.json"
"""Beside the PDF: the SHA-256 of the PDF and of everything that it was made from."""
_MOST_RUNS: Final = 4
_PATIENCE: Final = 300
_MADE_FROM: Final = ("*.tex", "tables/*.tex", "words/*.tex", "figures/*.pdf", "estimates.parquet")


def typeset(folder: Path, *, engine: str | None = None) -> Path:
    """Make ``paper.pdf`` from ``paper.tex`` in a folder and return its path.

    Parameters
    ----------
    folder
        Holds the sources and everything that they read.
    engine
        One of `ENGINES`; by default the first that is installed.

    Raises
    ------
    ConfigurationError
        No engine is installed.
    TypesettingError
        TeX stopped; the message is TeX's own first complaint.
    """
    program = _installed(engine)
    (folder / "paper.aux").unlink(missing_ok=True)
    before = ""
    for _ in range(_MOST_RUNS):
        _run(program, folder)
        now = _digest(folder / "paper.aux")
        if now == before:
            break
        before = now
    pdf = folder / "paper.pdf"
    record = {"pdf": _digest(pdf), "made_from": inputs_of(folder)}
    (folder / RECORD).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return pdf


def inputs_of(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file that a paper is made from, by its path within the folder."""
    paths = sorted(path for pattern in _MADE_FROM for path in folder.glob(pattern))
    return {path.relative_to(folder).as_posix(): _digest(path) for path in paths}


def stale(folder: Path) -> list[str]:
    """Say in what way the PDF is not that of the sources and estimates beside it; nothing if it is."""
    pdf, record = folder / "paper.pdf", folder / RECORD
    if not pdf.exists():
        return ["there is no paper.pdf"]
    if not record.exists():
        return [f"there is no {RECORD}: what paper.pdf was made from is not known"]
    told = json.loads(record.read_text(encoding="utf-8"))
    made_from: dict[str, str] = told["made_from"]
    problems = [] if told["pdf"] == _digest(pdf) else [f"paper.pdf is not the one that {RECORD} is about"]
    now = inputs_of(folder)
    changed = sorted(name for name in {*now, *made_from} if now.get(name) != made_from.get(name))
    return [*problems, *(f"paper.pdf is older than {name}" for name in changed)]


def _installed(engine: str | None) -> str:
    wanted = ENGINES if engine is None else (engine,)
    found = next((path for name in wanted if (path := shutil.which(name))), None)
    if found is None:
        raise ConfigurationError(
            f"no TeX is installed ({' or '.join(wanted)})",
            "install Debian's texlive-latex-extra, texlive-fonts-recommended, lmodern; or ask for --no-pdf",
        )
    return found


def _run(program: str, folder: Path) -> None:
    words = [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    fixed = {"SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1", "max_print_line": "1000"}
    try:
        done = subprocess.run(  # noqa: S603 - an engine of TeX, no word from outside
            words,
            cwd=folder,
            env=os.environ | fixed,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_PATIENCE,
        )
    except subprocess.TimeoutExpired as error:
        raise TypesettingError(Path(program).name, f"no end after {_PATIENCE} s", folder) from error
    if done.returncode:
        raise TypesettingError(Path(program).name, _first_complaint(done.stdout), folder)


def _first_complaint(log: str) -> str:
    found = re.search(r"^! (.+(?:\n(?!l\.\d).+){0,2})(?:\n.*)*?\n(l\.\d+)?", log, re.MULTILINE)
    if found is None:
        return "it gives no reason"
    line = found[2].removeprefix("l.") if found[2] else ""
    complaint = found[1].splitlines()[0].rstrip(".")
    return f"{complaint} (line {line})" if line else complaint


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
