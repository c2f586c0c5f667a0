"""The formats by name; the module of each is imported when it is asked for."""

from __future__ import annotations

import importlib
from typing import Final

from recuse.collectors.importers.declaration import ImportFormat
from recuse.errors import UnknownNameError

__all__ = ["IMPORTERS", "format_named"]

_HERE: Final = "recuse.collectors.importers"
IMPORTERS: Final[dict[str, str]] = {
    "mtbench": f"{_HERE}.mtbench",
    "arena": f"{_HERE}.arena",
    "vicuna": f"{_HERE}.vicuna",
    "alpaca": f"{_HERE}.alpaca",
    "arena-hard": f"{_HERE}.arena_hard",
    "llmbar": f"{_HERE}.llmbar",
    "judgebench": f"{_HERE}.judgebench",
    "pandalm": f"{_HERE}.pandalm",
    "position-bias": f"{_HERE}.position_bias",
    "swap-battle": f"{_HERE}.swap_battle",
    "inspect": f"{_HERE}.inspect_logs",
    "promptfoo": f"{_HERE}.promptfoo",
    "table": f"{_HERE}.table",
}
"""Name of a published format → module that declares it as ``FORMAT``."""


def format_named(name: str) -> ImportFormat:
    """Give the declaration of a format.

    Raises
    ------
    UnknownNameError
        There is no such format.
    """
    if name not in IMPORTERS:
        raise UnknownNameError("format", name, IMPORTERS)
    declared: ImportFormat = importlib.import_module(IMPORTERS[name]).FORMAT
    return declared
