"""From answers to what judges are asked: blind, in both orders, in one form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recuse.collectors.live.blinding import Blind, Found, identifying_words
from recuse.collectors.live.calls import Call, make_call
from recuse.collectors.live.forced_text import FORCED
from recuse.collectors.live.plan import AnswerKey, Asked, Side, asked
from recuse.collectors.live.prompts import (
    answer_messages,
    pairwise_messages,
    pairwise_schema,
    pointwise_messages,
    pointwise_schema,
    rubric_version,
)
from recuse.collectors.live.replies import Answer
from recuse.collectors.live.study_file import Collection, LoadedStudy
from recuse.errors import BlindingError

__all__ = ["Protocol", "refuse_leaking_tasks"]


class Protocol:
    """The questions of one study to its judges.

    Parameters
    ----------
    study
        The study.
    answers
        The answers that are there.

    Raises
    ------
    BlindingError
        Under the policy ``fail``, a prompt would name who wrote an answer; nothing has been sent then.
    """

    def __init__(self, study: LoadedStudy, answers: Mapping[AnswerKey, Answer]) -> None:
        self._study = study
        self._answers = answers
        self._blind = Blind(identifying_words(study.about))
        self._rubric = rubric_version(study.about)
        self.waiting: list[Asked] = []
        """What cannot be asked because an answer of it is not there."""
        self.ready: list[Asked] = []
        for one in asked(study):
            there = all(side.answer in answers for side in one.sides)
            (self.ready if there else self.waiting).append(one)
        if study.about.blinding == "fail":
            self._refuse_leaks()

    def logprob_calls(self) -> dict[tuple[str, AnswerKey], Call]:
        """Make the call for each main answer's log-probability under each judge that can tell it."""
        calls: dict[tuple[str, AnswerKey], Call] = {}
        for one in self.ready:
            endpoint = self._study.about.judges[one.judge]
            if endpoint.answer_logprobs == "none" or one.probe != "main":
                continue
            for side in one.sides:
                answer = self._answers[side.answer]
                key = (one.judge, side.answer)
                if key in calls or not answer.text:
                    continue
                params = {"temperature": 0.0, "logprobs": True, FORCED: answer.text}
                messages = answer_messages(one.task.prompt_for(side.answer.length))
                columns = {"text": answer.text}
                calls[key] = make_call(
                    "answer_logprob", one.judge, endpoint, messages, params, columns=columns
                )
        return calls

    def calls(self, logprobs: Mapping[tuple[str, AnswerKey], float | None]) -> Iterator[Call]:
        """Make the call for everything that can be asked.

        Parameters
        ----------
        logprobs
            (judge, answer) → mean log-probability of the answer's tokens under the judge.
        """
        for one in self.ready:
            yield self._call(one, logprobs)

    def _call(self, one: Asked, logprobs: Mapping[tuple[str, AnswerKey], float | None]) -> Call:
        about = self._study.about
        endpoint = about.judges[one.judge]
        task, *texts = self._shown(one)
        if one.side_b is None:
            kind, messages = "pointwise", pointwise_messages(about, task, *texts)
            form = pointwise_schema(about)
            columns: dict[str, Any] = {"criteria": list(about.criteria)}
        else:
            kind, messages = "judgment", pairwise_messages(about, task, *texts)
            form = pairwise_schema(about)
            columns = self._columns(one, logprobs)
        params: dict[str, Any] = {**about.params.judgments, **endpoint.params}
        if endpoint.structured == "auto":
            params["response_format"] = form
        return make_call(
            kind,
            one.judge,
            endpoint,
            messages,
            params,
            replicate=one.replicate,
            rubric=self._rubric,
            presentation=one.presentation(about.name),
            columns=columns,
            findings=self._findings(one),
        )

    def _columns(self, one: Asked, logprobs: Mapping[tuple[str, AnswerKey], float | None]) -> dict[str, Any]:
        columns: dict[str, Any] = {
            "ties": self._study.about.ties,
            "study": self._study.about.name,
            "task_id": one.task.id,
            "tier": one.task.tier,
            "probe": one.probe,
            "category": one.task.category,
            "rewards": one.task.rewards,
        }
        for slot, side in zip("ab", one.sides, strict=True):
            answer = self._answer(side)
            columns |= {
                f"slot_{slot}": side.generator,
                f"variant_{slot}": side.variant,
                f"words_{slot}": answer.words,
                f"chars_{slot}": len(answer.text),
                f"tokens_{slot}": answer.tokens,
                f"logprob_{slot}": None if side.repeated else logprobs.get((one.judge, side.answer)),
            }
        return columns

    def _answer(self, side: Side) -> Answer:
        answer = self._answers[side.answer]
        return answer.repeated() if side.repeated else answer

    def _shown(self, one: Asked) -> list[str]:
        texts = [one.task.prompt, *(self._answer(side).text for side in one.sides)]
        return (
            [self._blind.redacted(text) for text in texts]
            if self._study.about.blinding == "redact"
            else texts
        )

    def _findings(self, one: Asked) -> tuple[Found, ...]:
        places = ("answer",) if one.side_b is None else ("answer_a", "answer_b")
        found = list(self._blind.findings(one.task.prompt, "task"))
        for place, side in zip(places, one.sides, strict=True):
            found += self._blind.findings(self._answers[side.answer].text, place)
        return tuple(found)

    def _refuse_leaks(self) -> None:
        named: dict[str, None] = {}
        for one in self.ready:
            for side in one.sides:
                for found in self._blind.findings(self._answers[side.answer].text, "answer"):
                    named[f"{one.task.id}, answer of {side.generator}: {found.word} in “{found.text}”"] = None
        if named:
            raise BlindingError("no prompt to a judge names who wrote an answer", list(named))


def refuse_leaking_tasks(study: LoadedStudy) -> None:
    """Look at what all prompts have in common, before an answer is paid for.

    Raises
    ------
    BlindingError
        The rubric or a criterion names a generator; or a task does, and the policy is ``fail``.
    """
    about = study.about
    blind = Blind(identifying_words(about))
    leaks = list(_named(blind, _rubric_texts(about)))
    if about.blinding == "fail":
        leaks += _named(blind, ((f"task {task.id}", task.prompt) for task in study.tasks))
    if leaks:
        raise BlindingError("no prompt to a judge names a generator", leaks)


def _rubric_texts(about: Collection) -> Iterator[tuple[str, str]]:
    yield "rubric", about.rubric
    for name, holds in about.criteria.items():
        yield f"criterion {name}", f"{name}: {holds}"


def _named(blind: Blind, texts: Iterable[tuple[str, str]]) -> Iterator[str]:
    for place, text in texts:
        for found in blind.findings(text, place):
            yield f"{place}: {found.word} in “{found.text}”"
