"""TeX is run until references stand still; its complaint is one line; a PDF knows what it was made from."""

import shutil

import pytest

from recuse.errors import ConfigurationError, TypesettingError
from recuse.paper.skeleton import SOURCES, lay_out
from recuse.paper.typesetting import ENGINES, inputs_of, stale, typeset

TEX = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex is installed")
DOCUMENT = r"\documentclass{{article}}\begin{{document}}{}\end{{document}}"


def write(folder, body):
    (folder / "paper.tex").write_text(DOCUMENT.format(body), encoding="utf-8")


def test_without_tex_one_line_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(ConfigurationError, match=r"no TeX is installed \(pdflatex or lualatex\); install "):
        typeset(tmp_path)


@TEX
@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_references_are_resolved(tmp_path, engine):
    write(tmp_path, r"\section{A}\label{a}See Section~\ref{a}.")
    assert typeset(tmp_path, engine=engine).read_bytes().startswith(b"%PDF")
    assert "undefined" not in (tmp_path / "paper.log").read_text(encoding="utf-8", errors="replace")
    assert stale(tmp_path) == []


@TEX
def test_the_complaint_is_tex_s_own_with_its_line(tmp_path):
    write(tmp_path, "fine\n\n\\nosuchcommand")
    with pytest.raises(
        TypesettingError, match=r"pdflatex stopped: Undefined control sequence \(line 3\); paper.log"
    ):
        typeset(tmp_path)


@TEX
def test_no_shell_is_reached(tmp_path):
    write(tmp_path, r"\immediate\write18{touch owned}x")
    typeset(tmp_path)
    assert not (tmp_path / "owned").exists()


@TEX
def test_a_pdf_is_stale_once_anything_it_was_made_from_changes(tmp_path):
    assert stale(tmp_path) == ["there is no paper.pdf"]
    write(tmp_path, "one")
    (tmp_path / "estimates.parquet").write_bytes(b"first")
    typeset(tmp_path)
    first = (tmp_path / "paper.pdf").read_bytes()
    assert stale(tmp_path) == []
    (tmp_path / "estimates.parquet").write_bytes(b"second")
    assert stale(tmp_path) == ["paper.pdf is older than estimates.parquet"]
    (tmp_path / "estimates.parquet").write_bytes(b"first")
    typeset(tmp_path)
    assert (tmp_path / "paper.pdf").read_bytes() == first
    (tmp_path / "paper.pdf").write_bytes(b"%PDF of another")
    assert stale(tmp_path) == ["paper.pdf is not the one that paper.made-from.json is about"]


def test_a_text_that_is_there_stays(tmp_path):
    write(tmp_path, "mine")
    written = lay_out(tmp_path, "any")
    assert {path.name for path in written} == set(SOURCES)
    assert "mine" in (tmp_path / "paper.tex").read_text(encoding="utf-8")
    assert set(inputs_of(tmp_path)) == {"paper.tex", *SOURCES}
