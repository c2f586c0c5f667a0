"""Small files of labels, written as a person would write them."""

from collections.abc import Callable, Iterable

import polars as pl
import pytest

from recuse.analysis.calibration.cases import Calibration, calibration_of
from recuse.analysis.calibration.reference import adjudicators_of
from recuse.labels import LabelFrame, Labels

_DEFAULTS = {
    "case_type": "plain", "split": "dev", "failed_checks": None, "evidence": None, "rubric_version": None,
    "judge_version": None, "choice": None, "probe": "main", "variant": None, "replicate": 0,
}  # fmt: skip


def label_frame(rows: Iterable[dict[str, object]]) -> LabelFrame:
    """Fill in what a row leaves out; a rater whose name begins with ``judge`` is a model."""
    filled = [
        {**_DEFAULTS, "rater_kind": "model" if str(row["rater"]).startswith("judge") else "human", **row}
        for row in rows
    ]
    schema = {name: column.dtype for name, column in Labels.columns().items()}
    plain = {name: pl.String() if isinstance(dtype, pl.Enum) else dtype for name, dtype in schema.items()}
    return Labels.validate(pl.DataFrame(filled, schema=plain, orient="row"), cast=True)


def paired(cells: Iterable[tuple[str, bool | None, bool | None, int]]) -> list[dict[str, object]]:
    """Give ``n`` cases of a type per cell of (type, what the human says, what the judge says, n)."""
    rows: list[dict[str, object]] = []
    for case_type, human, judge, n in cells:
        for _ in range(n):
            case = {"case_id": f"c{len(rows) // 2:03d}", "case_type": case_type}
            rows += [
                case | {"rater": "human", "approved": human},
                case | {"rater": "judge", "approved": judge},
            ]
    return rows


@pytest.fixture
def labels_of() -> Callable[[Iterable[dict[str, object]]], LabelFrame]:
    return label_frame


@pytest.fixture
def cells_of() -> Callable[..., list[dict[str, object]]]:
    return paired


@pytest.fixture
def calibrated() -> Callable[..., Calibration]:
    def make(rows: Iterable[dict[str, object]], split: str = "dev") -> Calibration:
        labels = label_frame(rows)
        return calibration_of(labels, study="test", split=split, adjudicators=adjudicators_of(labels))

    return make
