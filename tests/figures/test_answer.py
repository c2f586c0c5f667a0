"""What stands at the head of a page."""

import hand_made_estimates

from recuse.figures.answer import short_answer, study_setup
from recuse.schema import Estimates

DELTA = {
    "estimand": "self_preference_delta", "baseline": "uninvolved", "unit": "difference", "interval": "cr2",
    "conf_level": 0.95,
}  # fmt: skip


def test_what_stands_what_does_not_and_the_slot() -> None:
    stands, open_, slot = short_answer(hand_made_estimates.three_judges())
    assert "1 of 2 judges scores its own answers higher" in stands
    assert stands.endswith("GPT-5.5 +21.7 pp [+6.0, +37.4].")
    assert open_.startswith("For 1 of 2 judges the interval includes 0, which is no evidence of no bias")
    assert open_.endswith("smallest effect this design could have seen 33 pp.")
    assert slot.endswith("Grok-4.3 72.4 % slot A, p = .0039.")


def test_a_judge_that_is_harder_on_itself_is_no_self_preference() -> None:
    harder = DELTA | {"judge": "m/x", "estimate": -0.3, "conf_low": -0.5, "conf_high": -0.1}
    first, second = short_answer(hand_made_estimates.estimate_rows([harder]))
    assert "none of 1 judge score their own answers higher" in first
    assert second == "1 of 1 judge lower, in the same sense: x −30.0 pp [−50.0, −10.0]."


def test_no_uninvolved_judge_is_no_answer() -> None:
    lost = DELTA | {"judge": "m/x", "reason": "no uninvolved judge", "interval": None, "conf_level": None}
    frame = hand_made_estimates.estimate_rows([lost])
    assert short_answer(frame) == ["For 1 of 1 judge there is no answer: x."]
    assert dict(study_setup(frame))["Judges"] == "1: x (m/x)"


def test_nothing_says_so() -> None:
    assert short_answer(Estimates.create_empty()) == ["No quantity could be estimated from these judgments."]
    assert study_setup(Estimates.create_empty()) == []


def test_other_estimates_are_not_denied_where_neither_bias_has_one() -> None:
    rows = [
        {"estimand": "win_rate", "generator": "g", "estimate": 0.5},
        {"estimand": "slot_a_rate", "judge": "j", "reason": "one order was asked"},
    ]
    (said,) = short_answer(hand_made_estimates.estimate_rows(rows))
    assert said == "Neither self-preference nor a lean toward a slot can be estimated from these judgments."
