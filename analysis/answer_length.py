"""Mean words of each generator's answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from recuse.analysis.cells import cluster_sums, each_cell, mean_of, pooled_and_by, total
from recuse.analysis.comparisons import of_pairs
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.grouping import cells_of
from recuse.analysis.patterns import patterns, task_patterns
from recuse.analysis.row_codes import FIRST, SECOND, SIDE_FIRST, SIDE_SECOND, STRATUM, TASK, coded
from recuse.analysis.settings import Settings
from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = ["mean_words", "mean_words_of", "word_sums"]


def mean_words(comparisons: ComparisonFrame, settings: Settings) -> EstimateFrame:
    """Mean number of words of a generator's answers in probe ``main``, each answer counted once.

    The interval is CR2 by task unless another is asked for: word counts repeat in no pattern, which makes
    a bootstrap dear, and nothing is claimed from them.

    ``n_tasks`` counts the tasks answered, ``n_dropped`` the answers without a word count.
    """
    return mean_words_of(patterns(word_sums(comparisons)), settings)


def word_sums(comparisons: pl.DataFrame) -> pl.DataFrame:
    """Sum the words of each generator's answers by task: patterns; ``n`` have a count, ``dropped`` none."""
    frame = coded(of_pairs(comparisons))
    task = np.tile(frame[TASK].to_numpy(), 2)
    side, generator = (
        np.concatenate([frame[of_first].to_numpy(), frame[of_second].to_numpy()])
        for of_first, of_second in ((SIDE_FIRST, SIDE_SECOND), (FIRST, SECOND))
    )
    words = pl.concat([frame["words_first"], frame["words_second"]]).fill_null(-1).to_numpy()
    answers = cells_of(task, side)
    longest = np.full(answers.n, -1)
    np.maximum.at(longest, answers.index, words)
    known = longest >= 0
    cells = cells_of(task[answers.first], generator[answers.first])
    sums = {
        "words": cells.whole_sum(np.where(known, longest, 0)),
        "n": cells.count(known),
        "dropped": cells.count(~known),
    }
    names = {name: pl.concat([frame[name]] * 2)[answers.first] for name in ("study", "tier")}
    names["generator"] = pl.concat([frame["first"], frame["second"]]).gather(answers.first)
    stratum = np.tile(frame[STRATUM].to_numpy(), 2)[answers.first]
    return task_patterns(names, cells, [stratum, generator[answers.first]], sums)


def mean_words_of(sums: pl.DataFrame, settings: Settings) -> EstimateFrame:
    """Estimate :func:`mean_words` from patterns of :func:`word_sums`."""
    rng = settings.rng("mean_words")
    settings = replace(settings, interval="cr2") if settings.interval == "default" else settings
    rows: list[Estimate] = []
    for keys, cell in each_cell(pooled_and_by(sums), ["study", "tier", "generator"]):
        row = Estimate(estimand="mean_words", unit="words", n_dropped=total(cell, "dropped"), **keys)
        if not total(cell, "n"):
            row = row.undefined("no word counts in the judgments")
        rows.append(mean_of(row, cluster_sums(cell, "words", "n"), settings, rng))
    return estimate_frame(rows)
