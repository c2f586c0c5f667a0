"""Each rule of the verdicts, on numbers worked by hand."""

import pytest

from recuse.analysis.claims.verdicts import directional_verdict, equivalence_verdict


@pytest.mark.parametrize(
    ("effect", "high", "p", "published", "verdict"),
    [
        (0.20, 0.35, 0.010, 0.28, "survives"),  # shown, and .20 ≥ .14
        (0.14, 0.25, 0.050, 0.28, "survives"),  # both at their limits
        (0.13, 0.25, 0.010, 0.28, "weakens"),  # shown, but less than half is left
        (0.20, 0.45, 0.051, 0.28, "weakens"),  # half is left, but not shown
        (0.20, 0.45, None, 0.28, "weakens"),  # no test: not shown
        (0.20, 0.35, 0.010, None, "weakens"),  # nothing to keep half of
        (0.10, 0.35, 0.300, 0.28, "falls"),
        (0.00, 0.20, 1.000, 0.28, "falls"),
        (-0.10, 0.05, 0.120, 0.28, "falls"),  # on the other side, but not shown to be
        (-0.10, -0.01, 0.030, 0.28, "reverses"),
        (-0.10, 0.00, 0.050, 0.28, "falls"),  # the interval touches the null
        (-0.10, -0.01, 0.030, -0.30, "reverses"),  # looked at first
        (-0.005, 0.10, 0.900, -0.22, "falls"),  # what was published pointed the other way: nothing to keep
        (0.20, 0.35, 0.010, -0.22, "weakens"),
    ],
)
def test_directional(effect, high, p, published, verdict):
    found = directional_verdict(effect=effect, effect_high=high, p_adjusted=p, published_effect=published)
    assert found == verdict


@pytest.mark.parametrize(
    ("estimate", "outer", "inner", "verdict"),
    [
        (0.53, (0.47, 0.58), (0.48, 0.57), "survives"),
        (0.53, (0.38, 0.62), (0.41, 0.59), "survives"),  # 90 % inside, 95 % not
        (0.55, (0.42, 0.66), (0.45, 0.61), "weakens"),
        (0.60, (0.50, 0.70), (0.52, 0.68), "weakens"),  # at the end of the margin
        (0.65, (0.55, 0.75), (0.57, 0.73), "falls"),
        (0.75, (0.61, 0.85), (0.63, 0.83), "reverses"),
        (0.25, (0.15, 0.39), (0.17, 0.37), "reverses"),
        (0.70, (0.60, 0.80), (0.62, 0.78), "falls"),  # touches the margin
    ],
)
def test_absence_within_ten_points_of_a_half(estimate, outer, inner, verdict):
    found = equivalence_verdict(estimate=estimate, outer=outer, inner=inner, null=0.5, margin=0.1)
    assert found == verdict


def test_what_is_shown_may_still_reverse_by_its_interval_only():
    assert (
        directional_verdict(effect=-0.01, effect_high=-0.001, p_adjusted=0.9, published_effect=0.1)
        == "reverses"
    )
