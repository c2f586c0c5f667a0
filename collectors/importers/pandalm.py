"""PandaLM: 999 pairs with three human annotators, and judges whose results name pairs by number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from recuse.collectors.importers.declaration import (
    Column,
    ImportFormat,
    Prepared,
    Presentation,
    Record,
    Shape,
)
from recuse.collectors.importers.documents import Document, open_documents
from recuse.collectors.importers.wording import counted
from recuse.errors import SourceError

__all__ = ["FORMAT"]

_FILES: Final = ("*testset*.json", "*testset*.json.gz")
_ANNOTATORS: Final = ("annotator1", "annotator2", "annotator3")


def _joined(documents: Sequence[Document], notes: list[str]) -> Prepared:
    """Bring annotators and judges together by ``idx``; a judge's file needs the test set beside it."""
    pairs = _pairs(documents)
    if pairs is None and documents:
        pairs = _pairs(open_documents(documents[0].path.parent, _FILES))
    if pairs is None:
        raise SourceError(
            documents[0].path,
            "it names pairs by number, and the test set with their answers is not beside it",
            "put testset-v1.json into the same folder",
        )
    for document in documents:
        n_unknown = 0
        for number, record in document.records():
            pair = pairs.get(str(record.get("idx")))
            if pair is None:
                n_unknown += 1
                continue
            for rater, kind, choice, reason in _choices(record, document):
                shown = {"rater": rater, "kind": kind, "choice": choice, "reason": reason}
                yield number, {**pair, **shown}
        if n_unknown:
            notes.append(
                f"{document.path.name}: {counted(n_unknown, 'record names', 'records name')} "
                "a pair that the test set lacks"
            )


def _pairs(documents: Sequence[Document]) -> dict[str, dict[str, object]] | None:
    found: dict[str, dict[str, object]] = {}
    for document in documents:
        for _, record in document.records():
            if "response1" not in record:
                break
            one, _, other = str(record.get("cmp_key", "")).partition("_")
            found[str(record.get("idx"))] = {**record, "one": one, "other": other}
    return found or None


def _choices(record: Record, document: Document) -> list[tuple[str, str, object, object]]:
    if "annotator1" in record:
        return [(name, "human", record.get(name), None) for name in _ANNOTATORS]
    key = next((key for key in record if key.endswith("_result")), "")
    judge = document.path.name.split("-testset")[0]
    return [(judge, "model", record.get(key), record.get(key.replace("_result", "_reason")))]


FORMAT: Final = ImportFormat(
    name="pandalm",
    title="PandaLM test set",
    source="github.com/WeOpenML/PandaLM, data/testset-v1.json and the judges' files at 3871806e72b4",
    winners="as shown: 1 and 2 name the responses in their one order, 0 and Tie neither",
    keeps="three annotators as human judges, the judge's reason, lengths of both responses",
    example="FOLDER --into CACHE --labels labels.csv",
    files=_FILES,
    shapes=tuple(
        Shape(
            name=name,
            keys=keys,
            prepare=_joined,
            columns=(
                Column("task_id", ("instruction", "input"), hashed=True),
                Column("case_id", "idx"),
                Column("judge", "rater"),
                Column("judge_kind", "kind"),
                Column("raw", "reason"),
                Column("answer_a", "response1"),
                Column("answer_b", "response2"),
            ),
            presentations=(
                Presentation(
                    slot_a="one",
                    slot_b="other",
                    verdict="choice",
                    words={"1": "a", "2": "b", "0": "tie", "tie": "tie"},
                ),
            ),
        )
        for name, keys in (
            ("test set", ("idx", "response1", "annotator1")),
            ("judge", ("idx", "gpt_result")),
            ("PandaLM judge", ("idx", "pandalm_result")),
        )
    ),
)
