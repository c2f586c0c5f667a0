"""Reading stored texts again with another parser, without a call."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, cast

import polars as pl

from recuse.collectors.live.replies import verdict_of
from recuse.collectors.verdict_parser import parse_verdict
from recuse.errors import SourceError, UnknownNameError
from recuse.schema import VERDICTS, JudgmentFrame, Judgments

__all__ = ["PARSERS", "Rejudged", "rejudged"]


def _json_alone(text: str) -> str | None:
    try:
        said: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    stated = cast("dict[str, object]", said).get("verdict") if isinstance(said, dict) else None
    return {"A": "a", "B": "b", "tie": "tie"}.get(str(stated))


def _strict(text: str) -> str | None:
    return parse_verdict(text).verdict


_LETTER: Final = re.compile(r"\b([AB])\b")


def _first_letter(text: str) -> str | None:
    found = _LETTER.search(text)
    return found.group(1).lower() if found else None


def _last_letter(text: str) -> str | None:
    found = _LETTER.findall(text)
    return found[-1].lower() if found else None


PARSERS: Final[Mapping[str, Callable[[str], str | None]]] = {
    "protocol": verdict_of,
    "strict": _strict,
    "json": _json_alone,
    "first-letter": _first_letter,
    "last-letter": _last_letter,
}
"""Name → text to verdict.

``protocol`` is how the collector reads: a JSON object in the form asked for, else strictly. ``strict`` is
:func:`recuse.collectors.verdict_parser.parse_verdict`. ``json`` takes nothing but a JSON object. The other
two take the first or last capital A or B that stands alone, as many scripts do: they show what lenient
reading would change.
"""


@dataclass(frozen=True, slots=True)
class Rejudged:
    """Judgments as another parser reads them."""

    before: JudgmentFrame
    after: JudgmentFrame
    changes: pl.DataFrame
    """One row per judge and change: judge, before, after, n; no verdict is its status."""
    n_without_text: int
    """Judgments that keep their verdict because their text was not stored."""


def rejudged(judgments: JudgmentFrame, parser: str) -> Rejudged:
    """Read the stored texts of judgments again.

    Parameters
    ----------
    judgments
        Judgments with ``raw``. A refusal or an error stays one.
    parser
        One of ``PARSERS``.

    Raises
    ------
    UnknownNameError
        There is no such parser.
    SourceError
        No judgment has its text.
    """
    if parser not in PARSERS:
        raise UnknownNameError("parser", parser, PARSERS)
    is_read = pl.col("raw").is_not_null() & pl.col("status").is_in(["ok", "parse_failed"])
    n_read = judgments.filter(is_read).height
    if not n_read:
        raise SourceError("the judgments", "none has the judge's own words (raw)", "rejudge needs them")
    read = PARSERS[parser]
    verdicts = {text: read(text) for text in judgments.filter(is_read)["raw"].unique().to_list()}
    table = pl.DataFrame(
        {"raw": list(verdicts), "read": list(verdicts.values())},
        schema={"raw": pl.String, "read": pl.Enum(VERDICTS)},
    )
    joined = judgments.join(table, on="raw", how="left", maintain_order="left")
    verdict = pl.when(is_read).then("read").otherwise("verdict")
    status = (
        pl.when(is_read & pl.col("read").is_null())
        .then(pl.lit("parse_failed"))
        .when(is_read)
        .then(pl.lit("ok"))
        .otherwise(pl.col("status").cast(pl.String))
        .cast(judgments.schema["status"])
    )
    changed = joined.with_columns(verdict.alias("verdict"), status.alias("status")).drop("read")
    after = Judgments.validate(changed)
    return Rejudged(judgments, after, _changes(judgments, after), judgments.height - n_read)


def _changes(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    said = pl.coalesce(pl.col("verdict").cast(pl.String), pl.col("status").cast(pl.String))
    both = pl.DataFrame(
        {
            "judge": before["judge"],
            "before": before.select(said).to_series(),
            "after": after.select(said).to_series(),
        }
    )
    return (
        both.filter(pl.col("before") != pl.col("after"))
        .group_by("judge", "before", "after")
        .agg(pl.len().alias("n"))
        .sort("judge", "before", "after")
    )
