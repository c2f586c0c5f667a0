"""The calibration example that ships: made by this module, from no human, no model and no text.

Each count is chosen so that a page can show what a calibration is for: 90 % agreement with every dangerous
case waved through, a second version that repairs most of it, humans who disagree now and then. The seed
decides only which cases these are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

__all__ = ["EXAMPLES", "SEED", "worked_example"]

SEED: Final = 20_260_101
EXAMPLES: Final = ("worked-example", "worked-example-v2", "worked-example-judged")
"""The labels, a second version of the judge on the same cases, and cases that only the judge has seen."""
_CHECKS: Final = {
    "plain": "answers_question",
    "amount": "states_amount",
    "deadline": "states_deadline",
    "exclusion": "mentions_exclusion",
}
"""Case type → the check that fails where a case of this type is rejected."""
_HUMANS: Final = ("synthetic-human-1", "synthetic-human-2")
_JUDGE: Final = "synthetic-judge"


@dataclass(frozen=True, slots=True)
class _Cell:
    """So many cases of one type that humans and judge treat alike."""

    case_type: str
    n: int
    good: bool
    v1: bool | None  # what the judge's first version says; null: it abstains
    v2: bool | None


_DEV: Final = (
    _Cell("plain", 12, good=True, v1=True, v2=True),
    _Cell("plain", 1, good=True, v1=True, v2=False),
    _Cell("plain", 3, good=False, v1=False, v2=False),
    _Cell("amount", 8, good=True, v1=True, v2=True),
    _Cell("amount", 4, good=False, v1=False, v2=False),
    _Cell("deadline", 5, good=True, v1=True, v2=True),
    _Cell("deadline", 3, good=False, v1=False, v2=False),
    _Cell("exclusion", 3, good=False, v1=True, v2=False),
    _Cell("exclusion", 1, good=False, v1=True, v2=True),
)
_HELD_OUT: Final = (
    _Cell("plain", 12, good=True, v1=True, v2=True),
    _Cell("plain", 1, good=True, v1=False, v2=True),
    _Cell("plain", 3, good=False, v1=False, v2=False),
    _Cell("amount", 7, good=True, v1=True, v2=True),
    _Cell("amount", 1, good=True, v1=None, v2=True),
    _Cell("amount", 4, good=False, v1=False, v2=False),
    _Cell("deadline", 5, good=True, v1=True, v2=True),
    _Cell("deadline", 3, good=False, v1=False, v2=False),
    _Cell("exclusion", 2, good=False, v1=True, v2=False),
    _Cell("exclusion", 1, good=False, v1=None, v2=True),
    _Cell("exclusion", 1, good=False, v1=False, v2=False),
)
_N_DISPUTED: Final = 4
"""Cases of each split on which the second human says the opposite; the adjudicator sides with the first."""
_N_REPEATED: Final = 12
_N_JUDGED: Final = 100


def worked_example(seed: int = SEED) -> dict[str, pl.DataFrame]:
    """Make the example's files again.

    Parameters
    ----------
    seed
        Decides the order of the cases and which of them are disputed, repeated and judged only.

    Returns
    -------
    dict
        Name of the example → its rows, as they ship in CSV.
    """
    rng = np.random.default_rng(seed)
    cases: list[dict[str, object]] = []
    for split, cells in (("dev", _DEV), ("held_out", _HELD_OUT)):
        cases += _cases(split, cells, len(cases), rng)
    humans = [row for case in cases for row in _human_rows(case)]
    first = [_judge_row(case, case["v1"], "v1", "r1") for case in cases]
    second = [_judge_row(case, case["v2"], "v2", "r2") for case in cases]
    dev = [case for case in cases if case["split"] == "dev"]
    chosen: list[dict[str, object]] = [
        dev[place] for place in sorted(rng.choice(len(dev), _N_REPEATED, replace=False).tolist())
    ]
    judged = [_judged_row(place, rng) for place in range(_N_JUDGED)]
    return {
        "worked-example": _frame([*humans, *first, *_repeated(chosen), *_lengths()]),
        "worked-example-v2": _frame(second),
        "worked-example-judged": _frame(judged),
    }


def _cases(
    split: str, cells: Sequence[_Cell], offset: int, rng: np.random.Generator
) -> list[dict[str, object]]:
    each = [cell for cell in cells for _ in range(cell.n)]
    order: list[int] = rng.permutation(len(each)).tolist()
    disputable = [place for place in range(len(each)) if each[order[place]].case_type != "exclusion"]
    disputed = set(rng.choice(disputable, _N_DISPUTED, replace=False).tolist())
    return [
        {
            "case_id": f"case-{offset + place + 1:03d}",
            "case_type": each[index].case_type,
            "split": split,
            "good": each[index].good,
            "v1": each[index].v1,
            "v2": each[index].v2,
            "disputed": place in disputed,
        }
        for place, index in enumerate(order)
    ]


def _human_rows(case: dict[str, object]) -> list[dict[str, object]]:
    good = bool(case["good"])
    rows = [
        _row(case, _HUMANS[0], "human", approved=good),
        _row(case, _HUMANS[1], "human", approved=good != case["disputed"]),
    ]
    if case["disputed"]:
        rows.append(_row(case, "adjudicator", "human", approved=good))
    return rows


def _judge_row(case: dict[str, object], verdict: object, version: str, rubric: str) -> dict[str, object]:
    approved = None if verdict is None else bool(verdict)
    row = _row(case, _JUDGE, "model", approved=approved)
    if approved is False and case["case_type"] == "deadline":
        row["failed_checks"] = "answers_question"
    return row | {"judge_version": version, "rubric_version": rubric}


def _repeated(cases: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """Ask the judge a second time; on the last case it says the opposite."""
    rows = [_judge_row(case, case["v1"], "v1", "r1") for case in cases]
    rows[-1]["approved"] = not rows[-1]["approved"]
    return [row | {"probe": "repetition", "replicate": 1} for row in rows]


def _lengths() -> list[dict[str, object]]:
    """Show eight answers short and correct, and long and wrong; the judge approves three of the long ones."""
    rows: list[dict[str, object]] = []
    for place in range(8):
        case: dict[str, object] = {"case_id": f"length-{place + 1}", "case_type": "plain", "split": "dev"}
        for variant, approved in (("short_correct", place != 0), ("long_wrong", place < 3)):
            row = _row(case, _JUDGE, "model", approved=approved)
            row |= {"judge_version": "v1", "rubric_version": "r1", "failed_checks": None, "evidence": None}
            rows.append(row | {"probe": "length", "variant": variant})
    return rows


def _judged_row(place: int, rng: np.random.Generator) -> dict[str, object]:
    case_type = str(rng.choice(list(_CHECKS), p=[0.4, 0.3, 0.2, 0.1]))
    approved = case_type == "exclusion" or bool(rng.random() < 0.7)
    case: dict[str, object] = {"case_id": f"judged-{place + 1:03d}", "case_type": case_type, "split": "dev"}
    return _judge_row(case, approved, "v1", "r1")


def _row(case: dict[str, object], rater: str, kind: str, *, approved: bool | None) -> dict[str, object]:
    rejects = approved is False
    return {
        "case_id": case["case_id"],
        "case_type": case["case_type"],
        "split": case["split"],
        "rater": rater,
        "rater_kind": kind,
        "approved": approved,
        "failed_checks": _CHECKS[str(case["case_type"])] if rejects else None,
        "evidence": "made up" if rejects else None,
        "rubric_version": None,
        "judge_version": None,
        "probe": "main",
        "variant": None,
        "replicate": 0,
    }


def _frame(rows: Sequence[dict[str, object]]) -> pl.DataFrame:
    types = {"approved": pl.Boolean, "replicate": pl.Int64}
    schema = {name: types.get(name, pl.String) for name in rows[0]}
    return pl.DataFrame(rows, schema=schema, orient="row")
