"""Labels from several files, and from judgments of pairs."""

from __future__ import annotations

import hashlib

import polars as pl

from recuse.analysis.calibration.pairs import labels_of_pairs
from recuse.analysis.comparisons import compare
from recuse.collectors.labels import LabelSource
from recuse.collectors.sources import load
from recuse.errors import JudgmentsError, SourceError
from recuse.labels import LABEL_KEYS, Labels

__all__ = ["pair_labels", "with_humans_of", "with_judged"]


def pair_labels(source: str, candidate: str | None = None) -> LabelSource:
    """Read judgments of pairs as labels; see :func:`recuse.analysis.calibration.pairs.labels_of_pairs`.

    Parameters
    ----------
    source
        A SOURCE of judgments: a bundled study, a cache, a folder, a file or FORMAT:PATH.
    candidate
        The generator that is the candidate.
    """
    read = load(source)
    labels = labels_of_pairs(compare(read.judgments, families=read.families), candidate)
    who = candidate or "the answer whose generator sorts second by name"
    digests = "".join(sorted(read.inputs.values()))
    note = f"approved: the judge prefers {who}; a judge that contradicts itself between orders abstains"
    return LabelSource(read.name, labels, (note, *read.notes), hashlib.sha256(digests.encode()).hexdigest())


def with_judged(source: LabelSource, judged: LabelSource, split: str) -> LabelSource:
    """Add verdicts on cases that no human labelled; they count with the split that is looked at.

    Raises
    ------
    SourceError
        A human label is among them, or a judge that labelled no case of ``source``.
    JudgmentsError
        A case is in both files.
    """
    if (judged.labels["rater_kind"] == "human").any():
        raise SourceError(judged.name, "it holds human labels", "put labelled cases into LABELS")
    mine = set(source.labels.filter(pl.col("rater_kind") == "model")["rater"])
    others = sorted(set(judged.labels["rater"]) - mine)
    if others:
        known = ", ".join(sorted(mine)) or "no judge"
        raise SourceError(
            judged.name, f"{', '.join(others)} labelled no case of {source.name}", f"it has {known}"
        )
    shared = sorted(set(judged.labels["case_id"]) & set(source.labels["case_id"]))
    if shared:
        raise JudgmentsError(
            f"cases judged without a human label are not in {source.name}", shared, "remove them", judged.name
        )
    rows = judged.labels.with_columns(split=pl.lit(split, source.labels.schema["split"]))
    return LabelSource(
        source.name,
        Labels.validate(pl.concat([source.labels, rows])),
        (*source.notes, *judged.notes),
        source.sha256,
    )


def with_humans_of(old: LabelSource, new: LabelSource) -> tuple[LabelSource, LabelSource]:
    """Give both files the human labels of either, so that both versions meet one reference.

    Raises
    ------
    JudgmentsError
        A human labels a case differently in the two files, or a case has two types or splits.
    """
    both = pl.concat([source.labels for source in (old, new)])
    human = pl.col("rater_kind") == "human"
    humans = both.filter(human).unique(maintain_order=True)
    where = f"{old.name} and {new.name}"
    differing = humans.filter(pl.struct(*LABEL_KEYS).is_duplicated())
    if differing.height:
        named = [
            f"{case} ({rater})"
            for case, rater in differing.select("case_id", "rater").unique().sort("case_id").rows()
        ]
        raise JudgmentsError("both files have the same human labels", named, "settle them in one file", where)
    for fact in ("case_type", "split"):
        several = both.group_by("case_id").agg(pl.col(fact).n_unique()).filter(pl.col(fact) > 1)
        if several.height:
            named = several["case_id"].sort().to_list()
            raise JudgmentsError(f"a case has the same {fact} in both files", named, "make them agree", where)
    sides = [
        LabelSource(
            source.name,
            Labels.validate(pl.concat([source.labels.filter(~human), humans])),
            source.notes,
            source.sha256,
        )
        for source in (old, new)
    ]
    return sides[0], sides[1]
