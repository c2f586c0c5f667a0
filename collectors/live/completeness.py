"""How far a study has come in a cache: what is there, what is missing, what must wait."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from recuse.cache.records import Record
from recuse.cache.store import Store
from recuse.collectors.live.calls import Call, most_tokens
from recuse.collectors.live.keeping import Failed, failures_of
from recuse.collectors.live.plan import AnswerKey, Asked, answer_calls
from recuse.collectors.live.protocol import Protocol, refuse_leaking_tasks
from recuse.collectors.live.replies import Answer, answer_of
from recuse.collectors.live.study_file import Endpoint, LoadedStudy

__all__ = ["PHASES", "Expected", "Phase", "State", "state_of"]

PHASES: Final = ("answers", "log-probabilities", "judgments")
"""In the order in which a study is asked: each needs what the one before it brought."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A call whose prompt is not known yet."""

    name: str
    endpoint: Endpoint
    spoken: str
    tokens_in: int | None
    """At most, as far as the limit of the answers' tokens says."""
    most_tokens_out: int | None


@dataclass(frozen=True, slots=True)
class Phase:
    """The calls of one phase: those whose records are there, those to be made, those that must wait."""

    name: str
    there: tuple[Call, ...]
    missing: tuple[Call, ...]
    waiting: tuple[Expected, ...] = ()
    """Calls that need an answer, which is missing."""
    never: tuple[Expected, ...] = ()
    """Presentations that are never asked: the provider refused to give an answer of them."""


@dataclass(frozen=True, slots=True)
class State:
    """How far a study has come in a cache."""

    phases: tuple[Phase, ...]
    answers: Mapping[AnswerKey, Answer]
    failures: Mapping[str, Failed]
    """The ledger: address of a call → how it failed last."""

    @property
    def missing(self) -> list[str]:
        """Name everything that the study asks and the cache lacks."""
        return [
            spoken
            for phase in self.phases
            for spoken in (
                *(call.spoken() for call in phase.missing),
                *(expected.spoken for expected in phase.waiting),
            )
        ]

    @property
    def n_there(self) -> int:
        """Count the calls whose records are there."""
        return sum(len(phase.there) for phase in self.phases)


def state_of(study: LoadedStudy, store: Store | None, *, upto: str = PHASES[-1]) -> State:
    """Compare what a study asks with what a cache holds, without a call.

    Parameters
    ----------
    study
        The study.
    store
        The cache; None where there is none yet.
    upto
        The last phase that is looked at.

    Raises
    ------
    BlindingError
        Under the policy ``fail``, a prompt would name who wrote an answer.
    """
    refuse_leaking_tasks(study)
    failures = {} if store is None else failures_of(store.records_of("failure"))
    wanted = answer_calls(study)
    records = _records(store, (call.address for call in wanted.values()))
    given = {key: answer_of(records[call.address]) for key, call in wanted.items() if call.address in records}
    answers = {key: answer for key, answer in given.items() if answer is not None}
    phases = [_phase(PHASES[0], list({call.address: call for call in wanted.values()}.values()), records)]
    if upto != PHASES[0]:
        refused = {key for key, answer in given.items() if answer is None}
        phases += _later_phases(study, store, Protocol(study, answers), refused, upto)
    return State(tuple(phases), answers, failures)


def _later_phases(
    study: LoadedStudy, store: Store | None, protocol: Protocol, refused: set[AnswerKey], upto: str
) -> list[Phase]:
    """Give the phases that need answers; ``refused`` are those that a provider would not give."""
    calls = protocol.logprob_calls()
    records = _records(store, (call.address for call in calls.values()))
    never = [one for one in protocol.waiting if any(side.answer in refused for side in one.sides)]
    waiting = [one for one in protocol.waiting if not any(side.answer in refused for side in one.sides)]
    phases = [_phase(PHASES[1], list(calls.values()), records, _expected_logprobs(study, waiting))]
    if upto == PHASES[1]:
        return phases
    logprobs = {key: _mean(records[call.address]) for key, call in calls.items() if call.address in records}
    judging = list(protocol.calls(logprobs))
    held = _held(store, (call.address for call in judging))
    expected, refusing = ([_expected(study, one) for one in those] for those in (waiting, never))
    return [*phases, _phase(PHASES[2], judging, held, expected, refusing)]


def _records(store: Store | None, addresses: Iterable[str]) -> dict[str, Record]:
    if store is None:
        return {}
    found = {address: store.get(address) for address in addresses}
    return {address: record for address, record in found.items() if record is not None}


def _held(store: Store | None, addresses: Iterable[str]) -> set[str]:
    return set() if store is None else {address for address in addresses if address in store}


def _phase(
    name: str,
    calls: Sequence[Call],
    held: Iterable[str],
    waiting: Sequence[Expected] = (),
    never: Sequence[Expected] = (),
) -> Phase:
    there = set(held)
    return Phase(
        name,
        tuple(call for call in calls if call.address in there),
        tuple(call for call in calls if call.address not in there),
        tuple(waiting),
        tuple(never),
    )


def _mean(record: Record) -> float | None:
    response: Any = record.get("response", {})
    mean: float | None = response["mean_logprob"]
    return mean


def _expected(study: LoadedStudy, one: Asked) -> Expected:
    about = study.about
    endpoint = about.judges[one.judge]
    sides = " against ".join(
        side.generator + (f" ({side.variant})" if side.variant else "") for side in one.sides
    )
    lengths = [
        most_tokens({**about.params.answers, **about.generators[side.generator].params}) for side in one.sides
    ]
    frame = (len(about.rubric) + len(one.task.prompt)) // 4 + _FRAME_TOKENS
    known = [length for length in lengths if length is not None]
    return Expected(
        one.judge,
        endpoint,
        f"judgment by {one.judge}: {one.task.id}, {one.probe}, {sides}",
        frame + sum(known) if len(known) == len(lengths) else None,
        most_tokens({**about.params.judgments, **endpoint.params}),
    )


def _expected_logprobs(study: LoadedStudy, waiting: Iterable[Asked]) -> list[Expected]:
    wanted: dict[tuple[str, AnswerKey], Expected] = {}
    for one in waiting:
        endpoint = study.about.judges[one.judge]
        for side in one.sides:
            if endpoint.answer_logprobs != "none" and one.probe == "main":
                task_id, generator, length = side.answer
                shown = f"{task_id}, {generator}" + (f" ({length})" if length else "")
                most = most_tokens({**study.about.params.answers, **study.about.generators[generator].params})
                wanted[one.judge, side.answer] = Expected(
                    one.judge,
                    endpoint,
                    f"answer_logprob by {one.judge}: {shown}",
                    len(one.task.prompt) // 4 + 1,
                    most,
                )
    return list(wanted.values())


_FRAME_TOKENS: Final = 120
"""About what the words around two answers come to."""
