import io
import re
import shutil
import subprocess

import polars as pl
import pytest
from rich.console import Console

from recuse.analysis.calibration.cases import calibration_of
from recuse.analysis.calibration.gates import evaluate_gates, parse_gate
from recuse.analysis.calibration.reference import adjudicators_of
from recuse.analysis.calibration.report import calibration_estimates
from recuse.analysis.calibration.versions import compare_versions
from recuse.collectors.label_sets import with_humans_of
from recuse.collectors.labels import read_labels
from recuse.figures.card_pages import card_html, card_latex, card_markdown, print_card
from recuse.figures.judge_card import About, judge_card
from recuse.figures.version_tables import Version, version_card
from recuse.labels import Labels

ATTACK = "</td><script>alert(1)</script>|`_*$\\input{x}&%#~\x1b[31m"
GATES = ["false_approval{case_type=exclusion} upper bound ≤ 0.05", "agreement lower bound ≥ 0.7"]


def card_of(labels, judge, gates=(), notes=()):
    calibration = calibration_of(labels, study="study", adjudicators=adjudicators_of(labels))
    estimates = calibration_estimates(calibration)
    results = evaluate_gates(
        [parse_gate(text, blocking=True) for text in gates],
        estimates,
        judge,
        case_types=calibration.case_types,
    )
    about = About("study", judge, "dev", "v1", "r1", "40 cases", tuple(notes), ("Never opened.",))
    return judge_card(estimates, about, results)


@pytest.fixture(scope="module")
def card():
    return card_of(read_labels("worked-example").labels, "synthetic-judge", GATES)


@pytest.fixture(scope="module")
def hostile():
    labels = read_labels("worked-example").labels
    named = labels.with_columns(
        rater=pl.when(pl.col("rater") == "synthetic-judge").then(pl.lit(ATTACK)).otherwise("rater"),
        case_type=pl.when(pl.col("case_type") == "exclusion").then(pl.lit(ATTACK)).otherwise("case_type"),
        failed_checks=pl.col("failed_checks").list.eval(pl.lit(ATTACK)),
    )
    return card_of(Labels.validate(named), ATTACK, notes=[ATTACK])


def printed(card):
    console = Console(file=io.StringIO())
    print_card(card, console)
    return console.file.getvalue()


def test_the_dangerous_type_comes_first_and_agreement_never_alone(card):
    assert card.findings[0] == (
        "Worst in exclusion: it approves 4 of 4 cases that humans reject (100.0 %, 95 % interval 39.8 to "
        "100.0 %), while over all cases it agrees with the humans on 36 of 40 cases (90.0 %)."
    )
    errors = card.tables[0]
    assert errors.body[0][:3] == ("exclusion (worst)", "4 of 4", "100.0 [39.8, 100.0]")
    assert errors.body[0][3:5] == ("– of 0", "undefined")
    assert errors.body[-1][0] == "all cases"
    assert "Undefined: no case that humans approved (which is not a rate of 0)." in errors.note


def test_every_rendering_holds_every_cell(card):
    plain = {"terminal": printed(card), "HTML": re.sub(r"<[^>]+>", " ", card_html(card))}
    for table in card.tables:
        for row in table.body:
            for cell in row:
                shown = {name: cell in text.replace("&gt;", ">") for name, text in plain.items()}
                assert all(shown.values()), (cell, shown)
    assert "**exclusion \\(worst\\)**" in card_markdown(card)
    assert r"\bfseries exclusion (worst)" in card_latex(card)


def test_what_does_not_pass_stands_out(card):
    gates = next(table for table in card.tables if table.key == "gates")
    assert [row[2] for row in gates.body] == ["FAIL", "pass"]
    assert re.search(r'<tr class="alarm">[^\n]*FAIL', card_html(card))


def test_no_rendering_calls_a_verdict_that_parses_right(card):
    for text in (printed(card), card_html(card), card_markdown(card), card_latex(card)):
        assert "valid" not in text.lower()
        assert "only the human labels say how often it is" in " ".join(text.split())
        assert not re.search(r"\b(None|nan|NaN)\b", text)


def test_html_holds_no_element_of_the_labels(hostile):
    page = card_html(hostile)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "default-src 'none'" in page


def test_markdown_escapes_what_markdown_and_html_would_read(hostile):
    page = card_markdown(hostile)
    assert not re.search(r"(?<!\\)<", page)
    for line in page.splitlines():
        if line.startswith("| ") and "script" in line:
            assert re.search(r"\\\|\\`\\_\\\*\\\$", line)
    width = {
        len(re.findall(r"(?<!\\)\|", line))
        for line in page.splitlines()
        if line.startswith("| ") and "of" in line
    }
    assert len(width) <= len(hostile.tables)


def test_no_escape_sequence_reaches_the_terminal(hostile):
    assert "\x1b" not in printed(hostile)


@pytest.mark.slow
@pytest.mark.parametrize("which", ["card", "hostile"])
@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_latex_compiles(which, engine, request, tmp_path):
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not installed")
    head = r"\documentclass{article}\usepackage{booktabs,graphicx}\begin{document}"
    text = f"{head}\n{card_latex(request.getfixturevalue(which))}\n\\end{{document}}\n"
    (tmp_path / "card.tex").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [engine, "-interaction=nonstopmode", "-halt-on-error", "card.tex"],
        cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]


def test_two_versions_side_by_side():
    old, new = with_humans_of(read_labels("worked-example"), read_labels("worked-example-v2"))
    before, after = (
        calibration_of(source.labels, study="s", adjudicators=adjudicators_of(source.labels))
        for source in (old, new)
    )
    comparison = compare_versions(before, after, "synthetic-judge", "synthetic-judge")
    about = About("s", "synthetic-judge", "dev", "v2", "r2", "40 cases", (), ("Never opened.",))
    versions = [Version("synthetic-judge", "s", f"v{n}", f"r{n}") for n in (1, 2)]
    page = version_card(comparison, *versions, about)
    assert page.title == "From synthetic-judge v1 to synthetic-judge v2"
    assert page.findings == (
        "False approvals: 4 of 14 before, 1 of 14 now; 3 went and 0 came, p = .25.",
        "False rejections: 0 of 26 before, 1 of 26 now; 0 went and 1 came, p = 1.",
    )
    assert ("Rubric version", "r1 → r2") in page.setup
    cases = next(table for table in page.tables if table.key == "changed_cases")
    assert sorted(row[-1] for row in cases.body) == ["right now", "right now", "right now", "wrong now"]


def test_without_a_rejected_case_the_finding_says_undefined():
    labels = read_labels("worked-example").labels
    good = labels.filter(pl.col("case_type").is_in(["plain", "amount"]) & (pl.col("probe") == "main"))
    human = good.filter((pl.col("rater") == "synthetic-human-1") & pl.col("approved"))["case_id"].to_list()
    found = card_of(Labels.validate(good.filter(pl.col("case_id").is_in(human))), "synthetic-judge")
    assert found.findings[0].startswith("How often it approves what humans reject is undefined (no case that")
