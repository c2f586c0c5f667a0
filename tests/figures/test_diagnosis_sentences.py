"""The diagnosis in words: every number with its set-up, every symptom with its remedy."""

import hand_made_estimates
import pytest

from recuse.figures.diagnosis import diagnoses, diagnosis_lines
from recuse.figures.diagnosis_words import REMEDIES
from recuse.figures.html import report_html
from recuse.schema import Estimates

DELTA = {
    "estimand": "self_preference_delta", "baseline": "uninvolved", "unit": "difference", "conf_level": 0.95,
    "interval": "cr2", "test": "dual_of_cr2", "n_comparisons": 30, "n_tasks": 15,
}  # fmt: skip
HARDER = DELTA | {"judge": "m/x", "estimate": -0.3, "conf_low": -0.5, "conf_high": -0.1, "p_value": 0.01}
OPEN = DELTA | {
    "judge": "m/y",
    "estimate": 0.1,
    "conf_low": -0.2,
    "conf_high": 0.4,
    "p_value": 0.5,
    "mde": 0.4,
}
PROBE = {
    "estimand": "long_wins_score", "probe": "length", "estimate": 0.6, "conf_low": 0.1, "conf_high": 0.9,
    "interval": "cr3_logit", "std_error": 0.2, "n_comparisons": 9, "n_tasks": 3, "judge": "m/y",
}  # fmt: skip


def test_the_symptom_is_told_with_its_numbers_and_its_remedy():
    (slot,) = [one for one in diagnoses(hand_made_estimates.three_judges()) if one.bias == "position bias"]
    assert (slot.subject, slot.level) == ("Grok-4.3", "shown")
    assert "72.4 %" in slot.symptom
    assert "sign-flip over task sums of lean p = .0039" in slot.symptom
    assert slot.remedy is REMEDIES["position"]
    assert slot.beside[0].startswith("Of its hard reversals 100.0 % go to slot A (n = 16 comparisons)")
    assert slot.key == "slot_a_rate/judge=grok-4.3/test=sign_flip_task_lean"


def test_a_judge_harder_on_itself_is_told_as_the_opposite():
    (told,) = diagnoses(hand_made_estimates.estimate_rows([HARDER]))
    assert "−30.0 pp [−50.0, −10.0] (CR2 by task" in told.symptom
    assert told.symptom.endswith("the opposite of self-preference.")


def test_what_is_not_shown_comes_with_what_would_have_been():
    own, length = sorted(
        diagnoses(hand_made_estimates.estimate_rows([OPEN, PROBE])), key=lambda one: one.bias
    )[::-1]
    assert own.symptom.startswith(
        "No preference for itself is shown; smallest effect that would have been found: 40.0 pp."
    )
    assert own.remedy is None
    assert length.detectable == "none that is possible"


def test_the_terminal_says_it_in_brief():
    lines = diagnosis_lines(hand_made_estimates.estimate_rows([OPEN, PROBE]))
    assert lines[0] == "No symptom of a bias is shown."
    assert lines[1].startswith("Not shown (in brackets the smallest effect that would have been found")
    assert lines[1].endswith("y length bias (none that is possible); y self-preference (40.0 pp).")
    first = diagnosis_lines(hand_made_estimates.three_judges())[0]
    assert "self-preference" in first or "position bias" in first
    assert "Do: " in first
    assert diagnosis_lines(Estimates.create_empty()) == []


def test_a_name_stays_text_on_the_page():
    page = report_html(hand_made_estimates.hostile())
    assert 'id="diagnosis"' in page
    assert "<script>" not in page


@pytest.mark.parametrize("remedy", REMEDIES.values(), ids=REMEDIES)
def test_no_remedy_holds_a_number(remedy):
    words = f"{remedy.name} {remedy.mechanism} {remedy.mitigation} {remedy.caveat}"
    assert not any(sign.isdigit() for sign in words)
    assert remedy.source.startswith("arXiv:") or remedy.source.startswith("no source")


def test_what_has_no_estimate_is_not_put_into_a_sentence_about_one() -> None:
    reason = "one order was asked: slot and generator cannot be told apart"
    row = {"estimand": "slot_a_rate", "judge": "j", "test": "sign_flip_task_lean", "reason": reason}
    (found,) = diagnoses(hand_made_estimates.estimate_rows([row]))
    assert found.symptom == f"That there is position bias cannot be told: {reason}."
