"""From the content of a file to claims, and whether the data know the names in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

import polars as pl
from pydantic import BaseModel, ValidationError

from recuse.analysis.claims.record import KINDS, Claim, ClaimsFile
from recuse.errors import ConfigurationError, UnknownNameError, name_up_to_three
from recuse.schema import ComparisonFrame

__all__ = ["check_names", "parse_claim", "parse_claims"]

_TABLE: Final = "claim"
_WANTED: Final = {
    "model_type": "a table is needed, such as { estimate = 0.1 }",
    "tuple_type": "a list of texts is needed",
    "string_type": "a text is needed",
    "float_type": "a number is needed",
    "float_parsing": "a number is needed",
    "bool_parsing": "true or false is needed",
    "bool_type": "true or false is needed",
}
"""Kind of pydantic's complaint → what should be there, in words of the file."""
_HEADER: Final = ("title", "sources", "study")


def parse_claims(content: Mapping[str, object], where: str = "the claims") -> ClaimsFile:
    """Read what a TOML file of claims holds.

    Parameters
    ----------
    content
        The parsed file: ``title``, ``sources`` and ``study`` (each may be left out), and one table
        ``claim`` per claim.
    where
        Name of the file, for messages.

    Raises
    ------
    UnknownNameError
        A key, kind or word that is not among those it may be; the nearest valid one is named.
    ConfigurationError
        No claim, two of one id, or a value that cannot be meant.
    """
    for key in content:
        if key not in {*_HEADER, _TABLE}:
            raise UnknownNameError("key", key, (*_HEADER, _TABLE), where)
    tables: object = content.get(_TABLE, [])
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):  # pyright: ignore[reportUnknownVariableType]
        raise ConfigurationError(f"{where} holds no claim", "begin each with a line [[claim]]")
    header = {key: content[key] for key in _HEADER if key in content}
    claims = [
        parse_claim(table, place + 1) for place, table in enumerate(cast("list[dict[str, object]]", tables))
    ]
    ids = [claim.id for claim in claims]
    twice = sorted({name for name in ids if ids.count(name) > 1})
    if twice:
        raise ConfigurationError(f"two claims of one id: {name_up_to_three(twice)}", "give each its own")
    try:
        return ClaimsFile.model_validate({**header, "claims": tuple(claims)})
    except ValidationError as error:
        raise ConfigurationError(f"{where}: {_in_words(error)}", "correct it there") from error


def parse_claim(table: Mapping[str, object], place: int = 1) -> Claim:
    """Read one claim; `place` stands in for a missing id in messages."""
    named = f"claim {table.get('id', place)}"
    kind = table.get("kind")
    if not isinstance(kind, str):
        raise ConfigurationError(f"{named} has no kind", f'write kind = "…", one of: {", ".join(KINDS)}')
    if kind not in KINDS:
        raise UnknownNameError("kind", kind, KINDS, named)
    model = KINDS[kind]
    _refuse_unknown_keys(table, model, named)
    values = {key: value for key, value in table.items() if key != "kind"}
    if isinstance(values.get("order"), list):
        values["order"] = tuple(cast("list[object]", values["order"]))
    try:
        return cast("Claim", model.model_validate(values))
    except ValidationError as error:
        _refuse_unknown_words(error, named)
        raise ConfigurationError(f"{named}: {_in_words(error)}", "correct it there") from error


def check_names(
    claims: Iterable[Claim], comparisons: ComparisonFrame, file_study: Sequence[str] = ()
) -> None:
    """Refuse a claim whose study, judge, generator, tier, probe or task is not among the judgments.

    Raises
    ------
    UnknownNameError
        With the nearest name that is there.
    """
    studies = set(comparisons["study"].unique().to_list())
    told: dict[tuple[str, ...], dict[str, set[str]]] = {}
    for claim in claims:
        wanted = claim.study or tuple(file_study)
        _known(claim, "study", wanted, studies)
        if wanted not in told:
            told[wanted] = _names(
                comparisons.filter(pl.col("study").is_in(list(wanted))) if wanted else comparisons
            )
        for field, valid in told[wanted].items():
            value: object = getattr(claim, field, None)
            if value is not None:
                values = (value,) if isinstance(value, str) else cast("tuple[str, ...]", value)
                _known(claim, field, values, valid)


def _names(there: pl.DataFrame) -> dict[str, set[str]]:
    """Field of a claim → the names that it may hold."""

    def of(rows: pl.DataFrame, *columns: str) -> set[str]:
        return {name for column in columns for name in rows[column].drop_nulls().unique().to_list()}

    length = there.filter(pl.col("probe") == "length")
    judges, generators = of(there, "judge"), of(there, "first", "second")
    return {
        "judge": judges,
        "judge_2": judges,
        "generator": generators,
        "opponent": generators,
        "order": generators,
        "tier": of(there, "tier"),
        "probe": of(there, "probe"),
        "rewards": of(length, "rewards"),
        "task": of(length, "task_id"),
    }


_CALLED: Final = {"judge_2": "judge", "opponent": "generator", "order": "generator"}


def _known(claim: Claim, field: str, names: Sequence[str], valid: set[str]) -> None:
    for name in names:
        if name not in valid:
            raise UnknownNameError(_CALLED.get(field, field), name, valid, f"claim {claim.id}")


def _refuse_unknown_keys(table: Mapping[str, object], model: type[BaseModel], named: str) -> None:
    for key in table:
        if key not in {"kind", *model.model_fields}:
            raise UnknownNameError(f"key of kind {table['kind']}", key, model.model_fields, named)
    published = table.get("published")
    if isinstance(published, dict):
        for key in cast("dict[str, object]", published):
            if key not in {"estimate", "low", "high"}:
                raise UnknownNameError("key of published", key, ("estimate", "low", "high"), named)


def _refuse_unknown_words(error: ValidationError, named: str) -> None:
    for detail in error.errors():
        if detail["type"] == "literal_error" and isinstance(detail["input"], str):
            field = str(detail["loc"][0])
            raise UnknownNameError(field, detail["input"], _words(detail), named) from error


def _words(detail: Mapping[str, Any]) -> list[str]:
    """Take the words that pydantic would accept out of its own list of them."""
    expected = str(detail["ctx"]["expected"])
    return [word.strip().strip("'") for word in expected.replace(" or ", ", ").split(",")]


def _in_words(error: ValidationError) -> str:
    problems: list[str] = []
    for detail in error.errors():
        place = ".".join(str(part) for part in detail["loc"] if part != "claims")
        said = _WANTED.get(detail["type"], detail["msg"].removeprefix("Value error, "))
        if detail["type"] == "missing":
            problems.append(f"{place} is missing")
        elif detail["type"] in {"less_than_equal", "greater_than_equal"} and isinstance(
            detail["input"], int | float
        ):
            problems.append(
                f"{place} is {detail['input']:g}: write shares, not percent (28.3 points are 0.283)"
            )
        else:
            problems.append(f"{place}: {said}".removeprefix(": "))
    return name_up_to_three(problems)
