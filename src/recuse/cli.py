"""The command line: names and one-line helps here, everything else in ``recuse.commands``.

A command's module is imported when the command is called, so that ``recuse --help`` pays for none.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Annotated, Final, Protocol, cast

import typer
import typer.core

from recuse import __version__
from recuse.errors import RecuseError, UnknownNameError

__all__ = ["COMMANDS", "app", "main"]

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "report": ("recuse.commands.report", "Estimate, draw and write: judgments in, report out."),
    "claims": ("recuse.commands.claims", "Put published claims on the ladder: which survive?"),
    "import": ("recuse.commands.import_", "Bring judgments in a published format into a cache."),
    "collect": ("recuse.commands.collect", "Ask generators and judges, once, blind, in both orders."),
    "rejudge": ("recuse.commands.rejudge", "Read stored texts again with another parser."),
    "local-servers": ("recuse.commands.local_servers", "Serve the small models of a study on this machine."),
    "export": ("recuse.commands.export", "Write judgments as a table that other programs read."),
    "reduce": ("recuse.commands.reduce", "Count judgments per comparison, in an engine that holds them."),
    "calibrate": (
        "recuse.commands.calibrate",
        "Set a judge beside human labels before it approves anything.",
    ),
    "validate": (
        "recuse.commands.validate",
        "Measure, on judges with planted biases, how far intervals are to be trusted.",
    ),
    "power": ("recuse.commands.power", "How many tasks, judges and replicates it takes to see an effect."),
    "paper": ("recuse.commands.paper", "Make a paper whose every number comes from the estimates."),
    "cache": ("recuse.commands.cache", "What is in a cache, and is every address still its content's hash?"),
}
"""Command → its module (which offers ``app``, a ``typer.Typer``) and its line in ``recuse --help``."""

FAILED: Final = 2
INTERRUPTED: Final = 130
NOBODY_READS: Final = 141
"""As a shell reports SIGPIPE: the reader of a pipe has gone, which is no finding about a claim."""


class _Formatter(Protocol):
    def section(self, name: str, /) -> AbstractContextManager[None]: ...
    def write_dl(self, rows: Sequence[tuple[str, str]], /) -> None: ...


class _LazyGroup(typer.core.TyperGroup):
    """A group whose commands are looked up by name and imported when they are called."""

    def list_commands(self, ctx: object) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: object, cmd_name: str) -> typer.core.TyperCommand | typer.core.TyperGroup:
        del ctx
        if cmd_name not in COMMANDS:
            raise UnknownNameError("command", cmd_name, COMMANDS)
        commands: typer.Typer = importlib.import_module(COMMANDS[cmd_name][0]).app
        commands.rich_markup_mode = None
        return cast("typer.core.TyperCommand | typer.core.TyperGroup", typer.main.get_command(commands))

    def format_commands(self, ctx: object, formatter: _Formatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


# Help by rich costs more start-up time than all the rest of `recuse --help`.
app = typer.Typer(cls=_LazyGroup, add_completion=False, rich_markup_mode=None)


def _print_version(*, wanted: bool) -> None:
    if wanted:
        typer.echo(f"recuse {__version__}")
        raise typer.Exit


@app.callback()
def recuse(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Re-analyse LLM-judge judgments and see which claims survive when every involved judge is recused."""
    del version


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    arguments
        The words after ``recuse``; those of the process by default.

    Returns
    -------
    int
        The command's own status; 2 for an expected error or a wrong use, each one line on stderr;
        130 when interrupted; 141 when nobody reads the output any more.
        Any other exception is a defect of this package: it keeps its traceback, and the status is 2
        too, for 1 is a command's finding (``recuse claims``).
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        status = _run(words or ["--help"])
        sys.stdout.flush()
    except BrokenPipeError:
        # The interpreter flushes stdout once more at exit, and would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOBODY_READS
    except SystemExit as leave:
        # rich answers a broken pipe by leaving with status 1, which would be a finding.
        if isinstance(leave.__context__, BrokenPipeError):
            return NOBODY_READS
        raise
    return status


def _run(words: list[str]) -> int:
    group = typer.main.get_command(app)
    try:
        with group.make_context("recuse", words) as context:
            group.invoke(context)
    except typer.Exit as leave:
        return leave.exit_code
    except (KeyboardInterrupt, typer.Abort):
        _complain("interrupted")
        return INTERRUPTED
    except RecuseError as error:
        _complain(str(error))
    except typer.TyperException as error:
        _explain_usage(error)
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is None:
            traceback.print_exc()
        else:
            _complain(f"{error.filename}: {error.strerror}")
    except Exception:  # noqa: BLE001
        traceback.print_exc()
    else:
        return 0
    return FAILED


_PLAIN: Final = {
    "Value error, ": "",
    "Input should be a valid integer, unable to parse string as an integer": "it is no whole number",
    "Input should be a valid number, unable to parse string as a number": "it is no number",
}
"""What the library that parses options says of a value → what a person would."""


def _explain_usage(error: typer.TyperException) -> None:
    context: typer.Context | None = getattr(error, "ctx", None)
    message = error.format_message()
    for said, plain in _PLAIN.items():
        message = message.replace(said, plain)
    if context is None:
        _complain(message)
    elif message == context.get_help():
        # A group that was called without a command answers with its help.
        sys.stderr.write(f"{message}\n")
    else:
        joined = f"{message} See" if message.endswith("?") else f"{message.rstrip('.')}; see"
        _complain(f"{joined} '{context.command_path} --help'")


def _complain(message: str) -> None:
    """Print one line whatever is in the message: names come from other people's files."""
    line = " ".join(message.split())
    printable = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in line)
    sys.stderr.write(f"recuse: {printable}\n")
