"""Find rows of the estimates by their keys, for renderings that lay many of them out in one table."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from recuse.figures.names import display_names
from recuse.figures.wording import Row
from recuse.schema import TIERS, EstimateFrame

__all__ = ["Lookup", "short_name"]

_KEYS: Final = ("study", "judge", "judge_2", "generator", "tier", "probe", "group", "baseline")

_MODELS: Final = ("judge", "judge_2", "generator")


def short_name(name: str) -> str:
    """Return a model's name without its provider."""
    return name.rsplit("/", maxsplit=1)[-1]


class Lookup:
    """The estimates, indexed by estimand and keys; what is asked for and not there is null.

    A key that is not given is null (*pooled over it*), except ``probe``, which is ``main``.
    """

    def __init__(self, estimates: EstimateFrame) -> None:
        self._rows: dict[tuple[str | None, ...], list[Row]] = defaultdict(list)
        self._by_estimand: dict[str, list[Row]] = defaultdict(list)
        for row in estimates.lazy().collect().to_dicts():
            self._rows[(row["estimand"], *(row[key] for key in _KEYS))].append(row)
            self._by_estimand[row["estimand"]].append(row)
        everything = [row for rows in self._by_estimand.values() for row in rows]
        models = {row[key] for row in everything for key in _MODELS if row[key] is not None}
        self._names = display_names(models)
        self.studies: list[str | None] = sorted(
            {row["study"] for row in everything}, key=lambda s: (s is None, s)
        )

    def name(self, model: str) -> str:
        """Name a model as readers know it, different from every other model of the frame."""
        return self._names[model]

    def all(self, estimand: str, **keys: str | None) -> list[Row]:
        """Every row of exactly these keys, one per method, in the order of the frame."""
        wanted = {"probe": "main", **keys}
        return self._rows.get((estimand, *(wanted.get(key) for key in _KEYS)), [])

    def one(self, estimand: str, **keys: str | None) -> Row | None:
        """Give the row that carries an interval, else the first, else null."""
        rows = self.all(estimand, **keys)
        return next((row for row in rows if row["conf_low"] is not None), rows[0] if rows else None)

    def test(self, estimand: str, name: str, **keys: str | None) -> Row | None:
        """Give the row of the named test."""
        return next((row for row in self.all(estimand, **keys) if row["test"] == name), None)

    def values(self, column: str, *estimands: str, **keys: str | None) -> list[str]:
        """Distinct non-null values of a key over the rows of some estimands; tiers in their own order."""
        found = {
            row[column]
            for estimand in estimands
            for row in self._by_estimand.get(estimand, [])
            if row[column] is not None and all(row[key] == value for key, value in keys.items())
        }
        order = {tier: place for place, tier in enumerate(TIERS)} if column == "tier" else {}
        return sorted(found, key=lambda value: (order.get(value, len(order)), value))
