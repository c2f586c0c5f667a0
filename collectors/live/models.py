# pyright: reportUnknownMemberType=false
"""Speaking to models through litellm: one request, what it costs, and what went wrong."""

from __future__ import annotations

import functools
import importlib
import inspect
import logging
import os
import re
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, cast

from recuse.collectors.live.calls import Call
from recuse.collectors.live.forced_text import FORCED, forcing
from recuse.collectors.live.replies import Reply, Token
from recuse.collectors.live.study_file import Endpoint
from recuse.errors import CollectionError, ConfigurationError

__all__ = [
    "Failure",
    "Models",
    "connected",
    "cost_of",
    "failure_of",
    "is_refusal",
    "iso",
    "key_of",
    "litellm",
    "price_per_token",
    "refusal",
    "reply_of",
    "scrubbed",
]

_NO_KEY: Final = "none"
"""Sent to an ``api_base`` whose study file names no key: what the environment holds is for others."""
_SECRET: Final = re.compile(r"KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)
_SHORTEST_SECRET: Final = 8
_MESSAGE_LENGTH: Final = 500
_REFUSED: Final = ("content_filter", "refusal")


class Failure(NamedTuple):
    """Why a call brought nothing."""

    error: str
    """Class of the error."""
    message: str
    transient: bool
    """The same request may succeed a moment later."""
    hopeless: bool
    """Every call to this model fails like this: no key, no such model."""
    retry_after_s: float | None = None


@functools.cache
def litellm() -> Any:  # noqa: ANN401
    """Import litellm so that it neither fetches, reports nor keeps anything.

    Raises
    ------
    CollectionError
        It is not installed.
    """
    # Read at import: otherwise it fetches its table of prices.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ.setdefault("LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS", "True")
    try:
        module: Any = importlib.import_module("litellm")
    except ModuleNotFoundError:
        raise CollectionError(
            "litellm is not installed", remedy="pip install 'recuse[collect]' brings it"
        ) from None
    module.telemetry = False
    module.cache = None
    module.suppress_debug_info = True
    module.drop_params = False
    module.callbacks = []
    for name in ("LiteLLM", "httpx", "openai"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return module


def key_of(endpoint: Endpoint) -> str | None:
    """Give the key to send, from the environment; None leaves it to litellm.

    Raises
    ------
    ConfigurationError
        The study file names a variable that is not set.
    """
    if endpoint.api_key_env is None:
        return _NO_KEY if endpoint.api_base else None
    key = os.environ.get(endpoint.api_key_env)
    if not key:
        raise ConfigurationError(
            f"the environment has no {endpoint.api_key_env}, which {endpoint.model} needs",
            f"export {endpoint.api_key_env}",
        )
    return key


def price_per_token(endpoint: Endpoint) -> tuple[float, float] | None:
    """Give the US dollars per token in and out; None where nobody knows.

    A model behind an ``api_base`` has the price that the study file states, and no other: a name from a
    vendor's price list says nothing about it.
    """
    if endpoint.price is not None:
        return endpoint.price.input / 1e6, endpoint.price.output / 1e6
    if endpoint.api_base is not None:
        return None
    return _listed_price(endpoint.model)


@functools.cache
def _listed_price(model: str) -> tuple[float, float] | None:
    million = 1_000_000
    try:
        dollars: tuple[float, float] = litellm().cost_per_token(
            model=model, prompt_tokens=million, completion_tokens=million
        )
    except Exception:  # noqa: BLE001 - each provider has its own way not to know
        return None
    return dollars[0] / million, dollars[1] / million


def scrubbed(text: str) -> str:
    """Take out of a message what the environment keeps secret, and cut it."""
    secrets = {
        value for name, value in os.environ.items() if _SECRET.search(name) and len(value) >= _SHORTEST_SECRET
    }
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "[key]")
    return " ".join(text.split())[:_MESSAGE_LENGTH]


@asynccontextmanager
async def connected() -> AsyncGenerator[None]:
    """Keep connections while calls are made, and close what litellm has opened."""
    module = litellm()
    try:
        yield
    finally:
        opened: dict[str, Any] = module.in_memory_llm_clients_cache.cache_dict
        for client in list(opened.values()):
            close = getattr(client, "close", None)
            if inspect.iscoroutinefunction(close):
                with suppress(Exception):
                    await close()
        await module.close_litellm_async_clients()
        opened.clear()


class Models:
    """The models of one run, and which parameters each of them has refused so far."""

    def __init__(self) -> None:
        self._refused: dict[tuple[str, str | None], set[str]] = {}

    async def ask(self, call: Call, attempts: int = 1) -> Reply:
        """Send one request; a parameter that is refused is left out, and what was sent is in the reply.

        Raises
        ------
        Exception
            Whatever litellm raises; :func:`failure_of` reads it.
        """
        endpoint = call.endpoint
        known = self._refused.setdefault((endpoint.model, endpoint.api_base), set())
        left_out = set(known)
        requested: Mapping[str, Any] = call.params
        if FORCED in requested:
            forced = await forcing(endpoint, requested)
            if forced is None:
                return unforced(call, attempts)
            requested = forced
        while True:
            params = {name: value for name, value in requested.items() if name not in left_out}
            asked_at, started = datetime.now(UTC), time.perf_counter()
            try:
                response = await litellm().acompletion(
                    model=endpoint.model,
                    messages=call.messages,
                    api_base=endpoint.api_base,
                    api_key=key_of(endpoint),
                    timeout=endpoint.timeout_s,
                    max_retries=0,
                    **params,
                )
            except Exception as error:
                refused = _refused_params(error, params)
                if not refused:
                    raise
                left_out |= refused
                continue
            latency = time.perf_counter() - started
            # Only what a call succeeded without is remembered: an error of one prompt is not the model's.
            known |= left_out
            return reply_of(response, call, params, iso(asked_at), round(latency, 6), attempts)


def failure_of(error: Exception) -> Failure:
    """Read what litellm raised."""
    module = litellm()
    status = getattr(error, "status_code", None)
    hopeless = isinstance(
        error, (module.AuthenticationError, module.NotFoundError, module.PermissionDeniedError)
    )
    passing = (
        module.RateLimitError,
        module.APIConnectionError,
        module.Timeout,
        module.InternalServerError,
        module.ServiceUnavailableError,
        module.BadGatewayError,
        module.APIResponseValidationError,
        OSError,
    )
    transient = isinstance(error, passing) or (isinstance(status, int) and status >= 500)
    name = type(error).__name__
    return Failure(name, scrubbed(str(error)), transient and not hopeless, hopeless, _retry_after(error))


def is_refusal(error: Exception) -> bool:
    """Tell whether the provider declined because of the content, which is an answer of a kind."""
    return isinstance(error, litellm().ContentPolicyViolationError)


def refusal(call: Call, error: Exception, attempts: int) -> Reply:
    """Give the reply that stands for a provider's refusal."""
    return Reply(
        text=scrubbed(str(error)),
        refused=True,
        finish_reason="content_filter",
        model_resolved=None,
        params_effective=call.params,
        tokens_in=None,
        tokens_out=None,
        cost_usd=None,
        asked_at=iso(datetime.now(UTC)),
        latency_s=0.0,
        attempts=attempts,
    )


def unforced(call: Call, attempts: int) -> Reply:
    """Give the reply that stands for a text that a server cannot be made to write."""
    return replace(refusal(call, Exception(), attempts), refused=False, finish_reason=None)


def _refused_params(error: Exception, params: Mapping[str, Any]) -> set[str]:
    """Name the requested parameters that a client error is about; none if it is about anything else.

    A limit of tokens is never left out: it is what keeps a call within its cost.
    """
    module = litellm()
    if not isinstance(error, (module.BadRequestError, module.UnprocessableEntityError)):
        return set()
    if isinstance(error, (module.ContextWindowExceededError, module.ContentPolicyViolationError)):
        return set()
    body: Any = getattr(error, "body", None)
    named = cast("dict[str, object]", body).get("param") if isinstance(body, dict) else None
    droppable = params.keys() - {"max_tokens", "max_completion_tokens"}
    if isinstance(named, str) and named:
        return {named.split(".")[0]} & droppable
    message = str(error)
    return {name for name in droppable if re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", message)}


def _retry_after(error: Exception) -> float | None:
    headers: Any = getattr(error, "litellm_response_headers", None)
    headers = headers or getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        return max(0.0, float(headers.get("retry-after")))
    except (TypeError, ValueError):
        return None


def reply_of(
    response: Any,  # noqa: ANN401
    call: Call,
    params: Mapping[str, Any],
    asked_at: str,
    latency_s: float | None,
    attempts: int,
) -> Reply:
    """Read a chat completion."""
    choice = response.choices[0]
    message = choice.message
    declined = getattr(message, "refusal", None)
    usage = getattr(response, "usage", None)
    tokens_in = getattr(usage, "prompt_tokens", None)
    tokens_out = getattr(usage, "completion_tokens", None)
    logprobs = getattr(getattr(choice, "logprobs", None), "content", None) or ()
    return Reply(
        text=message.content or declined or "",
        refused=bool(declined) or choice.finish_reason in _REFUSED,
        finish_reason=choice.finish_reason,
        model_resolved=response.model,
        params_effective=params,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost_usd=cost_of(call.endpoint, tokens_in, tokens_out),
        asked_at=asked_at,
        latency_s=latency_s,
        attempts=attempts,
        fingerprint=getattr(response, "system_fingerprint", None),
        logprobs=tuple(
            Token(token.token.encode() if token.bytes is None else bytes(token.bytes), float(token.logprob))
            for token in logprobs
        ),
    )


def cost_of(endpoint: Endpoint, tokens_in: int | None, tokens_out: int | None) -> float | None:
    """Give the US dollars of so many tokens; None where the price or the count is not known."""
    price = price_per_token(endpoint)
    if price is None or tokens_in is None or tokens_out is None:
        return None
    return round(tokens_in * price[0] + tokens_out * price[1], 12)


def iso(moment: datetime) -> str:
    """Write a time as records have it."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
