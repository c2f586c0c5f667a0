"""The sentences that answer the question, before any table."""

from __future__ import annotations

from collections.abc import Callable

from recuse.analysis.diagnosis import LEVEL
from recuse.analysis.inference.many_tasks import NORMAL
from recuse.analysis.inference.signflip import MOST_EXACT_SUMS, least_p
from recuse.figures.crowd import crowd_of
from recuse.figures.length_findings import length_sentence, raw_beside_controlled
from recuse.figures.lookup import Lookup
from recuse.figures.model_findings import gap_sentences, joint_sentences
from recuse.figures.undetected import chance_agreement, tier_gradient
from recuse.figures.wording import (
    Row,
    could_have_seen,
    detectable_span,
    interval_text,
    method_text,
    n_text,
    number,
    p_text,
    with_interval,
)
from recuse.schema import EstimateFrame

__all__ = ["findings", "findings_by_topic"]

_NAMED = 6
"""Judges that one sentence names."""
_OWN = "self-preference against uninvolved judges"
_SLOT = "preference for a slot"


def findings(estimates: EstimateFrame) -> list[str]:
    """Say, study by study, what is left of self-preference without involved judges; then position.

    The sentences report association: a judge prefers its own answers more, or less, than uninvolved
    judges do. Nothing here says why.
    """
    told = [sentence for sentences in findings_by_topic(estimates).values() for sentence in sentences]
    return told or ["No quantity could be estimated from these judgments."]


def findings_by_topic(estimates: EstimateFrame) -> dict[str, list[str]]:
    """Give the sentences of :func:`findings` under what they are about, in the same order.

    With several studies each is a topic of its own for every subject.
    """
    crowd = crowd_of(estimates)
    lookup = Lookup(crowd.estimates)
    everyone = Lookup(estimates) if crowd.judges else lookup
    several = len(lookup.studies) > 1
    topics: dict[str, list[str]] = {}
    for study in lookup.studies:
        label = study or "all studies pooled"
        shown = crowd.said(study)
        by_subject = _by_subject(lookup, everyone, study) | ({"Judges": [shown]} if shown else {})
        for subject, said in by_subject.items():
            if said and several:
                topics[f"{label}: {subject.lower()}"] = [f"{label}: {sentence}" for sentence in said]
            elif said:
                topics[subject] = said
    return topics


def _by_subject(lookup: Lookup, everyone: Lookup, study: str | None) -> dict[str, list[str]]:
    return {
        "Self-preference against uninvolved judges": [
            *_each(lookup, study, "self_preference_delta", _self_preference),
            *_unknown(lookup, study, _OWN, "self_preference_delta", baseline="uninvolved"),
            *_not_identifiable(lookup, study),
        ],
        "By tier of tasks": [
            *_each(lookup, study, "self_preference_delta", _by_tier),
            *_each(lookup, study, "self_preference_tier_gradient", tier_gradient),
        ],
        "What involved judges add": _each(lookup, study, "self_preference_inflation", _inflation),
        "At equal length": _each(lookup, study, "self_preference_delta_length_adjusted", _at_equal_length),
        "Self-preference beside position and length": joint_sentences(lookup, study),
        "Length": [
            *_each(lookup, study, "length_length_share", length_sentence),
            *raw_beside_controlled(lookup, study),
        ],
        "Position": [
            *_each(lookup, study, "slot_a_rate", _position),
            *_unknown(lookup, study, _SLOT, "slot_a_rate"),
        ],
        "Position against the quality gap": gap_sentences(lookup, study),
        "Agreement": chance_agreement(everyone, study),
        "Asked again": _each(lookup, study, "verdict_change_excess", _stability),
    }


def _each(
    lookup: Lookup, study: str | None, estimand: str, say: Callable[[Lookup, str | None, str], str | None]
) -> list[str]:
    judges = lookup.values("judge", estimand, study=study)
    said = (say(lookup, study, judge) for judge in judges)
    return [sentence for sentence in said if sentence is not None]


def _unknown(lookup: Lookup, study: str | None, what: str, estimand: str, **keys: str | None) -> list[str]:
    """Say of which judges a quantity cannot be estimated, once for each reason."""
    reasons: dict[str, list[str]] = {}
    for judge in lookup.values("judge", estimand, study=study):
        row = lookup.one(estimand, study=study, judge=judge, **keys)
        if row is not None and row["estimate"] is None and not _beside(lookup, study, judge, estimand):
            reasons.setdefault(row["reason"], []).append(lookup.name(judge))
    return [_cannot(what, names, reason) for reason, names in reasons.items()]


def _cannot(what: str, names: list[str], reason: str) -> str:
    if len(names) == 1:
        return f"{names[0]}'s {what} cannot be estimated: {reason}."
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    named = f"{', '.join(names[:_NAMED])}{more}"
    return f"The {what} of {len(names)} judges cannot be estimated ({named}): {reason}."


def _beside(lookup: Lookup, study: str | None, judge: str, estimand: str) -> str:
    """Say what self-preference is against all peers, where that is known."""
    if estimand != "self_preference_delta":
        return ""
    peers = lookup.one(estimand, study=study, judge=judge, baseline="all_peers")
    known = peers is not None and peers["estimate"] is not None
    return f" Against all peers: {with_interval(peers)}." if known and peers is not None else ""


def _self_preference(lookup: Lookup, study: str | None, judge: str) -> str | None:
    row = lookup.one("self_preference_delta", study=study, judge=judge, baseline="uninvolved")
    if row is None:
        return None
    beside = _beside(lookup, study, judge, "self_preference_delta")
    subject = f"{lookup.name(judge)}'s {_OWN}"
    if row["estimate"] is None:
        return _cannot(_OWN, [lookup.name(judge)], row["reason"]) + beside if beside else None
    value = number(row["estimate"], row["unit"])
    return f"{subject} is {value}{_verdict(row)}.{beside}"


def _not_identifiable(lookup: Lookup, study: str | None) -> list[str]:
    """Say what recusal leaves where it leaves nothing, and what would change that."""
    said: list[str] = []
    recusals = (
        ("uninvolved", "contestants", "an uninvolved judge"),
        ("uninvolved_family", "contestants' families", "a judge of another family"),
    )
    for baseline, who, lacking in recusals:
        judges = lookup.values("judge", "uninvolved_share", study=study, baseline=baseline)
        shares = [lookup.one("uninvolved_share", study=study, judge=j, baseline=baseline) for j in judges]
        if not judges or any(row is None or row["estimate"] for row in shares):
            continue
        sentence = (
            f"With the {who} recused nobody's self-preference is identifiable: none of the comparisons in "
            f"which a judge's own answer takes part has {lacking}"
        )
        least, every = (
            lookup.one("judgments_to_identify", study=study, baseline=baseline, group=group)
            for group in ("smallest", "every comparison")
        )
        if least is not None and least["estimate"] is not None and every is not None:
            sentence += (
                f"; {number(least['estimate'], 'count')} judgments more would make each claim identifiable "
                f"and {number(every['estimate'], 'count')} leave no comparison without one"
            )
        said.append(f"{sentence}.")
        break
    return said


def _verdict(row: Row) -> str:
    """Say where the interval lies, and what a wide one could have missed."""
    if row["conf_low"] is None or row["conf_high"] is None:
        return f", without an interval ({row['reason'] or 'none was made'}; {n_text(row)})"
    level = (
        f"{100 * row['conf_level']:g} % interval {interval_text(row)}"
        if row["conf_level"]
        else interval_text(row)
    )
    method = f"({method_text(row['interval'])}; {n_text(row)})"
    if row["conf_low"] > 0 or row["conf_high"] < 0:
        return f": {level} excludes 0 {method}"
    return f": {level} includes 0 {method}{could_have_seen(row)}, so this is not evidence of no bias"


def _by_tier(lookup: Lookup, study: str | None, judge: str) -> str | None:
    parts: list[str] = []
    used: list[Row] = []
    for tier in lookup.values("tier", "self_preference_delta", study=study, judge=judge):
        row = lookup.one("self_preference_delta", study=study, judge=judge, tier=tier, baseline="uninvolved")
        peers = lookup.one("self_preference_delta", study=study, judge=judge, tier=tier, baseline="all_peers")
        if row is None or row["estimate"] is None:
            continue
        beside = ""
        if peers is not None and peers["estimate"] is not None:
            beside = f" (all peers {number(peers['estimate'], peers['unit'])})"
        parts.append(f"{tier} {with_interval(row)}{beside}")
        used.append(row)
    if not parts:
        return None
    seen = [row["mde"] for row in used if could_have_seen(row)]
    told = ""
    if seen:
        span = detectable_span(seen, "difference")
        told = f"; where an interval includes 0, this design could have seen {span}"
    by_tier = "; ".join(parts)
    return f"{lookup.name(judge)} by tier, against uninvolved judges: {by_tier} ({_setup(used)}){told}."


def _setup(rows: list[Row]) -> str:
    """Say how several rows were made: their methods and their counts, as a range where these differ."""
    methods = sorted({method_text(row["interval"]) for row in rows if row["interval"] is not None})
    counts: list[str] = []
    for unit in ("comparisons", "tasks"):
        seen = sorted({row[f"n_{unit}"] for row in rows if row[f"n_{unit}"] is not None})
        counts += (
            [f"{' to '.join(f'{n:,}' for n in dict.fromkeys((seen[0], seen[-1])))} {unit}"] if seen else []
        )
    return "; ".join([*methods, f"n = {', '.join(counts)} per tier" if counts else "n not recorded"])


def _inflation(lookup: Lookup, study: str | None, judge: str) -> str | None:
    row = lookup.one("self_preference_inflation", study=study, judge=judge) or next(
        (
            found
            for baseline in ("uninvolved", "all_peers")
            if (found := lookup.one("self_preference_inflation", study=study, judge=judge, baseline=baseline))
        ),
        None,
    )
    if row is None or row["estimate"] is None:
        return None
    return (
        f"Counting involved judges among the peers of {lookup.name(judge)} moves its self-preference by "
        f"{with_interval(row)} on the same comparisons "
        f"({method_text(row['interval'])}; {n_text(row)}){could_have_seen(row)}."
    )


def _at_equal_length(lookup: Lookup, study: str | None, judge: str) -> str | None:
    keys = {"study": study, "judge": judge, "baseline": "uninvolved"}
    row = lookup.one("self_preference_delta_length_adjusted", **keys)
    plain = lookup.one("self_preference_delta", **keys)
    if row is None or row["estimate"] is None or plain is None or plain["estimate"] is None:
        return None
    return (
        f"At equal length of both answers {lookup.name(judge)}'s self-preference against uninvolved "
        f"judges is {with_interval(row)} instead of {number(plain['estimate'], plain['unit'])} "
        f"({method_text(row['interval'])}; {n_text(row)}){could_have_seen(row)}."
    )


def _position(lookup: Lookup, study: str | None, judge: str) -> str | None:
    row = lookup.one("slot_a_rate", study=study, judge=judge)
    if row is None or row["estimate"] is None:
        return None
    name = lookup.name(judge)
    tests = [
        text
        for test, say in (
            ("sign_flip_task_lean", _lean),
            ("sign_test_reversals", _reversals),
            ("binomial_pooled", _binomial),
        )
        if (text := say(lookup, study, judge, lookup.test("slot_a_rate", test, study=study, judge=judge)))
    ]
    rate = (
        f"{name} names slot A in {number(row['estimate'], row['unit'])} of its decisions {interval_text(row)}"
    )
    lean = lookup.test("slot_a_rate", "sign_flip_task_lean", study=study, judge=judge)
    seen = could_have_seen(row, 0.5, by=" by the interval")
    if lean is not None and least_p(_leaning(lean)) > LEVEL:
        seen = "; with fewer than 6 such sums no two-sided test of them can reach .05, so nothing is told"
    return f"{rate}: {'; '.join(tests)}{seen}." if tests else f"{rate}{seen}."


def _stability(lookup: Lookup, study: str | None, judge: str) -> str | None:
    said: list[str] = []
    for probe in lookup.values("probe", "verdict_change_excess", study=study, judge=judge):
        keys: dict[str, str | None] = {"study": study, "judge": judge, "probe": probe}
        same = lookup.one("test_retest_agreement", **keys)
        order = lookup.one("verdict_change_rate", group="cause=order", **keys)
        excess = lookup.one("verdict_change_excess", **keys)
        if same is None or same["estimate"] is None:
            continue
        sentence = f"Asked again (probe {probe}), {lookup.name(judge)} says the same in {with_interval(same)}"
        if order is not None and order["estimate"] is not None and excess is not None:
            sentence += (
                f"; with the answers swapped its verdict names another answer in {with_interval(order)}, "
                f"{with_interval(excess)} more often than by asking again alone"
            )
        said.append(f"{sentence} ({n_text(same)}).")
    return " ".join(said) or None


def _leaning(row: Row) -> int:
    return int(row["n_tasks"] or 0) - int(row["n_dropped"] or 0)


def _lean(_lookup: Lookup, _study: str | None, _judge: str, row: Row | None) -> str:
    if row is None or row["p_value"] is None:
        return ""
    text = f"sign-flip over tasks {p_text(row['p_value'])}"
    if row["n_tasks"] is None:
        return text
    leaning = _leaning(row)
    floor = least_p(leaning)
    sums = f"{leaning:,} non-zero task sum{'' if leaning == 1 else 's'}"
    least = row["p_value"] <= floor * (1 + 1e-9)
    if leaning > MOST_EXACT_SUMS:
        how = ", with totals drawn as normal, of" if NORMAL in (row["reason"] or "") else " of"
        drawn = f"{round(1 / floor) - 1:,} random sign-flips{how} {sums}"
        return f"{text}, the smallest that {drawn} can give" if least else f"{text} ({drawn})"
    if least:
        return f"{text}, the smallest it can be with {sums}"
    return f"{text} (with {sums} it cannot be below {p_text(floor, name=False)})"


def _reversals(lookup: Lookup, study: str | None, judge: str, row: Row | None) -> str:
    share = lookup.one("reversal_a_share", study=study, judge=judge)
    if share is None or share["estimate"] is None or not share["n_comparisons"]:
        return "no hard reversal" if share is not None else ""
    count = share["n_comparisons"]
    toward_a = round(share["estimate"] * count)
    where = f"{toward_a:,} of {count:,} hard reversals toward slot A"
    if count > 1 and toward_a in {0, count}:
        where = f"all {count:,} hard reversals toward slot {'A' if toward_a else 'B'}"
    p_value = (row or share)["p_value"]
    return where if p_value is None else f"{where} (sign test {p_text(p_value)})"


def _binomial(_lookup: Lookup, _study: str | None, _judge: str, row: Row | None) -> str:
    return "" if row is None or row["p_value"] is None else f"pooled binomial {p_text(row['p_value'])}"
