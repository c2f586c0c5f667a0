"""What the tracked texts may point to, and what they may not name."""

import re
import subprocess
from pathlib import Path
from urllib.parse import unquote

import pytest

REPOSITORY = Path(__file__).parents[2]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
TEXTS = {"", ".bib", ".cff", ".cfg", ".j2", ".md", ".py", ".tex", ".toml", ".txt", ".yaml", ".yml"}
# In pieces, so that this file does not name them either.
HOSTS = [
    *("pypi" + ".org", "python" + "hosted", "registry." + "npm", "npm" + "js.com", "debian" + ".org/debian"),
    *("conda." + "anaconda", "crates" + ".io", "index-" + "url"),
]
PLACES = ["/" + "work/", "/" + "root/", "/" + "home/", "/" + "opt/", "/" + "Users/", "C:" + "\\"]
SIBLING = "../" + "shared"


def tracked() -> list[str]:
    if not (REPOSITORY / ".git").exists():
        return []
    listed = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.splitlines() if (REPOSITORY / name).is_file()]


FILES = tracked()
DOCUMENTS = [name for name in FILES if name.endswith(".md")]


def lines(name: str) -> list[str]:
    return (REPOSITORY / name).read_text(encoding="utf-8").splitlines()


def anchors(path: Path) -> set[str]:
    """Give the names that a page's headings get: lower case, hyphens for blanks, no other signs."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.skipif(not FILES, reason="not a checkout")
def test_there_are_documents():
    assert {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"} <= set(DOCUMENTS)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_relative_links_resolve(name):
    page = REPOSITORY / name
    lost = []
    for groups in LINK.findall(page.read_text(encoding="utf-8")):
        target = unquote(groups[0] or groups[1])
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        aim = page.parent / path if path else page
        if not aim.exists() or (anchor and anchor not in anchors(aim)):
            lost.append(target)
    assert not lost


@pytest.mark.skipif(not FILES, reason="not a checkout")
def test_no_text_names_a_registry_or_a_machine():
    named = [
        f"{name}:{number}: {word}"
        for name in FILES
        if Path(name).suffix in TEXTS
        for number, line in enumerate(lines(name), start=1)
        for word in [*HOSTS, *PLACES, SIBLING]
        if word in line
    ]
    assert not named


@pytest.mark.skipif(not FILES, reason="not a checkout")
def test_no_lock_file_and_constraints_of_names_and_versions_only():
    assert not [name for name in FILES if re.search(r"(\.lock|-lock\.\w+)$", name)]
    pins = [line for line in lines("constraints.txt") if not line.startswith("#")]
    assert len(pins) > 50
    assert not [pin for pin in pins if not re.fullmatch(r"[\w.\-]+==[\w.!+]+", pin)]
