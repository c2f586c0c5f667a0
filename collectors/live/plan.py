"""What a study asks: its answers, and every presentation of them to every judge."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from recuse.cache.canonical_json import canonical, sha256_of
from recuse.collectors.live.calls import Call, Presentation, make_call
from recuse.collectors.live.prompts import answer_messages
from recuse.collectors.live.study_file import LoadedStudy
from recuse.collectors.live.tasks import LENGTH_VARIANTS, Task

__all__ = ["AnswerKey", "Asked", "Side", "answer_calls", "asked", "pairs"]


class AnswerKey(NamedTuple):
    """Which answer: every presentation of it shows the same text."""

    task_id: str
    generator: str
    length: str | None
    """``short`` or ``long`` in the length probe."""


@dataclass(frozen=True, slots=True)
class Side:
    """What a slot shows."""

    generator: str
    variant: str | None
    answer: AnswerKey
    repeated: bool = False
    """The answer's text comes twice."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One presentation to one judge; ``side_b`` is None where one answer is judged by itself."""

    judge: str
    task: Task
    probe: str
    side_a: Side
    side_b: Side | None
    replicate: int

    @property
    def sides(self) -> tuple[Side, ...]:
        """The sides shown, in the order of the slots."""
        return (self.side_a,) if self.side_b is None else (self.side_a, self.side_b)

    def presentation(self, study: str) -> Presentation:
        """Say which sides are shown in which slots."""
        a, b = self.side_a, self.side_b
        return Presentation(
            study=study,
            task_id=self.task.id,
            probe=self.probe,
            slot_a=a.generator,
            slot_b=b.generator if b else None,
            variant_a=a.variant,
            variant_b=b.variant if b else None,
        )


def answer_calls(study: LoadedStudy) -> dict[AnswerKey, Call]:
    """Make the call for every answer that the study needs, task by task."""
    calls: dict[AnswerKey, Call] = {}
    for task in study.tasks:
        for (generator, endpoint), length in itertools.product(
            study.about.generators.items(), LENGTH_VARIANTS if task.is_length_probe else (None,)
        ):
            params = {**study.about.params.answers, **endpoint.params}
            messages = answer_messages(task.prompt_for(length))
            key = AnswerKey(task.id, generator, length)
            calls[key] = make_call("answer", generator, endpoint, messages, params)
    return calls


def pairs(study: LoadedStudy) -> Iterator[tuple[Task, str, Side, Side]]:
    """Give every unordered pair of sides with its task and probe, the main comparisons first."""
    main = [task for task in study.tasks if not task.is_length_probe]
    generators = study.about.generators
    if "pairwise" in study.about.modes:
        for task, (one, other) in itertools.product(main, itertools.combinations(generators, 2)):
            yield task, "main", _side(task, one), _side(task, other)
    of_length = (task for task in study.tasks if task.is_length_probe)
    for task, generator in itertools.product(of_length, generators):
        short, long = (_side(task, generator, length) for length in LENGTH_VARIANTS)
        yield task, "length", short, long
    yield from _changed_pairs(study, main)


def _changed_pairs(study: LoadedStudy, main: list[Task]) -> Iterator[tuple[Task, str, Side, Side]]:
    for probe in ("repetition", "identical"):
        chosen = getattr(study.about.probes, probe)
        if chosen is None:
            continue
        for task in main if chosen.tasks is None else [one for one in main if one.id in chosen.tasks]:
            for generator in chosen.generators or study.about.generators:
                side = _side(task, generator)
                if probe == "identical":
                    yield task, probe, side, side
                else:
                    one = Side(generator, "original", side.answer)
                    yield task, probe, one, Side(generator, "padded", side.answer, repeated=True)


def asked(study: LoadedStudy) -> Iterator[Asked]:
    """Give everything that judges are asked: by pair, judge, replicate and order."""
    about = study.about
    for task, probe, one, other in pairs(study):
        for judge, replicate in itertools.product(about.judges, range(about.replicates)):
            orders = [(one, other), (other, one)]
            if one == other:
                # An answer against itself has no second order.
                orders = orders[:1]
            elif about.orders == "random":
                orders = [orders[_coin(about.seed, task.id, probe, one, other, judge, replicate)]]
            for side_a, side_b in orders:
                yield Asked(judge, task, probe, side_a, side_b, replicate)
    if "pointwise" in about.modes:
        main = (task for task in study.tasks if not task.is_length_probe)
        for task, generator in itertools.product(main, about.generators):
            for judge, replicate in itertools.product(about.judges, range(about.replicates)):
                yield Asked(judge, task, "main", _side(task, generator), None, replicate)


_SLOTS: Final = 2


def _coin(seed: int, task_id: str, probe: str, one: Side, other: Side, judge: str, replicate: int) -> int:
    """Choose an order that a second run chooses again, whatever else has come to the study."""
    sides = [[side.generator, side.variant] for side in (one, other)]
    return int(sha256_of(canonical([seed, task_id, probe, sides, judge, replicate])), 16) % _SLOTS


def _side(task: Task, generator: str, length: str | None = None) -> Side:
    return Side(generator, length, AnswerKey(task.id, generator, length))
