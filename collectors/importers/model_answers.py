"""Answers that lie in a folder beside judgments: measured, never kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from recuse.collectors.importers.documents import Document, list_of, open_document
from recuse.collectors.importers.values import first_value, text_of

__all__ = ["answers_beside", "turn_of"]

_FOLDER: Final = "model_answer"
_LEVELS: Final = 4


def answers_beside(documents: Sequence[Document]) -> Mapping[tuple[str, str], object]:
    """Read the folder ``model_answer`` beside or above the judgments.

    Returns
    -------
    mapping
        Model and question → its turns (FastChat) or messages (Arena-Hard 2); empty where there is no folder.
    """
    found: dict[tuple[str, str], object] = {}
    if not documents:
        return found
    for folder in documents[0].path.resolve().parents[:_LEVELS]:
        if not (folder / _FOLDER).is_dir():
            continue
        for file in sorted((folder / _FOLDER).glob("*.jsonl*")):
            for _, record in open_document(file).records():
                model = text_of(first_value(record, ("model_id", "model"))) or file.name.split(".jsonl")[0]
                question = text_of(first_value(record, ("question_id", "uid")))
                if question is not None:
                    found[model, question] = first_value(record, ("choices.0.turns", "messages"))
        return found
    return found


def turn_of(turns: object, turn: object) -> object:
    """Give one of an answer's turns, counted from 1."""
    place = int(str(turn)) - 1 if str(turn).isdecimal() else 0
    texts = list_of(turns)
    return texts[place] if 0 <= place < len(texts) else None
