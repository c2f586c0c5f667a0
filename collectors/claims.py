"""A file of claims: TOML in, claims out."""

from __future__ import annotations

import tomllib
from pathlib import Path

from recuse.analysis.claims.parsing import parse_claims
from recuse.analysis.claims.record import ClaimsFile
from recuse.collectors.bundled import BUNDLED, DEFAULT, folder_of
from recuse.errors import SourceError

__all__ = ["BUNDLED_CLAIMS", "read_claims", "sources_of"]

BUNDLED_CLAIMS: Path = folder_of(DEFAULT) / "claims.toml"
"""The bundled study's own claims."""


def read_claims(path: Path = BUNDLED_CLAIMS) -> ClaimsFile:
    """Read a file of claims.

    Raises
    ------
    SourceError
        The file cannot be opened or is not TOML.
    UnknownNameError, ConfigurationError
        As :func:`recuse.analysis.claims.parsing.parse_claims`.
    """
    try:
        content = tomllib.loads(path.read_bytes().decode())
    except OSError as error:
        raise SourceError(path, error.strerror or "the file cannot be opened", "check the path") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SourceError(path, f"it is not TOML ({error})", "correct it there") from error
    return parse_claims(content, path.name)


def sources_of(file: ClaimsFile, path: Path) -> list[str]:
    """Name the sources of a file of claims; a path that is there beside the file is meant from there.

    Parameters
    ----------
    file
        What the file holds.
    path
        Where it lies.
    """
    beside = {name: path.parent / name for name in file.sources}
    return [
        name if name in BUNDLED or not beside[name].exists() else str(beside[name]) for name in file.sources
    ]
