"""The outputs on docs/scale.md are the program's own."""

import re
import shlex
from pathlib import Path

from recuse.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "scale.md"
BLOCK = re.compile(r"```console\n\$ recuse (?P<command>[^\n]+)\n(?P<output>.*?)```", re.DOTALL)


def test_commands_print_what_the_page_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = list(BLOCK.finditer(PAGE.read_text(encoding="utf-8")))
    assert len(blocks) == 2
    for block in blocks:
        main(shlex.split(block["command"]))
        printed = capsys.readouterr()
        assert printed.out + printed.err == block["output"]


def test_a_frame_of_ones_own_is_reduced_as_the_page_says(tmp_path, monkeypatch):
    duckdb = __import__("pytest").importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    main(["export", "three-judges", "--out", "judgments.parquet"])
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    code = code.replace(
        'spark.read.parquet("s3a://bucket/judgments")', 'duckdb.read_parquet("judgments.parquet")'
    )
    exec(code.replace("s3a://bucket/reduced", "reduced.parquet"), {"duckdb": duckdb})  # noqa: S102
    assert main(["export", "reduced.parquet", "--out", "again.csv"]) == 0
