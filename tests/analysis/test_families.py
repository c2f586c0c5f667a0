from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recuse.analysis.families import FAMILY_PATTERNS, family_of, unknown_families


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("anthropic/claude-sonnet-4-6", "anthropic"),
        ("claude-instant-v1", "anthropic"),
        ("us.anthropic.claude-sonnet-4", "anthropic"),
        ("openrouter/anthropic/claude-3", "anthropic"),
        ("openai/gpt-5.5", "openai"),
        ("GPT-4", "openai"),
        ("gpt35", "openai"),
        ("ChatGPT-0301", "openai"),
        ("o3-mini", "openai"),
        ("text-davinci-003", "openai"),
        ("azure/gpt-4o", "openai"),
        ("xai/grok-4.3", "xai"),
        ("gemini-pro", "google"),
        ("palm-2-chat-bison-001", "google"),
        ("PaLM2", "google"),
        ("bard", "google"),
        ("gemma-7b-it", "google"),
        ("meta-llama/Llama-3-70b-chat", "meta"),
        ("LLaMA2", "meta"),
        ("codellama-7b-instruct", "meta"),
        ("mixtral-8x7b", "mistral"),
        ("qwen2.5-72b", "qwen"),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "deepseek"),
        ("command-r-plus", "cohere"),
        ("falcon-40b-instruct", "tii"),
        ("pandalm-7b", "pandalm"),
        ("alpaca-13b", "alpaca"),
        ("human", "human"),
    ],
)
def test_family_is_read_from_the_name(name: str, family: str) -> None:
    assert family_of([name]) == {name: family}
    assert unknown_families([name]) == []


@pytest.mark.parametrize(
    ("name", "not_family"),
    [
        ("gpt4all-13b-snoozy", "openai"),
        ("h2ogpt-oasst-open-llama-13b", "openai"),
        ("oasst-sft-7-llama-30b", "meta"),
        ("gpt-neox-20b", "openai"),
        ("vicuna-13b-v1.3", "meta"),
        ("nvidia/llama-3.1-nemotron-70b", "meta"),
    ],
)
def test_a_derived_model_is_not_of_its_bases_family(name: str, not_family: str) -> None:
    assert family_of([name])[name] != not_family


def test_an_unknown_name_is_its_own_family_and_is_listed() -> None:
    names = ["zeta-1", "our-model", "grok-4"]
    assert family_of(names) == {"zeta-1": "zeta-1", "our-model": "our-model", "grok-4": "xai"}
    assert unknown_families(names) == ["our-model", "zeta-1"]


def test_a_study_extends_the_table_and_wins_over_it() -> None:
    own = {"Vicuna*": "meta", "our-*": "ours"}
    assert family_of(["vicuna-7b", "lab/our-model"], own) == {"vicuna-7b": "meta", "lab/our-model": "ours"}
    assert unknown_families(["our-model"], own) == []


def test_patterns_are_lower_case_and_none_is_given_twice() -> None:
    patterns = [pattern for pattern, _ in FAMILY_PATTERNS]
    assert patterns == [pattern.lower() for pattern in patterns]
    assert len(set(patterns)) == len(patterns)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(st.text(max_size=20)))
def test_every_name_gets_one_family_whatever_it_is(names: list[str]) -> None:
    families = family_of(names)
    assert list(families) == list(dict.fromkeys(names))
    assert all(family == name for name, family in families.items() if name in unknown_families(names))
