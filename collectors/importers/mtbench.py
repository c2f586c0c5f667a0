"""MT-Bench judgments of FastChat: pairs in both orders, single ratings, and the votes of humans."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from recuse.collectors.importers.declaration import (
    Column,
    ImportFormat,
    Prepared,
    Presentation,
    Record,
    Shape,
)
from recuse.collectors.importers.documents import Document
from recuse.collectors.importers.model_answers import answers_beside, turn_of
from recuse.collectors.importers.values import first_value, text_of
from recuse.collectors.importers.wording import counted
from recuse.errors import SourceError, name_up_to_three

__all__ = ["FORMAT"]

_TURNS: Final = {"1": "turn-1", "2": "turn-2"}
_BRACKETS: Final = {"a": "a", "b": "b", "c": "tie"}
_CONSOLIDATED: Final = "gpt4_pair"
_TIE_DELTA: Final = 0.1
"""FastChat takes two single ratings that differ by no more for a tie."""


def _measured(documents: Sequence[Document], notes: list[str]) -> Prepared:
    answers = answers_beside(documents)
    n_without = 0
    for document in documents:
        for number, record in document.records():
            turn = record.get("turn", 1)
            texts = {
                f"text_{place}": turn_of(
                    answers.get((str(record.get(f"model_{place}")), str(record.get("question_id")))), turn
                )
                for place in (1, 2)
            }
            n_without += bool(answers) and None in texts.values()
            yield number, {**record, **texts}
    if n_without:
        notes.append(
            f"{counted(n_without, 'record names', 'records name')} "
            "an answer that the folder model_answer lacks"
        )


def _paired_ratings(documents: Sequence[Document], notes: list[str]) -> Prepared:
    """Pair the ratings that one judge gave the answers of one question and turn, each pair once."""
    answers = answers_beside(documents)
    rated: dict[tuple[str | None, ...], dict[str, tuple[int, Record]]] = defaultdict(dict)
    n_repeated = 0
    for document in documents:
        for number, record in document.records(
            ("question_id", "model", "judge", "judgment", "score", "turn", "tstamp")
        ):
            key = tuple(text_of(first_value(record, (path,))) for path in _RATING_KEY)
            model = str(record.get("model"))
            n_repeated += model in rated[key]
            rated[key].setdefault(model, (number, record))
    if rated and max(map(len, rated.values())) < 2:
        names = name_up_to_three(sorted({model for models in rated.values() for model in models}))
        raise SourceError(
            documents[0].path,
            f"a pair needs the ratings of two answers to one question, and it rates those of {names}",
            "name a folder with the ratings of several models",
        )
    for (question, turn, *_), models in rated.items():
        for one, other in combinations(sorted(models), 2):
            (number, first), (_, second) = models[one], models[other]
            yield (
                number,
                {
                    **first,
                    "one": one,
                    "other": other,
                    "scores": (first.get("score"), second.get("score")),
                    "texts": tuple(
                        turn_of(answers.get((model, str(question))), turn) for model in (one, other)
                    ),
                },
            )
    notes.append(
        "single ratings were paired: each two answers to a question and turn once, the higher rating wins; "
        "no slots were shown, so nothing can be said of position"
    )
    if n_repeated:
        notes.append(
            f"{counted(n_repeated, 'rating repeats', 'ratings repeat')} "
            "one of the same judge and answer; the first counts"
        )


_RATING_KEY: Final = ("question_id", "turn", "judge.0", "judge.1")


def _votes(documents: Sequence[Document], notes: list[str]) -> Prepared:
    n_consolidated = 0
    for document in documents:
        for number, record in document.records():
            judge = text_of(first_value(record, ("judge.0", "judge"))) or ""
            is_model = judge == _CONSOLIDATED or isinstance(record.get("judge"), list)
            n_consolidated += is_model
            named = {"rater": "gpt-4" if judge == _CONSOLIDATED else judge}
            yield number, {**record, **named, "kind": "model" if is_model else "human"}
    if n_consolidated:
        notes.append(
            f"{counted(n_consolidated, 'winner is', 'winners are')} "
            "of both orders together, which are not in the file: "
            "inconsistent ones have no verdict, and nothing can be said of position"
        )


_COMMON: Final = (
    Column("task_id", "question_id"),
    Column("judge", ("judge.0", "judge")),
    Column("rubric_version", "judge.1"),
    Column("variant_a", "turn", words=_TURNS),
    Column("variant_b", "turn", words=_TURNS),
    Column("asked_at", "tstamp"),
)

FORMAT: Final = ImportFormat(
    name="mtbench",
    title="MT-Bench judgments",
    source="github.com/lm-sys/FastChat, fastchat/llm_judge (model_judgment/*.jsonl); votes as in "
    "lmsys/mt_bench_human_judgments",
    winners="un-swapped: model_1 and model_2 in both games; of votes as shown",
    keeps="the judge's text, single ratings, turns as variants, prompt as rubric_version, human judges, "
    "lengths where a folder model_answer lies beside",
    example="data/mt_bench/model_judgment/gpt-4_pair.jsonl --into CACHE",
    files=("*_pair.jsonl", "*_single.jsonl"),
    shapes=(
        Shape(
            name="pairs in both orders",
            keys=("question_id", "model_1", "model_2", "g1_winner", "g2_winner"),
            prepare=_measured,
            columns=_COMMON,
            presentations=(
                Presentation(
                    slot_a="model_1",
                    slot_b="model_2",
                    verdict="g1_winner",
                    words={"model_1": "a", "model_2": "b", "tie": "tie", "error": "parse_failed"},
                    reparsed=_BRACKETS,
                    columns=(
                        Column("raw", "g1_judgment"),
                        Column("answer_a", "text_1"),
                        Column("answer_b", "text_2"),
                    ),
                ),
                Presentation(
                    slot_a="model_2",
                    slot_b="model_1",
                    verdict="g2_winner",
                    words={"model_2": "a", "model_1": "b", "tie": "tie", "error": "parse_failed"},
                    first="b",
                    columns=(
                        Column("raw", "g2_judgment"),
                        Column("answer_a", "text_2"),
                        Column("answer_b", "text_1"),
                    ),
                ),
            ),
        ),
        Shape(
            name="single ratings",
            keys=("question_id", "model", "judgment", "score", "judge"),
            prepare=_paired_ratings,
            columns=(
                *_COMMON,
                Column("score_a", "scores.0"),
                Column("score_b", "scores.1"),
                Column("answer_a", "texts.0"),
                Column("answer_b", "texts.1"),
            ),
            presentations=(Presentation(slot_a="one", slot_b="other"),),
            tolerance=_TIE_DELTA,
        ),
        Shape(
            name="pairs of single ratings",
            keys=("question_id", "model_1", "model_2", "g1_winner", "g2_winner", "m1_score", "m2_score"),
            prepare=_measured,
            columns=(
                *_COMMON,
                Column("score_a", "m1_score"),
                Column("score_b", "m2_score"),
                Column("answer_a", "text_1"),
                Column("answer_b", "text_2"),
            ),
            presentations=(Presentation(slot_a="model_1", slot_b="model_2"),),
            tolerance=_TIE_DELTA,
        ),
        Shape(
            name="votes",
            keys=("question_id", "model_a", "model_b", "winner", "judge", "turn", "conversation_a"),
            prepare=_votes,
            columns=(
                Column("task_id", "question_id"),
                Column("judge", "rater"),
                Column("judge_kind", "kind"),
                Column("variant_a", "turn", words=_TURNS),
                Column("variant_b", "turn", words=_TURNS),
                Column("answer_a", "conversation_a"),
                Column("answer_b", "conversation_b"),
            ),
            presentations=(
                Presentation(
                    slot_a="model_a",
                    slot_b="model_b",
                    verdict="winner",
                    words={
                        "model_a": "a",
                        "model_b": "b",
                        "tie": "tie",
                        "tie (bothbad)": "tie",
                        "tie (inconsistent)": "abstained",
                    },
                ),
            ),
        ),
    ),
)
