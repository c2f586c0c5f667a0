"""The script of a page is made once and kept, and a folder that cannot be written to loses nothing."""

import pytest

from recuse.figures import vega


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(vega.platformdirs, "user_cache_path", lambda _name: tmp_path / "cache")
    vega.vega_bundle.cache_clear()
    yield tmp_path / "cache"
    vega.vega_bundle.cache_clear()


def test_what_was_kept_is_used_and_cannot_end_its_script(folder):
    folder.mkdir()
    vega._path().write_text("let a = '</script><!--';", encoding="utf-8")
    assert vega.vega_bundle() == r"let a = '<\/script><\!--';"


def test_what_is_made_is_kept_whole(folder, monkeypatch):
    monkeypatch.setattr(vega, "_made", lambda: "made")
    assert vega.vega_bundle() == "made"
    assert vega._path().read_text(encoding="utf-8") == "made"
    assert [path.suffix for path in folder.iterdir()] == [".js"]


def test_a_folder_that_cannot_be_made_loses_nothing(folder, monkeypatch):
    folder.write_text("a file where the folder would be", encoding="utf-8")
    monkeypatch.setattr(vega, "_made", lambda: "made")
    assert vega.vega_bundle() == "made"
