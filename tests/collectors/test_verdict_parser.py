"""What counts as a stated verdict, and what does not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recuse.collectors.verdict_parser import VERDICT_WORDS, parse_verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("[[A]]", "a"),
        ("Assistant B wins. [[B]]", "b"),
        ("… therefore: [[C]]", "tie"),
        ("My final verdict is: [[A>>B]]", "a"),
        ("[[A<<B]]", "b"),
        ("[[B>A]]", "b"),
        ("My final verdict is tie: [[A=B]].", "tie"),
        ("[[ B = A ]]", "tie"),
        ("A", "a"),
        ("b", "b"),
        ("Tie.", "tie"),
        ("**B**", "b"),
        ("(a)", "a"),
        ("Output (b)", "b"),
        ("Assistant A", "a"),
        ("Choice: A", "a"),
        ("Reasoning: both are long.\nChoice: B\n", "b"),
        ("**Verdict:** B", "b"),
        ("Final verdict: a tie.", "tie"),
        ("Winner: Response B", "b"),
        ('{"reason": "clearer", "winner": "B"}', "b"),
        ("So the answer is \\boxed{A}", "a"),
        ("［［Ａ］］", "a"),
        ("[[\u200bB\u200b]]", "b"),
        ("[[A≫B]]", "a"),
        ("[[A]] as I said: [[A]]", "a"),
        ("Verdict: A. To say it formally: [[A>B]]", "a"),
    ],
)
def test_a_verdict_is_read(text, verdict):
    parsed = parse_verdict(text)
    assert (parsed.verdict, parsed.status) == (verdict, "ok")


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "   \n",
        "A better answer would cite sources.",
        "Assistant A is good, B is not.",
        "Verdict: A tie would be generous",
        "My verdict is a longer story",
        "The winner is a matter of taste",
        "[[D]]",
        "[[Аlpha]]",
        "[[А]]",  # Cyrillic
        "[A]]",
        "(A",
        "[[AB]]",
        "[[rating_a, rating_b]]",
        "ERROR",
        "bA",
        "cat",
    ],
)
def test_a_text_without_a_verdict_has_none(text):
    parsed = parse_verdict(text)
    assert (parsed.verdict, parsed.status, parsed.found) == (None, "parse_failed", ())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[[A]] … no, [[B]]", ("a", "b")),
        ("[[A]] or [[C]]", ("a", "tie")),
        ("Choice: B\n[[A]]", ("b", "a")),
        ("The format is [[A]], [[B]] or [[C]]. I choose [[B]].", ("a", "b", "tie")),
    ],
)
def test_two_verdicts_are_none(text, found):
    parsed = parse_verdict(text)
    assert parsed.verdict is None
    assert parsed.status == "parse_failed"
    assert parsed.found == found
    assert parsed.is_contradictory


@pytest.mark.parametrize("run", ["verdict" + " " * 200_000, "verdict" + "*" * 200_000, "[[" * 100_000])
def test_long_runs_cost_no_more_than_their_length(run):
    started = time.perf_counter()
    assert parse_verdict(run).status == "parse_failed"
    assert time.perf_counter() - started < 5


def test_words_of_its_own():
    words = {"a": "b", "b": "a"}
    assert parse_verdict("[[A]]", words).verdict == "b"
    assert parse_verdict("[[C]]", words).status == "parse_failed"


@given(st.text(max_size=60), st.sampled_from(sorted(VERDICT_WORDS)))
def test_a_bracketed_verdict_survives_any_text_without_another(noise, word):
    bare = "".join(sign for sign in noise if sign not in "[]\\\"'")
    alone = parse_verdict(bare + "\n.")
    parsed = parse_verdict(f"{bare}\n.[[{word.upper()}]]")
    expected = {*alone.found, VERDICT_WORDS[word]}
    assert set(parsed.found) == expected
    assert (parsed.status == "ok") == (len(expected) == 1)
