"""Running: calls to many models side by side, each as often as it takes and no more than it may cost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from recuse.collectors.live.calls import Call
from recuse.collectors.live.keeping import Keeper, failure_record
from recuse.collectors.live.models import (
    Failure,
    Models,
    cost_of,
    failure_of,
    is_refusal,
    litellm,
    refusal,
)
from recuse.collectors.live.replies import Reply, record_of
from recuse.collectors.live.study_file import Limits
from recuse.errors import RecuseError

if TYPE_CHECKING:
    from tenacity import RetryCallState

__all__ = ["Budget", "Outcome", "run_calls"]

_FIRST_WAIT_S: Final = 1.0
_LONGEST_WAIT_S: Final = 60.0
_LONGEST_RETRY_AFTER_S: Final = 600.0


@dataclass(slots=True)
class Outcome:
    """What became of a number of calls."""

    n_asked: int = 0
    """Calls that were sent, whatever came of them."""
    n_kept: int = 0
    n_retries: int = 0
    cost_usd: float = 0.0
    n_unknown_cost: int = 0
    failed: dict[str, Failure] = field(default_factory=dict[str, Failure])
    """Address → why it failed, of the calls that failed in this run."""
    given_up: dict[str, str] = field(default_factory=dict[str, str])
    """Model and model → why its other calls were not sent."""
    over_budget: bool = False


class Budget:
    """A limit of costs that is kept before a call is sent, not after.

    Parameters
    ----------
    most_usd
        The limit; None for none.

    Notes
    -----
    A call is sent when what was spent, what the calls under way may cost at most, and what it may cost at
    most itself, stay within the limit together.
    """

    def __init__(self, most_usd: float | None) -> None:
        self.most_usd = most_usd
        self.spent_usd = 0.0
        self._reserved = 0.0
        self._changed = asyncio.Condition()

    async def reserve(self, worst_usd: float) -> bool:
        """Wait until a call fits, and tell whether it ever will."""
        if self.most_usd is None:
            return True
        async with self._changed:
            while self.spent_usd + self._reserved + worst_usd > self.most_usd:
                if not self._reserved:
                    return False
                await self._changed.wait()
            self._reserved += worst_usd
        return True

    async def settle(self, worst_usd: float, actual_usd: float) -> None:
        """Put what a call cost in place of what it might have cost."""
        self.spent_usd += actual_usd
        if self.most_usd is None:
            return
        async with self._changed:
            self._reserved = max(0.0, self._reserved - worst_usd)
            self._changed.notify_all()


def worst_cost(call: Call) -> float | None:
    """Give what a call may cost at most; None where price or length are open.

    Tokens of the prompt are counted as one for each of its characters, which no tokeniser exceeds for long.
    """
    signs = sum(len(message["content"].encode()) for message in call.messages)
    return cost_of(call.endpoint, signs, call.most_tokens_out)


async def run_calls(
    calls: Sequence[Call],
    *,
    keeper: Keeper,
    models: Models,
    limits_of: Callable[[str], Limits],
    budget: Budget,
    on_done: Callable[[Call, Reply | Failure], object] = lambda _call, _what: None,
) -> Outcome:
    """Send calls, side by side per provider, and keep what comes back.

    Parameters
    ----------
    calls
        Calls whose records are not there.
    keeper
        Puts records on disk.
    models
        Speaks to models.
    limits_of
        Provider → its limits.
    budget
        What may be spent.
    on_done
        Called after each call whose reply is on disk or which failed.

    Returns
    -------
    Outcome
        Calls not sent are those that are neither kept nor failed.
    """
    litellm()
    by_provider: dict[str, list[Call]] = {}
    for call in calls:
        by_provider.setdefault(call.endpoint.provider, []).append(call)
    outcome = Outcome()
    async with asyncio.TaskGroup() as group:
        for provider, theirs in by_provider.items():
            limits = limits_of(provider)
            lane = _Lane(limits, keeper, models, budget, outcome, on_done)
            queue = iter(theirs)
            for _ in range(min(limits.concurrency, len(theirs))):
                group.create_task(lane.work(queue))
    return outcome


class _Lane:
    """The calls to one provider."""

    def __init__(
        self,
        limits: Limits,
        keeper: Keeper,
        models: Models,
        budget: Budget,
        outcome: Outcome,
        on_done: Callable[[Call, Reply | Failure], object],
    ) -> None:
        self._limits = limits
        self._keeper = keeper
        self._models = models
        self._budget = budget
        self._outcome = outcome
        self._on_done = on_done
        self._pace = _pace(limits.requests_per_minute)

    async def work(self, queue: Any) -> None:  # noqa: ANN401
        """Take calls from a queue that several share until it is empty or nothing more may be spent."""
        for call in queue:
            if self._outcome.over_budget:
                return
            if call.endpoint.model in self._outcome.given_up:
                continue
            worst = worst_cost(call) or 0.0
            if not await self._budget.reserve(worst):
                self._outcome.over_budget = True
                return
            await self._settled(call, worst)

    async def _settled(self, call: Call, worst: float) -> None:
        """Send a call and keep what comes of it."""
        outcome, spent = self._outcome, 0.0
        outcome.n_asked += 1
        try:
            got = await self._tried(call)
            if isinstance(got, Failure):
                outcome.failed[call.address] = got
                if got.hopeless:
                    outcome.given_up.setdefault(call.endpoint.model, f"{got.error}: {got.message}")
            else:
                spent = worst if got.cost_usd is None else got.cost_usd
                outcome.n_unknown_cost += got.cost_usd is None
                outcome.cost_usd += got.cost_usd or 0.0
                await self._keeper.keep(record_of(call, got))
                outcome.n_kept += 1
        finally:
            await self._budget.settle(worst, spent)
        self._on_done(call, got)

    async def _tried(self, call: Call) -> Reply | Failure:
        """Send a call until it brings something or is not worth another try."""
        from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt

        attempt = 0
        try:
            async for trying in AsyncRetrying(
                stop=stop_after_attempt(self._limits.attempts),
                wait=_wait,
                retry=retry_if_exception(_passes),
                reraise=True,
            ):
                with trying:
                    attempt = trying.retry_state.attempt_number
                    self._outcome.n_retries += attempt > 1
                    async with self._pace:
                        pass
                    return await self._models.ask(call, attempt)
        except RecuseError:
            raise
        except Exception as error:  # noqa: BLE001 - providers raise what they like; the ledger has it
            if is_refusal(error):
                return refusal(call, error, attempt)
            failure = failure_of(error)
            await self._keeper.keep(failure_record(call, failure, attempt))
            return failure
        raise AssertionError


def _passes(error: BaseException) -> bool:
    return isinstance(error, Exception) and not is_refusal(error) and failure_of(error).transient


def _wait(state: RetryCallState) -> float:
    """Wait as long as the server asks for, else twice as long each time, with some chance in it."""
    from tenacity import wait_exponential_jitter

    error = state.outcome.exception() if state.outcome else None
    asked = failure_of(error).retry_after_s if isinstance(error, Exception) else None
    if asked is not None:
        return min(asked, _LONGEST_RETRY_AFTER_S)
    return wait_exponential_jitter(initial=_FIRST_WAIT_S, max=_LONGEST_WAIT_S)(state)


def _pace(requests_per_minute: float | None) -> Any:  # noqa: ANN401
    if requests_per_minute is None:
        return nullcontext()
    from aiolimiter import AsyncLimiter

    return AsyncLimiter(1, 60 / requests_per_minute)
