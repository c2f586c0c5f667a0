"""Counts of the design, against the bundled study's published ones and a design counted by hand."""

import polars as pl

from recuse.analysis.comparisons import compare
from recuse.analysis.counts import study_counts
from recuse.collectors.sources import load


def test_the_bundled_study():
    counts = study_counts(compare(load().judgments))
    # tests/golden/three-judges.json: 270 judgments, 45 comparisons per judge, 108 of the length probe
    assert counts["judgments/probe=main"] == 270
    assert counts["judgments/probe=length"] == 108
    assert counts["judgments"] == 378
    assert counts["comparisons_per_judge"] == 45
    assert (counts["judges"], counts["generators"], counts["tiers"], counts["probes"]) == (3, 3, 3, 2)
    assert (counts["tasks/probe=main"], counts["tasks_per_tier"], counts["tasks/probe=length"]) == (15, 5, 6)


def test_unequal_judges_and_tiers_have_no_common_number():
    judgments = load().judgments
    missing = (pl.col("judge") == "xai/grok-4.3") & (pl.col("tier") == "objective")
    dropped = judgments.filter(~missing & ~(pl.col("task_id") == judgments["task_id"][0]))
    counts = study_counts(compare(dropped))
    assert "comparisons_per_judge" not in counts
    assert "tasks_per_tier" not in counts
    assert counts["tasks/probe=main"] == 14


def test_one_presentation_of_a_comparison_is_one_judgment():
    alone = load().judgments.filter(pl.col("probe") == "main").head(1)
    counts = study_counts(compare(alone))
    assert (counts["judgments"], counts["comparisons"], counts["tasks"]) == (1, 1, 1)
