"""Display names are short, and never one name for two models."""

from __future__ import annotations

import pytest

from recuse.figures.names import LONGEST, display_names, tier_order


@pytest.mark.parametrize(
    ("model", "shown"),
    [
        ("openai/gpt-5.5", "GPT-5.5"),
        ("anthropic/claude-sonnet-4-6", "Claude Sonnet 4.6"),
        ("anthropic/claude-3-5-sonnet-20241022", "Claude 3.5 Sonnet 20241022"),
        ("xai/grok-4.3", "Grok-4.3"),
        ("hub/org/Llama-3-8B", "Llama-3-8B"),
        ("human\nrater", "human rater"),
        ("", "(no name)"),
    ],
)
def test_a_name(model: str, shown: str) -> None:
    assert display_names([model]) == {model: shown}


def test_same_name_of_two_providers_keeps_the_provider() -> None:
    assert display_names(["a/m", "b/m", "c/n"]) == {"a/m": "a/m", "b/m": "b/m", "c/n": "n"}


def test_long_names_stay_apart() -> None:
    models = [f"p/{'x' * 60}{digit}{'y' * 60}" for digit in range(3)]
    names = display_names(models)
    assert len(set(names.values())) == 3
    assert all(len(name) <= LONGEST + 4 for name in names.values())


def test_tiers_go_from_objective_to_subjective_then_by_name() -> None:
    assert tier_order(["subjective", "zeta", "alpha", "objective"]) == [
        "objective",
        "subjective",
        "alpha",
        "zeta",
    ]
