"""A study file to start from, with the shipped tasks beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from recuse.collectors.live.tasks import SHIPPED_FILE
from recuse.errors import ConfigurationError

__all__ = ["STARTER", "write_starter"]

STARTER: Final = Path(__file__).parent / "starter.toml"


def write_starter(folder: Path) -> list[Path]:
    """Write ``study.toml`` and ``tasks.jsonl`` into a folder, over nothing.

    Raises
    ------
    ConfigurationError
        One of them is there already.
    """
    written = [folder / "study.toml", folder / "tasks.jsonl"]
    there = [path.name for path in written if path.exists()]
    if there:
        raise ConfigurationError(f"{folder} has {' and '.join(there)} already", "name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    for path, source in zip(written, (STARTER, SHIPPED_FILE), strict=True):
        path.write_bytes(source.read_bytes())
    return written
