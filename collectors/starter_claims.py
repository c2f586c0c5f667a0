"""A commented file of claims to start from, with the names of a source."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

import polars as pl

from recuse.schema import ComparisonFrame

__all__ = ["starter_claims"]

_MOST: Final = 3
"""Judges, or pairs of them, that are written out; the rest would only be more of the same."""
_HEAD: Final = """\
# Claims about these judgments, for `recuse claims claims.toml`.
#
# Keep the claims that were published, correct their direction, and add what was printed. Remove the rest.
#
#   id         a name of your own
#   kind       self_preference, self_preference_gradient, beats, ranking, slot_preference,
#              slot_preference_gradient, longer_wins, agreement, rate
#   direction  above (default), below, or absent: within a margin of the null
#   margin     half-width of that range; where it is left out, the usual one of the kind is taken
#   published  what was printed, as shares: { estimate = 0.283, low = 0.167, high = 0.4 } for 28.3 points
#   family     claims that are corrected together; by default those of one kind
#   tier       one tier of tasks; study: one study or several, pooled
#   says       the sentence that was published
"""


def starter_claims(comparisons: ComparisonFrame, sources: Sequence[str]) -> str:
    """Write a file of claims that can be run as it is.

    Parameters
    ----------
    comparisons
        Of the source.
    sources
        As on the command line.
    """
    listed = ", ".join(map(_text, sources))
    return "\n".join([_HEAD, f"sources = [{listed}]", "", *_claims(comparisons)])


def _claims(comparisons: ComparisonFrame) -> Iterator[str]:
    main = comparisons.filter((pl.col("probe") == "main") & (pl.col("first") != pl.col("second")))
    judges = sorted(main["judge"].unique().to_list())
    generators = sorted({*main["first"].to_list(), *main["second"].to_list()})
    own = [judge for judge in judges if judge in generators]
    for judge in own[:_MOST]:
        yield from _claim(
            f"own-{judge}", "self_preference", {"judge": judge}, "Does it prefer its own answers?"
        )
    if main["tier"].n_unique() > 1 and own:
        said = "Does that grow from the most objective tier to the most subjective one?"
        yield from _claim(f"own-grows-{own[0]}", "self_preference_gradient", {"judge": own[0]}, said)
    for judge in judges[:_MOST]:
        said = "Is it free of a slot preference, within ten points?"
        yield from _claim(
            f"no-slot-{judge}",
            "slot_preference",
            {"judge": judge, "direction": "absent", "margin": 0.1},
            said,
        )
    if len(generators) > 1:
        counts = (
            main.group_by("first", "second")
            .len()
            .sort("len", "first", "second", descending=[True, False, False])
        )
        pair = {"generator": str(counts["first"][0]), "opponent": str(counts["second"][0])}
        yield from _claim("better", "beats", pair, "Does one generator beat another, over all judges?")
    if (main["words_first"].is_not_null() | main["chars_first"].is_not_null()).any():
        yield from _claim("longer", "longer_wins", {}, "Does the longer answer win?")
    if (comparisons["probe"] == "length").any():
        yield from _claim(
            "long-version", "longer_wins", {"controlled": True}, "The same in the length probe."
        )
    for one, other in list(combinations(judges, 2))[:_MOST]:
        yield from _claim(
            f"agree-{one}-{other}",
            "agreement",
            {"judge": one, "judge_2": other},
            "Do two judges agree above chance?",
        )
    if judges:
        said = "Is a rate below a bar? flip_rate, tie_rate, position_consistency, win_rate, …"
        yield from _claim(
            f"flips-{judges[0]}",
            "rate",
            {"rate": "flip_rate", "judge": judges[0], "bar": 0.1, "direction": "below"},
            said,
        )


def _claim(name: str, kind: str, fields: Mapping[str, str | float | bool], said: str) -> Iterator[str]:
    yield f"# {said}"
    yield "[[claim]]"
    yield f"id = {_text(name)}"
    yield f"kind = {_text(kind)}"
    for key, value in fields.items():
        yield f"{key} = {_text(value) if isinstance(value, str) else json.dumps(value)}"
    yield "# published = { estimate = 0.0, low = 0.0, high = 0.0 }"
    yield ""


def _text(text: str) -> str:
    """Write a TOML string; every sign that could end it is escaped."""
    return json.dumps(text)
