"""Chatbot Arena: battles that visitors judged, one order each, as CSV, JSON, JSONL or Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from recuse.collectors.importers.declaration import Column, ImportFormat, Prepared, Presentation, Shape
from recuse.collectors.importers.documents import Document
from recuse.collectors.importers.values import first_value, text_of
from recuse.collectors.importers.wording import counted

__all__ = ["FORMAT"]

_VOTERS: Final = "arena-voters"
_TASK: Final = ("question_id", "id", "conversation_a_id")
_CHOSEN: Final = (("winner_model_a", "model_a"), ("winner_model_b", "model_b"), ("winner_tie", "tie"))


def _battles(documents: Sequence[Document], notes: list[str]) -> Prepared:
    """Name each battle's task, the one winner of three columns, and the voters together."""
    voters: set[str] = set()
    n_nameless = n_unsigned = 0
    for document in documents:
        for number, record in document.records(_WANTED):
            task = text_of(first_value(record, _TASK))
            n_nameless += task is None
            voters.add(text_of(record.get("judge")) or "")
            n_unsigned += not any(text_of(record.get(key)) for key in _SIGNS)
            winner = record.get("winner") or next(
                (meant for key, meant in _CHOSEN if text_of(record.get(key)) in {"1", "true"}), None
            )
            yield number, {**record, "task": task or f"battle-{number}", "winner": winner}
    if len(voters) > 1:
        notes.append(f"{len(voters):,} voters count together as one judge, {_VOTERS}")
    if n_unsigned:
        unsigned = counted(n_unsigned, "battle has", "battles have")
        notes.append(
            f"{unsigned} neither judge, time, turn nor answers: taken for votes of visitors as shown, "
            "which battles made from an LLM judge's verdicts are not"
        )
    if n_nameless:
        notes.append(
            f"{counted(n_nameless, 'battle names', 'battles name')} "
            "no prompt: each counts as a task of its own"
        )


_SIGNS: Final = ("judge", "tstamp", "turn", "response_a", "conversation_a", "winner_model_a")
"""What only a visitor's battle has."""
_WANTED: Final = (
    *_TASK, "model_a", "model_b", "winner", "judge", "turn", "tstamp", "language", "conv_metadata",
    "response_a", "response_b", "conversation_a", "conversation_b", *(key for key, _ in _CHOSEN),
)  # fmt: skip


def _shape(name: str, keys: tuple[str, ...]) -> Shape:
    return Shape(
        name=name,
        keys=keys,
        prepare=_battles,
        columns=(
            Column("task_id", "task"),
            Column("judge", constant=_VOTERS),
            Column("judge_kind", constant="human"),
            Column("category", "language"),
            Column("asked_at", "tstamp"),
            Column("tokens_a", "conv_metadata.sum_assistant_a_tokens"),
            Column("tokens_b", "conv_metadata.sum_assistant_b_tokens"),
            Column("answer_a", ("response_a", "conversation_a")),
            Column("answer_b", ("response_b", "conversation_b")),
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
                    "both_bad": "tie",
                    "bothbad": "tie",
                },
            ),
        ),
    )


FORMAT: Final = ImportFormat(
    name="arena",
    title="Chatbot Arena battles",
    source="battles as in lmsys/chatbot_arena_conversations and lmarena-ai/arena-human-preference-100k and "
    "-140k (winner), and in the Kaggle file of 55k battles (winner_model_a, winner_model_b, winner_tie)",
    winners="as shown: model_a stood on the left; both bad is a tie",
    keeps="lengths and tokens of the answers, language as category; all voters as one human judge",
    example="battles.parquet --into CACHE",
    files=("*battle*.json", "*battle*.csv", "*.parquet"),
    shapes=(
        _shape("battles", ("model_a", "model_b", "winner")),
        _shape("battles, a column for each winner", ("model_a", "model_b", "winner_model_a", "winner_tie")),
    ),
)
