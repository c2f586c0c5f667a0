"""The studies that come with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["BUNDLED", "DEFAULT", "folder_of"]

DEFAULT: Final = "three-judges"
BUNDLED: Final = (DEFAULT, "pilot", "local-panel")
"""Names that are a SOURCE by themselves; each study's ``study.toml`` in ``data`` says where it comes from."""


def folder_of(name: str) -> Path:
    """Give the folder of a bundled study."""
    return Path(__file__).parent / "data" / name
