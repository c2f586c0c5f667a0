from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recuse.collectors.set_aside import RULES
from recuse.collectors.sources import Source, load

HEADER = "task_id,judge,slot_a,slot_b,verdict"


@pytest.fixture
def loaded(tmp_path: Path):
    def load_rows(*rows: str, header: str = HEADER) -> Source:
        path = tmp_path / "v.csv"
        path.write_text("\n".join([header, *rows]) + "\n")
        return load(str(path))

    return load_rows


def listed(source: Source) -> list[tuple[str, int]]:
    return source.set_aside.select("rule", "row").rows()


def test_the_same_verdict_again_keeps_the_first(loaded) -> None:
    source = loaded("t,j,x,y,a", "t,j,y,x,a", "t,j,x,y,a", "t,j,x,y,a")
    assert listed(source) == [("duplicate", 4), ("duplicate", 5)]
    assert source.judgments["verdict"].to_list() == ["a", "a"]
    assert source.set_aside.row(0, named=True) == {
        "rule": "duplicate",
        "why": "the same presentation with the same verdict occurs before",
        "study": "v",
        "row": 4,
        "task_id": "t",
        "judge": "j",
        "slot_a": "x",
        "slot_b": "y",
        "verdict": "a",
    }


def test_verdicts_that_differ_are_all_set_aside(loaded) -> None:
    source = loaded("t,j,x,y,a", "t,j,x,y,tie", "t,j,x,y,", "t,j,y,x,b")
    assert listed(source) == [("conflicting", 2), ("conflicting", 3), ("conflicting", 4)]
    assert source.judgments.select("slot_a", "verdict").rows() == [("y", "b")]


def test_an_attempt_without_a_verdict_gives_way_to_one_with(loaded) -> None:
    source = loaded("t,j,x,y,", "t,j,x,y,b", "t,j,y,x,")
    assert listed(source) == [("retried", 2)]
    assert source.judgments["verdict"].to_list() == ["b", None]


def test_replicates_probes_and_variants_are_no_duplicates(loaded) -> None:
    header = f"{HEADER},replicate,probe,variant_a"
    rows = ["t,j,x,y,a,0,main,", "t,j,x,y,b,1,main,", "t,j,x,y,a,0,length,", "t,j,x,y,a,0,main,long"]
    source = loaded(*rows, header=header)
    assert source.set_aside.is_empty()
    assert source.judgments.height == 4


def test_a_side_against_itself_is_for_other_probes_only(loaded) -> None:
    header = f"{HEADER},probe,variant_a,variant_b"
    rows = [
        "t,j,x,x,a,main,,",
        "t,j,x,x,a,identical,,",
        "t,j,x,x,a,length,short,long",
        "t,j,x,x,a,main,short,long",
    ]
    source = loaded(*rows, header=header)
    assert listed(source) == [("self_comparison", 2)]
    assert source.judgments["probe"].to_list() == ["identical", "length", "main"]


def test_blank_rows_are_counted_and_keep_the_numbering(loaded) -> None:
    source = loaded("t,j,x,y,a", "", ",,,,", "t,j,x,x,a")
    assert listed(source) == [("blank", 3), ("blank", 4), ("self_comparison", 5)]


rows_of_a_study = st.lists(
    st.tuples(
        st.sampled_from(["t1", "t2"]),
        st.sampled_from(["j", "x"]),
        st.sampled_from(["x", "y"]),
        st.sampled_from(["x", "y"]),
        st.sampled_from(["a", "b", "tie", ""]),
    ).map(",".join),
    max_size=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(rows=rows_of_a_study, data=st.data())
def test_rows_are_kept_or_listed_whatever_their_order(loaded, rows: list[str], data: st.DataObject) -> None:
    rows = ["t0,j,x,y,a", *rows]
    source = loaded(*rows)
    shuffled = loaded(*data.draw(st.permutations(rows)))
    assert source.judgments.height + source.set_aside.height == len(rows)
    columns = ["judgment_id", "task_id", "judge", "slot_a", "slot_b", pl.col("verdict").cast(pl.String)]
    assert (
        source.judgments.select(columns)
        .sort("judgment_id")
        .equals(shuffled.judgments.select(columns).sort("judgment_id"))
    )
    assert source.judgments["judgment_id"].is_unique().all()
    counts = [dict(one.set_aside.group_by("rule").len().iter_rows()) for one in (source, shuffled)]
    assert counts[0] == counts[1]


def test_every_rule_has_its_own_name() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
