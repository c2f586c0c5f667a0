"""How large a study is: what was asked, of whom, on what; counts of the design, not estimates."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from recuse.analysis.coded import Coded
from recuse.schema import ComparisonFrame

__all__ = ["StudySize", "study_counts"]

_MAIN: Final = "main"
_OF_TASK: Final = ("probe", "tier")
_ASKED: Final = ("probe", "judge", "first", "second", "tier", "n_presentations")


def study_counts(comparisons: ComparisonFrame) -> dict[str, int]:
    """Count what a description of the study needs.

    Parameters
    ----------
    comparisons
        Comparisons of one study or of several.

    Returns
    -------
    dict
        ``judgments`` (presentations on file), ``tasks``, ``comparisons``, each over all probes and as
        ``…/probe=NAME``; ``judges``, ``generators``, ``tiers`` and ``probes``; on probe ``main`` also
        ``comparisons_per_judge`` and ``tasks_per_tier`` where every judge, or tier, has the same number.
    """
    size = StudySize()
    size.add(comparisons.lazy().collect())
    return size.counts()


@dataclass(slots=True)
class StudySize:
    """What :func:`study_counts` counts, over the parts seen so far; each part holds whole tasks."""

    _of_probe: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    _judges: set[str] = field(default_factory=set[str])
    _generators: set[str] = field(default_factory=set[str])
    _tiers: set[str] = field(default_factory=set[str])
    _per_judge: Counter[str] = field(default_factory=Counter[str])
    _per_tier: Counter[str] = field(default_factory=Counter[str])

    def add(self, comparisons: pl.DataFrame | Coded) -> None:
        """Count the comparisons of a part."""
        if isinstance(comparisons, pl.DataFrame):
            task = ("study", "task_id")
            asked, tasks = (
                comparisons.with_columns(n=pl.lit(1)),
                comparisons.select(*task, *_OF_TASK).unique(),
            )
        else:
            task = ("study", "task")
            asked, tasks = comparisons.counted(*_ASKED), comparisons.described_tasks("study", *_OF_TASK)
        sizes = asked.group_by("probe").agg(
            judgments=(pl.col("n_presentations").cast(pl.Int64) * pl.col("n")).sum(),
            comparisons=pl.col("n").cast(pl.Int64).sum(),
        )
        n_tasks = tasks.group_by("probe").agg(tasks=pl.struct(task).n_unique())
        for probe, *counts in sizes.join(n_tasks, on="probe").iter_rows():
            self._of_probe.setdefault(str(probe), Counter()).update(
                dict(zip(("judgments", "comparisons", "tasks"), counts, strict=True))
            )
        for side in ("first", "second"):
            self._generators |= set(asked[side].unique().to_list())
        self._judges |= set(asked["judge"].unique().to_list())
        self._tiers |= set(asked["tier"].drop_nulls().unique().to_list())
        is_main = pl.col("probe") == _MAIN
        per_judge = asked.filter(is_main).group_by("judge").agg(pl.col("n").cast(pl.Int64).sum())
        self._per_judge.update(dict(per_judge.iter_rows()))
        per_tier = tasks.filter(is_main, pl.col("tier").is_not_null()).group_by("tier").len()
        self._per_tier.update(dict(per_tier.iter_rows()))

    def counts(self) -> dict[str, int]:
        """Give the counts by name, as :func:`study_counts` does."""
        total: Counter[str] = Counter()
        for sizes in self._of_probe.values():
            total.update(sizes)
        found = {name: total[name] for name in ("judgments", "comparisons", "tasks")}
        for probe in sorted(self._of_probe):
            found |= {f"{name}/probe={probe}": self._of_probe[probe][name] for name in list(found)[:3]}
        found |= {
            "judges": len(self._judges),
            "generators": len(self._generators),
            "tiers": len(self._tiers),
            "probes": len(self._of_probe),
        }
        per_judge, per_tier = set(self._per_judge.values()), set(self._per_tier.values())
        found |= {"comparisons_per_judge": per_judge.pop()} if len(per_judge) == 1 else {}
        found |= {"tasks_per_tier": per_tier.pop()} if len(per_tier) == 1 else {}
        return found
