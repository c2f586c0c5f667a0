import shutil
import subprocess
from pathlib import Path

import hand_made_estimates
import pytest

from recuse.figures.latex import escape, tables
from recuse.figures.numbers import number_keys, numbers_tex
from recuse.schema import EstimateFrame


@pytest.fixture
def three_judges() -> EstimateFrame:
    return hand_made_estimates.three_judges()


@pytest.fixture
def hostile() -> EstimateFrame:
    return hand_made_estimates.hostile()


SPECIALS = "\\{}$&#%_^~<>|\"'`[]"


def test_every_special_character_is_escaped() -> None:
    assert escape("\\") == r"\textbackslash{}"
    assert escape("a_b & c% #1 $x {y} ^z ~w") == (
        r"a\_b \& c\% \#1 \$x \{y\} \textasciicircum{}z \textasciitilde{}w"
    )
    assert escape("line\nbreak\\\\") == r"line break\textbackslash{}\textbackslash{}"


def test_what_leaves_is_ascii() -> None:
    assert escape("−1 κ Δ é 日 3·10⁻⁵ ½").isascii()


def test_a_table_has_caption_label_note_and_mathematical_minus(three_judges: EstimateFrame) -> None:
    text = tables(three_judges)["self_preference"]
    assert r"\label{tab:self-preference}" in text
    assert r"\caption{Does a judge prefer its own answers" in text
    assert r"{[}\ensuremath{-}13.0, +39.6{]}" in text
    assert "no human judge on any comparison" in text
    assert "None" not in text


def test_a_key_leads_to_value_limits_and_counts(three_judges: EstimateFrame) -> None:
    text = numbers_tex(three_judges)
    key = "self_preference_delta/judge=gpt-5.5/baseline=uninvolved"
    for field, value in {
        "Number": "+21.7 pp",
        "Low": "+6.0",
        "High": "+37.4",
        "N": "30",
        "Tasks": "15",
    }.items():
        assert rf"\recuse@set{{{field}}}{{{key}}}{{{value}}}" in text
    assert rf"\recuse@set{{P}}{{{key}/test=sign_flip}}{{p = .0098}}" in text


def test_keys_are_unique_also_for_names_that_look_alike(three_judges: EstimateFrame) -> None:
    rows = three_judges.lazy().collect().to_dicts()
    rows += [row | {"judge": "other/gpt-5.5"} for row in rows] + [
        row | {"judge": "other/gpt%5.5"} for row in rows
    ]
    keys = number_keys(rows)
    assert len(set(keys)) == len(keys)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
@pytest.mark.parametrize("frame", ["three_judges", "hostile"])
def test_tables_and_numbers_compile(
    engine: str, frame: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not installed")
    estimates = request.getfixturevalue(frame)
    key = number_keys(estimates.lazy().collect().to_dicts())[0]
    (tmp_path / "numbers.tex").write_text(numbers_tex(estimates), encoding="utf-8")
    body = "\n".join(tables(estimates).values())
    done = _compile(engine, rf"\RecuseNumber{{{key}}} \RecuseN{{{key}}} {body}", tmp_path)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "document.pdf").stat().st_size > 5_000
    assert "Missing character" not in (tmp_path / "document.log").read_text(errors="replace")


@pytest.mark.slow
def test_an_unknown_key_stops_tex(three_judges: EstimateFrame, tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    (tmp_path / "numbers.tex").write_text(numbers_tex(three_judges), encoding="utf-8")
    done = _compile("pdflatex", r"\RecuseNumber{no_such_key}", tmp_path)
    assert done.returncode != 0
    assert "no Number for 'no_such_key'" in done.stdout


def _compile(engine: str, body: str, folder: Path) -> subprocess.CompletedProcess[str]:
    head = r"\documentclass{article}\usepackage{booktabs,graphicx}\input{numbers}\begin{document}"
    (folder / "document.tex").write_text(f"{head}\n{body}\n\\end{{document}}\n", encoding="utf-8")
    return subprocess.run(
        [engine, "-interaction=nonstopmode", "-halt-on-error", "document.tex"],
        cwd=folder, capture_output=True, text=True, errors="replace", check=False, timeout=300,
    )  # fmt: skip
