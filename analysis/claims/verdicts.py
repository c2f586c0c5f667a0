"""The rules by which a claim survives, weakens, falls, reverses, or cannot be identified."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

__all__ = ["SIGNIFICANT", "VERDICTS", "Verdict", "directional_verdict", "equivalence_verdict"]

Verdict: TypeAlias = Literal["survives", "weakens", "falls", "reverses", "not identifiable"]
VERDICTS: Final[tuple[Verdict, ...]] = ("survives", "weakens", "falls", "reverses", "not identifiable")
SIGNIFICANT: Final = 0.05
_KEPT: Final = 0.5
_SLACK: Final = 1e-12


def directional_verdict(
    *,
    effect: float,
    effect_high: float,
    p_adjusted: float | None,
    published_effect: float | None,
) -> Verdict:
    """Verdict on a claim that something is above or below a value.

    It **reverses** where the effect lies on the other side and its whole interval does. Else two things are
    asked: is the effect on the claimed side with an adjusted p-value of at most .05, and is it at least half
    of the published one? Both: **survives**; one: **weakens**; neither: **falls**.

    Parameters
    ----------
    effect
        (estimate - null) × claimed sign, on the deciding rung.
    effect_high
        The end of its 95 % interval that is farther on the claimed side.
    p_adjusted
        Two-sided p-value against the null, after Holm; null counts as not shown.
    published_effect
        As ``effect``, as published; null, or one that points the other way, leaves nothing to keep.
    """
    if effect < 0 and effect_high < 0:
        return "reverses"
    shown = effect > 0 and p_adjusted is not None and p_adjusted <= SIGNIFICANT + _SLACK
    kept = published_effect is not None and 0 < published_effect <= (effect + _SLACK) / _KEPT
    return {2: "survives", 1: "weakens", 0: "falls"}[int(shown) + int(kept)]  # type: ignore[return-value]


def equivalence_verdict(
    *,
    estimate: float,
    outer: tuple[float, float],
    inner: tuple[float, float],
    null: float,
    margin: float,
) -> Verdict:
    """Verdict on a claim that something is absent: within a margin of a value.

    **Reverses** where the 95 % interval lies wholly outside the margin; **survives** where the 90 % interval
    lies inside (two one-sided tests at 5 %); **weakens** where the estimate is inside but that is not
    shown; **falls** otherwise.

    Parameters
    ----------
    estimate
        On the deciding rung.
    outer, inner
        Its 95 % and its 90 % interval.
    null, margin
        Middle and half-width of the range that counts as absent.
    """
    low, high = null - margin, null + margin
    if outer[1] < low or outer[0] > high:
        return "reverses"
    if low - _SLACK <= inner[0] and inner[1] <= high + _SLACK:
        return "survives"
    return "weakens" if low - _SLACK <= estimate <= high + _SLACK else "falls"
