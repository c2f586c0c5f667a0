"""Addresses are hashes of requests: one request one address, another request another."""

import hashlib
import json
import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from invented_records import judgment

from recuse.cache.canonical_json import canonical
from recuse.cache.records import (
    address_of,
    imported_judgment,
    is_address,
    make_record,
    parse_record,
    sealed_text,
    written,
)
from recuse.errors import CacheError

REQUEST = {
    "model": "openai/gpt-5.5",
    "api_base": "https://example.org/v1",
    "messages": [{"role": "user", "content": "Which is better?"}],
    "params": {"temperature": 0.0, "seed": 7},
    "rubric_version": "2",
    "replicate": 0,
}
NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def test_an_address_is_the_sha256_of_the_text_that_rfc_8785_prescribes():
    """Numbers, escapes and the order of keys as in the example of RFC 8785, section 3.2.2 and 3.2.3."""
    request = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
        "literals": [None, True, False],
    }
    text = (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
    assert canonical(request) == text
    assert address_of(request) == hashlib.sha256(text.encode()).hexdigest()


@given(request=st.dictionaries(TEXT, JSON, min_size=1, max_size=5), data=st.data())
def test_the_order_of_keys_changes_no_address(request, data):
    shuffled = dict(data.draw(st.permutations(list(request.items()))))
    assert address_of(shuffled) == address_of(request)


@given(request=st.dictionaries(TEXT, JSON, min_size=1, max_size=5), other=JSON, data=st.data())
def test_another_value_of_any_field_is_another_address(request, other, data):
    field = data.draw(st.sampled_from(sorted(request)))
    assert (address_of(request | {field: other}) == address_of(request)) == same_json(request[field], other)


def same_json(one: object, other: object) -> bool:
    """Compare as JSON does: 1 is 1.0, and true is no number."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[key], other[key]) for key in one)
    return isinstance(one, bool) == isinstance(other, bool) and one == other


@pytest.mark.parametrize(
    "change",
    [
        {"model": "openai/gpt-5.5-mini"},
        {"api_base": "https://example.org/v1/"},
        {"messages": [{"role": "user", "content": "Which is better? "}]},
        {"params": {"temperature": 0.0, "seed": 8}},
        {"params": {"temperature": 0.0}},
        {"rubric_version": "2.1"},
        {"replicate": 1},
        {"extra": None},
    ],
)
def test_each_part_of_a_request_counts(change):
    assert address_of(REQUEST | change) != address_of(REQUEST)


@pytest.mark.parametrize(
    "field",
    [
        *("study", "task_id", "probe", "judge", "judge_kind", "slot_a", "slot_b", "variant_a", "variant_b"),
        *("replicate", "source"),
    ],
)
def test_each_key_field_of_an_imported_judgment_counts(field):
    other = {"replicate": 1, "judge_kind": "human"}.get(field, "another")
    assert (
        imported_judgment(judgment(**{field: other}))["address"] != imported_judgment(judgment())["address"]
    )


def test_the_outcome_of_an_imported_judgment_is_not_part_of_its_address_but_of_its_hash():
    one, other = imported_judgment(judgment(verdict="a")), imported_judgment(judgment(verdict="b"))
    assert one["address"] == other["address"]
    assert one["record_hash"] != other["record_hash"]
    assert one["request"]["imported"] is True


def test_a_record_is_written_and_read_back():
    record = make_record("answer", REQUEST, response={"text": "A", "usage": {"tokens": 12}})
    text = sealed_text(record)
    assert parse_record(text) == record
    assert text == canonical(record)
    without_hash = {name: value for name, value in record.items() if name != "record_hash"}
    assert record["record_hash"] == hashlib.sha256(canonical(without_hash).encode()).hexdigest()
    assert record["address"] == hashlib.sha256(canonical(REQUEST).encode()).hexdigest()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (math.nan, "request.params.x[1] is nan, which JSON cannot hold; write null"),
        (-math.inf, "request.params.x[1] is -inf, which JSON cannot hold; write null"),
        (2**53, "request.params.x[1] is an integer from 2^53 on"),
        (-(2**53), "request.params.x[1] is an integer from 2^53 on"),
        (
            datetime(2026, 1, 1, tzinfo=UTC),
            "is of type datetime, which JSON lacks; write times as ISO 8601 text",
        ),
        (b"x", "is of type bytes"),
        ({1: "x"}, "request.params.x[1].1 has a key that is no text"),
        ({"a\ud800": "x"}, "request.params.x[1] has a key with half of a surrogate pair"),
    ],
)
def test_what_json_cannot_hold_is_refused_by_its_place(value, said):
    with pytest.raises(CacheError) as caught:
        make_record("answer", {"params": {"x": [0, value]}}, response={"text": "A"})
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_largest_safe_integer_is_kept():
    record = make_record("answer", {"seed": 2**53 - 1}, response={})
    assert parse_record(sealed_text(record))["request"]["seed"] == 2**53 - 1


def test_endless_nesting_is_refused_in_one_line():
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(CacheError, match="nested too deeply"):
        canonical(nested)


def test_lone_surrogates_are_escaped_and_flagged():
    record = make_record(
        "judgment", REQUEST, judgment={"raw": "cut \ud83d off \\frac"}, response={"a": ["\udc00"]}
    )
    assert record["judgment"]["raw"] == "cut \\ud83d off \\\\frac"
    assert record["response"]["a"] == ["\\udc00"]
    assert record["escaped_surrogates"] == ["/judgment/raw", "/response/a/0"]
    assert written(record)[1:] == (record["address"], record["record_hash"])
    sealed_text(record).encode()


def test_a_surrogate_in_the_request_is_another_address_than_its_escape():
    prompts = ["\ud83d", "\\ud83d", "\\\\ud83d", "\ud83d\\ud83d", "\ud83d\ud83d", "\ud83d\\\\ud83d"]
    assert len({address_of({"prompt": prompt}) for prompt in prompts}) == len(prompts)
    flagged = make_record("answer", {"prompt": ["\ud83d"]}, response={})
    assert flagged["request"]["escaped_surrogates"] == ["/prompt/0"]
    assert address_of({"prompt": ["\ud83d"]}) == flagged["address"]


def test_a_whole_emoji_is_no_lone_surrogate():
    record = make_record("judgment", REQUEST, judgment={"raw": "👍 \\n"})
    assert "escaped_surrogates" not in record
    assert json.loads(sealed_text(record))["judgment"]["raw"] == "👍 \\n"


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        ("judgment", {}),
        ("judgment", {"response": {}}),
        ("answer", {}),
        ("answer", {"judgment": {}}),
        ("answer", {"judgment": {}, "response": {}}),
    ],
)
def test_a_record_needs_the_outcome_of_its_kind(kind, outcome):
    with pytest.raises(CacheError, match=f"a record of kind {kind} needs"):
        make_record(kind, REQUEST, **outcome)


@pytest.mark.parametrize(
    "change", [{"imported": True}, {"kind": "verdict"}, {"request": REQUEST | {"model": "x"}}]
)
def test_a_record_that_was_changed_is_not_sealed(change):
    record = make_record("answer", REQUEST, response={"text": "A"})
    with pytest.raises(CacheError, match="is not"):
        sealed_text(record | change)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("[1]", "no object"),
        ("[" * 100_000, "not JSON"),
        ('{"address": NaN}', "NaN is no JSON number"),
        ("{}", "has no address"),
        ('{"surprise": 1}', "does not know: surprise"),
    ],
)
def test_a_text_that_is_no_record_is_refused(text, said):
    with pytest.raises(CacheError, match=said):
        parse_record(text)


@pytest.mark.parametrize("word", ["", "ab", "A" * 64, "0" * 63, "0" * 65, "0" * 64 + "\n", "٠" * 64, 7, None])
def test_what_is_no_address(word):
    assert not is_address(word)
    assert is_address("0" * 64)
