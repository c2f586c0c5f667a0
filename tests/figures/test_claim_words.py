"""Claims and verdicts in words, in the terminal, and drawn."""

import io

import pytest
from rich.console import Console

from recuse.analysis.claims.outcomes import judge_claims
from recuse.analysis.claims.parsing import parse_claim
from recuse.analysis.comparisons import compare
from recuse.analysis.settings import Settings
from recuse.collectors.sources import load
from recuse.figures.claim_chart import ladder_chart
from recuse.figures.claim_pages import print_claims
from recuse.figures.claim_tables import claims_table, ladder_table
from recuse.figures.claim_words import answer, models_of, reasoning, statement, survivors

GPT, CLAUDE, GROK = "openai/gpt-5.5", "anthropic/claude-sonnet-4-6", "xai/grok-4.3"
TABLES = [
    {"id": "gpt", "kind": "self_preference", "judge": GPT, "published": {"estimate": 0.283}},
    {"id": "grok", "kind": "self_preference", "judge": GROK},
    {"id": "slot", "kind": "slot_preference", "judge": GPT, "direction": "absent"},
]


@pytest.fixture(scope="module")
def outcomes():
    source = load()
    comparisons = compare(source.judgments, families=source.families)
    return judge_claims([parse_claim(table) for table in TABLES], comparisons, Settings(n_resamples=999))


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"kind": "self_preference", "judge": GPT}, "GPT-5.5 prefers its own answers"),
        (
            {"kind": "self_preference", "judge": GPT, "direction": "absent", "tier": "objective"},
            "GPT-5.5 does not prefer its own answers, objective tasks (within ±10.0 pp)",
        ),
        (
            {"kind": "self_preference_gradient", "judge": GROK, "direction": "below"},
            "Grok-4.3's self-preference shrinks with subjectivity",
        ),
        (
            {"kind": "beats", "generator": GPT, "opponent": GROK, "direction": "below", "judge": CLAUDE},
            "GPT-5.5 loses to Grok-4.3, by Claude Sonnet 4.6",
        ),
        ({"kind": "ranking", "order": [GPT, GROK]}, "GPT-5.5 > Grok-4.3, over all judges"),
        (
            {"kind": "slot_preference", "judge": GROK, "direction": "below", "probe": "identical"},
            "Grok-4.3 prefers slot B in probe identical",
        ),
        (
            {"kind": "longer_wins", "controlled": True, "rewards": "concision", "study": ["a", "b"]},
            "the longer version wins where concision is rewarded, over all judges (a and b)",
        ),
        (
            {"kind": "agreement", "judge": GPT, "judge_2": GROK, "direction": "at chance"},
            "GPT-5.5 and Grok-4.3 agree at chance (κ) (within ±0.20)",
        ),
        (
            {"kind": "agreement", "statistic": "krippendorff_alpha", "bar": 0.667},
            "the judges agree above 0.67 (α)",
        ),
        (
            {"kind": "rate", "rate": "flip_rate", "judge": GPT, "bar": 0.1, "direction": "below"},
            "GPT-5.5's flip rate is below 10.0 %",
        ),
        (
            {"kind": "rate", "rate": "win_rate", "generator": GPT, "bar": 0.5},
            "GPT-5.5's win rate is above 50.0 %, over all judges",
        ),
    ],
)
def test_a_record_in_words(table, said):
    claim = parse_claim({"id": "c", **table})
    assert statement(claim, models_of([claim])) == said


def test_the_answer_counts_and_names(outcomes):
    assert answer(outcomes) == "2 of 3 claims survive; 1 falls."
    assert answer(outcomes[:1]) == "1 of 1 claim survives."
    assert answer(outcomes[1:2]) == "0 of 1 claim survives; 1 falls."
    assert survivors(outcomes) == (
        "What survives: GPT-5.5 prefers its own answers; GPT-5.5 has no slot preference (within ±10.0 pp)."
    )
    assert survivors(outcomes[1:2]) == ""


def test_the_reasoning_names_rung_margin_and_correction(outcomes):
    gpt, grok, slot = map(reasoning, outcomes)
    assert "at equal length, uninvolved families" in gpt
    assert "after Holm over 2 claims" in gpt
    assert "at least half of the published distance of 28.3 pp" in gpt
    assert "less than half of the naive distance" in grok
    assert "the usual margin [40.0, 60.0]" in slot
    assert "alone in its family" in slot


def test_a_pipe_gets_one_line_per_claim_and_a_terminal_a_folded_table(outcomes):
    piped = io.StringIO()
    print_claims(outcomes, Console(file=piped, width=80))
    lines = piped.getvalue().splitlines()
    assert sum(line.startswith(("survives", "falls")) for line in lines[4:8]) == 3
    shown = io.StringIO()
    print_claims(outcomes, Console(file=shown, width=80, force_terminal=True, color_system=None))
    assert max(map(len, shown.getvalue().splitlines())) <= 80
    assert "at equal length," in shown.getvalue()


def test_a_ladder_has_every_rung_and_marks_the_one_that_decides(outcomes):
    names = models_of(outcome.claim for outcome in outcomes)
    table = ladder_table(outcomes[0], names)
    assert [row[0] for row in table.body] == [
        "as printed",
        "as usually read",
        "both orders resolved",
        "tasks as clusters",
        "uninvolved judges",
        "uninvolved families",
        "▸ at equal length, uninvolved families",
        "human judges",
        "multiplicity (Holm)",
    ]
    assert {len(row) for row in table.body} == {len(table.header)}
    assert table.body[0][1] == "+28.3"


def test_the_narrow_table_leaves_two_columns_out(outcomes):
    wide, narrow = claims_table(outcomes), claims_table(outcomes, narrow=True)
    assert set(wide.header) - set(narrow.header) == {"Claim", "p"}
    assert {len(row) for row in narrow.body} == {len(narrow.header)}


def test_the_figure_has_a_panel_per_claim_and_one_deciding_mark_in_each(outcomes):
    spec = ladder_chart(outcomes).to_dict()
    values = next(iter(spec.get("datasets", {}).values()), None) or spec["vconcat"][0]["data"]["values"]
    panels = {record["panel"] for record in values}
    assert panels == {"gpt: survives", "grok: falls", "slot: survives"}
    for panel in panels:
        assert sum(record["decides"] for record in values if record["panel"] == panel) == 1
    margins = {(record["from"], record["to"]) for record in values if record["claim"] == "slot"}
    assert margins == {(40.0, 60.0)}
    assert ladder_chart([]) is None
