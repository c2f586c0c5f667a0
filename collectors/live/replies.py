"""From what came back to the record that is kept."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from recuse.cache.canonical_json import canonical
from recuse.cache.records import Record, make_record
from recuse.collectors.live.calls import Call
from recuse.collectors.live.prompts import prompt_hash
from recuse.collectors.verdict_parser import VERDICT_WORDS, parse_verdict

__all__ = ["Answer", "Reply", "Token", "answer_of", "pointwise_verdict", "record_of", "verdict_of"]

_ON_OFFER: Final = {word: verdict for word, verdict in VERDICT_WORDS.items() if word != "c"}
_STRUCTURED: Final = {"A": "a", "B": "b", "tie": "tie"}


class Token(NamedTuple):
    """A token of a reply."""

    written: bytes
    logprob: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What one call brought, after retries."""

    text: str
    refused: bool
    """The provider or the model declined in a way that the protocol knows."""
    finish_reason: str | None
    model_resolved: str | None
    params_effective: Mapping[str, Any]
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: float | None
    """None: the price is not known."""
    asked_at: str
    latency_s: float | None
    """None: of a batch."""
    attempts: int
    fingerprint: str | None = None
    logprobs: Sequence[Token] = ()
    """Of the text, where they were asked for."""

    def recorded(self) -> dict[str, Any]:
        """Give what every kind of record keeps of the reply."""
        return {
            "text": self.text,
            "refused": self.refused,
            "finish_reason": self.finish_reason,
            "model_resolved": self.model_resolved,
            "params_effective": dict(self.params_effective),
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "cost_usd": self.cost_usd,
            "asked_at": self.asked_at,
            "latency_s": self.latency_s,
            "attempts": self.attempts,
            "fingerprint": self.fingerprint,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as judges see it."""

    text: str
    tokens: int | None
    truncated: bool
    """It ended at the limit of tokens."""

    @property
    def words(self) -> int:
        """Count what blanks separate."""
        return len(self.text.split())

    def repeated(self) -> Answer:
        """Give the answer said twice."""
        return Answer(f"{self.text}\n\n{self.text}", None, self.truncated)


def answer_of(record: Record) -> Answer | None:
    """Read an answer from its record; None where the provider refused to give one."""
    response: Any = record.get("response", {})
    if response["refused"]:
        return None
    return Answer(response["text"], response["tokens_out"], response["finish_reason"] == "length")


def record_of(call: Call, reply: Reply) -> Record:
    """Make the record of a call and its reply."""
    response = reply.recorded()
    if call.findings:
        response["blinding"] = [found.recorded() for found in call.findings]
    if call.kind == "judgment":
        return make_record("judgment", call.request, judgment=_judgment(call, reply), response=response)
    if call.kind == "answer_logprob":
        response |= _logprob_of(call.columns["text"], reply.logprobs)
    if call.kind == "pointwise":
        criteria = call.columns["criteria"]
        response |= pointwise_verdict(reply.text, criteria, refused=reply.refused)
    return make_record(call.kind, call.request, response=response)


def verdict_of(text: str, *, ties: bool = True) -> str | None:
    """Read a pairwise verdict: of a JSON object in the form asked for, else what the strict parser finds.

    Parameters
    ----------
    text
        The judge's words.
    ties
        Whether a tie was on offer; where it was not, it is no verdict.

    Returns
    -------
    str or None
        ``a``, ``b``, ``tie``; None where the text states no verdict or two that differ.
    """
    try:
        said: object = json.loads(text, object_pairs_hook=_no_key_twice)
    except (ValueError, RecursionError):
        said = None
    stated = cast("dict[str, object]", said).get("verdict") if isinstance(said, dict) else None
    verdict = _STRUCTURED.get(str(stated)) or parse_verdict(text, _ON_OFFER).verdict
    return None if verdict == "tie" and not ties else verdict


def pointwise_verdict(text: str, criteria: Sequence[str], *, refused: bool = False) -> dict[str, Any]:
    """Read a pointwise verdict: one JSON object whose parts agree, or none.

    Returns
    -------
    dict
        ``status``, ``approved`` (None unless the status is ok), ``failed_checks`` and ``evidence``.
    """
    none: dict[str, Any] = {"approved": None, "failed_checks": [], "evidence": None}
    if refused:
        return {"status": "refused", **none}
    try:
        said: object = json.loads(text, object_pairs_hook=_no_key_twice)
    except (ValueError, RecursionError):
        return {"status": "parse_failed", **none}
    if not isinstance(said, dict):
        return {"status": "parse_failed", **none}
    fields = cast("dict[str, object]", said)
    verdict, failed, evidence = (fields.get(name) for name in ("verdict", "failed_checks", "evidence"))
    known = isinstance(failed, list) and all(name in criteria for name in cast("list[object]", failed))
    agree = verdict in {"pass", "fail"} and (verdict == "pass") == (failed == [])
    if not known or not agree or not isinstance(evidence, str):
        return {"status": "parse_failed", **none}
    return {"status": "ok", "approved": verdict == "pass", "failed_checks": failed, "evidence": evidence}


def _no_key_twice(members: list[tuple[str, object]]) -> dict[str, object]:
    said = dict(members)
    if len(said) < len(members):
        message = "a key comes twice"
        raise ValueError(message)
    return said


def _judgment(call: Call, reply: Reply) -> dict[str, Any]:
    verdict = verdict_of(reply.text, ties=call.columns["ties"])
    status = "refused" if reply.refused else "ok" if verdict else "parse_failed"
    row: dict[str, Any] = {
        **{name: value for name, value in call.columns.items() if name != "ties"},
        "judgment_id": call.address,
        "judge": call.name,
        "judge_kind": "model",
        "verdict": verdict if status == "ok" else None,
        "status": status,
        "replicate": call.request["replicate"],
        "raw": reply.text,
        "model_resolved": reply.model_resolved,
        "params_requested": canonical(call.params),
        "params_effective": canonical(dict(reply.params_effective)),
        "prompt_hash": prompt_hash(call.messages),
        "rubric_version": call.request["rubric_version"],
        "asked_at": reply.asked_at,
        "latency_s": reply.latency_s,
        "cost_usd": reply.cost_usd,
        "source": "collected",
    }
    return {name: value for name, value in row.items() if value is not None}


def _logprob_of(text: str, tokens: Sequence[Token]) -> dict[str, Any]:
    """Average over the tokens that write a text; null where they write another one.

    What ends an answer is no part of it: a token behind the text does not count.
    """
    wanted = text.encode()
    written = b""
    values: list[float] = []
    for token in tokens:
        if written == wanted:
            break
        written += token.written
        values.append(token.logprob)
    mean = math.fsum(values) / len(values) if values and written == wanted else math.nan
    return {"mean_logprob": mean if math.isfinite(mean) else None, "n_tokens": len(values)}
