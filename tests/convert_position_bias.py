"""Turn the table of verdicts of the position-bias experiment (arXiv:2406.07791) into judgments.

Usage: ``python tests/convert_position_bias.py verdicts.csv.gz judgments.csv``. The table names
both models as they were shown and the verdict as a letter: A, B, C for a tie, none where none could be read.
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

VERDICTS = {"A": "a", "B": "b", "C": "tie"}
STUDIES = {
    "data_MTBench_position_bias": "mtbench",
    "data_MTBench_repetition": "mtbench",
    "data_DevBench_position_bias": "devbench",
    "data_DevBench_repetition": "devbench",
}


def convert(path: Path, *, repeated_probe: str = "three_rounds") -> pl.DataFrame:
    """Read the published table and write its rows in the schema of judgments, none left out.

    The two sets whose name ends in ``_repetition`` number their three rounds 1 to 3; they become replicates
    0 to 2 of ``repeated_probe``. Everything else is probe ``main``, replicate 0.
    """
    table = pl.read_csv(path, infer_schema=False)
    repeated = pl.col("dataset").str.ends_with("_repetition")
    return table.select(
        study=pl.col("dataset").replace_strict(STUDIES),
        task_id="question",
        probe=pl.when(repeated).then(pl.lit(repeated_probe)).otherwise(pl.lit("main")),
        category="task",
        judge="judge",
        slot_a="model_a",
        slot_b="model_b",
        verdict=pl.col("verdict").replace_strict(VERDICTS),
        status=pl.when(pl.col("verdict").is_null()).then(pl.lit("parse_failed")).otherwise(pl.lit("ok")),
        replicate=pl.when(repeated).then(pl.col("rep").cast(pl.Int64) - 1).otherwise(pl.lit(0)),
    )


if __name__ == "__main__":
    convert(Path(sys.argv[1])).write_csv(sys.argv[2])
