"""How probable a given text is under a model: llama.cpp writes it under a grammar that admits nothing else.

A server of the OpenAI wire format does not score a given text. That of llama.cpp takes a grammar of
tokens, chooses among those that it admits, and reports the log-probability that each of them had without it.
The tokens are those into which the server itself divides the text, not the first that would spell it.
"""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Mapping
from typing import Any, Final

from recuse.collectors.live.study_file import Endpoint

__all__ = ["FORCED", "forcing"]

FORCED: Final = "forced_text"
"""Requested parameter: the text that is to be written."""
_TIMEOUT_S: Final = 60


async def forcing(endpoint: Endpoint, params: Mapping[str, Any]) -> dict[str, Any] | None:
    """Give the parameters that make a server write a text.

    Parameters
    ----------
    endpoint
        A llama.cpp server.
    params
        Requested parameters with ``FORCED``.

    Returns
    -------
    dict or None
        None where a character of the text is divided among tokens, which such a grammar cannot express.

    Raises
    ------
    OSError
        The server does not answer.
    """
    pieces = await asyncio.to_thread(_tokens, endpoint, params[FORCED])
    if not all(isinstance(piece["piece"], str) for piece in pieces):
        return None
    grammar = "root ::= " + " ".join(f"<[{piece['id']}]>" for piece in pieces)
    kept = {name: value for name, value in params.items() if name != FORCED}
    return {**kept, "max_tokens": len(pieces) + 1, "extra_body": {"grammar": grammar}}


def _tokens(endpoint: Endpoint, text: str) -> list[dict[str, Any]]:
    root = (endpoint.api_base or "").rstrip("/").removesuffix("/v1")
    body = {"content": text, "add_special": False, "parse_special": False, "with_pieces": True}
    request = urllib.request.Request(  # noqa: S310 - a study file's api_base begins with http
        f"{root}/tokenize", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as answer:  # noqa: S310
        said: dict[str, list[dict[str, Any]]] = json.load(answer)
    return said["tokens"]
