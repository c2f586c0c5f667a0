"""AlpacaEval annotations: a model against a reference, once each, in an order drawn at random."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from recuse.collectors.importers.declaration import (
    Column,
    ImportFormat,
    Prepared,
    Presentation,
    Record,
    Shape,
)
from recuse.collectors.importers.documents import Document, records_of
from recuse.collectors.importers.values import first_value, text_of

__all__ = ["FORMAT"]

_SAME: Final = 1e-3
"""How near a preference and a share of probability are that are the same, rounding apart."""
_BEST: Final = (
    re.compile(r"^\s*(?:Output )?\(?(?P<one>[mMab])\)?\s*$"),
    re.compile(r"model['\"]?\s*:\s*['\"](?P<one>m|M|model_1|model_2)['\"],\s*['\"]rank['\"]\s*:\s*1\b"),
)
_SLOTS: Final[Mapping[str, str]] = {"m": "a", "model_1": "a", "a": "a", "M": "b", "model_2": "b", "b": "b"}
"""The judge's name of an answer → its slot: ``m`` is shown before ``M``."""


def _ordered(documents: Sequence[Document], notes: list[str]) -> Prepared:
    """Find the order shown, which is not written down but follows from what the record has."""
    n_unknown = n_swapped = 0
    for document in documents:
        for number, record in document.records():
            preferred = _preferred(record.get("preference"))
            text = text_of(first_value(record, ("raw_completion.text", "raw_completion")))
            swapped = _is_swapped(record, preferred, text)
            n_unknown += swapped is None
            n_swapped += swapped is True
            order = "order_b" if swapped else "order_a"
            yield number, {**record, "preferred": preferred, "words": text, order: True}
    notes.append(
        f"the order shown follows from the judge's words in {n_swapped:,} swapped records; it is unknown in "
        f"{n_unknown:,}, whose output_1 is put into slot A; each pair was asked once, so there is no position"
    )


def _is_swapped(record: Record, preferred: str | None, text: str | None) -> bool | None:
    """Tell whether output_2 was shown first: the judge's ``m``; None where it cannot be told."""
    stated = text_of(first_value(record, ("referenced_models.m",)))
    if stated in {"output_1", "output_2"}:
        return stated == "output_2"
    share = _share_of_first(record)
    if share is not None:
        return _swapped_by_share(share, record.get("preference"))
    named = _named_slot(text)
    if named is None or preferred not in {"1", "2"}:
        return None
    return (named == "a") == (preferred == "2")


def _share_of_first(record: Record) -> float | None:
    """Give the probability of ``m`` beside ``M`` at the first token, where log-probabilities are kept."""
    tokens = records_of(first_value(record, ("raw_completion.logprobs.content.0.top_logprobs",)))
    chances = {
        token["token"]: math.exp(float(str(token["logprob"])))
        for token in tokens
        if token.get("token") in {"m", "M"} and token.get("logprob") is not None
    }
    total = sum(chances.values())
    return chances.get("m", 0.0) / total if total else None


def _swapped_by_share(share: float, preference: object) -> bool | None:
    """Compare with the preference, which is 1 and the share of output_2; the token itself was drawn."""
    try:
        second = float(str(preference)) - 1
    except ValueError:
        return None
    as_first, as_second = abs(second - share), abs(second - (1 - share))
    if min(as_first, as_second) > _SAME or abs(as_first - as_second) <= _SAME:
        return None
    return as_first < as_second


def _preferred(preference: object) -> str | None:
    """Tell which output a preference names: 1 to 2 with 1.5 a tie; older files write 0 for a tie."""
    try:
        number = float(str(preference))
    except ValueError:
        return text_of(preference)
    if number in {0.0, 1.5}:
        return "tie"
    if not 1 <= number <= 2:
        return f"preference {number:g}"
    return "1" if number < 1.5 else "2"


def _named_slot(text: str | None) -> str | None:
    found = [match for pattern in _BEST if (match := pattern.search(text or "")) is not None]
    return _SLOTS[found[0]["one"]] if found else None


def _presentation(slot: str) -> Presentation:
    first, second = ("1", "2") if slot == "a" else ("2", "1")
    return Presentation(
        slot_a=f"generator_{first}",
        slot_b=f"generator_{second}",
        verdict="preferred",
        words={first: "a", second: "b", "tie": "tie"},
        needs=f"order_{slot}",
        first=slot,
        columns=(Column("answer_a", f"output_{first}"), Column("answer_b", f"output_{second}")),
    )


FORMAT: Final = ImportFormat(
    name="alpaca",
    title="AlpacaEval annotations",
    source="github.com/tatsu-lab/alpaca_eval, results/MODEL/ANNOTATOR/annotations.json",
    winners="un-swapped: preference 1 is output_1, 2 output_2, whatever the order shown",
    keeps="the judge's words, lengths of both outputs, data set as category, price and seconds",
    example="results/MODEL/weighted_alpaca_eval_gpt4_turbo/annotations.json --into CACHE",
    files=("annotations.json", "annotations*.json"),
    shapes=(
        Shape(
            name="annotations",
            keys=("instruction", "output_1", "output_2", "generator_1", "generator_2", "preference"),
            prepare=_ordered,
            columns=(
                Column("task_id", "instruction", hashed=True),
                Column("judge", "annotator", constant="alpaca_eval"),
                Column("category", "dataset"),
                Column("raw", "words"),
                Column("cost_usd", "price_per_example"),
                Column("latency_s", "time_per_example"),
            ),
            presentations=(_presentation("a"), _presentation("b")),
        ),
    ),
)
