"""How large a study is: what was asked, of whom, on what; counts of the design, not estimates."""

from __future__ import annotations

import polars as pl

from recuse.schema import ComparisonFrame

__all__ = ["study_counts"]


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
    frame = comparisons.lazy().collect()
    counts = _sizes(frame)
    probes = sorted(set(frame["probe"].to_list()))
    for probe in probes:
        part = _sizes(frame.filter(pl.col("probe") == probe))
        counts |= {f"{name}/probe={probe}": count for name, count in part.items()}
    generators = set(frame["first"].to_list()) | set(frame["second"].to_list())
    counts |= {
        "judges": frame["judge"].n_unique(),
        "generators": len(generators),
        "tiers": frame["tier"].drop_nulls().n_unique(),
        "probes": len(probes),
    }
    main = frame.filter(pl.col("probe") == "main")
    per_judge = set(main.group_by("judge").len()["len"].to_list())
    tasks = (
        main.filter(pl.col("tier").is_not_null())
        .group_by("tier")
        .agg(n=pl.struct("study", "task_id").n_unique())
    )
    per_tier = set(tasks["n"].to_list())
    counts |= {"comparisons_per_judge": per_judge.pop()} if len(per_judge) == 1 else {}
    counts |= {"tasks_per_tier": per_tier.pop()} if len(per_tier) == 1 else {}
    return counts


def _sizes(frame: pl.DataFrame) -> dict[str, int]:
    return {
        "judgments": int(frame["n_presentations"].cast(pl.Int64).sum()),
        "comparisons": frame.height,
        "tasks": frame.select(pl.struct("study", "probe", "task_id").n_unique()).item(),
    }
