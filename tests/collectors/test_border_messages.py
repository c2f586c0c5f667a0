"""Every line with which a file of judgments is refused, as a person reads it."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest

from recuse.collectors.sources import load
from recuse.errors import JudgmentsError, SourceError

HEADER = "task_id,judge,slot_a,slot_b,verdict"
GOOD = '{"task_id":"t","judge":"j","slot_a":"x","slot_b":"y","verdict":"a"}\n'


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refused(content: str | bytes, name: str = "v.csv") -> str:
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises((SourceError, JudgmentsError)) as caught:
        load(name)
    message = str(caught.value)
    assert "\n" not in message
    return message


VERDICT = "v.csv: a verdict is a, b or tie, in lower case and as shown, and empty where there is none; "
ROWS = {
    "upper case": (
        f"{HEADER}\nt,j,x,y,A\nt,j,y,x,B\nt,k,x,y,a\nt,l,x,y,TIE\nt,m,x,y,A\n",
        VERDICT + "4 rows fail: row 2 ('A'), row 3 ('B'), row 5 ('TIE') and 1 more; "
        "write them in lower case without blanks, if they name the slot as it was shown",
    ),
    "other words": (
        f"{HEADER}\nt,j,x,y,left\nt,j,y,x,[[A]]\n",
        VERDICT
        + "2 rows fail: row 2 ('left'), row 3 ('[[A]]'); say for each word which slot it names as shown, "
        "and rewrite the column; recuse import --list shows the formats that are read as they are",
    ),
    "a word for none": (
        f"{HEADER}\nt,j,x,y,ERROR\nt,j,y,x,a\n",
        VERDICT + "1 row fails: row 2 ('ERROR'); leave the verdict empty and let status say why "
        "(parse_failed, refused, error, abstained)",
    ),
    "tie where none is meant": (
        f"{HEADER},status\nt,j,x,y,tie,parse_failed\nt,j,y,x,a,ok\n",
        (
            "v.csv: a row without a usable verdict leaves it empty (tie is a verdict), and a row with one "
            "has status ok; 1 row fails: row 2 ('tie', 'parse_failed'); "
            "empty the verdict or correct the status"
        ),
    ),
    "ok without verdict": (
        f"{HEADER},status\nt,j,x,y,,ok\n",
        (
            "v.csv: a row of status ok has a verdict; 1 row fails: row 2 ('t', 'j'); "
            "give its verdict or the status that says why there is none"
        ),
    ),
    "unknown status": (
        f"{HEADER},status\nt,j,x,y,,failed\n",
        (
            "v.csv: status is ok, parse_failed, refused, error or abstained, in lower case; "
            "1 row fails: row 2 ('failed'); write one of these"
        ),
    ),
    "unknown judge kind": (
        f"{HEADER},judge_kind\nt,j,x,y,a,LLM\n",
        "v.csv: judge_kind is model or human, in lower case; 1 row fails: row 2 ('LLM'); write one of these",
    ),
    "unknown reward": (
        f"{HEADER},rewards\nt,j,x,y,a,length\n",
        (
            "v.csv: rewards is elaboration or concision, in lower case; 1 row fails: row 2 ('length'); "
            "write one of these"
        ),
    ),
    "negative length": (
        f"{HEADER},words_a\nt,j,x,y,a,5\nt,j,y,x,a,-3\n",
        "v.csv: words_a cannot be negative; 1 row fails: row 3 ('-3'); correct it or leave it empty",
    ),
    "part of a word": (
        f"{HEADER},words_a\nt,j,x,y,a,3.5\nt,j,y,x,a,many\n",
        (
            "v.csv: words_a is a whole number, or empty; 2 rows fail: row 2 ('3.5'), row 3 ('many'); "
            "correct the value or leave it empty"
        ),
    ),
    "infinite cost": (
        f"{HEADER},cost_usd\nt,j,x,y,a,inf\n",
        (
            "v.csv: cost_usd is a finite number, or empty; 1 row fails: row 2 ('inf'); "
            "correct the value or leave it empty"
        ),
    ),
    "negative replicate": (
        f"{HEADER},replicate\nt,j,x,y,a,-1\n",
        "v.csv: replicate counts from 0; 1 row fails: row 2 ('-1'); number repetitions 0, 1, 2, …",
    ),
    "no judge": (
        f"{HEADER}\nt,j,y,x,b\nt,,x,y,a\n",
        "v.csv: every row needs a judge; 1 row fails: row 3; fill it in or remove the row",
    ),
    "one address twice": (
        f"{HEADER},judgment_id\nt,j,x,y,a,1f\nt,j,y,x,a,1f\n",
        (
            "v.csv: a judgment_id names one presentation; 2 rows fail: row 2 ('1f'), row 3 ('1f'); "
            "leave judgment_id empty to have it computed"
        ),
    ),
}
FILES = {
    "columns missing": (
        "task,Judge,slot_a,slot_b,verdict\nt,j,x,y,a\n",
        (
            "cannot read v.csv: columns task_id, judge are missing; perhaps rename 'task' to task_id, "
            "'Judge' to judge; a file of this kind has task_id, judge, slot_a, slot_b, verdict, "
            "and this one has task, Judge, slot_a, slot_b, verdict; "
            "recuse import table reads any table by a mapping"
        ),
    ),
    "one column missing": (
        "task_id,judge,slot_a,slot_b\nt,j,x,y\n",
        (
            "cannot read v.csv: column verdict is missing; a file of this kind has task_id, judge, slot_a, "
            "slot_b, verdict, and this one has task_id, judge, slot_a, slot_b; "
            "recuse import table reads any table by a mapping"
        ),
    ),
    "semicolons": (
        "task_id;judge;slot_a;slot_b;verdict\nt;j;x;y;a\n",
        "cannot read v.csv: its fields are separated by semicolons; save it with commas between the fields",
    ),
    "Latin-1": (
        f"{HEADER}\nt,j,x,y,a\nt,j,é,x,a\n".encode("latin-1"),
        (
            "cannot read v.csv: line 3 is not UTF-8 (byte 0xe9); "
            "save the file as UTF-8 (in a spreadsheet: CSV UTF-8)"
        ),
    ),
    "UTF-16": (
        f"{HEADER}\nt,j,x,y,a\n".encode("utf-16"),
        "cannot read v.csv: it is written in UTF-16; save it as UTF-8 (in a spreadsheet: CSV UTF-8)",
    ),
    "nothing": (
        "\n",
        "cannot read v.csv: the file is empty; give a file with a header and at least one judgment",
    ),
    "a header alone": (
        f"{HEADER}\n",
        "cannot read v.csv: the file has a header and no rows; give a file with at least one row",
    ),
    "cut off in a row": (
        f"{HEADER}\nt,j,x,y,a\nt,j,y,x",
        (
            "cannot read v.csv: the header has 5 fields and 1 row has another number: row 3 (4); "
            "quote fields that hold a comma, and complete rows that are cut off"
        ),
    ),
    "a comma too many": (
        f'{HEADER}\nt,j,"x,\n1",y,a\nt,j,x,y,a,b\nt,j,y,x,b,\n',
        (
            "cannot read v.csv: the header has 5 fields and 2 rows have another number: "
            "row 3 (6), row 4 (6); quote fields that hold a comma, and complete rows that are cut off"
        ),
    ),
    "an open quote": (
        f'{HEADER}\nt,j,"x,y,a\nt,j,y,x,b\n',
        "cannot read v.csv: a quoted field is never closed, or the file is cut off; check its last lines",
    ),
    "a column twice": (
        f"{HEADER},verdict\nt,j,x,y,a,a\n",
        "cannot read v.csv: the header names a column twice: verdict; rename or remove one",
    ),
    "two tiers": (
        f"{HEADER},tier\nt,j,x,y,a,objective\nt,j,y,x,a,medium\nu,j,x,y,a,medium\n",
        (
            "cannot read v.csv: a task has one tier, and 1 task has several: t (medium, objective); "
            "make its rows agree"
        ),
    ),
    "a judge of two kinds": (
        f"{HEADER},judge_kind\nt,j,x,y,a,human\nt,j,y,x,a,\n",
        (
            "cannot read v.csv: a judge has one judge_kind, and 1 judge has several: j (human, model); "
            "make its rows agree"
        ),
    ),
    "blank rows only": (
        f"{HEADER}\n,,,,\n",
        (
            "cannot read v.csv: no judgment is left once rows are set aside; "
            "blank (no field of the row is filled): 1"
        ),
    ),
    "blank lines before the header": (
        f"\n\n{HEADER}\nt,j,x,y,a,b\n",
        (
            "cannot read v.csv: the header has 5 fields and 1 row has another number: row 4 (6); "
            "quote fields that hold a comma, and complete rows that are cut off"
        ),
    ),
    "a column of our own": (
        f"{HEADER},#row\nt,j,x,y,a,7\n",
        "cannot read v.csv: it has a column #row, which is used for the numbers of rows; rename it",
    ),
    "nothing left": (
        f"{HEADER}\nt,j,x,x,a\n",
        (
            "cannot read v.csv: no judgment is left once rows are set aside; "
            "self_comparison (both slots show the same answer, which probe main cannot ask): 1"
        ),
    ),
}
LINES = {
    "cut off": (
        GOOD + '{"task_id":"t","ju',
        (
            "cannot read v.jsonl: line 2 is cut off (Unterminated string starting at, character 16); "
            "repair or remove it"
        ),
    ),
    "broken inside": (
        GOOD + '\n{"task_id":,}\n' + GOOD,
        "cannot read v.jsonl: line 3 is not JSON (Expecting value, character 12); repair or remove it",
    ),
    "NaN": (
        GOOD.replace('"a"}', '"a","cost_usd":NaN}'),
        "cannot read v.jsonl: line 1 is not JSON (NaN is not a JSON number: write null); repair or remove it",
    ),
    "an array": (
        f"[{GOOD.strip()}]\n",
        "cannot read v.jsonl: line 1 is no JSON object; write one object per line, {...}, one judgment each",
    ),
    "half a character": (
        GOOD.replace('"j"', '"\\ud83d\\ude00"') + GOOD.replace('"j"', '"\\ud83d"'),
        (
            r"cannot read v.jsonl: line 2 holds half of a surrogate pair (\ud800 to \udfff), which is no "
            "character; write the text again from its source"
        ),
    ),
    "values of two kinds": (
        GOOD.replace('"j"', '{"name":"j"}') + GOOD.replace('"j"', '["j"]'),
        (
            "cannot read v.jsonl: the lines hold values that do not fit one column; "
            "give every key one kind of value, and write nested values as text"
        ),
    ),
    "nested values": (
        GOOD.replace('"j"', '{"name":"j"}'),
        (
            "cannot read v.jsonl: column judge holds nested values (Struct({'name': String})); "
            "it needs text: write it that way"
        ),
    ),
    "no fields": ("{}\n", "cannot read v.jsonl: its rows have no fields; give a file of judgments"),
    "nested without end": (
        GOOD + "[" * 100_000,
        "cannot read v.jsonl: line 2 is cut off (nested too deeply); repair or remove it",
    ),
    "numbers for verdicts": (
        GOOD.replace('"a"', "1"),
        VERDICT.replace("csv", "jsonl")
        + "1 row fails: line 1 ('1'); say for each word which slot it names as "
        "shown, and rewrite the column; recuse import --list shows the formats that are read as they are",
    ),
}


@pytest.mark.parametrize(("content", "message"), ROWS.values(), ids=ROWS.keys())
def test_rows_that_contradict_the_schema(content: str, message: str) -> None:
    assert refused(content) == message


@pytest.mark.parametrize(("content", "message"), FILES.values(), ids=FILES.keys())
def test_files_that_cannot_be_read(content: str | bytes, message: str) -> None:
    assert refused(content) == message


@pytest.mark.parametrize(("content", "message"), LINES.values(), ids=LINES.keys())
def test_lines_that_cannot_be_read(content: str, message: str) -> None:
    assert refused(content, "v.jsonl") == message


def test_all_offenders_stay_on_the_error() -> None:
    Path("v.csv").write_text(f"{HEADER}\n" + "".join(f"t{i},j,x,y,A\n" for i in range(50)))
    with pytest.raises(JudgmentsError) as caught:
        load("v.csv")
    assert len(caught.value.offenders) == 50
    assert caught.value.offenders[-1] == "row 51 ('A')"


def test_a_damaged_parquet_file_and_a_cut_gzip_file() -> None:
    assert refused(b"PAR1 and no more", "v.parquet") == (
        "cannot read v.parquet: it is no Parquet file, or it is cut off; write it again"
    )
    packed = gzip.compress(f"{HEADER}\nt,j,x,y,a\n".encode() * 9)
    assert refused(packed[:-9], "v.csv.gz") == (
        "cannot read v.csv.gz: the gzip file is cut off or damaged; fetch it again"
    )


def test_a_parquet_column_of_the_wrong_type() -> None:
    frame = pl.DataFrame(
        {"task_id": [1.5], "judge": ["j"], "slot_a": ["x"], "slot_b": ["y"], "verdict": ["a"]}
    )
    frame.write_parquet("v.parquet")
    with pytest.raises(SourceError) as caught:
        load("v.parquet")
    assert str(caught.value) == (
        "cannot read v.parquet: column task_id holds values of type Float64; it needs text: write it that way"
    )


def test_a_name_cannot_give_orders_to_the_terminal() -> None:
    message = refused(f"{HEADER},status\nt,\x1b[2J,x,y,,ok\n")
    assert "\x1b" not in message
    assert r"\x1b[2J" in message
