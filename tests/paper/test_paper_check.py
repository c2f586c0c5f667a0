"""What a paper's text may hold, and what the check says of the rest."""

import importlib.resources

import hand_made_rows
import pytest

from recuse.paper.check import STATEMENTS, check_text, entries_of

KEY = "self_preference_delta/judge=gpt-5.5/baseline=uninvolved"
ENTRIES = entries_of(
    rf"\recuse@set{{Number}}{{{KEY}}}{{+21.7 pp}}"
    "\n"
    rf"\recuse@set{{Interval}}{{{KEY}}}{{{{[}}+6.0, +37.4{{]}}}}"
    "\n"
    r"\recuse@set{Count}{judges}{3}"
    "\n"
)
ROWS = {KEY: hand_made_rows.row(0.217, 0.06, 0.374, 0.008)}


def check(text: str) -> list[str]:
    return check_text({"paper.tex": text}, ENTRIES, ROWS)


def test_entries_are_read_with_their_braces():
    assert ENTRIES[("Interval", KEY)] == "{[}+6.0, +37.4{]}"


@pytest.mark.parametrize(
    "text",
    [
        rf"It is \RecuseNumber{{{KEY}}} with \RecuseCount{{judges}} judges.",
        rf"It is \RecuseEstimate{{{KEY}}}\RecuseSays{{{KEY}}}{{interval above zero}}.",
        r"Table~\ref{tab:x1}, \cite{work2024}, \arxiv{2410.21819}, \url{http://a.b/c3}. % 12 in a comment",
        "\\documentclass[11pt]{article}\n\\begin{document}None, one and two.\\end{document}",
        r"\setlength{\parindent}{3pt}",
        r"\includegraphics[width=.8\linewidth]{figures/a2.pdf} \vspace{2mm} \\[.3ex] \section{Results}",
        "% recuse: allow CR2 .8\nIntervals are CR2, power~.8.",
    ],
)
def test_what_may_stand(text):
    assert check(text) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("It is 21.7 points.", "paper.tex:1: 21.7 is typed, not looked up"),
        ("First line.\nWith power .8 only.", "paper.tex:2: .8 is typed, not looked up"),
        ("All three judges agree.", "paper.tex:1: three is typed, not looked up"),
        (r"It is $p = .04$.", "paper.tex:1: .04 is typed, not looked up"),
        ("Intervals are CR2.", "paper.tex:1: CR2 is typed, not looked up"),
        (r"\section{The 9 tasks}", "paper.tex:1: 9 is typed, not looked up"),
        (r"\caption{Of 1,852 tasks}", "paper.tex:1: 1,852 is typed, not looked up"),
        (r"\title{Why 7?}\begin{document}x\end{document}", "paper.tex:1: 7 is typed, not looked up"),
        (
            r"It is \RecuseNumber{no_such/judge=x}.",
            "paper.tex:1: numbers.tex has no Number for no_such/judge=x",
        ),
        (rf"It is \RecuseP{{{KEY}}}.", f"paper.tex:1: numbers.tex has no P for {KEY}"),
        (r"\RecuseSays{no_such}{shown}", "paper.tex:1: no estimate for no_such"),
        (
            rf"\RecuseSays{{{KEY}}}{{interval includes zero}}",
            f"paper.tex:1: the estimates do not say 'interval includes zero' of {KEY}",
        ),
    ],
)
def test_what_may_not(text, problem):
    assert check(text) == [problem]


def test_an_unknown_statement_names_the_known_ones():
    (problem,) = check(rf"\RecuseSays{{{KEY}}}{{huge}}")
    assert "no statement 'huge'; one of: interval above zero, " in problem


def test_generated_files_have_no_text():
    assert check_text({"numbers.tex": "% Generated: 12\n12"}, ENTRIES, ROWS) == []
    assert check_text({"preamble.tex": "% recuse: layout only\nwidth 12"}, ENTRIES, ROWS) == []


@pytest.mark.parametrize(
    ("low", "high", "p_value", "true"),
    [
        (0.1, 0.4, 0.01, {"interval above zero", "interval below one half", "shown"}),
        (-0.4, -0.1, 0.05, {"interval below zero", "interval below one half", "shown"}),
        (-0.1, 0.7, 0.3, {"interval includes zero", "interval includes one half", "not shown"}),
        (0.6, 0.7, None, {"interval above zero", "interval above one half"}),
        (None, None, None, set()),
    ],
)
def test_statements(low, high, p_value, true):
    row = hand_made_rows.row(0.0, low, high, p_value)
    assert {name for name, holds in STATEMENTS.items() if holds(row)} == true


def test_statements_of_the_estimate_itself():
    assert STATEMENTS["estimate is one"](hand_made_rows.row(1.0, 0.3, 1.0, None))
    assert not STATEMENTS["estimate is one"](hand_made_rows.row(0.99, 0.3, 1.0, None))
    detectable = STATEMENTS["below what is detectable"]
    assert detectable(hand_made_rows.row(-0.2, -0.5, 0.1, 0.2, mde=0.3))
    assert not detectable(hand_made_rows.row(0.4, 0.1, 0.7, 0.01, mde=0.3))
    assert not detectable(hand_made_rows.row(0.4, 0.1, 0.7, 0.01))


def test_no_text_of_the_package_holds_a_typed_number():
    skeleton = importlib.resources.files("recuse.paper") / "tex"
    texts = {path.name: path.read_text(encoding="utf-8") for path in skeleton.iterdir()}
    assert {"study.tex", "three-judges.tex", "definitions.tex"} <= set(texts)
    assert not [problem for problem in check_text(texts, {}, {}) if "is typed" in problem]
