"""docs/importing.md says what the formats' declarations say, and its mapping is one."""

import re
import runpy
import tomllib
from pathlib import Path

from recuse.collectors.importers.registry import IMPORTERS, format_named
from recuse.collectors.importers.table import TableMapping, table_format

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "importing.md").read_text(encoding="utf-8")


def test_the_table_of_formats_is_generated():
    assert runpy.run_path(str(DOCS / "make_importing.py"))["importing"]() == PAGE, (
        "python docs/make_importing.py writes it"
    )


def test_every_format_is_on_the_page_and_says_what_it_must():
    for name in IMPORTERS:
        declared = format_named(name)
        assert declared.name == name
        assert f"| `{name}` |" in PAGE
        assert all((declared.title, declared.source, declared.winners, declared.keeps, declared.example))
        assert all(shape.keys for shape in declared.shapes)


def test_the_mapping_shown_is_one():
    shown = tomllib.loads(re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)[0])
    mapping = TableMapping.model_validate(shown)
    assert table_format(mapping).shapes[0].keys == ("prompt", "worker", "left", "right", "winner")
