"""Sentences about very many tasks: small effects keep a digit, samples say that they are samples."""

from __future__ import annotations

import pytest

from recuse.figures.wording import could_have_seen, detectable_text, n_text


@pytest.mark.parametrize(
    ("effect", "text"),
    [(0.262, "26 pp"), (0.0204, "2 pp"), (0.0127, "1.3 pp"), (0.003, "0.3 pp"), (0.0004, "0.04 pp")],
)
def test_a_detectable_effect_is_never_said_to_be_0(effect, text):
    assert detectable_text(effect, "difference") == text


def test_what_rests_on_a_sample_says_so():
    row = {"n_presentations": None, "n_comparisons": 3145, "n_tasks": 629}
    sampled = "on a sample of 629 of 20,000 tasks, drawn by their names; one baseline judge per comparison"
    assert n_text(row | {"reason": sampled}) == "n = 3,145 comparisons, 629 tasks (a sample of tasks)"
    assert n_text(row | {"reason": "one baseline judge per comparison"}) == "n = 3,145 comparisons, 629 tasks"


def test_an_effect_beyond_its_scale_could_not_be_seen_whatever_its_size():
    row = {"mde": 1.35, "unit": "difference", "conf_low": -0.9, "conf_high": 0.9}
    assert could_have_seen(row) == (
        "; this design is too small to see any effect that is possible (minimum detectable effect)"
    )
    assert "135 pp" not in could_have_seen(row)
    assert "1.35 logits" in could_have_seen(row | {"unit": "logit"})
