"""The command line as a shell sees it: statuses, one line on stderr, and what a start loads."""

import importlib
import signal
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
import typer

from recuse.cli import COMMANDS, main
from recuse.errors import ConfigurationError

RECUSE = [sys.executable, "-m", "recuse"]
NOT_FOR_HELP = [
    *("altair", "dataframely", "diskcache", "jinja2", "litellm", "numpy", "pandas", "pingouin", "polars"),
    *("pydantic", "rich", "scipy", "statsmodels", "vl_convert"),
]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., object]], None]:
    """Register a function as the command ``probe``."""

    def register(function: Callable[..., object]) -> None:
        module = types.ModuleType("recuse_probe")
        module.app = typer.Typer()
        module.app.command()(function)
        monkeypatch.setitem(sys.modules, "recuse_probe", module)
        monkeypatch.setitem(COMMANDS, "probe", ("recuse_probe", "A command of the tests."))

    return register


def one_line(text: str) -> str:
    assert text.endswith("\n")
    assert text.count("\n") == 1
    return text[:-1]


def test_help_names_every_command_with_its_whole_line(capsys):
    assert main(["--help"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    for name, (_, line) in COMMANDS.items():
        assert f" {name} {line}" in words


def test_without_arguments_it_helps(capsys):
    assert main([]) == 0
    assert capsys.readouterr().out.startswith("Usage: recuse [OPTIONS] COMMAND [ARGS]...\n")


def test_help_loads_no_heavy_library():
    script = "import sys; from recuse.cli import main; main(['--help']); print('|', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.rpartition("|")[2].split())
    assert "typer" in loaded
    assert loaded.isdisjoint(NOT_FOR_HELP)
    assert not [name for name in loaded if name.startswith("recuse.commands")]


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"recuse {version('recuse')}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_a_module_with_an_app_and_help(name, capsys):
    assert isinstance(importlib.import_module(COMMANDS[name][0]).app, typer.Typer)
    assert main([name, "--help"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"Usage: recuse {name} ")
    assert "completion" not in printed


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["reprot"], "recuse: unknown command 'reprot'; did you mean 'report'?"),
        (
            ["cache", "stts"],
            "recuse: No such command 'stts'. Did you mean 'stats'? See 'recuse cache --help'",
        ),
        (["--sed"], "recuse: No such option: --sed; see 'recuse --help'"),
        (["probe", "--size", "x"], "recuse: Invalid value for '--size': "),
        (
            ["probe", "--siez", "1"],
            "recuse: No such option: --siez (Possible options: --size); see 'recuse probe --help'",
        ),
        (["probe", "a", "b"], "recuse: Got unexpected extra argument(s) (a b); see 'recuse probe --help'"),
    ],
)
def test_wrong_use_is_one_line(command, capsys, words, line):
    def probe(size: int = 0) -> None:
        raise AssertionError(size)

    command(probe)
    assert main(words) == 2
    printed = capsys.readouterr()
    assert not printed.out
    assert one_line(printed.err).startswith(line)


def test_unknown_command_far_from_any_lists_them(capsys):
    assert main(["zzzz"]) == 2
    assert one_line(capsys.readouterr().err).endswith(f"one of: {', '.join(sorted(COMMANDS))}")


def test_an_expected_error_is_one_line_without_control_characters(command, capsys):
    def probe() -> None:
        raise ConfigurationError("judge '\x1b[31mred\u202e' is\nnot known", "add it")

    command(probe)
    assert main(["probe"]) == 2
    assert one_line(capsys.readouterr().err) == r"recuse: judge '\x1b[31mred\u202e' is not known; add it"


def test_a_file_that_cannot_be_written_is_one_line(command, capsys, tmp_path):
    def probe() -> None:
        (tmp_path / "missing" / "out").write_text("")

    command(probe)
    assert main(["probe"]) == 2
    assert one_line(capsys.readouterr().err) == f"recuse: {tmp_path}/missing/out: No such file or directory"


@pytest.mark.parametrize("defect", [ZeroDivisionError("a defect"), OSError("a defect")])
def test_a_defect_keeps_its_traceback(command, capsys, defect):
    def probe() -> None:
        raise defect

    command(probe)
    assert main(["probe"]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("Traceback")
    assert printed.endswith(f"{type(defect).__name__}: a defect\n")
    assert "in probe" in printed


def test_a_command_chooses_its_status(command):
    def probe() -> None:
        raise typer.Exit(1)

    command(probe)
    assert main(["probe"]) == 1


def test_a_group_without_a_command_answers_with_its_help(monkeypatch, capsys):
    module = types.ModuleType("recuse_probe_group")
    module.app = typer.Typer(no_args_is_help=True)
    module.app.command(help="Count what is there.")(lambda: None)
    module.app.callback(help="A group of the tests.")(lambda: None)
    monkeypatch.setitem(sys.modules, "recuse_probe_group", module)
    monkeypatch.setitem(COMMANDS, "probe", ("recuse_probe_group", "A group of the tests."))
    assert main(["probe"]) == 2
    assert "Count what is there." in capsys.readouterr().err


SCRIPT = """
import sys, types, typer
from recuse.cli import COMMANDS, main

module = types.ModuleType("recuse_probe")
module.app = typer.Typer()

@module.app.command()
def probe():
    {body}

sys.modules["recuse_probe"] = module
COMMANDS["probe"] = ("recuse_probe", "")
sys.exit(main(["probe"]))
"""


@pytest.fixture
def started() -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    """Start a command with the given body in a process of its own."""
    running = []

    def start(body: str) -> subprocess.Popen[str]:
        script = SCRIPT.format(body=body)
        process = subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


def test_interrupted(started):
    process = started("import time; print('ready', flush=True); time.sleep(60)")
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=30)
    assert one_line(complaint) == "recuse: interrupted"
    assert process.returncode == 130


@pytest.mark.parametrize("said", ["print(lines)", "from rich.console import Console; Console().print(lines)"])
@pytest.mark.parametrize("lines", [1, 100_000], ids=["flushed at the end", "more than a pipe holds"])
def test_a_reader_that_has_gone_is_no_error(started, lines, said):
    process = started(f"import time; time.sleep(.5); lines = 'line\\n' * {lines}; {said}")
    process.stdout.close()
    assert not process.stderr.read()
    assert process.wait(timeout=30) == 141


def test_it_runs_as_a_module(tmp_path: Path):
    done = subprocess.run([*RECUSE, "--version"], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.startswith("recuse ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--scoring", "resolvd"], "Invalid value for '--scoring': 'resolvd' is not one of 'resolved',"),
        (["--seed", "x"], "Invalid value for '--seed': it is no whole number; see 'recuse report --help'"),
    ],
)
def test_a_wrong_value_is_named_in_plain_words(arguments, said, capsys):
    assert main(["report", *arguments]) == 2
    line = capsys.readouterr().err
    assert said in line
    assert line.count("\n") == 1
