# pyright: reportUnknownMemberType=false
"""Batches: many calls handed over at once, and fetched by whichever run finds them done."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from recuse.cache.records import Record, make_record
from recuse.cache.store import Store
from recuse.collectors.live.calls import Call
from recuse.collectors.live.completeness import State, state_of
from recuse.collectors.live.keeping import failure_record
from recuse.collectors.live.models import Failure, connected, key_of, litellm, reply_of, scrubbed
from recuse.collectors.live.replies import record_of
from recuse.collectors.live.study_file import LoadedStudy

__all__ = ["BATCH", "FETCHED", "advance"]

BATCH: Final = "batch"
"""Kind of the records of batches that were handed over."""
FETCHED: Final = "batch_fetched"
"""Kind of the records of batches whose results were reconciled."""

_PATH: Final = "/v1/chat/completions"
_OVER: Final = ("completed", "expired", "cancelled", "failed")
_FOUND: Final = 200
_PASSING: Final = ("batch_expired", "batch_cancelled", "rate_limit_exceeded", "server_error")


def advance(study: LoadedStudy, store: Store) -> list[str]:
    """Fetch the batches that are over, then hand over what is missing if none is under way.

    A batch is written down in the cache, so that it may be fetched by another process, days later. Answers
    come first; judgments are handed over by the run that finds all answers there.

    Parameters
    ----------
    study, store
        The study, and the cache that keeps it.

    Returns
    -------
    list
        What was done, in words.

    Raises
    ------
    BlindingError
        An answer names its writer; no judgment was handed over.
    """
    return asyncio.run(_advance(study, store))


async def _advance(study: LoadedStudy, store: Store) -> list[str]:
    async with connected():
        return await _advanced(study, store)


async def _advanced(study: LoadedStudy, store: Store) -> list[str]:
    said: list[str] = []
    fetched = {record["request"]["batch"] for record in store.records_of(FETCHED)}
    under_way = 0
    for record in list(store.records_of(BATCH)):
        if record["address"] not in fetched:
            line, is_over = await _fetch(record, study, store)
            said.append(line)
            under_way += not is_over
    if under_way:
        return [*said, "run the same command again later"]
    said += [await _hand_over(group, store) for group in _groups(state_of(study, store))]
    return said


def _groups(state: State) -> Iterable[list[Call]]:
    """Give the calls of the first unfinished phase that can be batched, those of one endpoint together."""
    answers, _, judgments = state.phases
    groups: dict[tuple[str, str | None, str | None, str], list[Call]] = {}
    for call in answers.missing or judgments.missing:
        failed = state.failures.get(call.address)
        if failed is None or failed.asked_again:
            endpoint = call.endpoint
            # Providers take one model a file.
            key = (_provider(call), endpoint.api_base, endpoint.api_key_env, endpoint.model)
            groups.setdefault(key, []).append(call)
    return groups.values()


async def _hand_over(calls: Sequence[Call], store: Store) -> str:
    first = calls[0]
    lines = [
        {
            "custom_id": call.address,
            "method": "POST",
            "url": _PATH,
            "body": {"model": _bare_model(call), "messages": call.messages, **call.params},
        }
        for call in calls
    ]
    content = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode()
    where = _where(first)
    file = await litellm().acreate_file(file=("batch.jsonl", content), purpose="batch", **where)
    batch = await litellm().acreate_batch(
        completion_window="24h", endpoint=_PATH, input_file_id=file.id, **where
    )
    request = {
        "kind": BATCH,
        "model": first.endpoint.model,
        "api_base": first.endpoint.api_base,
        "addresses": [call.address for call in calls],
        "submitted_at": _now(),
    }
    store.put(make_record(BATCH, request, response={"id": batch.id, "input_file_id": file.id}))
    return f"{first.endpoint.model}: {len(calls):,} calls handed over as batch {batch.id}"


async def _fetch(record: Record, study: LoadedStudy, store: Store) -> tuple[str, bool]:
    """Reconcile a batch: every call of it is kept, in the ledger, or missing and counted."""
    request: Any = record["request"]
    name = str(record.get("response", {})["id"])
    calls = _calls_of(request["addresses"], study, store)
    if not calls:
        store.put(_fetched(record, 0, 0))
        return f"batch {name} has no call that this study still lacks", True
    where = _where(next(iter(calls.values())))
    batch = await litellm().aretrieve_batch(batch_id=name, **where)
    if batch.status not in _OVER:
        return f"batch {name}: {batch.status}, {len(calls):,} calls under way", False
    kept = failed = 0
    for file_id in (batch.output_file_id, batch.error_file_id):
        if not file_id:
            continue
        content = await litellm().afile_content(file_id=file_id, **where)
        records = [_result(json.loads(line), calls, request) for line in content.content.splitlines() if line]
        store.put_many(one for one in records if one is not None)
        kept += sum(one is not None and one["kind"] != "failure" for one in records)
        failed += sum(one is not None and one["kind"] == "failure" for one in records)
    store.put(_fetched(record, kept, failed))
    rest = len(calls) - kept - failed
    return (
        f"batch {name}: {batch.status}; {kept:,} replies kept, {failed:,} failed, {rest:,} without a result",
        True,
    )


def _result(line: Any, calls: Mapping[str, Call], request: Mapping[str, Any]) -> Record | None:  # noqa: ANN401
    """Make the record of one line of results; None for a call that is not of this study."""
    call = calls.get(line["custom_id"])
    if call is None:
        return None
    response: Any = line.get("response") or {}
    if response.get("status_code") == _FOUND:
        reply = reply_of(
            litellm().ModelResponse(**response["body"]), call, call.params, request["submitted_at"], None, 1
        )
        # What a batch costs is not what the same calls cost one by one.
        return record_of(call, replace(reply, cost_usd=None))
    errors: list[Any] = [line.get("error"), (response.get("body") or {}).get("error"), {}]
    error = next(one for one in errors if one is not None)
    code = str(error.get("code") or response.get("status_code") or "unknown")
    passing = code in _PASSING or code.startswith("5")
    message = scrubbed(str(error.get("message", "")))
    return failure_record(call, Failure(f"batch: {code}", message, passing, hopeless=False), 1)


def _calls_of(addresses: Iterable[str], study: LoadedStudy, store: Store) -> dict[str, Call]:
    """Give the calls of a batch that the study asks and the cache lacks."""
    wanted = set(addresses)
    state = state_of(study, store)
    return {call.address: call for phase in state.phases for call in phase.missing if call.address in wanted}


def _fetched(record: Record, kept: int, failed: int) -> Record:
    request = {"kind": FETCHED, "batch": record["address"]}
    return make_record(FETCHED, request, response={"kept": kept, "failed": failed, "at": _now()})


def _where(call: Call) -> dict[str, Any]:
    return {
        "custom_llm_provider": _provider(call),
        "api_base": call.endpoint.api_base,
        "api_key": key_of(call.endpoint),
    }


def _provider(call: Call) -> str:
    head, slash, _ = call.endpoint.model.partition("/")
    return head if slash else "openai"


def _bare_model(call: Call) -> str:
    return call.endpoint.model.partition("/")[2] or call.endpoint.model


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
