from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from recuse.analysis.inference.multiplicity import benjamini_hochberg, holm

families = st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12)


@pytest.mark.parametrize(("adjust", "method"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])
@settings(max_examples=20)
@given(family=families)
def test_adjustment_is_that_of_statsmodels_over_the_known_p_values(adjust, method, family):
    known = [p for p in family if p is not None]
    expected = iter(multipletests(known, method=method)[1].tolist() if known else [])
    found = adjust(family)
    assert [p is None for p in found] == [p is None for p in family]
    assert [p for p in found if p is not None] == pytest.approx(list(expected))


def test_a_column_with_nulls_and_nan_keeps_them_null():
    assert holm(pl.Series([0.01, None, float("nan"), 0.5])) == [0.02, None, None, 0.5]
