import hand_made_estimates
import pytest

from recuse.figures.findings import findings
from recuse.schema import EstimateFrame, Estimates


@pytest.fixture
def three_judges() -> EstimateFrame:
    return hand_made_estimates.three_judges()


def test_the_first_sentence_answers_the_question(three_judges: EstimateFrame) -> None:
    first, second, *_ = findings(three_judges)
    assert first.lower().startswith("gpt-5.5's self-preference against uninvolved judges is +21.7 pp")
    assert "95 % interval [+6.0, +37.4] excludes 0" in first
    assert "(bootstrap-t over tasks; n = 30 comparisons, 15 tasks)" in first
    assert first.endswith("Against all peers: +28.3 pp [+17.0, +39.6].")
    assert "includes 0" in second
    assert "could have seen 33 pp (minimum detectable effect), so this is not evidence of no bias" in second


def test_position_gives_the_three_tests_in_order(three_judges: EstimateFrame) -> None:
    sentence = findings(three_judges)[-1]
    parts = [
        "72.4 %",
        "sign-flip over tasks p = .0039, the smallest it can be with 9 non-zero task sums",
        "all 16 hard reversals toward slot A (sign test p = 3.1·10⁻⁵)",
        "pooled binomial p = 1.2·10⁻⁴",
    ]
    places = [sentence.index(part) for part in parts]
    assert places == sorted(places)


def test_no_sentence_gives_a_cause_or_a_missing_number(three_judges: EstimateFrame) -> None:
    text = " ".join(findings(three_judges))
    assert not any(word in text for word in ("because", "None", "nan"))


def test_without_estimates_a_sentence_says_so() -> None:
    assert findings(Estimates.create_empty()) == ["No quantity could be estimated from these judgments."]


def _length_rows(raw: float, low: float, high: float, controlled: float) -> EstimateFrame:
    shared = {"judge": "openai/gpt-5.5", "conf_level": 0.95, "n_tasks": 13}
    return hand_made_estimates.estimate_rows(
        [
            shared | {"estimand": "longer_wins_rate", "estimate": raw, "conf_low": low, "conf_high": high},
            shared | {"estimand": "long_wins_score", "probe": "length", "estimate": controlled},
        ]
    )


def test_the_raw_length_rate_is_not_left_alone_beside_another_controlled_one() -> None:
    (sentence,) = (
        text for text in findings(_length_rows(0.486, 0.30, 0.675, 0.78)) if "Uncontrolled" in text
    )
    assert "wins 48.6 % (GPT-5.5) of decisions" in sentence
    assert "scores 78.0 % to 78.0 %" in sentence
    assert "The 48.6 % of GPT-5.5" in sentence


@pytest.mark.parametrize("rates", [(0.486, 0.10, 0.90, 0.78), (0.70, 0.6, 0.75, 0.9)])
def test_nothing_is_hidden_where_the_raw_interval_holds_the_rate_or_already_shows_it(
    rates: tuple[float, float, float, float],
) -> None:
    assert not any("Uncontrolled" in text for text in findings(_length_rows(*rates)))


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.4, 2.0, "its verdicts still favour them"),
        (-2.0, -0.4, "its verdicts go against them"),
        (-0.5, 2.0, "no favour is shown, nor is one excluded"),
    ],
)
def test_the_joint_model_says_what_remains_of_self_preference(low: float, high: float, said: str) -> None:
    row = {
        "estimand": "joint_own", "judge": "openai/gpt-5.5", "unit": "logit", "estimate": (low + high) / 2,
        "conf_low": low, "conf_high": high, "conf_level": 0.95, "interval": "jackknife", "p_value": 0.04,
        "n_presentations": 90, "n_tasks": 15, "mde": 1.0,
    }  # fmt: skip
    length = row | {"estimand": "joint_length"}
    (sentence,) = findings(hand_made_estimates.estimate_rows([row, length]))
    assert said in sentence
    assert "With strengths, position and length in one model" in sentence
    assert ("could have seen 1.00 logits" in sentence) == (low < 0 < high)
