from __future__ import annotations

import hashlib

import polars as pl
import rfc8785
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recuse.collectors.addresses import KEY_FIELDS, judgment_ids

SCHEMA = {name: pl.Int64 if name == "replicate" else pl.String for name in KEY_FIELDS}
AWKWARD = [
    'q"uote',
    "back\\slash",
    "tab\tnew\nline\r",
    "\x00\x01\x1f\x7f",
    "é😀\u2028\ufeff",
    "",
    "</script>",
    "null",
]
texts = st.one_of(st.sampled_from(AWKWARD), st.text(max_size=8))
keys = st.fixed_dictionaries(
    {name: st.integers(0, 2**53 - 1) if name == "replicate" else st.none() | texts for name in KEY_FIELDS}
)


def by_library(row: dict[str, object]) -> str:
    return hashlib.sha256(rfc8785.dumps(row)).hexdigest()


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(keys, max_size=6))
def test_ids_are_the_hash_of_the_canonical_json(rows: list[dict[str, object]]) -> None:
    found = judgment_ids(pl.DataFrame(rows, schema=SCHEMA)).to_list()
    assert found == [by_library(row) for row in rows]


def test_awkward_names_together_with_plain_ones() -> None:
    rows = [
        {**dict.fromkeys(KEY_FIELDS, name), "replicate": 1, "variant_a": None} for name in [*AWKWARD, "plain"]
    ]
    found = judgment_ids(pl.DataFrame(rows, schema=SCHEMA)).to_list()
    assert found == [by_library(row) for row in rows]


def test_more_rows_than_are_hashed_at_a_time() -> None:
    n = 120_001
    frame = pl.DataFrame({name: pl.Series(["x"] * n) for name in KEY_FIELDS if name != "replicate"})
    frame = frame.with_columns(replicate=pl.int_range(n))
    found = judgment_ids(frame)
    assert found.n_unique() == n
    row = {**dict.fromkeys(KEY_FIELDS, "x"), "replicate": n - 1}
    assert found[-1] == by_library(row)
