"""inspect_ai logs: model-graded answers as labels, and pairs where a log compares two answers."""

from __future__ import annotations

import importlib
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

import polars as pl

from recuse.collectors.importers.declaration import (
    Column,
    ImportFormat,
    Prepared,
    Presentation,
    Record,
    Shape,
)
from recuse.collectors.importers.documents import Document, list_of, records_of
from recuse.collectors.importers.single_labels import single_labels
from recuse.collectors.importers.values import first_value, text_of, word_of
from recuse.collectors.importers.wording import counted
from recuse.collectors.verdict_parser import VERDICT_WORDS
from recuse.errors import SourceError

__all__ = ["FORMAT", "read_log"]

_GRADES: Final[Mapping[str, bool | None]] = {"c": True, "i": False, "p": False, "n": None}
"""Correct, incorrect, partly correct, no answer."""
_SLOTS: Final = {
    "slot_a": ("slot_a", "model_a", "generator_a", "response_model_a"),
    "slot_b": ("slot_b", "model_b", "generator_b", "response_model_b"),
}
_GRADERS: Final = (
    "eval.model_roles.grader.model",
    "eval.model_roles.grader",
    "eval.task_args.grader_model",
    "eval.task_args.grader",
)


def _scored(log: Record) -> Iterator[tuple[Record, str, Record]]:
    """Give each sample with each of its scores; error samples have none."""
    for sample in records_of(log.get("samples")):
        scores = sample.get("scores") or ({"score": sample["score"]} if sample.get("score") else {})
        for name, score in cast("Mapping[str, object]", scores).items():
            if isinstance(score, Mapping):
                yield sample, name, cast("Record", score)


def _grader(log: Record, scorer: str) -> str:
    """Name the grader: an argument of the scorer, the role grader, or else the scorer itself."""
    return _own_model(log, scorer) or text_of(first_value(log, _GRADERS)) or scorer


def _own_model(log: Record, scorer: str) -> str | None:
    """Name the model, or the models, that a scorer was given as an argument."""
    for score in records_of(first_value(log, ("results.scores",))):
        if scorer in {score.get("scorer"), score.get("name")}:
            given = first_value(score, ("params.model",))
            names = [_model_name(one) for one in (list_of(given) or [given])]
            return ", ".join(name for name in names if name) or None
    return None


def _model_name(model: object) -> str | None:
    """Name a model; one that was given as an object is logged with its arguments, which are not read."""
    if isinstance(model, Mapping):
        return text_of(first_value(cast("Record", model), ("model",)))
    return text_of(model)


def _unscored(documents: Sequence[Document], notes: list[str]) -> None:
    """Note samples without a score, which a log holds that failed or was stopped.

    Raises
    ------
    SourceError
        No sample of the logs has one.
    """
    n_samples = n_scored = n_failed = 0
    states: set[str] = set()
    for document in documents:
        log = cast("Record", document.value)
        samples = records_of(log.get("samples"))
        without = [sample for sample in samples if not (sample.get("scores") or sample.get("score"))]
        n_samples += len(samples)
        n_scored += len(samples) - len(without)
        n_failed += sum(bool(sample.get("error")) for sample in without)
        states.add(text_of(log.get("status")) or "unknown")
    if not n_scored:
        state = ", ".join(sorted(states))
        raise SourceError(
            documents[0].path,
            f"none of its {n_samples:,} samples has a score (status of the log: {state})",
            "run the task again, or score it: inspect score",
        )
    if n_samples > n_scored:
        failed = f", {n_failed:,} of them after an error" if n_failed else ""
        without_score = counted(n_samples - n_scored, "sample has", "samples have")
        notes.append(f"{without_score} no score and no grade{failed}")


def _pairs(documents: Sequence[Document], notes: list[str]) -> Prepared:
    """Give the samples whose metadata name both answers; without a grader the model itself is the judge."""
    del notes
    for document in documents:
        log = cast("Record", document.value)
        for number, (sample, scorer, score) in enumerate(_scored(log), start=1):
            places = {
                slot: first_value(sample, tuple(f"metadata.{key}" for key in keys))
                for slot, keys in _SLOTS.items()
            }
            if None in places.values():
                continue
            grader = _grader(log, scorer)
            judge = text_of(first_value(log, ("eval.model",))) if grader == scorer else grader
            stated = next(
                (
                    word
                    for word in (score.get("value"), score.get("answer"))
                    if word_of(word).replace(" ", "") in VERDICT_WORDS
                ),
                score.get("value"),
            )
            # Of a graded choice the value says whether it is right, and C is no tie.
            if word_of(score.get("value")) in {"c", "i"} and score.get("answer") is not None:
                stated = score.get("answer")
            yield number, {**sample, **places, "judge": judge, "stated": stated, "score": score, "log": log}


def _grades(documents: Sequence[Document], notes: list[str]) -> pl.DataFrame | None:
    _unscored(documents, notes)
    rows: list[dict[str, object]] = []
    n_partial = 0
    left_out: set[str] = set()
    for document in documents:
        log = cast("Record", document.value)
        model, task = (text_of(first_value(log, (f"eval.{name}",))) for name in ("model", "task"))
        for sample, scorer, score in _scored(log):
            if first_value(sample, tuple(f"metadata.{key}" for key in _SLOTS["slot_a"])) is not None:
                continue
            if "model_graded" not in scorer and _own_model(log, scorer) is None:
                left_out.add(scorer)
                continue
            grade = word_of(score.get("value"))
            n_partial += grade == "p"
            rows.append({
                "case_id": f"{task}:{text_of(sample.get('id'))}:{sample.get('epoch', 1)}:{model}",
                "case_type": text_of(first_value(sample, ("metadata.category",))) or task or "answer",
                "rater": _grader(log, scorer),
                "rater_kind": "model",
                "approved": _GRADES.get(grade),
                "choice": None if grade == "nan" else text_of(score.get("value")),
                "evidence": text_of(score.get("explanation")),
                "judge_version": scorer,
            })  # fmt: skip
    if n_partial:
        notes.append(f"{counted(n_partial, 'answer', 'answers')} graded partly correct: not approved")
    if left_out:
        notes.append(f"scores that no model gave are left out: {', '.join(sorted(left_out))}")
    return single_labels(rows) if rows else None


def read_log(path: Path) -> object:
    """Read a log through inspect_ai's own reader.

    Raises
    ------
    SourceError
        inspect_ai is not installed, or cannot read the file.
    """
    try:
        reader: Any = importlib.import_module("inspect_ai.log")
    except ImportError:
        raise SourceError(
            path,
            "a log of the format .eval is read by inspect_ai, which is not installed",
            "pip install recuse[inspect], or write it as JSON: inspect log convert --to json",
        ) from None
    try:
        log: Any = reader.read_eval_log(str(path), resolve_attachments=True)
        content: object = log.model_dump(mode="json")
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise SourceError(path, f"inspect_ai cannot read it ({error})", "fetch it again") from error
    return content


FORMAT: Final = ImportFormat(
    name="inspect",
    title="inspect_ai logs",
    source="inspect_ai logs of versions 1 and 2, as JSON or .eval (github.com/UKGovernmentBEIS/inspect_ai)",
    winners="as shown, where a sample's metadata name both answers (slot_a, slot_b or model_a, model_b)",
    keeps="grades of model-graded scorers as labels, with the explanation as evidence; of pairs as raw",
    example="logs/2026-01-01_task.json --labels labels.csv",
    files=("*.eval", "*.json"),
    shapes=(
        Shape(
            name="evaluation log",
            keys=("version", "status", "eval", "eval.task"),
            prepare=_pairs,
            labels=_grades,
            columns=(
                Column("task_id", "id"),
                Column("category", ("metadata.category", "metadata.source")),
                Column("judge", "judge"),
                Column("raw", ("score.explanation", "output.completion", "output.choices.0.message.content")),
                Column("asked_at", "log.eval.created"),
                Column("variant_a", "metadata.variant_a"),
                Column("variant_b", "metadata.variant_b"),
            ),
            presentations=(
                Presentation(
                    "slot_a", "slot_b", verdict="stated", words=VERDICT_WORDS, reparsed=VERDICT_WORDS
                ),
            ),
        ),
    ),
)
