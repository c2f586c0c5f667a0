"""Numbers in words: how an estimate, its interval, its p-value and its counts are printed.

Everything here is plain text with U+2212 for minus; :mod:`recuse.figures.latex` turns it into
mathematics. No rendering prints NaN or None: what could not be estimated prints its reason.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

__all__ = [
    "NOTHING",
    "Row",
    "bare_number",
    "could_have_seen",
    "detectable_span",
    "detectable_text",
    "estimate_text",
    "interval_text",
    "is_possible",
    "is_sampled",
    "method_text",
    "n_text",
    "number",
    "p_text",
    "value_text",
    "with_interval",
]

Row: TypeAlias = Mapping[str, Any]
"""One row of the estimates, as a mapping from column to value."""

_FARTHEST: Final[Mapping[str, float]] = {
    "proportion": 0.5,
    "difference": 1.0,
    "coefficient": 1.0,
    "correlation": 1.0,
}
"""Unit → how far from its null (½ of a proportion) a value can lie."""
_NO_EFFECT: Final = "no effect that is possible"
_SAMPLED: Final = "on a sample of"
"""How the reason of such a row begins."""
NOTHING: Final = "–"
"""Stands where a row has nothing to say: no interval was asked for, no test exists."""

_MINUS: Final = "−"
_SUPERSCRIPT: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_METHODS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "bootstrap_t": "bootstrap-t over tasks",
        "bootstrap_t_equal_tailed": "equal-tailed bootstrap-t over tasks",
        "bootstrap_t_stratified": "bootstrap-t over tasks within tiers",
        "percentile": "percentile bootstrap over tasks",
        "rows_percentile": "percentile bootstrap over comparisons",
        "bca": "BCa bootstrap over tasks",
        "cr2": "CR2 by task with Satterthwaite degrees of freedom",
        "cr2_welch": "CR2 by task with Welch degrees of freedom",
        "cr3_logit": "CR3 by task on the logit scale",
        "jackknife": "task jackknife",
        "jackknife_logit": "task jackknife on the logit scale",
        "wild": "wild bootstrap over tasks",
        "clopper_pearson_rows": "Clopper–Pearson over presentations",
        "clopper_pearson_tasks": "Clopper–Pearson over tasks",
        "fisher_z": "Fisher's z, cases independent",
        "correlation_t": "t test of a correlation",
        "sign_flip": "exact sign-flip over tasks",
        "sign_flip_task_lean": "sign-flip over task sums of lean",
        "sign_test_reversals": "exact sign test on hard reversals",
        "binomial_pooled": "pooled exact binomial",
    }
)


def number(value: float, unit: str, *, digits: int = 1) -> str:
    """Print a value in the unit that people read: % for proportions, pp for their differences.

    >>> number(0.217, "difference"), number(-0.02, "difference"), number(0.526, "proportion")
    ('+21.7 pp', '−2.0 pp', '52.6 %')
    """
    text = bare_number(value, unit, digits=digits)
    return {
        "proportion": f"{text} %",
        "variance share": f"{text} %",
        "difference": f"{text} pp",
        "logit": f"{text} logits",
        "words": f"{text} words",
    }.get(unit, text)


def bare_number(value: float, unit: str, *, digits: int = 1) -> str:
    """Print a value as :func:`number` does, without its unit; a difference keeps its sign.

    >>> bare_number(-0.0001, "difference"), bare_number(2.0, "rank")
    ('0.0', '2')
    """
    if unit in {"proportion", "difference", "variance share"}:
        return _signed(100 * value, digits, plus=unit == "difference")
    if unit in {"count", "rank", "words"}:
        return _signed(value, 0 if float(value).is_integer() or unit == "words" else 1)
    return _signed(value, 2)


def value_text(row: Row | None) -> str:
    """Print the estimate alone; a missing one as a dash (its reason belongs in the table's notes)."""
    if row is None or row["estimate"] is None:
        return NOTHING
    return bare_number(row["estimate"], row["unit"])


def estimate_text(row: Row) -> str:
    """Print the estimate with its unit, or in words why there is none."""
    if row["estimate"] is None:
        return f"not estimated ({row['reason']})"
    return number(row["estimate"], row["unit"])


def with_interval(row: Row) -> str:
    """Print an estimate with its unit and interval, and say where it has none.

    >>> with_interval({"estimate": 0.2, "unit": "difference", "conf_low": None, "conf_high": None})
    '+20.0 pp (no interval)'
    """
    value = number(row["estimate"], row["unit"])
    return f"{value} (no interval)" if row["conf_low"] is None else f"{value} {interval_text(row)}"


def interval_text(row: Row | None) -> str:
    """Print the interval in the unit of the estimate.

    >>> interval_text({"conf_low": 0.083, "conf_high": 0.35, "unit": "proportion"})
    '[8.3, 35.0]'
    """
    if row is None or row["conf_low"] is None or row["conf_high"] is None:
        return NOTHING
    low, high = (bare_number(row[name], row["unit"]) for name in ("conf_low", "conf_high"))
    return f"[{low}, {high}]"


def p_text(p_value: float | None, *, name: bool = True) -> str:
    """Print a p-value: two significant digits, powers of ten below .001.

    >>> p_text(0.00390625), p_text(3.05e-5), p_text(0.73), p_text(1.0)
    ('p = .0039', 'p = 3·10⁻⁵', 'p = .73', 'p = 1')
    """
    if p_value is None:
        return NOTHING
    if p_value >= 0.995:
        text = "1"
    elif p_value >= 0.001:
        digits = max(2, 1 - math.floor(math.log10(p_value)))
        text = f"{p_value:.{digits}f}".removeprefix("0")
    elif p_value <= 0:
        return "p < 10⁻¹⁵" if name else "< 10⁻¹⁵"
    else:
        mantissa, exponent = f"{p_value:.1e}".split("e")
        power = str(int(exponent)).translate(_SUPERSCRIPT)
        text = f"{mantissa.removesuffix('.0')}·10{power}"
    return f"p = {text}" if name else text


def n_text(row: Row) -> str:
    """Print what was counted.

    >>> n_text({"n_presentations": None, "n_comparisons": 30, "n_tasks": 15})
    'n = 30 comparisons, 15 tasks'

    Of a source read in parts, what rests on a sample of its tasks says so.
    """
    parts = [
        f"{row[f'n_{unit}']:,} {unit if row[f'n_{unit}'] != 1 else unit.removesuffix('s')}"
        for unit in ("presentations", "comparisons", "tasks")
        if row[f"n_{unit}"] is not None
    ]
    sampled = " (a sample of tasks)" if is_sampled(row) else ""
    return f"n = {', '.join(parts)}{sampled}" if parts else "n not recorded"


def is_sampled(row: Row) -> bool:
    """Tell whether a row of a source read in parts rests on a sample of its tasks."""
    return (row.get("reason") or "").startswith(_SAMPLED)


def could_have_seen(row: Row, null: float = 0.0, *, by: str = "") -> str:
    """Say beside an interval that includes the null what a study of this precision finds; else nothing.

    ``by`` names the test that would find it, where another one stands in the same sentence.
    """
    if row["mde"] is None or row["conf_low"] is None or not row["conf_low"] <= null <= row["conf_high"]:
        return ""
    unit = "difference" if row["unit"] == "proportion" else row["unit"]
    if not is_possible(row["mde"], row["unit"]):
        return (
            f"; this design is too small to see any effect that is possible (minimum detectable effect{by})"
        )
    return (
        f"; this design could have seen {detectable_text(row['mde'], unit)} (minimum detectable effect{by})"
    )


def is_possible(effect: float, unit: str) -> bool:
    """Tell whether an effect of this size can be: it ends with its scale."""
    return effect <= _FARTHEST.get(unit, math.inf)


def detectable_span(effects: Collection[float], unit: str) -> str:
    """Print the range of minimum detectable effects; one beyond the end of its scale is no effect at all.

    >>> detectable_span([0.35, 0.74], "difference"), detectable_span([1.35], "difference")
    ('35 to 74 pp', 'no effect that is possible')
    >>> detectable_span([0.16, 15.7], "coefficient")
    '0.16 at best'
    """
    least, most = (
        detectable_text(effect, unit) if is_possible(effect, unit) else _NO_EFFECT
        for effect in (min(effects), max(effects))
    )
    if least == most:
        return most
    return f"{least} at best" if most == _NO_EFFECT else f"{least.removesuffix(' pp')} to {most}"


def detectable_text(effect: float, unit: str) -> str:
    """Print a minimum detectable effect: in whole points, or to one digit that is not 0 below two of them.

    >>> [detectable_text(effect, "difference") for effect in (0.262, 0.0127, 0.0004)]
    ['26 pp', '1.3 pp', '0.04 pp']
    """
    points = 100 * effect
    digits = 0 if points >= 2 else 1 if points >= 0.1 else 2
    return number(effect, unit, digits=digits).lstrip("+")


def method_text(method: str | None) -> str:
    """Print the name of an interval's or test's method as a reader knows it."""
    if method is None:
        return "no interval"
    base = method.removeprefix("dual_of_")
    words = _METHODS.get(base, base.replace("_", " "))
    return f"dual of the {words} interval" if base != method else words


def _signed(value: float, digits: int, *, plus: bool = False) -> str:
    text = f"{value:,.{digits}f}"
    if not float(text.replace(",", "")):
        return text.removeprefix("-")
    return f"{_MINUS}{text[1:]}" if text.startswith("-") else f"{'+' if plus else ''}{text}"
