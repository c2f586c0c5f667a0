"""A study's own file, ``study.toml``: its name, where it comes from, and what its names mean."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from recuse.errors import ConfigurationError, name_up_to_three
from recuse.schema import TIERS

__all__ = ["COLLECTED", "StudyFile", "in_words", "own_study_file", "read_study_file"]

COLLECTED: Final = frozenset({
    "tasks", "only_tasks", "generators", "judges", "modes", "orders", "ties", "reasons", "replicates", "seed",
    "rubric", "rubric_version", "criteria", "blinding", "blind_to", "probes", "params", "limits", "servers",
})  # fmt: skip
"""What the file of a study says about its collection: the collector reads it, the analysis passes it over."""


class StudyFile(BaseModel):
    """What a study says about itself. Every field may be left out."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    name: str | None = Field(default=None, min_length=1)
    """The study's name; by default that of its folder or file."""
    title: str | None = None
    source: str | None = None
    """Where the judgments were published, with a version."""
    licence: str | None = None
    aliases: dict[str, str] = {}
    """Another name of a model → the name that counts. Both are one model from then on."""
    families: dict[str, str] = {}
    """Name pattern (a glob) → family, tried before the shipped patterns."""
    tiers: tuple[str, ...] = TIERS
    """Tiers in ascending order of subjectivity."""

    @model_validator(mode="after")
    def _aliases_lead_to_final_names(self) -> Self:
        chained = [name for name, target in self.aliases.items() if target in self.aliases]
        if chained:
            message = f"an alias must lead to a name that is no alias itself: {name_up_to_three(chained)}"
            raise ValueError(message)
        return self


def own_study_file(folder: Path) -> Path | None:
    """Give the ``study.toml`` of a folder, None if it has none."""
    path = folder / "study.toml"
    return path if path.exists() else None


def read_study_file(path: Path) -> tuple[StudyFile, str]:
    """Read and check a ``study.toml``.

    Returns
    -------
    tuple
        What the file says, and the SHA-256 of its bytes.

    Raises
    ------
    ConfigurationError
        The file is not there, is not TOML, or says something that a study file cannot say.
    """
    try:
        stored = path.read_bytes()
        content = tomllib.loads(stored.decode())
    except OSError as error:
        raise ConfigurationError(f"cannot read {path}: {error.strerror}", "check the path") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} is not TOML: {error}", "correct it there") from error
    try:
        about = {name: value for name, value in content.items() if name not in COLLECTED}
        return StudyFile.model_validate(about), hashlib.sha256(stored).hexdigest()
    except ValidationError as error:
        raise ConfigurationError(f"{path}: {in_words(error)}", f"it may hold {_fields()}") from error


def in_words(error: ValidationError) -> str:
    """Say what is wrong with a study file, up to three things."""
    problems: list[str] = []
    for detail in error.errors():
        place = ".".join(str(part) for part in detail["loc"])
        said = detail["msg"].removeprefix("Value error, ")
        problems.append(
            f"{place!r} is no field of a study file"
            if detail["type"] == "extra_forbidden"
            else f"{place}: {said}".removeprefix(": ")
        )
    return name_up_to_three(problems).strip()


def _fields() -> str:
    return ", ".join(StudyFile.model_fields)
