"""One run of the collector: everything that is missing is asked for, phase by phase."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from recuse.cache.store import Store
from recuse.collectors.live.calls import Call, most_tokens
from recuse.collectors.live.completeness import PHASES, State, state_of
from recuse.collectors.live.keeping import Keeper
from recuse.collectors.live.models import Failure, Models, connected, key_of, price_per_token
from recuse.collectors.live.plan import answer_calls
from recuse.collectors.live.replies import Reply
from recuse.collectors.live.running import Budget, Outcome, run_calls
from recuse.collectors.live.study_file import LoadedStudy
from recuse.errors import CollectionError, ConfigurationError, RecuseError

__all__ = ["Session"]


class Session:
    """One run of the collector.

    Parameters
    ----------
    study, store
        What to ask, and where to keep it.
    max_cost
        US dollars that this run may cost at most.
    retry_failed
        Ask again for what a model refused as a request.
    on_phase
        Called with the name of each phase and the number of its calls to be made.
    on_done
        Called after each call.
    """

    def __init__(
        self,
        study: LoadedStudy,
        store: Store,
        *,
        max_cost: float | None = None,
        retry_failed: bool = False,
        on_phase: Callable[[str, int], object] = lambda _name, _n: None,
        on_done: Callable[[Call, Reply | Failure], object] = lambda _call, _what: None,
    ) -> None:
        self._study = study
        self._store = store
        self._retry_failed = retry_failed
        self._on_phase = on_phase
        self._on_done = on_done
        self._models = Models()
        self._max_cost = max_cost
        _refuse_unaskable(study, max_cost)

    def run(self) -> Outcome:
        """Ask for everything that is missing, phase by phase.

        Returns
        -------
        Outcome
            Of this run. What is still missing then is told by :func:`state_of`.

        Raises
        ------
        BlindingError
            An answer names its writer; the answers are kept, and no judgment was asked for.
        CacheError
            Records cannot be written.
        """
        try:
            return asyncio.run(self._connected_run())
        except* RecuseError as group:
            raise _first(group) from None

    async def _connected_run(self) -> Outcome:
        async with connected():
            return await self._run()

    async def _run(self) -> Outcome:
        total = Outcome()
        budget = Budget(self._max_cost)
        keeper = Keeper(self._store)
        for name in PHASES:
            state = state_of(self._study, self._store, upto=name)
            phase = state.phases[-1]
            calls = [call for call in phase.missing if self._is_asked(call, state)]
            self._on_phase(phase.name, len(calls))
            done = await run_calls(
                calls,
                keeper=keeper,
                models=self._models,
                limits_of=self._study.about.limits_of,
                budget=budget,
                on_done=self._on_done,
            )
            _add(total, done)
            if done.over_budget:
                break
        return total

    def _is_asked(self, call: Call, state: State) -> bool:
        failed = state.failures.get(call.address)
        return failed is None or failed.asked_again or self._retry_failed


def _first(group: BaseExceptionGroup[RecuseError]) -> RecuseError:
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error


def _refuse_unaskable(study: LoadedStudy, max_cost: float | None) -> None:
    """Refuse what would fail or cost the unknown, before the first call."""
    endpoints = [*study.about.generators.values(), *study.about.judges.values()]
    for endpoint in endpoints:
        key_of(endpoint)
    if max_cost is None:
        return
    unknown = {one.model for one in endpoints if price_per_token(one) is None}
    if unknown:
        raise CollectionError(
            "--max-cost needs prices, and nobody knows those of",
            sorted(unknown),
            "state price = { input = …, output = … } (US dollars per million tokens) in the study file",
        )
    open_ended = any(call.most_tokens_out is None for call in answer_calls(study).values())
    if open_ended or most_tokens(study.about.params.judgments) is None:
        raise ConfigurationError(
            "--max-cost needs a limit of tokens for answers and judgments", "set max_tokens under [params]"
        )


def _add(total: Outcome, done: Outcome) -> None:
    total.n_asked += done.n_asked
    total.n_kept += done.n_kept
    total.n_retries += done.n_retries
    total.cost_usd += done.cost_usd
    total.n_unknown_cost += done.n_unknown_cost
    total.failed |= done.failed
    total.given_up |= done.given_up
    total.over_budget |= done.over_budget
