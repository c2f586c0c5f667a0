"""Keeping: what came back is on disk before it counts as done, and what failed is written down too."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from recuse.cache.records import Record, make_record
from recuse.cache.store import Store
from recuse.collectors.live.calls import Call
from recuse.collectors.live.models import Failure

__all__ = ["FAILURE", "Failed", "Keeper", "failure_record", "failures_of"]

FAILURE: Final = "failure"
"""Kind of the records of calls that brought nothing: the ledger of retries."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A call that brought nothing, as the ledger has it."""

    of: str
    """Address of the call."""
    spoken: str
    error: str
    message: str
    transient: bool
    hopeless: bool
    attempts: int
    at: str

    @property
    def asked_again(self) -> bool:
        """Tell whether a later run asks again by itself: not where the request itself was refused."""
        return self.transient or self.hopeless


def failure_record(call: Call, failure: Failure, attempts: int) -> Record:
    """Make the ledger's record of a failed call, under an address of its own: that of the call stays free."""
    at = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    response = {
        "spoken": call.spoken(),
        "error": failure.error,
        "message": failure.message,
        "transient": failure.transient,
        "hopeless": failure.hopeless,
        "attempts": attempts,
    }
    return make_record(FAILURE, {"kind": FAILURE, "of": call.address, "at": at}, response=response)


def failures_of(records: Iterable[Record]) -> dict[str, Failed]:
    """Give the last failure of each call that failed, by the call's address."""
    found: dict[str, Failed] = {}
    for record in records:
        if record["kind"] == FAILURE:
            request: Any = record["request"]
            response: Any = record.get("response", {})
            found[request["of"]] = Failed(of=request["of"], at=request["at"], **response)
    return found


class Keeper:
    """Puts records of many coroutines on disk, those that wait together in one transaction.

    Parameters
    ----------
    store
        The cache.

    Notes
    -----
    ``keep`` returns once the record is on disk. A transaction costs about the same for one record as for
    twenty, so what comes in while one is written goes into the next.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[tuple[Record, asyncio.Future[None]]] = []
        self._writing = asyncio.Lock()
        self.conflicts: list[str] = []
        """Addresses that another process had filled meanwhile; its records were kept."""

    async def keep(self, record: Record) -> None:
        """Put a record on disk.

        Raises
        ------
        CacheError
            It cannot be written.
        """
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((record, done))
        async with self._writing:
            # Everybody who is ready joins this transaction.
            await asyncio.sleep(0)
            if not done.done():
                self._write()
        await done

    def _write(self) -> None:
        together, self._waiting = self._waiting, []
        try:
            report = self._store.put_many(record for record, _ in together)
        except BaseException as error:
            for _, done in together:
                if not done.done():
                    done.set_exception(error)
            raise
        self.conflicts += report.conflicts
        for _, done in together:
            if not done.done():
                done.set_result(None)
