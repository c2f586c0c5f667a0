"""Calls: one request to one model, under the address that its record will have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from recuse.cache.records import address_of
from recuse.collectors.live.blinding import Found
from recuse.collectors.live.prompts import Messages
from recuse.collectors.live.study_file import Endpoint

__all__ = ["KINDS", "Call", "Presentation", "make_call", "most_tokens"]

KINDS: Final = ("answer", "answer_logprob", "judgment", "pointwise")
"""Kinds of records of this collector, in the order in which they are asked for."""

_FOUR_SIGNS_A_TOKEN: Final = 4


def most_tokens(params: Mapping[str, object]) -> int | None:
    """Read the limit of tokens that requested parameters set; None where they set none."""
    limits = (params.get(name) for name in ("max_tokens", "max_completion_tokens"))
    return next((limit for limit in limits if isinstance(limit, int)), None)


@dataclass(frozen=True, slots=True)
class Presentation:
    """What a judge is shown: sides by slot, for a pointwise judgment ``slot_a`` alone."""

    study: str
    task_id: str
    probe: str
    slot_a: str
    slot_b: str | None = None
    variant_a: str | None = None
    variant_b: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One request, before it is sent."""

    address: str
    kind: str
    name: str
    """Of the generator or judge."""
    request: Mapping[str, Any]
    endpoint: Endpoint
    columns: Mapping[str, Any]
    """Of a judgment: what its row says besides what comes back."""
    findings: tuple[Found, ...] = ()
    """What blinding found in the prompt."""

    @property
    def messages(self) -> Messages:
        """The prompt."""
        messages: Messages = self.request["messages"]
        return messages

    @property
    def params(self) -> dict[str, Any]:
        """The requested parameters."""
        params: dict[str, Any] = self.request["params"]
        return params

    @property
    def tokens_in(self) -> int:
        """Tokens of the prompt, estimated as a quarter of its characters."""
        signs = sum(len(message["content"]) for message in self.messages)
        return max(1, -(-signs // _FOUR_SIGNS_A_TOKEN))

    @property
    def most_tokens_out(self) -> int | None:
        """Tokens that may come back at most; None where the request sets no limit."""
        return most_tokens(self.params)

    def spoken(self) -> str:
        """Name the call in a line for a person."""
        about: Mapping[str, object] = self.request.get("presentation") or {}
        shown = ", ".join(
            str(about[key])
            for key in ("task_id", "probe", "slot_a", "variant_a", "slot_b", "variant_b")
            if about.get(key)
        )
        what = shown or re.sub(r"\s+", " ", self.messages[0]["content"])[:60]
        return f"{self.kind} by {self.name}: {what}"


def make_call(
    kind: str,
    name: str,
    endpoint: Endpoint,
    messages: Messages,
    params: Mapping[str, Any],
    *,
    replicate: int = 0,
    rubric: str | None = None,
    presentation: Presentation | None = None,
    columns: Mapping[str, Any] | None = None,
    findings: tuple[Found, ...] = (),
) -> Call:
    """Make a call; its address is the hash of everything that is asked.

    Parameters
    ----------
    kind
        One of ``KINDS``.
    name
        Of the generator or judge.
    presentation
        Which sides are shown. Two presentations may have one prompt, as when two generators gave the same
        answer, and are two things asked all the same. An answer has none: studies share it.
    """
    request: dict[str, Any] = {
        "kind": kind,
        "model": endpoint.model,
        "api_base": endpoint.api_base,
        "messages": messages,
        "params": dict(params),
        "replicate": replicate,
    }
    if rubric is not None:
        request["rubric_version"] = rubric
    if presentation is not None:
        fields = asdict(presentation)
        request["presentation"] = {"judge": name, **fields}
    return Call(address_of(request), kind, name, request, endpoint, columns or {}, findings)
