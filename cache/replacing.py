"""Files that are replaced whole or not at all."""

from __future__ import annotations

import uuid
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["replacing"]


@contextmanager
def replacing(path: Path) -> Generator[Path]:
    """Give a place to write to beside ``path``; what was written there takes its place at the end.

    After an error the new file is gone and the old one as it was.
    """
    written = path.with_name(f".{path.name}.{uuid.uuid4().hex}{path.suffix}")
    try:
        yield written
        written.replace(path)
    finally:
        written.unlink(missing_ok=True)
