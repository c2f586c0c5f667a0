import doctest

import pytest

from recuse.figures import wording
from recuse.figures.wording import bare_number, estimate_text, interval_text, n_text, number, p_text


def test_examples_in_docstrings_hold() -> None:
    assert doctest.testmod(wording).failed == 0


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.2166666, "difference", "+21.7 pp"),
        (-0.025, "difference", "−2.5 pp"),
        (0.0, "difference", "0.0 pp"),
        (0.661, "proportion", "66.1 %"),
        (1.0, "proportion", "100.0 %"),
        (-0.013, "coefficient", "−0.01"),
        (-0.001, "coefficient", "0.00"),
        (85.2, "words", "85 words"),
    ],
)
def test_a_value_is_printed_in_the_unit_that_people_read(value: float, unit: str, text: str) -> None:
    assert number(value, unit) == text


@pytest.mark.parametrize(
    ("p_value", "text"),
    [(0.00390625, ".0039"), (0.9, ".90"), (1.0, "1"), (0.001, ".0010"), (3.0517578125e-5, "3.1·10⁻⁵")],
)
def test_p_values_keep_two_significant_digits(p_value: float, text: str) -> None:
    assert p_text(p_value) == f"p = {text}"


def test_nothing_prints_none_or_nan() -> None:
    row = {
        "estimate": None, "unit": "difference", "reason": "no uninvolved judge for any comparison",
        "conf_low": None, "conf_high": None, "n_presentations": None, "n_comparisons": None, "n_tasks": None,
    }  # fmt: skip
    printed = [estimate_text(row), interval_text(row), n_text(row), p_text(None), interval_text(None)]
    assert printed[0] == "not estimated (no uninvolved judge for any comparison)"
    assert not any(word in text for text in printed for word in ("None", "nan", "NaN"))


def test_minus_is_u2212_and_no_negative_zero() -> None:
    assert bare_number(-0.5, "difference") == "−50.0"
    assert bare_number(-0.0004, "difference") == "0.0"


def test_one_task_is_singular() -> None:
    assert n_text({"n_presentations": None, "n_comparisons": 1, "n_tasks": 1}) == "n = 1 comparison, 1 task"
