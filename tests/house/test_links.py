"""Five folders are read at top level and imported as ``recuse.…`` through links."""

import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PACKAGE = REPOSITORY / "src" / "recuse"
FOLDERS = {"analysis", "cache", "collectors", "figures", "paper"}
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
TOOLS = PROJECT["tool"]


def test_these_are_all_links():
    assert {path.name for path in PACKAGE.iterdir() if path.is_symlink()} == FOLDERS


@pytest.mark.parametrize("name", sorted(FOLDERS))
def test_each_link_is_relative_and_leads_to_its_folder(name):
    link = PACKAGE / name
    assert link.readlink() == Path("..", "..", name)
    assert link.resolve() == REPOSITORY / name
    assert (link / "__init__.py").is_file()


def test_the_wheel_maps_each_folder_and_leaves_out_each_link():
    wheel = TOOLS["hatch"]["build"]["targets"]["wheel"]
    assert wheel["sources"] == {"src/recuse": "recuse"} | {name: f"recuse/{name}" for name in FOLDERS}
    assert set(wheel["only-include"]) == {"src/recuse"} | FOLDERS
    assert set(TOOLS["hatch"]["build"]["exclude"]) == {f"/src/recuse/{name}" for name in FOLDERS}


def test_every_tool_reads_each_folder_once():
    links = {f"src/recuse/{name}" for name in FOLDERS}
    assert set(TOOLS["ruff"]["extend-exclude"]) == links
    assert set(TOOLS["pyright"]["include"]) == links | {"src/recuse"}
    assert set(TOOLS["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"]) == FOLDERS
    layers = " ".join(TOOLS["importlinter"]["contracts"][0]["layers"])
    assert all(name in layers for name in FOLDERS)
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    assert f"FOLDERS := {' '.join(sorted(FOLDERS))}\n" in makefile
