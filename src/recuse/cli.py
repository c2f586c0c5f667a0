"""The command line: names and one-line helps here, everything else in ``recuse.commands``.

A command's module is imported when the command is called, so that ``recuse --help`` pays for none.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Final

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    import click

__all__ = ["app", "main"]

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "report": ("recuse.commands.report", "Estimate, draw and write: judgments in, report out."),
    "import": ("recuse.commands.import_", "Bring judgments in a published format into a cache."),
    "cache": ("recuse.commands.cache", "What is in a cache, and is every address still its content's hash?"),
}
"""Command → its module (which offers ``app``, a ``typer.Typer``) and its line in ``recuse --help``."""


class _LazyGroup(TyperGroup):
    """A group whose commands are looked up by name and imported when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module, short_help = COMMANDS[cmd_name]
        if _only_help():
            return typer.core.TyperCommand(cmd_name, help=short_help, short_help=short_help)
        command = typer.main.get_command(importlib.import_module(module).app)
        command.name = cmd_name
        command.short_help = short_help
        return command


def _only_help() -> bool:
    return not [word for word in sys.argv[1:] if not word.startswith("-")]


app = typer.Typer(cls=_LazyGroup, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.callback()
def recuse() -> None:
    """Re-analyse LLM-judge judgments: does the claim survive when every involved judge is recused?"""


def main() -> None:
    """Run the command line; an expected error is one line on stderr and exit status 2."""
    from recuse.errors import RecuseError

    try:
        app()
    except RecuseError as error:
        sys.stderr.write(f"recuse: {error}\n")
        raise SystemExit(2) from None
