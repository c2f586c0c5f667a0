"""Tables of stability and robustness: what a judge says when it is asked again, or of a perturbed answer."""

from __future__ import annotations

from typing import Final

from recuse.figures.lookup import Lookup
from recuse.figures.table import Draft, Table
from recuse.figures.wording import NOTHING, Row, interval_text, p_text, value_text

__all__ = ["robustness_table", "stability_table", "variance_table"]

_COMPONENTS: Final = ("task", "judge", "order", "replicate")


def stability_table(lookup: Lookup) -> Table:
    """Lay out test–retest agreement, and what changes a verdict: asking again, or swapping the answers."""
    draft = Draft(
        lookup, "stability", "Does a judge that is asked again say the same?", ("Judge", "Probe"),
        "Same verdict, %", "Interval", "Modal, %", "Changed by asking again, %", "Changed by order, %",
        "Order beyond, pp", "Interval", "Comparisons", "Tasks",
    )  # fmt: skip
    for study in lookup.studies:
        for judge in lookup.values("judge", "test_retest_agreement", study=study):
            for probe in lookup.values("probe", "test_retest_agreement", study=study, judge=judge):
                keys: dict[str, str | None] = {"study": study, "judge": judge, "probe": probe}
                row = lookup.one("test_retest_agreement", **keys)
                if row is None or row["estimate"] is None:
                    continue
                changes = [
                    lookup.one("verdict_change_rate", group=f"cause={cause}", **keys)
                    for cause in ("repetition", "order")
                ]
                excess = lookup.one("verdict_change_excess", **keys)
                cells = (
                    value_text(row),
                    interval_text(row),
                    value_text(lookup.one("modal_share", **keys)),
                    *map(value_text, changes),
                    value_text(excess),
                    interval_text(excess),
                    *_counts(row),
                )
                draft.add(study, (lookup.name(judge), probe), cells, row, excess)
    return draft.table(
        "Same verdict: equal verdicts among pairs of askings of one presentation. Modal: share of the "
        "commonest verdict. Changed: two verdicts on one comparison name different answers."
    )


def variance_table(lookup: Lookup) -> Table:
    """Lay out the split of the variance of verdicts, over all judges and by judge."""
    draft = Draft(
        lookup, "variance_share", "Where does the variance of verdicts come from?", ("Judge", "Probe"),
        "Task, %", "Interval", "Judge, %", "Interval", "Order, %", "Interval", "Replicate, %", "Interval",
        "Comparisons", "Tasks",
    )  # fmt: skip
    for study in lookup.studies:
        for judge in (None, *lookup.values("judge", "variance_share", study=study)):
            for probe in lookup.values("probe", "variance_share", study=study):
                rows = [
                    lookup.one(
                        "variance_share", study=study, judge=judge, probe=probe, group=f"component={name}"
                    )
                    for name in _COMPONENTS
                ]
                there = [row for row in rows if row is not None and row["estimate"] is not None]
                if not there:
                    continue
                cells = [text for row in rows for text in (value_text(row), interval_text(row))]
                name = "all judges" if judge is None else lookup.name(judge)
                draft.add(study, (name, probe), (*cells, *_counts(there[0])), *there)
    return draft.table(
        "Shares of the variance of verdicts about a draw; they add up to 100 %. Task: what these judges say "
        "of a comparison on average (one judge's own taste included). A share near 0 can come out negative."
    )


def robustness_table(lookup: Lookup) -> Table:
    """Lay out robustness rates by judge and probe, beside what a mere second asking leaves."""
    draft = Draft(
        lookup, "robustness", "Does a verdict stand when an answer is perturbed?", ("Judge", "Probe"),
        "Verdict kept, %", "Interval", "Kept when asked again, %", "Net, pp", "Interval", "p",
        "Comparisons", "Tasks",
    )  # fmt: skip
    for study in lookup.studies:
        for judge in lookup.values("judge", "robustness_rate", study=study):
            for probe in lookup.values("probe", "robustness_rate", study=study, judge=judge):
                keys: dict[str, str | None] = {"study": study, "judge": judge, "probe": probe}
                rate = lookup.one("robustness_rate", **keys)
                again = lookup.one("consistency_rate", **keys)
                net = lookup.one("robustness_rate", baseline="test_retest_agreement", **keys)
                p_value = NOTHING if net is None else p_text(net["p_value"], name=False)
                cells = (
                    value_text(rate),
                    interval_text(rate),
                    value_text(again),
                    value_text(net),
                    interval_text(net),
                    p_value,
                )
                draft.add(study, (lookup.name(judge), probe), (*cells, *_counts(rate)), rate, net)
    return draft.table(
        "Verdict kept: as without the perturbation; of an answer against its own perturbed version, that the "
        "perturbed one does not win. Net: kept less kept when asked again, on the same presentations."
    )


def _counts(row: Row | None) -> tuple[str, str]:
    return _count(row, "n_comparisons"), _count(row, "n_tasks")


def _count(row: Row | None, column: str) -> str:
    return NOTHING if row is None or row[column] is None else f"{row[column]:,}"
