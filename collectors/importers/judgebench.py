"""JudgeBench outputs: two responses of one model, one of them right, in both orders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from recuse.collectors.importers.declaration import Column, ImportFormat, Prepared, Presentation, Shape
from recuse.collectors.importers.documents import Document, list_of
from recuse.collectors.importers.values import first_value
from recuse.collectors.verdict_parser import VERDICT_WORDS

__all__ = ["FORMAT"]


def _judged(documents: Sequence[Document], notes: list[str]) -> Prepared:
    """Name the judge where a judgment failed, and give the label as the verdict of a judge called gold."""
    del notes
    seen: set[object] = set()
    for document in documents:
        for number, record in document.records():
            judgments = list_of(record.get("judgments"))
            judge = first_value(
                record, ("judgments.0.judgment.judge_model", "judgments.1.judgment.judge_model")
            )
            named = {"judge": judge or document.path.name.rpartition("judge_model=")[2].split(".jsonl")[0]}
            decisions = {
                f"decision_{place}": "error"
                if judgment is None
                else first_value(record, (f"judgments.{place}.decision",))
                for place, judgment in enumerate(judgments[:2])
            }
            yield number, {**record, **named, **decisions}
            if record.get("pair_id") not in seen:
                seen.add(record.get("pair_id"))
                gold = {name: value for name, value in record.items() if name != "judgments"}
                yield number, {**gold, "judge": "gold", "gold": record.get("label")}


def _presentation(place: int) -> Presentation:
    first, second = ("A", "B") if place == 0 else ("B", "A")
    return Presentation(
        slot_a="response_model",
        slot_b="response_model",
        verdict=f"decision_{place}",
        words=VERDICT_WORDS,
        needs=f"decision_{place}",
        reparsed=VERDICT_WORDS if place == 0 else None,
        first="a" if place == 0 else "b",
        columns=(
            Column("variant_a", constant=f"response_{first}"),
            Column("variant_b", constant=f"response_{second}"),
            Column("raw", f"judgments.{place}.judgment.response"),
            Column("answer_a", f"response_{first}"),
            Column("answer_b", f"response_{second}"),
        ),
    )


FORMAT: Final = ImportFormat(
    name="judgebench",
    title="JudgeBench outputs",
    source="github.com/ScalerLab/JudgeBench, outputs/*.jsonl at 12a499c5c29f",
    winners="as shown: the second judgment saw the responses swapped, and its decision is not un-swapped",
    keeps="the judge's text, lengths, source as category, judge_name as rubric_version; label as judge gold",
    example="outputs --into CACHE",
    files=("dataset=judgebench*judge_model=*.jsonl",),
    shapes=(
        Shape(
            name="outputs",
            keys=("pair_id", "response_A", "response_B", "label", "judgments"),
            prepare=_judged,
            columns=(
                Column("task_id", "pair_id"),
                Column("category", "source"),
                Column("judge", "judge"),
                Column("judge_kind", "gold", constant="model", words={"a>b": "human", "b>a": "human"}),
                Column("rubric_version", "judge_name"),
            ),
            presentations=(
                _presentation(0),
                _presentation(1),
                Presentation(
                    slot_a="response_model",
                    slot_b="response_model",
                    verdict="gold",
                    words=VERDICT_WORDS,
                    needs="gold",
                    columns=(
                        Column("variant_a", constant="response_A"),
                        Column("variant_b", constant="response_B"),
                        Column("answer_a", "response_A"),
                        Column("answer_b", "response_B"),
                    ),
                ),
            ),
        ),
    ),
)
