"""Length: what the raw rate says, what the model puts down to length, and what the experiment shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from recuse.figures.assembly import assemble, order_of
from recuse.figures.forest import Axis, Line, Section, forest
from recuse.figures.names import plain
from recuse.figures.quantities import quantities

if TYPE_CHECKING:
    import altair as alt

__all__ = ["longer_wins_three_ways"]

_SHARES: Final = {
    "length_quality_share": "explained: 50 % + share of quality",
    "length_length_share": "explained: 50 % + share of length",
}
_NOTE: Final = (
    "Raw: share of decisions that the longer of two answers wins, nothing held fixed. Explained: what a "
    "model with strengths, length and slot puts down to one part, added to 50 %. Controlled: score of the "
    "longer of two versions of one answer in the length probe. Only the controlled rate varies length alone."
)


def longer_wins_three_ways(estimates: pl.DataFrame) -> alt.VConcatChart | None:
    """Raw, explained and controlled rates at which length wins, side by side for each judge."""
    raw = quantities(
        estimates, "longer_wins_rate", *_SHARES, where=pl.col("tier").is_null() & (pl.col("probe") == "main")
    )
    group = pl.col("group")
    probe = quantities(
        estimates, "long_wins_score", where=group.is_null() | group.str.starts_with("rewards=")
    ).filter(pl.col("judge").is_not_null())
    if not raw.height or not (raw["estimate"].is_not_null().any() or probe.height):
        return None
    axis = Axis("in % (dashed: 50 %, length does not matter)", "%", 50.0, (0.0, 100.0))

    def draw(part: pl.DataFrame, names: Mapping[str, str]) -> alt.LayerChart:
        return forest(
            [
                Section(names[judge], list(_lines(part.filter(pl.col("judge") == judge).to_dicts())))
                for judge in order_of(part["judge"], names)
            ],
            axis,
        )

    question = "Does the longer answer win because it is longer?"
    return assemble(pl.concat([raw, probe]), question, draw, [_NOTE])


def _lines(rows: list[dict[str, Any]]) -> Iterator[Line]:
    of = {(row["estimand"], row["group"]): row for row in rows}
    raw = of.get(("longer_wins_rate", None))
    if raw is not None:
        yield Line("raw: the longer answer wins", raw)
    for estimand, label in _SHARES.items():
        row = of.get((estimand, None))
        if row is not None:
            yield Line(label, _from_half(row), 1)
    for (estimand, group), row in of.items():
        if estimand == "long_wins_score":
            where = "" if group is None else f", tasks that reward {plain(group.removeprefix('rewards='))}"
            yield Line(f"controlled: the longer version wins{where}", row, 2)


def _from_half(row: Mapping[str, Any]) -> dict[str, Any]:
    """Shift a share to where the raw rate would be if it were the only part."""
    moved = {
        name: None if row[name] is None else 0.5 + row[name] for name in ("estimate", "conf_low", "conf_high")
    }
    return {**row, **moved}
