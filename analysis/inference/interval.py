"""What every method returns, and the names under which methods can be asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from recuse.errors import ConfigurationError

__all__ = ["DEFAULT", "INTERVALS", "Interval", "check_level", "method_named"]

DEFAULT: Final = "default"
INTERVALS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "bootstrap-t": "bootstrap_t",
        "bootstrap-t-equal-tailed": "bootstrap_t_equal_tailed",
        "percentile": "percentile",
        "bca": "bca",
        "cr2": "cr2",
        "wild": "wild",
        "rows": "rows_percentile",
    }
)
"""Words of the command line, and the method that each stands for in a row of estimates."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval, the test that is its dual, and the method that made both.

    `low` and `high` are null exactly where no interval could be made; `reason` then says why. A
    `reason` beside an interval says what a reader of that interval has to know (a method that had to
    be replaced, a single task).
    """

    low: float | None
    high: float | None
    std_error: float | None
    df: float | None
    p_value: float | None
    method: str
    reason: str | None = None
    n_resamples: int | None = None
    n_zero_se_differing: int = 0  # resamples without spread whose estimate is not the observed one: |t*| = ∞
    n_zero_se_equal: int = 0  # resamples without spread whose estimate is the observed one: t* = 0

    @classmethod
    def missing(cls, method: str, reason: str) -> Interval:
        """No interval, and why."""
        return cls(None, None, None, None, None, method, reason)


def check_level(conf_level: float) -> None:
    """Refuse a confidence level that is no probability strictly between 0 and 1."""
    if not 0 < conf_level < 1:
        raise ConfigurationError(
            f"a confidence level lies between 0 and 1, not at {conf_level}", "0.95, for instance"
        )


def method_named(name: str) -> str:
    """Return the method for a word of the command line, a method's own name, or `default`.

    Raises
    ------
    ConfigurationError
        No method is called that; the message lists those that are.
    """
    if name == DEFAULT or name in INTERVALS.values():
        return name
    if name not in INTERVALS:
        raise ConfigurationError(f"unknown interval {name!r}", f"one of: {', '.join(INTERVALS)}")
    return INTERVALS[name]
