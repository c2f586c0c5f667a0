"""Any table of judgments by a mapping: which column holds what, and which word names which slot."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from recuse.collectors.importers.declaration import (
    EXTRA_COLUMNS,
    Column,
    ImportFormat,
    Presentation,
    Shape,
)
from recuse.collectors.importers.values import word_of
from recuse.collectors.readers import stem_of
from recuse.errors import ConfigurationError, UnknownNameError, name_up_to_three
from recuse.schema import STATUSES, VERDICTS, Judgments

__all__ = [
    "FORMAT",
    "TableMapping",
    "checked_mapping",
    "mapping_beside",
    "pair_of",
    "read_mapping",
    "table_format",
    "write_mapping",
]

_REQUIRED: Final = ("task_id", "judge", "slot_a", "slot_b", "verdict")
_FILLED: Final = frozenset({"judgment_id", "source"})
_KNOWN: Final = tuple(name for name in (*Judgments.column_names(), *EXTRA_COLUMNS) if name not in _FILLED)


class TableMapping(BaseModel):
    """How to read one kind of table."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    columns: dict[str, str] = {}
    """Column of judgments (or ``answer_a``, ``answer_b`` for texts to measure) → column of the table."""
    constants: dict[str, str] = {}
    """Column of judgments → one value for all rows, as ``judge_kind = "human"``."""
    verdicts: dict[str, list[str]] = {}
    """``a``, ``b``, ``tie`` or a status such as ``refused`` → words of the table, in any case of letters."""

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        unknown = [name for name in (*self.columns, *self.constants) if name not in _KNOWN]
        if unknown:
            message = f"{name_up_to_three(unknown)}: no such column of judgments"
            raise ValueError(message)
        wrong = [name for name in self.verdicts if name not in {*VERDICTS, *STATUSES[1:]}]
        if wrong:
            message = f"{name_up_to_three(wrong)}: verdicts are {', '.join((*VERDICTS, *STATUSES[1:]))}"
            raise ValueError(message)
        words = [word_of(word) for meant in self.verdicts.values() for word in meant]
        twice = sorted({word for word in words if words.count(word) > 1})
        if twice:
            message = f"{name_up_to_three(twice)}: one word cannot be two verdicts"
            raise ValueError(message)
        return self


def table_format(mapping: TableMapping) -> ImportFormat:
    """Declare the format that a mapping describes.

    Raises
    ------
    ConfigurationError
        The mapping leaves out a task, a judge, a slot or the verdict, or says of no word what it means.
    """
    columns = {name: mapping.columns.get(name, name) for name in _REQUIRED}
    columns |= mapping.columns
    if not mapping.verdicts:
        raise ConfigurationError(
            "the mapping does not say which word is which verdict",
            "give --verdict-a, --verdict-b and --verdict-tie, each as often as there are words",
        )
    words = {word_of(word): meant for meant, said in mapping.verdicts.items() for word in said}
    own = [
        Column(name, columns.get(name, ()), constant=mapping.constants.get(name))
        for name in (*columns, *(name for name in mapping.constants if name not in columns))
        if name not in {"slot_a", "slot_b", "verdict"}
    ]
    slots = [
        Column(slot, columns[slot], constant=mapping.constants.get(slot)) for slot in ("slot_a", "slot_b")
    ]
    keys = tuple(path for name, path in columns.items() if name not in mapping.constants)
    shape = Shape(
        name="the mapped table",
        keys=keys,
        columns=tuple(own),
        presentations=(Presentation(slots[0], slots[1], verdict=columns["verdict"], words=words),),
    )
    return replace(FORMAT, shapes=(shape,), for_file=None)


def mapping_beside(path: Path) -> Path:
    """Give the place where the mapping of a table is kept: ``votes.csv`` has ``votes.table.toml``."""
    return path.with_name(f"{stem_of(path)}.table.toml")


def read_mapping(path: Path) -> TableMapping:
    """Read a mapping from its TOML file.

    Raises
    ------
    ConfigurationError
        It is not there, is no TOML, or says what a mapping cannot say.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"cannot read the mapping {path}: {error.strerror}", _HOW) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} is not TOML: {error}", "correct it there") from error
    return checked_mapping(content, str(path))


def checked_mapping(content: Mapping[str, object], where: str) -> TableMapping:
    """Check what a mapping says.

    Raises
    ------
    ConfigurationError
        It says what a mapping cannot say.
    """
    try:
        return TableMapping.model_validate(content)
    except ValidationError as error:
        said = name_up_to_three(
            ".".join(map(str, detail["loc"])) + (": " if detail["loc"] else "") + detail["msg"]
            for detail in error.errors()
        ).replace("Value error, ", "")
        raise ConfigurationError(
            f"{where}: {said}", f"columns of judgments are {', '.join(_KNOWN)}"
        ) from error


def write_mapping(mapping: TableMapping, path: Path) -> None:
    """Save a mapping as TOML; what JSON writes of texts and lists of texts is TOML, too."""
    lines = ["# How recuse import table reads this kind of table", ""]
    for section, content in mapping.model_dump().items():
        if content:
            lines += [f"[{section}]", *(f"{name} = {json.dumps(said)}" for name, said in content.items()), ""]
    path.write_text("\n".join(lines), encoding="utf-8")


def pair_of(option: str, words: str) -> tuple[str, str]:
    """Take ``NAME=VALUE`` apart.

    Raises
    ------
    ConfigurationError
        There is no ``=``.
    UnknownNameError
        NAME is no column of judgments.
    """
    name, separator, value = words.partition("=")
    if not separator or not value:
        raise ConfigurationError(f"{option} {words} is no NAME=VALUE", f"write {option} tier=difficulty")
    if name not in _KNOWN:
        raise UnknownNameError("column of judgments", name, _KNOWN)
    return name, value


def _with_mapping_beside(path: Path) -> ImportFormat:
    return table_format(read_mapping(mapping_beside(path)))


_HOW: Final = "recuse import table FILE --judge COLUMN … --verdict-a WORD … makes one"
FORMAT: Final = ImportFormat(
    name="table",
    title="tables by a mapping",
    source="any CSV, TSV, JSON, JSONL or Parquet file with one ordered pair a row",
    winners="as shown: the mapping says which word names which slot",
    keeps="every column that is mapped; lengths of answers whose texts are mapped",
    example="votes.csv --task prompt --judge rater --slot-a left --slot-b right --verdict winner "
    "--verdict-a L --verdict-b R --verdict-tie tie --into CACHE",
    for_file=_with_mapping_beside,
    shapes=(),
)
