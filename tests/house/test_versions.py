"""One version, written in three places that readers look at."""

import re
from importlib.metadata import version
from pathlib import Path

import recuse

REPOSITORY = Path(__file__).parents[2]


def found(pattern: str, file: str) -> str:
    match = re.search(pattern, (REPOSITORY / file).read_text(encoding="utf-8"), re.MULTILINE)
    assert match, file
    return match[1]


def test_package_citation_and_changelog_agree():
    assert found(r"^version: (\S+)$", "CITATION.cff") == recuse.__version__
    assert found(r"^## \[(\d[^\]]*)\]", "CHANGELOG.md") == recuse.__version__


def test_the_installed_metadata_agree():
    assert version("recuse") == recuse.__version__
