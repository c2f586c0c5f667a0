"""The plan: calls, tokens, cost and time, before anything is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from recuse.cache.store import Store
from recuse.collectors.live.calls import Call
from recuse.collectors.live.completeness import Expected, Phase, State
from recuse.collectors.live.models import cost_of
from recuse.collectors.live.study_file import Limits

__all__ = ["Row", "forecast"]

_LATENCIES: Final = 50


@dataclass(frozen=True, slots=True)
class Row:
    """What one model is asked in one phase."""

    phase: str
    name: str
    n_there: int
    n_to_ask: int
    tokens_in: int | None
    """Estimated: a quarter of the characters; a missing answer counts as long as it may be."""
    most_tokens_out: int | None
    most_cost_usd: float | None
    """None: the price or a limit of tokens is not known, which is not 0."""
    seconds: float | None
    """At the mean latency of what is in the cache; None where that holds none."""


def forecast(state: State, store: Store | None, limits_of: Callable[[str], Limits]) -> list[Row]:
    """Sum up what is to be asked, by phase and model."""
    return [_row(phase, name, store, limits_of) for phase in state.phases for name in _names(phase)]


def _names(phase: Phase) -> list[str]:
    calls: list[Call | Expected] = [*phase.there, *phase.missing, *phase.waiting]
    return list(dict.fromkeys(call.name for call in calls))


def _row(phase: Phase, name: str, store: Store | None, limits_of: Callable[[str], Limits]) -> Row:
    there = [call for call in phase.there if call.name == name]
    expected: list[Call | Expected] = [*phase.missing, *phase.waiting]
    to_ask = [call for call in expected if call.name == name]
    costs = [cost_of(call.endpoint, call.tokens_in, call.most_tokens_out) for call in to_ask]
    latency = _mean_latency(there, store)
    concurrency = limits_of(to_ask[0].endpoint.provider).concurrency if to_ask else 1
    return Row(
        phase.name,
        name,
        len(there),
        len(to_ask),
        _total(call.tokens_in for call in to_ask),
        _total(call.most_tokens_out for call in to_ask),
        _total(costs),
        None if latency is None else latency * len(to_ask) / concurrency,
    )


def _total(values: Iterable[Any]) -> Any:  # noqa: ANN401
    """Add up, if all of it is known."""
    known = list(values)
    return None if None in known else sum(known)


def _mean_latency(there: Sequence[Call], store: Store | None) -> float | None:
    if store is None or not there:
        return None
    found: list[float] = []
    for call in there[-_LATENCIES:]:
        record = store.get(call.address)
        response: Any = record.get("response", {}) if record else {}
        if response.get("latency_s") is not None:
            found.append(response["latency_s"])
    return sum(found) / len(found) if found else None
