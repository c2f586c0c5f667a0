"""A researcher's own ``analysis.py`` beside the data must change nothing, nor be run."""

import subprocess
import sys
from pathlib import Path

import pytest

THEIRS = ["analysis", "cache", "collectors", "figures", "paper", "schema", "errors", "cli", "commands"]


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Lay out a folder whose modules fail when they are imported."""
    for name in THEIRS:
        (tmp_path / f"{name}.py").write_text(
            "raise SystemExit('this file is the researcher’s own')\n", encoding="utf-8"
        )
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["-m", "recuse", "--help"],
        ["-m", "recuse", "report", "--show-set-aside"],
        ["-c", "from recuse.cli import main; raise SystemExit(main(['--help']))"],
        [
            "-c",
            "from recuse import analysis, cache, collectors, errors, figures, paper, schema",
        ],
    ],
)
def test_nothing_of_theirs_is_imported(desk, words):
    done = subprocess.run([sys.executable, *words], cwd=desk, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_their_own_modules_stay_importable(desk):
    (desk / "analysis.py").write_text("import recuse.analysis\nWHOSE = 'theirs'\n", encoding="utf-8")
    script = "import analysis, recuse.analysis; print(analysis.WHOSE, recuse.analysis.__name__)"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=desk, capture_output=True, text=True, check=True
    )
    assert done.stdout == "theirs recuse.analysis\n"
