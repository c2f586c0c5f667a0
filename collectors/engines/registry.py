"""Which engines there are, and what each needs to be installed."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

from recuse.collectors.engines.files import Opening
from recuse.errors import ConfigurationError, UnknownNameError

__all__ = ["ENGINES", "Engine", "engine_named"]


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine."""

    module: str
    """Its module here; it offers ``opened``."""
    package: str
    """What has to be importable."""
    extra: str = ""
    """The extra of this package that installs it."""


ENGINES: Final[Mapping[str, Engine]] = {
    "polars": Engine("polars_engine", "polars"),
    "duckdb": Engine("duckdb_engine", "duckdb", "duckdb"),
    "dask": Engine("dask_engine", "dask", "dask"),
    "spark": Engine("spark_engine", "pyspark", "spark"),
}


def engine_named(name: str) -> Opening:
    """Give the function that opens files in an engine.

    Raises
    ------
    UnknownNameError
        There is no engine of that name.
    ConfigurationError
        It is not installed.
    """
    if name not in ENGINES:
        raise UnknownNameError("engine", name, ENGINES)
    engine = ENGINES[name]
    if find_spec(engine.package) is None:
        raise ConfigurationError(
            f"the engine {name} is not installed", f"pip install 'recuse[{engine.extra}]'"
        )
    opening: Opening = importlib.import_module(f"recuse.collectors.engines.{engine.module}").opened
    return opening
