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
