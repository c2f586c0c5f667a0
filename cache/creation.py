# pyright: reportUnknownMemberType=false, reportArgumentType=false
"""Making an empty cache."""

from __future__ import annotations

import os
import shutil
import uuid
from pathlib import Path

import diskcache

from recuse.cache.database import DATABASE, SETTINGS, plainly
from recuse.cache.disk import RecordDisk
from recuse.errors import CacheError

__all__ = ["create_cache"]


def create_cache(path: Path) -> None:
    """Make an empty cache, unless there is one.

    It is made under another name and moved into place, so that nobody sees half of one.

    Parameters
    ----------
    path
        Its directory, which is made or must be empty.

    Raises
    ------
    CacheError
        Something else is in the way, or nothing can be written there.
    """
    if (path / DATABASE).exists():
        return
    if os.path.expandvars(path.expanduser()) != str(path):
        raise CacheError(
            f"{path} has a variable in its name, which diskcache would replace", remedy="rename it"
        )
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise CacheError(
            f"{path} is neither a cache nor an empty directory", remedy="name a new directory for the cache"
        )
    made = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        made.mkdir()
        with plainly(path):
            diskcache.Cache(str(made), disk=RecordDisk, **SETTINGS).close()
        _move_unless_there(made, path)
    except OSError as error:
        raise CacheError(
            f"{path} cannot be made: {error.strerror}", remedy="name another directory"
        ) from error
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _move_unless_there(made: Path, path: Path) -> None:
    try:
        made.rename(path)
    except OSError:
        # Another process has made it in the meantime.
        if not (path / DATABASE).exists():
            raise
