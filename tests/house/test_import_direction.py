"""The import contracts hold, and each catches what it is there for."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
CHECK = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the package, links followed, so that it can be changed."""
    target = tmp_path_factory.mktemp("copy")
    shutil.copy(REPOSITORY / "pyproject.toml", target)
    leave_out = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "src", target / "src", symlinks=False, ignore=leave_out)
    return target


def broken_contracts(directory: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", CHECK],
        cwd=directory,
        env=os.environ | {"PYTHONPATH": str(directory / "src"), "COLUMNS": "300"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Contracts: " in done.stdout, done.stdout + done.stderr
    return "" if done.returncode == 0 else done.stdout


def test_the_contracts_hold(copy):
    assert not broken_contracts(copy)


@pytest.mark.parametrize(
    ("module", "statement", "named"),
    [
        ("analysis/planted.py", "import pathlib", "recuse.analysis is not allowed to import pathlib"),
        (
            "analysis/inference/planted.py",
            "from os import environ",
            "recuse.analysis is not allowed to import os",
        ),
        (
            "analysis/planted.py",
            "def f():\n    import altair",
            "recuse.analysis is not allowed to import altair",
        ),
        (
            "analysis/planted.py",
            "import recuse.cache",
            "recuse.analysis is not allowed to import recuse.cache",
        ),
        ("cache/planted.py", "import recuse.figures", "recuse.cache is not allowed to import recuse.figures"),
        (
            "figures/planted.py",
            "import recuse.collectors",
            "recuse.figures is not allowed to import recuse.collectors",
        ),
        ("errors_planted.py", "", "recuse.errors_planted"),
    ],
)
def test_a_planted_violation_is_named(copy, module, statement, named):
    planted = copy / "src" / "recuse" / module
    planted.write_text(f"{statement}\n", encoding="utf-8")
    try:
        assert named in broken_contracts(copy)
    finally:
        planted.unlink()
