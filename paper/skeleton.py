"""The TeX sources of a paper, laid out in a folder where its author changes them."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Final

__all__ = ["SOURCES", "lay_out"]

SOURCES: Final = ("preamble.tex", "definitions.tex", "references.tex")
"""What every paper shares, beside its own ``paper.tex``."""
_OWN_TEXT: Final = {"three-judges": "three-judges.tex"}
_ANY_STUDY: Final = "study.tex"


def lay_out(folder: Path, study: str) -> list[Path]:
    """Write the sources that the folder does not have yet; return those written.

    Parameters
    ----------
    folder
        Made when missing. A file that is there is its author's and stays as it is.
    study
        Name of the study: a bundled one with a paper of its own has its own text, every other the
        skeleton that speaks of any study.
    """
    folder.mkdir(parents=True, exist_ok=True)
    skeleton = files("recuse.paper") / "tex"
    names = {"paper.tex": _OWN_TEXT.get(study, _ANY_STUDY)} | {name: name for name in SOURCES}
    written: list[Path] = []
    for name, origin in names.items():
        path = folder / name
        if not path.exists():
            path.write_text((skeleton / origin).read_text(encoding="utf-8"), encoding="utf-8")
            written.append(path)
    return written
