"""promptfoo results: select-best of two outputs as judgments, model-graded assertions as labels."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, cast

import polars as pl

from recuse.collectors.importers.declaration import (
    Column,
    ImportFormat,
    Prepared,
    Presentation,
    Record,
    Shape,
)
from recuse.collectors.importers.documents import Document, records_of
from recuse.collectors.importers.single_labels import single_labels
from recuse.collectors.importers.values import first_value, hash_of, text_of
from recuse.collectors.importers.wording import counted

__all__ = ["FORMAT"]

_SELECT_BEST: Final = "select-best"
_GRADED: Final = frozenset({
    "llm-rubric", "search-rubric", "model-graded-closedqa", "model-graded-factuality", "factuality", "g-eval",
    "answer-relevance", "context-faithfulness", "context-relevance", "context-recall", "agent-rubric",
})  # fmt: skip
_UNNAMED: Final = "promptfoo-default-grader"
_PROVIDER_FAILED: Final = 2
"""``failureReason`` of a result whose provider gave no output."""


def _results(document: Document) -> Iterator[tuple[int, Record]]:
    found = first_value(cast("Record", document.value), ("results.results",))
    yield from enumerate(records_of(found), start=1)


def _assertions(result: Record) -> list[Record]:
    return records_of(first_value(result, ("gradingResult.componentResults",)))


def _generator(result: Record) -> str | None:
    return text_of(first_value(result, ("provider.label", "provider.id", "provider")))


def _judge(component: Record, document: Document) -> str:
    head = cast("Record", document.value)
    paths = ("assertion.provider.id", "assertion.provider")
    defaults = ("text.id", "text", "id", "")
    own = first_value(component, paths)
    shared = first_value(
        head, tuple(f"config.defaultTest.options.provider.{name}".rstrip(".") for name in defaults)
    )
    named = own if isinstance(own, str) else shared
    return named if isinstance(named, str) else _UNNAMED


def _task(result: Record) -> str:
    named = text_of(first_value(result, ("testCase.description", "description")))
    return named or hash_of(text_of(first_value(result, ("vars", "testCase.vars"))))


def _pairs(documents: Sequence[Document], notes: list[str]) -> Prepared:
    """Bring the outputs of a test together, in the order of the columns of promptfoo's own table.

    The grader saw them in the order in which they were done, which some files keep and others do not.
    """
    n_many = n_pairs = 0
    for document in documents:
        tests: dict[tuple[str | None, str], list[tuple[int, Record, Record]]] = defaultdict(list)
        for number, result in _results(document):
            for component in _assertions(result):
                if first_value(component, ("assertion.type",)) == _SELECT_BEST:
                    criterion = hash_of(text_of(first_value(component, ("assertion.value",))))
                    key = (text_of(result.get("testIdx")) or _task(result), criterion)
                    tests[key].append((number, result, component))
        asked: Counter[tuple[str, str | None, str | None]] = Counter()
        for outputs in tests.values():
            if len(outputs) != 2:
                n_many += 1
                continue
            n_pairs += 1
            (number, one, component), (_, other, second) = sorted(outputs, key=_column)
            compared = (_task(one), _generator(one), _generator(other))
            yield (
                number,
                {
                    "task": _task(one),
                    "judge": _judge(component, document),
                    "one": _generator(one),
                    "other": _generator(other),
                    "variants": [text_of(first_value(result, ("prompt.label",))) for result in (one, other)],
                    "texts": [first_value(result, ("response.output",)) for result in (one, other)],
                    "winner": _winner(component, second),
                    "reason": component.get("reason"),
                    "replicate": asked[compared],
                },
            )
            asked[compared] += 1
    if n_pairs:
        notes.append(
            "select-best shows outputs in the order in which they are done, which the file does not say: "
            "they stand in the order of prompts and providers, and nothing can be said of position"
        )
    if n_many:
        notes.append(
            f"{counted(n_many, 'test', 'tests')} "
            "did not choose among two outputs: left out, for that is no pair"
        )


def _column(output: tuple[int, Record, Record]) -> tuple[int, int]:
    number, result, _ = output
    place = result.get("promptIdx")
    return (place if isinstance(place, int) else number, number)


def _winner(one: Record, other: Record) -> str:
    passed = (one.get("pass") is True, other.get("pass") is True)
    return {(True, False): "first", (False, True): "second"}.get(passed, "error")


def _graded(documents: Sequence[Document], notes: list[str]) -> pl.DataFrame | None:
    rows: list[dict[str, object]] = []
    n_failed = 0
    for document in documents:
        for _, result in _results(document):
            if result.get("failureReason") == _PROVIDER_FAILED:
                n_failed += 1
                continue
            for place, component in enumerate(_assertions(result)):
                kind = text_of(first_value(component, ("assertion.type",))) or ""
                if kind.removeprefix("not-") not in _GRADED:
                    continue
                prompt = text_of(first_value(result, ("prompt.label",)))
                unread = component.get("graderError") or first_value(component, ("metadata.graderError",))
                rows.append({
                    "case_id": f"{_task(result)}:{place}:{_generator(result)}:{hash_of(prompt)}",
                    "case_type": text_of(first_value(component, ("assertion.metric",))) or kind,
                    "rater": _judge(component, document),
                    "rater_kind": "model",
                    "approved": None if unread else component.get("pass") is True,
                    "choice": text_of(component.get("score")),
                    "evidence": text_of(component.get("reason")),
                })  # fmt: skip
    if n_failed:
        notes.append(
            f"{counted(n_failed, 'result whose provider failed has', 'results whose provider failed have')} "
            "nothing to grade"
        )
    return single_labels(rows) if rows else None


FORMAT: Final = ImportFormat(
    name="promptfoo",
    title="promptfoo results",
    source="promptfoo eval --output results.json, results of version 3 (github.com/promptfoo/promptfoo)",
    winners="un-swapped: the output that passes select-best; the order shown is not in the file, and the "
    "outputs stand in the order of prompts and providers",
    keeps="model-graded assertions as labels, reasons as evidence or raw, lengths, prompts as variants",
    example="results.json --labels labels.csv",
    files=("*.json",),
    shapes=(
        Shape(
            name="evaluation",
            keys=("results.results", "results.stats", "config"),
            prepare=_pairs,
            labels=_graded,
            columns=(
                Column("task_id", "task"),
                Column("judge", "judge"),
                Column("raw", "reason"),
                Column("replicate", "replicate"),
                Column("variant_a", "variants.0"),
                Column("variant_b", "variants.1"),
                Column("answer_a", "texts.0"),
                Column("answer_b", "texts.1"),
            ),
            presentations=(
                Presentation(
                    "one", "other", verdict="winner", words={"first": "a", "second": "b", "error": "error"}
                ),
            ),
        ),
    ),
)
