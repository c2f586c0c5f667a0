"""Judgments made up for the tests of the cache."""

from typing import Any

from recuse.cache.records import Record, imported_judgment, make_record
from recuse.schema import Judgments

NO_JUDGMENT = dict.fromkeys(Judgments.column_names())


def judgment(number: int = 0, **columns: Any) -> dict[str, Any]:
    row = {
        "judgment_id": f"{number:064x}",
        "study": "s",
        "task_id": f"t{number}",
        "probe": "main",
        "judge": "j",
        "judge_kind": "model",
        "slot_a": "m1",
        "slot_b": "m2",
        "verdict": ("a", "b", "tie")[number % 3],
        "status": "ok",
        "replicate": 0,
        "logprob_a": -1.0 if number % 2 else -0.25,
        "words_a": number,
        "source": "file",
    }
    return NO_JUDGMENT | row | columns


def record(number: int = 0, **columns: Any) -> Record:
    return imported_judgment(judgment(number, **columns))


def answer(number: int) -> Record:
    """Make a record of about 2 KB that is no judgment."""
    text = f"{number} " * (1800 // len(f"{number} "))
    return make_record("answer", {"model": "m", "messages": [], "n": number}, response={"text": text})
