"""Agreement between judges on whole comparisons, by tier."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from recuse.analysis.cells import each_cell, pooled_and_by, task_codes, tasks_of, total
from recuse.analysis.comparisons import of_pairs
from recuse.analysis.estimates import Estimate, estimate_frame
from recuse.analysis.grouping import Cells, Codes, cells_of
from recuse.analysis.inference import nominal
from recuse.analysis.inference.clusters import FloatArray, TaskCounts
from recuse.analysis.inference.interval import Interval
from recuse.analysis.inference.jackknife import jackknife_interval
from recuse.analysis.patterns import N_TASKS, patterns, task_patterns
from recuse.analysis.row_codes import JUDGE, PAIR, STRATUM, TASK, coded, codes_in, outcomes_of
from recuse.analysis.settings import Settings
from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = [
    "UNDEFINED",
    "Labels",
    "agreement",
    "agreement_of",
    "agreement_sums",
    "coincidences",
    "labelled",
    "labels_of",
    "pair_tables",
]

_N_LABELS: Final = 3
_NO_LABEL: Final = -1
_CELLS: Final = tuple(f"c{index}" for index in range(_N_LABELS**2))
_SWAPPED: Final = (4, 3, 5, 1, 0, 2, 7, 6, 8)
"""Cells of a table once first and second change places."""
_NO_SUMS: Final = pl.DataFrame(
    schema={
        **dict.fromkeys(("study", "tier", "judge", "judge_2"), pl.String()),
        **dict.fromkeys(_CELLS, pl.Float64()),
        **dict.fromkeys(("n", "n_dropped", N_TASKS), pl.Int64()),
    }
)
_ITEM: Final = ("task_id", "first", "first_variant", "second", "second_variant", "replicate")
UNDEFINED: Final = {
    "cohen_kappa": "one category only: kappa is 0/0",
    "gwet_ac1": "chance agreement is 1: AC1 is 0/0",
    "krippendorff_alpha": "one category only: alpha is 0/0",
}


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels of one cell: 0 first, 1 second, 2 neither, -1 none."""

    codes: npt.NDArray[np.int8]  # (items, judges)
    task: npt.NDArray[np.int64]  # (items,) code of the item's task
    judges: list[str]

    @property
    def n_tasks(self) -> int:
        """Tasks with an item."""
        return int(self.task.max(initial=-1)) + 1


@dataclass(frozen=True, slots=True)
class _Tables:
    """Tables of labels of the tasks of a cell, those without a label left out."""

    tasks: TaskCounts  # (K,) tasks that share a table
    whole: FloatArray  # (3, 3) over all tasks
    without: FloatArray  # (K, 3, 3) over all tasks but one
    alike: bool  # whether no spread between tasks is to be seen

    @classmethod
    def of(cls, cell: pl.DataFrame) -> _Tables:
        tables = cell.select(_CELLS).to_numpy().reshape(cell.height, _N_LABELS, _N_LABELS)
        there = tables.sum((1, 2)) > 0
        tables, tasks = tables[there], tasks_of(cell)[: len(there)][there]
        whole = (tasks[:, None, None] * tables).sum(0)
        return cls(tasks, whole, whole[None] - tables, nominal.alike(tables, tasks))

    @property
    def n_tasks(self) -> int:
        return int(self.tasks.sum())


def agreement(comparisons: ComparisonFrame, settings: Settings) -> EstimateFrame:
    """Raw and expected agreement, Cohen's kappa and Gwet's AC1 by pair of judges; alpha over the panel.

    An item is a comparison of probe ``main`` with a verdict in both orders (or the one asked by design);
    its label is the answer that wins, or *neither* (tie, flip and unstable). Kappa: 1 complete
    agreement, 0 what the judges' marginals alone would give, negative below that. By default the
    first and second marginals of each judge are averaged before chance agreement, since which answer is
    *first* is arbitrary; under ``convention="article"`` they are not.

    ``n_comparisons`` counts the items that both judges label, ``n_dropped`` those that one of them does
    not. Krippendorff's alpha uses every item with at least two labels.

    References
    ----------
    Cohen (1960), Educational and Psychological Measurement 20(1); Gwet (2008), British Journal of
    Mathematical and Statistical Psychology 61(1); Krippendorff, Content Analysis (2004), chapter 11.
    """
    symmetric = settings.convention != "article"
    return agreement_of(patterns(agreement_sums(comparisons, symmetric=symmetric)), settings)


def agreement_sums(comparisons: pl.DataFrame, *, symmetric: bool = True) -> pl.DataFrame:
    """Count labels by pattern of tasks: of pairs of judges, of single judges, and over the panel.

    Rows with two judges hold their table of labels (``c0`` to ``c8``, row by row), rows with one the ``n``
    items that it labels, rows with none the coincidences over the panel, with the ``n`` items that have at
    least two labels and the ``n_dropped`` that have one. With ``symmetric`` a table is averaged with the one
    in which first and second change places, from which all symmetric coefficients come out the same.
    """
    main = coded(of_pairs(comparisons))
    labels = _labels(main)
    there = np.flatnonzero(labels != _NO_LABEL)
    studies = codes_in(main, ["study"])[there]
    found = [
        _study_sums(main, labels, there[studies == study], symmetric=symmetric)
        for study in np.flatnonzero(np.bincount(studies))
    ]
    return pl.concat([_NO_SUMS, *found], how="diagonal")


def agreement_of(sums: pl.DataFrame, settings: Settings) -> EstimateFrame:
    """Estimate :func:`agreement` from patterns of :func:`agreement_sums`."""
    rows: list[Estimate] = []
    alone = _with_judges(sums, 1)
    judges: dict[str, list[str]] = {}
    for study, judge in alone.select("study", "judge").unique().sort("study", "judge").iter_rows():
        judges.setdefault(str(study), []).append(str(judge))
    for keys, cell in each_cell(pooled_and_by(sums), ["study", "tier"]):
        base = Estimate(estimand="cohen_kappa", unit="coefficient", **keys)
        # Every judge of the study, so that a part of it that lacks one hides no pair.
        labels = dict.fromkeys(judges.get(str(keys["study"]), []), 0)
        labels |= {
            str(names["judge"]): total(mine, "n")
            for names, mine in each_cell(_with_judges(cell, 1), ["judge"])
        }
        by_pair = {
            (str(names["judge"]), str(names["judge_2"])): pair
            for names, pair in each_cell(_with_judges(cell, 2), ["judge", "judge_2"])
        }
        nothing = cell.clear()
        for pair in combinations(sorted(labels), 2):
            row = replace(base, judge=pair[0], judge_2=pair[1])
            both = by_pair.get(pair, nothing)
            tables = _Tables.of(both)
            shared = int(tables.whole.sum())
            n_dropped = labels[pair[0]] + labels[pair[1]] - 2 * shared
            counted = replace(row, n_comparisons=shared, n_dropped=n_dropped, n_tasks=tables.n_tasks)
            rows += _pair_rows(counted, tables, settings)
        rows.append(_panel_row(base, _with_judges(cell, 0), len(labels), settings))
    return estimate_frame(rows)


def labelled(comparisons: pl.DataFrame) -> pl.DataFrame:
    """Label each comparison of probe ``main`` that is complete: 0 first wins, 1 second, 2 neither."""
    main = coded(of_pairs(comparisons))
    found = main.select("study", "tier", "judge", *_ITEM).hstack([pl.Series("label", _labels(main))])
    return found.filter(pl.col("label") != _NO_LABEL)


def _labels(main: pl.DataFrame) -> npt.NDArray[np.int8]:
    kinds, outcomes = outcomes_of(main)
    in_a, in_b = pl.col("verdict_first_in_a"), pl.col("verdict_first_in_b")
    decided = pl.col("resolution").is_in(["win", "single"])
    first_won, second_won = (in_a == "a").fill_null(in_b == "b"), (in_a == "b").fill_null(in_b == "a")
    label = pl.when(decided & first_won).then(0).when(decided & second_won).then(1).otherwise(2)
    complete = pl.col("resolution") != "incomplete"
    said = outcomes.select(pl.when(complete).then(label).otherwise(_NO_LABEL)).to_series().to_numpy()
    return said.astype(np.int8)[kinds.index]


def labels_of(cell: pl.DataFrame) -> Labels:
    """Lay out labelled comparisons as items × judges."""
    judges = sorted(cell["judge"].unique().to_list())
    items = cell.select(_ITEM).unique().sort(_ITEM).with_row_index("item")
    item_of = cell.join(items, on=_ITEM, how="left", nulls_equal=True, maintain_order="left")[
        "item"
    ].to_numpy()
    judge_of = cell["judge"].replace_strict({name: index for index, name in enumerate(judges)}).to_numpy()
    codes = np.full((items.height, len(judges)), -1, dtype=np.int8)
    codes[item_of, judge_of] = cell["label"].to_numpy()
    return Labels(codes, task_codes(items["task_id"]), judges)


def _study_sums(
    main: pl.DataFrame, said: npt.NDArray[np.int8], there: Codes, *, symmetric: bool
) -> pl.DataFrame:
    task, pair, judge = (main[code].to_numpy()[there] for code in (TASK, PAIR, JUDGE))
    # Fractions are added in the order of items: it must not hang on the codes, which are of the frame.
    items = cells_of(task, pair, codes_in(main, ["replicate"])[there]).by_first_row()
    of_judge, of_task = cells_of(judge), cells_of(task[items.first])
    names = main["judge"][there[of_judge.first]].cast(pl.String).to_list()
    judges = sorted(set(names))
    place = np.array([judges.index(name) for name in names])
    codes = np.full((items.n, len(judges)), _NO_LABEL, dtype=np.int8)
    codes[items.index, place[of_judge.index]] = said[there]
    labels = Labels(codes, of_task.index, judges)
    rows = there[items.first[of_task.first]]
    tasks = _Tasks(main["tier"][rows], main[STRATUM].to_numpy()[rows])
    frames = [_panel_sums(labels, tasks, symmetric=symmetric)]
    for column, judge in enumerate(judges):
        alone = {"n": of_task.count(codes[:, column] >= 0)}
        frames.append(tasks.patterns(alone, judge=judge))
    shared = nominal.all_pairs(codes, _N_LABELS).sum((2, 3)) > 0
    for one, other in combinations(range(len(judges)), 2):
        if not shared[one, other]:
            continue
        doubled = _pair_counts(labels, one, other)
        doubled = doubled + doubled[:, _SWAPPED] if symmetric else 2 * doubled
        counts = dict(zip(_CELLS, doubled.T, strict=True))
        twice = tasks.patterns(counts, judge=judges[one], judge_2=judges[other])
        frames.append(twice.with_columns(pl.col(_CELLS) / 2))
    study = str(main["study"][int(there[0])])
    return pl.concat(frames, how="diagonal").with_columns(study=pl.lit(study))


@dataclass(frozen=True, slots=True)
class _Tasks:
    tier: pl.Series  # (G,) names
    stratum: Codes  # (G,) the same as codes

    def patterns(self, sums: Mapping[str, npt.NDArray[np.number]], **judges: str) -> pl.DataFrame:
        """Gather the sums of each task, each of shape (G,), into patterns by tier."""
        each = np.arange(len(self.stratum))
        return task_patterns({"tier": self.tier, **judges}, Cells(each, each), [self.stratum], sums)


def _pair_counts(labels: Labels, one: int, other: int) -> npt.NDArray[np.int64]:
    """Count both judges' labels by task: shape (G, 9)."""
    left, right = labels.codes[:, one].astype(np.int64), labels.codes[:, other].astype(np.int64)
    index = (labels.task * _N_LABELS + left) * _N_LABELS + right
    both = (left >= 0) & (right >= 0)
    counted = np.bincount(index if both.all() else index[both], minlength=labels.n_tasks * _N_LABELS**2)
    return counted.reshape(labels.n_tasks, len(_CELLS))


def _panel_sums(labels: Labels, tasks: _Tasks, *, symmetric: bool) -> pl.DataFrame:
    kinds, pairs, usable = _coincidences_of_kinds(labels)
    flat = pairs.reshape(len(pairs), len(_CELLS))
    flat = (flat + flat[:, _SWAPPED]) / 2 if symmetric else flat
    task = labels.task[usable]
    # Without an item, numpy counts in integers.
    tables = {
        name: np.bincount(task, column[kinds.index], labels.n_tasks).astype(np.float64)
        for name, column in zip(_CELLS, flat.T, strict=True)
    }
    counts = {
        name: np.bincount(labels.task[there], minlength=labels.n_tasks)
        for name, there in (("n", usable), ("n_dropped", ~usable))
    }
    return tasks.patterns({**tables, **counts})


def _with_judges(cell: pl.DataFrame, n_judges: int) -> pl.DataFrame:
    named = pl.col("judge").is_not_null().cast(pl.Int8) + pl.col("judge_2").is_not_null()
    return cell.filter(named == n_judges)


def _pair_rows(row: Estimate, both: _Tables, settings: Settings) -> Iterator[Estimate]:
    symmetric = settings.convention != "article"
    statistics: dict[str, tuple[str, Callable[[FloatArray], FloatArray]]] = {
        "raw_agreement": ("proportion", nominal.agreement),
        "expected_agreement": ("proportion", lambda t: nominal.expected_agreement(t, symmetric=symmetric)),
        "cohen_kappa": ("coefficient", lambda t: nominal.cohen_kappa(t, symmetric=symmetric)),
        "gwet_ac1": ("coefficient", lambda t: nominal.gwet_ac1(t, symmetric=symmetric)),
    }
    for estimand, (unit, statistic) in statistics.items():
        named = replace(row, estimand=estimand, unit=unit)  # type: ignore[arg-type]
        bounds = (0.0, 1.0) if unit == "proportion" else (-1.0, 1.0)
        yield _jackknifed(named, both, statistic, bounds, settings)


def _panel_row(base: Estimate, cell: pl.DataFrame, n_judges: int, settings: Settings) -> Estimate:
    symmetric = settings.convention != "article"
    row = replace(
        base,
        estimand="krippendorff_alpha",
        n_comparisons=total(cell, "n"),
        n_dropped=total(cell, "n_dropped"),
    )
    if n_judges < 2:
        return row.undefined("one judge only")
    tables, alpha = _Tables.of(cell), partial(nominal.krippendorff_alpha, symmetric=symmetric)
    return _jackknifed(replace(row, n_tasks=tables.n_tasks), tables, alpha, (-1.0, 1.0), settings)


def pair_tables(labels: Labels, one: str, other: str) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Table of both judges' labels per item that both label, shape (n, 3, 3), and which items these are."""
    left, right = (labels.codes[:, labels.judges.index(judge)] for judge in (one, other))
    both: npt.NDArray[np.bool_] = (left >= 0) & (right >= 0)
    tables = np.zeros((int(both.sum()), _N_LABELS, _N_LABELS))
    tables[np.arange(len(tables)), left[both], right[both]] = 1.0
    return tables, both


def coincidences(labels: Labels) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Coincidence table of each item with at least two labels, shape (n, 3, 3), and which items these are."""
    kinds, pairs, usable = _coincidences_of_kinds(labels)
    return pairs[kinds.index], usable


def _coincidences_of_kinds(labels: Labels) -> tuple[Cells, FloatArray, npt.NDArray[np.bool_]]:
    """Give the table of each combination of counts of labels: few occur, each in very many items."""
    counts = [(labels.codes == label).sum(1) for label in range(_N_LABELS)]
    usable: npt.NDArray[np.bool_] = np.sum(counts, axis=0) >= 2
    kinds = cells_of(*(of_label[usable] for of_label in counts))
    kind = np.stack([of_label[usable][kinds.first] for of_label in counts], axis=1).astype(np.float64)
    pairs = kind[:, :, None] * kind[:, None, :] - _diagonal(kind)
    return kinds, pairs / (kind.sum(1) - 1)[:, None, None], usable


def _diagonal(counts: FloatArray) -> FloatArray:
    return counts[:, :, None] * np.eye(_N_LABELS)


def _jackknifed(
    row: Estimate,
    tables: _Tables,
    statistic: Callable[[FloatArray], FloatArray],
    bounds: tuple[float, float],
    settings: Settings,
) -> Estimate:
    if not tables.n_tasks:
        return row.undefined("no comparison labelled by both")
    value = float(statistic(tables.whole[None])[0])
    if np.isnan(value):
        return row.undefined(UNDEFINED.get(row.estimand, "undefined on these counts"))
    if tables.alike:
        said = "all tasks have the same table: no spread between tasks to see"
        missing = Interval.missing("jackknife", said)
        return replace(row, estimate=value).with_interval(missing, settings.conf_level, test=False)
    interval = jackknife_interval(
        value, statistic(tables.without), bounds=bounds, conf_level=settings.conf_level, tasks=tables.tasks
    )
    return replace(row, estimate=value).with_interval(interval, settings.conf_level)
