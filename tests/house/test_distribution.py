"""Sdist → wheel → fresh environment: what is installed is what is here, and it runs."""

import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
FOLDERS = ["analysis", "cache", "collectors", "figures", "paper"]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist, and the wheel from the sdist, without a network."""
    target = tmp_path_factory.mktemp("built")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(target), str(REPOSITORY)]
    subprocess.run(build, check=True, capture_output=True)
    return target


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (path,) = built.glob("recuse-*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel where nothing else is, and lend it the libraries of the running interpreter.

    A path in a ``.pth`` file is searched, but the ``.pth`` files in it are not read: the editable
    install of the running interpreter stays out.
    """
    place = tmp_path_factory.mktemp("environment")
    venv.create(place, with_pip=False, symlinks=True)
    python = place / "bin" / "python"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--no-deps",
        "--no-index",
        str(wheel),
    ]
    subprocess.run(pip, check=True, capture_output=True)
    (packages,) = place.glob("lib/python*/site-packages")
    theirs = [path for path in sys.path if path.endswith("-packages")]
    (packages / "lent.pth").write_text("\n".join(theirs), encoding="utf-8")
    return place / "bin"


def run(words: list[str | Path], directory: Path) -> str:
    done = subprocess.run(
        words, cwd=directory, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_owns_one_top_level_name(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"recuse"}
    assert len(names) == len(set(names))
    assert "recuse/py.typed" in names
    assert not [name for name in names if name.endswith(".pyc")]


def test_the_wheel_holds_every_tracked_file_of_the_package(wheel):
    if not (REPOSITORY / ".git").exists():
        pytest.skip("not a checkout")
    listed = subprocess.run(
        ["git", "ls-files", "--format=%(objectmode) %(path)", *FOLDERS, "src/recuse"],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    files = [line.split(" ", 1)[1] for line in listed if not line.startswith("120000")]
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    mapped = {file.removeprefix("src/") if file.startswith("src/") else f"recuse/{file}" for file in files}
    assert mapped - names == set()


def test_the_sdist_holds_folders_and_tests(built):
    (path,) = built.glob("recuse-*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"{name}/__init__.py" for name in FOLDERS} <= names
    assert {"pyproject.toml", "README.md", "LICENSE", "tests/house/test_distribution.py"} <= names


def test_installed_it_helps(installed, tmp_path):
    assert run([installed / "recuse", "--help"], tmp_path).startswith("Usage: recuse ")


def test_installed_its_folders_are_inside_the_package(installed, tmp_path):
    script = "import recuse.{0} as m, recuse; print(recuse.__file__); print(m.__file__)"
    for name in FOLDERS:
        package, module = run([installed / "python", "-c", script.format(name)], tmp_path).splitlines()
        assert package == str(
            next(installed.parent.glob("lib/python*/site-packages")) / "recuse" / "__init__.py"
        )
        assert module == str(Path(package).parent / name / "__init__.py")


def test_installed_it_reports_on_the_bundled_study(installed, tmp_path):
    printed = run([installed / "recuse", "report", "--out", "out"], tmp_path)
    assert "Nothing was set aside." in printed
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"report.html", "figures", "tables", "estimates.csv", "numbers.tex", "manifest.json"} <= written
    assert {path.name for path in tmp_path.iterdir()} == {"out"}
