"""Records: what was asked and what came back, as canonical JSON under the hash of what was asked.

The *address* of a record is the SHA-256 of the canonical JSON of its full request, so that any change of any
field is another address. Its ``record_hash`` is the SHA-256 of the canonical JSON of the record without that
field, so that a change of what came back shows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final, NamedTuple, NotRequired, TypedDict, cast

from recuse.cache.canonical_json import CanonicalText, canonical, canonical_or_escaped, sha256_of
from recuse.errors import CacheError

__all__ = [
    "IMPORTED_KEYS",
    "Record",
    "Written",
    "address_of",
    "imported_judgment",
    "is_address",
    "make_record",
    "parse_record",
    "sealed_text",
    "written",
]

IMPORTED_KEYS: Final = (
    "study", "task_id", "probe", "judge", "judge_kind", "slot_a", "slot_b", "variant_a", "variant_b",
    "replicate", "source",
)  # fmt: skip
"""The request of an imported judgment: its prompt is not known, so these fields stand for it."""

_ADDRESS: Final = re.compile(r"[0-9a-f]{64}")


class Record(TypedDict):
    """One thing asked and its outcome.

    A record of kind ``judgment`` has a ``judgment``, one of any other kind a ``response`` and no judgment.
    """

    address: str
    kind: str
    request: Mapping[str, object]
    judgment: NotRequired[Mapping[str, object]]
    """The judgment's columns that are not null."""
    response: NotRequired[Mapping[str, object]]
    """What came back, as it came."""
    imported: bool
    escaped_surrogates: NotRequired[list[str]]
    """JSON pointers of the texts outside the request in which lone surrogates are escaped."""
    record_hash: str


class Written(NamedTuple):
    """A record as canonical JSON, with both hashes recomputed."""

    text: CanonicalText
    address: str
    record_hash: str


def is_address(word: object) -> bool:
    """Tell whether a value is the hexadecimal SHA-256 under which records are stored."""
    return isinstance(word, str) and _ADDRESS.fullmatch(word) is not None


def address_of(request: Mapping[str, object]) -> str:
    """Give the address of a request: the SHA-256 of its canonical JSON, in hexadecimal.

    Lone surrogates are escaped as :func:`make_record` does, so that the address is that of the record.
    """
    return sha256_of(_escaped_request(request)[1])


def make_record(
    kind: str,
    request: Mapping[str, object],
    *,
    judgment: Mapping[str, object] | None = None,
    response: Mapping[str, object] | None = None,
    imported: bool = False,
) -> Record:
    """Bring a request and its outcome together under the address of the request.

    Parameters
    ----------
    kind
        ``judgment``, ``answer`` or another noun for what was asked for.
    request
        All that was asked: model, ``api_base``, messages, requested parameters, rubric version, replicate.
    judgment
        Columns of one judgment; nulls may be left out.
    response
        What came back, as it came.
    imported
        The request is made of key fields because the prompt is not known.

    Raises
    ------
    CacheError
        There is no outcome, or a value that canonical JSON cannot hold.

    Notes
    -----
    Lone surrogates are escaped (:func:`recuse.cache.canonical_json.canonical_or_escaped`) and their places
    listed in ``escaped_surrogates``: of the request for its own texts, for it is part of what was asked, and
    of the record for the others.
    """
    if (judgment is None) == (kind == "judgment") or (judgment is None and response is None):
        needed = "a judgment" if kind == "judgment" else "a response and no judgment"
        raise CacheError(f"a record of kind {kind} needs {needed}")
    request, request_text = _escaped_request(request)
    record: dict[str, object] = {
        "address": sha256_of(request_text),
        "kind": kind,
        "request": request,
        "imported": imported,
    }
    texts = {"request": request_text}
    pointers: list[str] = []
    for name, outcome in (("judgment", judgment), ("response", response)):
        if outcome is not None:
            record[name], texts[name], found = canonical_or_escaped(outcome, name)
            pointers += [f"/{name}{pointer}" for pointer in found]
    if pointers:
        record["escaped_surrogates"] = pointers
    record["record_hash"] = sha256_of(_assembled(record, texts))
    return cast("Record", record)


def imported_judgment(row: Mapping[str, object]) -> Record:
    """Make the record of a judgment that came from a file.

    Parameters
    ----------
    row
        One row of ``recuse.schema.Judgments``; nulls are not stored.
    """
    request: dict[str, object] = {"imported": True, **{name: row[name] for name in IMPORTED_KEYS}}
    judgment = {name: value for name, value in row.items() if value is not None}
    return make_record("judgment", request, judgment=judgment, imported=True)


def written(record: Record) -> Written:
    """Write a record as canonical JSON and recompute its hashes, without asking whether they are its own.

    Raises
    ------
    CacheError
        The record holds something that canonical JSON cannot.
    """
    fields = cast("Mapping[str, object]", record)
    parts = {
        name: canonical(cast("object", value), name)
        for name, value in fields.items()
        if isinstance(value, Mapping)
    }
    record_hash = sha256_of(_assembled(record, parts, without="record_hash"))
    return Written(_assembled(record, parts), sha256_of(parts["request"]), record_hash)


def sealed_text(record: Record) -> CanonicalText:
    """Write a record as canonical JSON, if its hashes are its own.

    Raises
    ------
    CacheError
        The address is not the hash of the request, or ``record_hash`` not that of the rest, or the record
        holds something that canonical JSON cannot.
    """
    _refuse_other_shape(cast("Mapping[str, object]", record))
    text, address, record_hash = written(record)
    if record["address"] != address:
        raise CacheError("the address of a record is not the hash of its request", [record["address"]])
    if record["record_hash"] != record_hash:
        raise CacheError("the hash of a record is not that of its content", [record["address"]])
    return text


def parse_record(text: str) -> Record:
    """Read a record's JSON text; its hashes are left to ``verify``.

    Raises
    ------
    CacheError
        The text is not JSON or not shaped as a record.
    """
    try:
        record: object = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise CacheError(f"the text is not JSON ({error})") from None
    if not isinstance(record, dict):
        raise CacheError("the JSON text is no object")
    fields = cast("dict[str, object]", record)
    _refuse_other_shape(fields)
    return cast("Record", fields)


def _refuse_constant(name: str) -> object:
    message = f"{name} is no JSON number"
    raise ValueError(message)


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant)
_SHAPE: Final[Mapping[str, type]] = {
    "address": str,
    "kind": str,
    "request": Mapping,
    "imported": bool,
    "record_hash": str,
}


def _refuse_other_shape(record: Mapping[str, object]) -> None:
    unknown = record.keys() - Record.__annotations__.keys()
    if unknown:
        raise CacheError("the record has fields that this version does not know", sorted(unknown))
    for name, kind in _SHAPE.items():
        if not isinstance(record.get(name), kind):
            raise CacheError(f"the record has no {name}, or one of another type")
    outcomes = [record[name] for name in ("judgment", "response") if name in record]
    if not outcomes or not all(isinstance(outcome, Mapping) for outcome in outcomes):
        raise CacheError("the record has no judgment and no response, or one that is no object")
    if ("judgment" in record) != (record["kind"] == "judgment"):
        raise CacheError("the record is of kind judgment and has none, or the other way round")


def _assembled(record: Mapping[str, object], texts: Mapping[str, str], without: str = "") -> CanonicalText:
    """Write a record from those parts of it that are written already; the names of its parts are ASCII."""
    members = [
        f'"{name}":{texts.get(name) or canonical(record[name], name)}'
        for name in sorted(record)
        if name != without
    ]
    return CanonicalText("{" + ",".join(members) + "}")


def _escaped_request(request: Mapping[str, object]) -> tuple[Mapping[str, object], CanonicalText]:
    escaped, text, pointers = canonical_or_escaped(request, "request")
    if not pointers:
        return escaped, text
    flagged = {**escaped, "escaped_surrogates": pointers}
    return flagged, canonical(flagged, "request")
