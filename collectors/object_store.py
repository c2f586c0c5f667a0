"""Addresses of files that are not on this machine: told from paths, shown without secrets."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from recuse.errors import SourceError

__all__ = ["is_address", "known_of", "shown_address", "unreadable"]

_SCHEME: Final = re.compile(r"^(s3a?|gs|gcs|az|azure|adl|abfss?|hf|https?)://", re.IGNORECASE)


def is_address(source: str) -> bool:
    """Tell the address of an object store or web server from a path."""
    return _SCHEME.match(source) is not None


def shown_address(address: str) -> str:
    """Leave out of an address what may be a secret: the query and who signs in.

    >>> shown_address("https://me:word@host/a.parquet?sig=secret")
    'https://host/a.parquet'
    """
    if not is_address(address):
        return address
    parts = urlsplit(address)
    # In abfss://container@account the sign stands before the account, and nobody signs in.
    host = parts.netloc.rpartition("@")[2] if parts.scheme.startswith("http") else parts.netloc
    return f"{parts.scheme}://{host}{parts.path}"


def unreadable(name: str, error: BaseException) -> SourceError:
    """Say in one line why a file could not be read."""
    if not is_address(name):
        return SourceError(name, "it is no Parquet file, or it is cut off", "write it again")
    if isinstance(error, FileNotFoundError) or "expanded paths were empty" in str(error):
        return SourceError(name, "there is no such object, nor Parquet below it", "check the address")
    said = re.sub(r"\?\S*", "", str(error).splitlines()[0].partition(" (location")[0])[:200]
    return SourceError(
        name,
        f"it cannot be opened ({said})",
        "check the address, the credentials in the environment, and that it is Parquet",
    )


def known_of(address: str) -> str:
    """Ask a web server for size and tag, by the headers alone; an object store is not asked."""
    from urllib.error import URLError
    from urllib.request import Request, urlopen

    if not address.lower().startswith("http"):
        return "not hashed"
    request = Request(address, method="HEAD")  # noqa: S310
    try:
        with urlopen(request, timeout=10) as answer:  # noqa: S310
            said = {name: answer.headers.get(name) for name in ("Content-Length", "ETag", "Last-Modified")}
    except (OSError, URLError, ValueError):
        return "not hashed"
    return ", ".join(["not hashed", *(f"{name} {value}" for name, value in said.items() if value)])
