"""A file of gates: which conditions block a judge, and which call for a look."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final, cast

from recuse.analysis.calibration.gates import Gate, parse_gate
from recuse.errors import ConfigurationError, SourceError

__all__ = ["read_gates"]

_KEYS: Final = {"blocking": True, "review": False}


def read_gates(path: Path) -> list[Gate]:
    """Read gates from TOML: two lists of conditions, ``blocking`` and ``review``.

    Parameters
    ----------
    path
        For example ``blocking = ["false_approval{case_type=exclusion} upper bound ≤ 0.05"]``.

    Raises
    ------
    SourceError
        The file cannot be opened or is not TOML.
    ConfigurationError
        It has other keys, no gate, or a gate that cannot be read.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SourceError(path, error.strerror or "the file cannot be opened", "check the path") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SourceError(
            path, f"it is not TOML ({error})", "write blocking = [...] and review = [...]"
        ) from None
    unknown = sorted(content.keys() - _KEYS.keys())
    if unknown:
        raise ConfigurationError(
            f"{path.name} has {', '.join(unknown)}", "gates are listed under blocking and review"
        )
    gates: list[Gate] = []
    for key, blocking in _KEYS.items():
        listed: object = content.get(key, [])
        if not isinstance(listed, list) or not all(
            isinstance(text, str) for text in cast("list[object]", listed)
        ):
            raise ConfigurationError(f"{key} in {path.name} is no list of texts", f'write {key} = ["…"]')
        gates += [parse_gate(text, blocking=blocking) for text in cast("list[str]", listed)]
    if not gates:
        raise ConfigurationError(f"{path.name} holds no gate", 'write blocking = ["…"] or review = ["…"]')
    return gates
