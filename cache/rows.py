"""Judgments as members of a record and as a frame: the same columns, checked on both ways."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import polars as pl

from recuse.cache.canonical_json import canonical
from recuse.cache.records import Record
from recuse.errors import CacheError
from recuse.schema import JudgmentFrame, Judgments

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["JUDGMENT_TYPES", "check_judgment", "judgment_frame"]

JUDGMENT_TYPES: Final[Mapping[str, pl.DataType]] = {
    name: column.dtype for name, column in Judgments.columns().items()
}
"""Column of a judgment → its type."""

_ALL_NULL: Final = dict.fromkeys(JUDGMENT_TYPES)


def check_judgment(judgment: Mapping[str, object]) -> None:
    """Refuse a judgment that could not be read back.

    Parameters
    ----------
    judgment
        Columns of ``recuse.schema.Judgments``; those that are null may be missing.

    Raises
    ------
    CacheError
        A column is unknown, missing or of another type, or verdict and status contradict each other.
    """
    from pydantic import ValidationError

    unknown = sorted(judgment.keys() - _ALL_NULL.keys())
    if unknown:
        raise CacheError("a judgment has columns that the schema lacks", unknown)
    try:
        _row_model().model_validate({**_ALL_NULL, **judgment}, strict=True)
    except ValidationError as error:
        failures = [f"{failure['loc'][0]}: {failure['msg']}" for failure in error.errors()]
        raise CacheError("a judgment does not fit the schema", failures) from None
    if (judgment.get("verdict") is not None) != (judgment["status"] == "ok"):
        raise CacheError(
            "a judgment has a verdict exactly when its status is ok",
            [f"verdict {judgment.get('verdict')}, status {judgment['status']}"],
        )


def judgment_frame(records: Sequence[Record]) -> JudgmentFrame:
    """Make a frame of the judgments of records, one row each.

    Raises
    ------
    CacheError
        A judgment does not fit the schema; its record is named.
    """
    rows: list[dict[str, object]] = []
    for record in records:
        judgment = dict(record.get("judgment", {}))
        try:
            check_judgment(judgment)
        except CacheError as error:
            raise CacheError(f"record {record['address']}: {error}") from None
        rows.append(judgment)
    try:
        frame = pl.DataFrame(rows, schema=JUDGMENT_TYPES, orient="row")
    except UnicodeEncodeError:
        for record, judgment in zip(records, rows, strict=True):
            canonical(judgment, f"record {record['address']}: judgment")
        raise
    return Judgments.validate(frame)


@functools.cache
def _row_model() -> type[BaseModel]:
    with warnings.catch_warnings():
        # It says that the schema's rules are not in the model; the one there is is checked above.
        warnings.simplefilter("ignore")
        return Judgments.to_pydantic_model()
