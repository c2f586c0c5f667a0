"""Vicuna reviews: GPT-4's two scores for a pair of answers, in one order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, cast

from recuse.collectors.importers.declaration import (
    Column,
    ImportFormat,
    Prepared,
    Presentation,
    Record,
    Shape,
)
from recuse.collectors.importers.documents import Document, open_document
from recuse.collectors.importers.wording import counted

__all__ = ["FORMAT"]

_NUMBER: Final = r"(\d+(?:\.\d+)?)"
_FIRST_LINE: Final = re.compile(rf"\s*{_NUMBER}[ ,]+{_NUMBER}\s*(?:\n|$)")
_BELOW: Final = re.compile(
    rf"Assistant 1: *{_NUMBER}(?:/10)?(?: *\([^()\n]*\))?\s+Assistant 2: *{_NUMBER}"
    rf"|tuple is \({_NUMBER}, *{_NUMBER}\)|^{_NUMBER}[ ,]+{_NUMBER}$",
    re.MULTILINE,
)
_PAIR: Final = re.compile(r"review_([^_]+(?:_(?=fp16))?)_(.+?)(?:\.jsonl.*)?$")


def _with_answers(documents: Sequence[Document], notes: list[str]) -> Prepared:
    """Name and measure both answers by their ids, from ``answer/*.jsonl`` above the reviews."""
    answers: dict[str, Record] = {}
    categories: dict[str, object] = {}
    folders: set[Path] = set()
    n_nameless = n_differ = n_other_line = 0
    for document in documents:
        _read_beside(document.path, folders, answers, categories)
        named = _PAIR.match(document.path.name.removesuffix(".gz"))
        for number, record in document.records():
            one, other = (answers.get(str(record.get(f"answer{place}_id")), {}) for place in (1, 2))
            n_nameless += not (one and other)
            text = str(record.get("text") or "")
            n_other_line += _FIRST_LINE.match(text) is None and _BELOW.search(text) is not None
            n_differ += _differ(_stated(text), record.get("score"))
            yield (
                number,
                {
                    **record,
                    "one": one.get("model_id") or (named[1] if named else None),
                    "other": other.get("model_id") or (named[2] if named else None),
                    "text_one": one.get("text"),
                    "text_other": other.get("text"),
                    "category": categories.get(str(record.get("question_id"))),
                },
            )
    if n_nameless:
        notes.append(
            f"{counted(n_nameless, 'review names', 'reviews name')} "
            "answers that are not found: models are named by the file"
        )
    if n_other_line:
        notes.append(f"{counted(n_other_line, 'text states', 'texts state')} scores below the first line")
    notes.append(f"texts parsed again beside the stored scores, which count: {n_differ:,} differ")


def _stated(text: str) -> list[float]:
    """Read the two scores where they usually stand, on the first line, or else the last ones below."""
    first = _FIRST_LINE.match(text)
    found = [first] if first else list(_BELOW.finditer(text))
    return [float(number) for number in found[-1].groups() if number] if found else []


def _differ(stated: list[float], score: object) -> bool:
    stored = cast("list[float]", score) if isinstance(score, list) else []
    return stated != [float(value) for value in stored if value >= 0]


def _read_beside(
    path: Path, folders: set[Path], answers: dict[str, Record], categories: dict[str, object]
) -> None:
    for folder in path.resolve().parents[:4]:
        if not (folder / "answer").is_dir():
            continue
        if folder in folders:
            return
        folders.add(folder)
        for file in sorted((folder / "answer").glob("*.jsonl*")):
            for _, record in open_document(file).records():
                answers[str(record.get("answer_id"))] = record
        questions = folder / "question.jsonl"
        if questions.is_file():
            for _, record in open_document(questions).records():
                categories[str(record.get("question_id"))] = record.get("category")
        return


FORMAT: Final = ImportFormat(
    name="vicuna",
    title="Vicuna reviews",
    source="github.com/lm-sys/FastChat, fastchat/eval table reviews at 6d987107a53f",
    winners="as shown: score holds the numbers of answer 1 and answer 2; equal ones are a tie",
    keeps="the judge's text, both scores, lengths of both answers, category; reviewer_id as rubric_version",
    example="FOLDER --into CACHE --scores scores.csv",
    files=("review_*.jsonl", "review_*.jsonl.gz"),
    shapes=(
        Shape(
            name="reviews",
            keys=("review_id", "answer1_id", "answer2_id", "score"),
            prepare=_with_answers,
            columns=(
                Column("task_id", "question_id"),
                Column("category", "category"),
                Column("judge", constant="gpt-4"),
                Column("rubric_version", "reviewer_id"),
                Column("raw", "text"),
                Column("score_a", "score.0"),
                Column("score_b", "score.1"),
                Column("answer_a", "text_one"),
                Column("answer_b", "text_other"),
            ),
            presentations=(Presentation(slot_a="one", slot_b="other"),),
        ),
    ),
)
