"""A collected study as tables with a manifest: a study's folder, which is a SOURCE."""

from __future__ import annotations

import hashlib
import json
import platform
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from recuse.cache.canonical_json import canonical
from recuse.cache.replacing import replacing
from recuse.cache.store import Store
from recuse.collectors.live.calls import Call
from recuse.collectors.live.completeness import PHASES, State, state_of
from recuse.collectors.live.manipulation import lengths_obtained
from recuse.collectors.live.prompts import rubric_version
from recuse.collectors.live.study_file import LoadedStudy
from recuse.errors import UnknownNameError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["write_labels", "write_study"]

_IN_THE_MANIFEST: Final = ("params_requested", "params_effective")
_LABEL_SUFFIXES: Final = (".jsonl", ".parquet")
_VERSIONS: Final = ("recuse", "litellm", "xllamacpp")


def write_study(study: LoadedStudy, store: Store, out: Path) -> list[Path]:
    """Write what a study has collected so far as a folder of tables.

    Parameters
    ----------
    study, store
        The study, and the cache that holds it.
    out
        The folder; its files are replaced.

    Returns
    -------
    list
        ``judgments.jsonl``, ``answers.jsonl`` (lengths and no texts), ``tasks.jsonl``, ``study.toml`` as it
        was given, and ``manifest.json``: models as requested and as resolved, parameters, counts, hashes.
    """
    state = state_of(study, store)
    out.mkdir(parents=True, exist_ok=True)
    tables = {
        "judgments.jsonl": _judgments(state, store),
        "answers.jsonl": _answers(study, state),
        "tasks.jsonl": _tasks(study),
    }
    for name, frame in tables.items():
        with replacing(out / name) as path:
            frame.write_ndjson(path)
    with replacing(out / "study.toml") as path:
        path.write_bytes(study.stored)
    hashes = {name: _sha256(out / name) for name in (*tables, "study.toml")}
    with replacing(out / "manifest.json") as path:
        path.write_text(
            json.dumps(_manifest(study, state, store, hashes), indent=2, ensure_ascii=False) + "\n"
        )
    return [out / name for name in (*hashes, "manifest.json")]


def write_labels(study: LoadedStudy, store: Store, path: Path) -> int:
    """Write the pointwise judgments as labels of each case by each judge, for ``recuse calibrate``.

    Parameters
    ----------
    study, store
        The study, and the cache that holds it.
    path
        ``.jsonl`` or ``.parquet``: a judge's words in a CSV file could be run as a formula.

    Returns
    -------
    int
        Labels written; a judgment that could not be read is one with ``approved`` null.
    """
    import polars as pl

    if path.suffix not in _LABEL_SUFFIXES:
        raise UnknownNameError("suffix of labels", path.suffix or path.name, _LABEL_SUFFIXES)
    tiers = {task.id: task.tier for task in study.tasks}
    rows: list[dict[str, Any]] = []
    for call, record in _read(state_of(study, store).phases[2].there, store):
        if call.kind == "pointwise":
            shown, response = call.request["presentation"], record["response"]
            rows.append(
                {
                    "case_id": f"{shown['task_id']}/{shown['slot_a']}",
                    "case_type": tiers[shown["task_id"]] or "main",
                    "split": "dev",
                    "rater": call.name,
                    "rater_kind": "model",
                    "approved": response["approved"],
                    "failed_checks": response["failed_checks"],
                    "evidence": response["evidence"],
                    "rubric_version": call.request["rubric_version"],
                    "judge_version": response["model_resolved"],
                }
            )
    with replacing(path) as written:
        frame = pl.DataFrame(rows, schema_overrides={"approved": pl.Boolean})
        if path.suffix == ".parquet":
            frame.write_parquet(written)
        else:
            frame.write_ndjson(written)
    return len(rows)


def _judgments(state: State, store: Store) -> pl.DataFrame:
    import polars as pl

    from recuse.cache.snapshot import judgments

    wanted = [call.address for call in state.phases[2].there if call.kind == "judgment"]
    frame = judgments(store).drop(_IN_THE_MANIFEST)
    frame = pl.DataFrame({"judgment_id": wanted}).join(frame, on="judgment_id", maintain_order="left")
    empty = [name for name in frame.columns if name != "verdict" and frame[name].null_count() == frame.height]
    return frame.drop(empty)


def _answers(study: LoadedStudy, state: State) -> pl.DataFrame:
    import polars as pl

    tasks = {task.id: task for task in study.tasks}
    rows = [
        {
            "task_id": key.task_id,
            "probe": "length" if tasks[key.task_id].is_length_probe else "main",
            "generator": key.generator,
            "variant": key.length,
            "words": answer.words,
            "chars": len(answer.text),
            "tokens": answer.tokens,
        }
        for key, answer in state.answers.items()
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _tasks(study: LoadedStudy) -> pl.DataFrame:
    import polars as pl

    rows = [
        {
            "task_id": task.id,
            "probe": "length" if task.is_length_probe else "main",
            "tier": task.tier,
            "category": task.category,
            "rewards": task.rewards,
        }
        for task in study.tasks
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _manifest(study: LoadedStudy, state: State, store: Store, hashes: Mapping[str, str]) -> dict[str, Any]:
    about = study.about
    responses = [
        (phase.name, call, record["response"])
        for phase in state.phases
        for call, record in _read(phase.there, store)
    ]
    times = sorted(response["asked_at"] for _, _, response in responses)
    findings = [response for _, _, response in responses if response.get("blinding")]
    return {
        "study": about.name,
        "tasks_sha256": study.tasks_sha256,
        "files": dict(hashes),
        "rubric_version": rubric_version(about),
        "asked": {"first": times[0], "last": times[-1]} if times else None,
        "calls": {
            phase.name: {
                "kept": len(phase.there),
                "missing": len(phase.missing) + len(phase.waiting),
                "never_asked": len(phase.never),
            }
            for phase in state.phases
        },
        "failed": sum(address not in store for address in state.failures),
        "failed_and_then_kept": sum(address in store for address in state.failures),
        "blinding": {"policy": about.blinding, "prompts_with_findings": len(findings)},
        "lengths_obtained": lengths_obtained(study, state),
        "models": _models(responses),
        "versions": {"python": platform.python_version(), **_versions()},
    }


def _models(responses: Iterable[tuple[str, Call, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Sum up each model's part in each phase, apart for each set of effective parameters."""
    groups: dict[tuple[str, str, str], list[tuple[Call, Mapping[str, Any]]]] = {}
    for phase, call, response in responses:
        effective = response["params_effective"]
        if phase == PHASES[1]:
            # What a text is forced to be differs with each text and is no setting.
            effective = {name: value for name, value in effective.items() if name not in _EACH_TEXT}
        groups.setdefault((phase, call.name, canonical(effective)), []).append((call, response))
    return [
        {
            "phase": phase,
            "name": name,
            "model": calls[0][0].endpoint.model,
            "api_base": calls[0][0].endpoint.api_base,
            "model_resolved": dict(Counter(str(response["model_resolved"]) for _, response in calls)),
            "params_effective": json.loads(effective),
            "calls": len(calls),
            "tokens_in": _total(response["tokens_in"] for _, response in calls),
            "tokens_out": _total(response["tokens_out"] for _, response in calls),
            "cost_usd": _total(response["cost_usd"] for _, response in calls),
            "mean_latency_s": _mean(response["latency_s"] for _, response in calls),
            "finish_reason": dict(Counter(str(response["finish_reason"]) for _, response in calls)),
        }
        for (phase, name, effective), calls in groups.items()
    ]


_EACH_TEXT: Final = ("forced_text", "extra_body", "max_tokens")


def _read(calls: Iterable[Call], store: Store) -> Iterable[tuple[Call, Any]]:
    for call in calls:
        record = store.get(call.address)
        if record is not None:
            yield call, record


def _total(values: Iterable[float | None]) -> float | None:
    """Add up what is known; None where nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 3) if known else None


def _versions() -> dict[str, str]:
    found: dict[str, str] = {}
    for name in _VERSIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
