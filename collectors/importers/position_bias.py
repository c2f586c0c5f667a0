"""Position-Bias-Analyzer (arXiv:2406.07791): texts of one judge as TSV, or the table of all verdicts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from recuse.collectors.importers.declaration import Column, ImportFormat, Prepared, Presentation, Shape
from recuse.collectors.importers.documents import Document
from recuse.collectors.importers.wording import counted
from recuse.collectors.verdict_parser import parse_verdict

__all__ = ["FORMAT"]

_WORDS: Final = {"a": "a", "b": "b", "c": "tie"}
_PARSED: Final = {"a": "a", "b": "b", "tie": "tie"}
_KNOWN: Final = frozenset({
    "cmp_index", "question", "question_1", "question_2", "answer1", "answer2", "answer1_1", "answer1_2",
    "answer2_1", "answer2_2", "A", "B", "reference_answer", "reference_answer_1", "reference_answer_2",
    "evaluating_guidance", "task",
})  # fmt: skip
_ANSWERS: Final = {
    f"text_{slot}": tuple(f"answer{place}{turn}" for turn in ("", "_1", "_2"))
    for slot, place in (("a", 1), ("b", 2))
}
_STUDIES: Final[Mapping[str, str]] = {"mtbench": "mtbench", "devbench": "devbench"}
_ROUND: Final = re.compile(r"repetition[_-]?(\d+)")


def _sets(documents: Sequence[Document], notes: list[str]) -> Prepared:
    """Tell study, probe and round from the name of the set: repetitions are numbered from 1 there."""
    del notes
    for document in documents:
        for number, record in document.records():
            name = str(record.get("dataset"))
            repeated = name.endswith("_repetition")
            study = next((study for word, study in _STUDIES.items() if word in name.lower()), name)
            round_ = str(record.get("rep") or "1")
            replicate = int(round_) - 1 if repeated and round_.isdecimal() else 0
            probe = "three_rounds" if repeated else "main"
            yield number, {**record, "study": study, "probe": probe, "replicate": replicate}


def _texts(documents: Sequence[Document], notes: list[str]) -> Prepared:
    """Read the judge from the last column's name, its verdict from the text, the round from the file's."""
    n_contradictory = 0
    for document in documents:
        name = document.path.name.lower()
        study = next((study for word, study in _STUDIES.items() if word in name), None)
        round_ = _ROUND.search(name)
        set_of_file = {
            "study": study,
            "probe": "three_rounds" if round_ else "main",
            "replicate": max(int(round_[1]) - 1, 0) if round_ else 0,
        }
        for number, record in document.records():
            question, one, other = (*str(record.get("cmp_index")).split(";"), None, None, None)[:3]
            shown = {"question": question, "A": one or record.get("A"), "B": other or record.get("B")}
            answers = {
                slot: [record[key] for key in keys if key in record] for slot, keys in _ANSWERS.items()
            }
            for judge in (name for name in record if name not in _KNOWN):
                parsed = parse_verdict(text if isinstance(text := record[judge], str) else None)
                n_contradictory += parsed.is_contradictory
                stated = {"judge": judge, "raw": text, "verdict": parsed.verdict}
                yield number, {**record, **shown, **answers, **set_of_file, **stated}
    if n_contradictory:
        notes.append(
            f"{counted(n_contradictory, 'text states', 'texts state')} "
            "two verdicts that differ, which is none"
        )


_SHARED: Final = (
    Column("study", "study"),
    Column("task_id", "question"),
    Column("probe", "probe"),
    Column("replicate", "replicate"),
    Column("category", "task"),
    Column("judge", "judge"),
)

FORMAT: Final = ImportFormat(
    name="position-bias",
    title="Position-Bias-Analyzer results",
    source="github.com/Slimshilin/Position-Bias-Analyzer at 9f8b7e8e8386",
    winners="as shown: A, B, and C for a tie; of the TSV files the verdict is read from the judge's text",
    keeps="the judge's text and lengths of both answers (TSV); rounds as replicates of probe three_rounds",
    example="mtbench_repetition1_gpt-4-0613.tsv --into CACHE",
    files=("*.tsv", "*.tsv.gz"),
    shapes=(
        Shape(
            name="texts of a judge (TSV)",
            keys=("cmp_index", "A", "B"),
            prepare=_texts,
            columns=(
                *_SHARED,
                Column("raw", "raw"),
                Column("answer_a", "text_a"),
                Column("answer_b", "text_b"),
            ),
            presentations=(
                Presentation(
                    slot_a="A", slot_b="B", verdict="verdict", words={"a": "a", "b": "b", "tie": "tie"}
                ),
            ),
        ),
        Shape(
            name="table of verdicts (CSV)",
            keys=("dataset", "rep", "judge", "question", "model_a", "model_b"),
            prepare=_sets,
            columns=_SHARED,
            presentations=(
                Presentation(slot_a="model_a", slot_b="model_b", verdict="verdict", words=_WORDS),
            ),
        ),
    ),
)
