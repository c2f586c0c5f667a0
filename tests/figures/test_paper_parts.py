"""What a paper reads in stays within a page, and counts what it leaves out."""

from collections.abc import Callable

import polars as pl
import pytest

from recuse.figures.answer import short_answer
from recuse.figures.paper_tables import paper_tables
from recuse.figures.paper_words import GENERATED, paper_words

Make = Callable[..., pl.DataFrame]
MANY = tuple(f"maker/model-{place:02}" for place in range(20))


@pytest.fixture
def tables(make_estimates: Make):
    return {table.key: table for table in paper_tables(make_estimates(probe="main"))}


def test_a_few_judges_have_a_row_each(tables):
    assert len(tables["paper_self_preference"].body) == 6
    assert tables["paper_self_preference"].body[0][:2] == ("Claude Sonnet 4.6", "all peers")
    assert tables["paper_agreement"].header == ("Judges", "All", "Objective", "Medium", "Subjective")
    assert all(len(row) == len(table.header) for table in tables.values() for row in table.body)


def test_many_judges_fill_a_page_and_the_rest_is_counted(make_estimates: Make):
    many = {table.key: table for table in paper_tables(make_estimates(MANY, probe="main"))}
    assert len(many["paper_agreement"].body) == 36
    assert many["paper_agreement"].note.endswith(" Further rows in the report: 154.")  # 20 · 19 / 2 − 36


def test_rows_without_any_estimate_are_counted_and_left_out(make_estimates: Make):
    nothing = make_estimates(
        estimate=None, std_error=None, conf_low=None, conf_high=None, conf_level=None, interval=None,
        reason="no uninvolved judge", probe="main",
    )  # fmt: skip
    assert paper_tables(nothing) == []
    mixed = pl.concat([make_estimates(("a", "b"), probe="main"), nothing.with_columns(study=pl.lit("other"))])
    (table,) = [table for table in paper_tables(mixed) if table.key == "paper_by_tier"]
    assert {row[0] for row in table.body} == {"three-judges"}
    assert "Rows left out because nothing in them can be estimated: 3." in table.note


def test_words_are_generated_whole_and_escaped(make_estimates: Make):
    words = paper_words(make_estimates(("x/a_b", "y/c&d"), probe="main"), {})
    assert set(words) == {"answer", "setup", "findings", "judges", "generators", "studies"}
    assert words["judges"] == f"{GENERATED}a\\_b and c\\&d%\n"
    assert all(text.startswith("% Generated") for text in words.values())


def test_an_answer_on_many_judges_names_six_of_a_kind(make_estimates: Make):
    wide = short_answer(make_estimates(MANY, conf_low=-0.2, conf_high=0.2, probe="main"))
    (sentence,) = [one for one in wide if "includes 0" in one]
    assert sentence.startswith("For 20 of 20 judges")
    assert sentence.count("[−20.0, 20.0]") == 6
    assert sentence.endswith("; and 14 more.")
