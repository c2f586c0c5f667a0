"""Arena-Hard judgments: each model against a baseline, in both orders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from recuse.collectors.importers.declaration import Column, ImportFormat, Prepared, Presentation, Shape
from recuse.collectors.importers.documents import Document
from recuse.collectors.importers.model_answers import answers_beside
from recuse.collectors.importers.values import first_value, text_of
from recuse.collectors.importers.wording import counted
from recuse.collectors.verdict_parser import VERDICT_WORDS

__all__ = ["FORMAT"]

_BASELINE: Final = "baseline"


def _games(documents: Sequence[Document], notes: list[str]) -> Prepared:
    """Name the baseline, which older files do not, and find both answers."""
    answers = answers_beside(documents)
    n_nameless = 0
    for document in documents:
        for number, record in document.records():
            baseline = text_of(first_value(record, ("baseline", "baseline_model")))
            n_nameless += baseline is None
            question = text_of(first_value(record, ("question_id", "uid"))) or ""
            texts = (answers.get((str(name), question)) for name in (record.get("model"), baseline))
            own, base = texts
            yield number, {**record, "baseline": baseline or _BASELINE, "text_own": own, "text_base": base}
    if n_nameless:
        notes.append(
            f"{counted(n_nameless, 'record does', 'records do')} "
            f"not name the baseline: it is called {_BASELINE}; give its name under "
            "[aliases] in a study.toml"
        )


FORMAT: Final = ImportFormat(
    name="arena-hard",
    title="Arena-Hard judgments",
    source="github.com/lmarena/arena-hard-auto, model_judgment/JUDGE/MODEL.jsonl of gen_judgment.py",
    winners="as shown: the baseline is assistant A in the first game and B in the second",
    keeps="the judge's text, category, lengths where a folder model_answer lies beside; A>>B counts like A>B",
    example="data/arena-hard-v0.1/model_judgment/gpt-4-1106-preview --into CACHE",
    files=("*.jsonl",),
    shapes=(
        Shape(
            name="games",
            keys=("model", "judge", "games"),
            prepare=_games,
            columns=(
                Column("task_id", ("question_id", "uid")),
                Column("judge", "judge"),
                Column("category", "category"),
                Column("asked_at", "tstamp"),
            ),
            presentations=(
                Presentation(
                    slot_a="baseline",
                    slot_b="model",
                    verdict="games.0.score",
                    words=VERDICT_WORDS,
                    needs="games.0",
                    reparsed=VERDICT_WORDS,
                    first="b",
                    columns=(
                        Column("raw", ("games.0.judgment.answer", "games.0.judgment")),
                        Column("answer_a", "text_base"),
                        Column("answer_b", "text_own"),
                    ),
                ),
                Presentation(
                    slot_a="model",
                    slot_b="baseline",
                    verdict="games.1.score",
                    words=VERDICT_WORDS,
                    needs="games.1",
                    columns=(
                        Column("raw", ("games.1.judgment.answer", "games.1.judgment")),
                        Column("answer_a", "text_own"),
                        Column("answer_b", "text_base"),
                    ),
                ),
            ),
        ),
    ),
)
