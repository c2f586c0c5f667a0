"""Several sources in one run: no study may be in two of them, and no name of two families."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from recuse.errors import ConfigurationError

__all__ = ["refuse_other_families", "refuse_shared_studies"]


def refuse_shared_studies(sources: Sequence[str], studies: Sequence[pl.Series]) -> None:
    """Refuse two sources that hold a study of one name; ``studies`` has the column of each source."""
    held: dict[str, str] = {}
    for source, column in zip(sources, studies, strict=True):
        for study in column.unique(maintain_order=True).to_list():
            if study in held:
                raise ConfigurationError(
                    f"both {held[study]} and {source} hold a study named {study}",
                    "name one of them otherwise in its study.toml or its column study, or give it once",
                )
            held[study] = source


def refuse_other_families(families: Mapping[str, str], others: Mapping[str, str]) -> None:
    """Refuse a name pattern that two sources give different families."""
    for pattern, family in others.items():
        if families.get(pattern, family) != family:
            raise ConfigurationError(
                f"{pattern!r} is of family {families[pattern]} in one study, of {family} in another",
                "let the [families] of the studies agree",
            )
