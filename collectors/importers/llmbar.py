"""LLMBar: a judge on pairs with a gold label, each pair in both orders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from recuse.collectors.importers.declaration import Column, ImportFormat, Prepared, Presentation, Shape
from recuse.collectors.importers.documents import Document

__all__ = ["FORMAT"]

_GIVEN: Final = "results.0.swap = False"
_SWAPPED: Final = "results.0.swap = True"
_TEXT: Final = {"a": "a", "b": "b"}


def _named_by_folder(documents: Sequence[Document], notes: list[str]) -> Prepared:
    """Name judge, prompt and subset after the folders: ``SUBSET/evaluators/JUDGE/PROMPT/result.json``."""
    seen: set[str] = set()
    for document in documents:
        subset, judge, prompt = _folders(document.path)
        if judge is None:
            judge = document.path.resolve().parent.name
            notes.append(f"{document.path.name}: no folder evaluators/JUDGE above it, judge named {judge}")
        for number, record in document.records():
            named = {**record, "subset": subset, "judge": judge, "prompt": prompt}
            yield number, {**named, "case": f"{subset or judge}-{number - 1}"}
            if f"{subset}-{number}" not in seen:
                seen.add(f"{subset}-{number}")
                gold = {name: value for name, value in named.items() if name != "results"}
                yield (
                    number,
                    {**gold, "judge": "gold", "gold": record.get("label"), "case": f"{subset}-{number - 1}"},
                )


def _folders(path: Path) -> tuple[str | None, str | None, str | None]:
    parts = path.resolve().parts
    if "evaluators" not in parts[1:-2]:
        return None, None, None
    place = len(parts) - 1 - parts[::-1].index("evaluators")
    prompt = parts[place + 2] if place + 2 < len(parts) - 1 else None
    above = [part for part in parts[max(0, place - 2) : place] if part in {"Adversarial", parts[place - 1]}]
    return "/".join(above), parts[place + 1], prompt


FORMAT: Final = ImportFormat(
    name="llmbar",
    title="LLMBar results",
    source="github.com/princeton-nlp/LLMBar, result.json of a judge at 900616bff90b",
    winners="un-swapped: 1 and 2 name the outputs as the data set numbers them, in both orders",
    keeps="the judge's words, lengths of both outputs, subset as category, gold label as judge gold (human)",
    example="Natural/evaluators --into CACHE",
    files=("result.json", "result.json.gz"),
    shapes=(
        Shape(
            name="results",
            keys=("output_1", "output_2", "results.0.swap = False"),
            prepare=_named_by_folder,
            columns=(
                Column("task_id", ("input", "output_1", "output_2"), hashed=True),
                Column("case_id", "case"),
                Column("category", "subset"),
                Column("judge", "judge"),
                Column("judge_kind", "gold", constant="model", words={"1": "human", "2": "human"}),
                Column("rubric_version", "prompt"),
            ),
            presentations=(
                Presentation(
                    slot_a=Column("slot_a", constant="output_1"),
                    slot_b=Column("slot_b", constant="output_2"),
                    verdict=f"{_GIVEN}.winner",
                    words={"1": "a", "2": "b"},
                    needs=_GIVEN,
                    reparsed=_TEXT,
                    columns=(
                        Column("raw", f"{_GIVEN}.completion.0"),
                        Column("answer_a", "output_1"),
                        Column("answer_b", "output_2"),
                    ),
                ),
                Presentation(
                    slot_a=Column("slot_a", constant="output_2"),
                    slot_b=Column("slot_b", constant="output_1"),
                    verdict=f"{_SWAPPED}.winner",
                    words={"1": "b", "2": "a"},
                    needs=_SWAPPED,
                    first="b",
                    columns=(
                        Column("raw", f"{_SWAPPED}.completion.0"),
                        Column("answer_a", "output_2"),
                        Column("answer_b", "output_1"),
                    ),
                ),
                Presentation(
                    slot_a=Column("slot_a", constant="output_1"),
                    slot_b=Column("slot_b", constant="output_2"),
                    verdict="gold",
                    words={"1": "a", "2": "b"},
                    needs="gold",
                    columns=(Column("answer_a", "output_1"), Column("answer_b", "output_2")),
                ),
            ),
        ),
    ),
)
