"""A claim is read as it was meant, or refused in one line that names the nearest valid word."""

import pytest

from recuse.analysis.claims.parsing import check_names, parse_claim, parse_claims
from recuse.analysis.claims.record import KINDS
from recuse.analysis.comparisons import compare
from recuse.collectors.claims import read_claims
from recuse.collectors.sources import load
from recuse.errors import ConfigurationError, RecuseError, SourceError, UnknownNameError

OWN = {"id": "own", "kind": "self_preference", "judge": "openai/gpt-5.5"}


@pytest.fixture(scope="module")
def comparisons():
    return compare(load().judgments)


@pytest.mark.parametrize("word", ["absent", "negligible", "at chance"])
def test_absence_has_several_words_and_one_meaning(word):
    claim = parse_claim({**OWN, "direction": word})
    assert claim.direction == "absent"
    assert claim.is_equivalence


@pytest.mark.parametrize(
    ("table", "margin"),
    [
        (OWN, 0.10),
        ({"id": "g", "kind": "self_preference_gradient", "judge": "j"}, 0.10),
        ({"id": "s", "kind": "slot_preference", "judge": "j"}, 0.10),
        ({"id": "l", "kind": "longer_wins"}, 0.10),
        ({"id": "k", "kind": "agreement", "judge": "j", "judge_2": "k"}, 0.20),
        ({"id": "f", "kind": "rate", "rate": "flip_rate", "judge": "j", "bar": 0.1}, 0.05),
        ({"id": "a", "kind": "rate", "rate": "slot_a_rate", "judge": "j", "bar": 0.5}, 0.10),
        ({"id": "b", "kind": "beats", "generator": "x", "opponent": "y"}, 0.05),
    ],
)
def test_the_usual_margins(table, margin):
    assert parse_claim({**table, "direction": "absent"}).margin_or_usual == margin
    assert parse_claim({**table, "direction": "absent", "margin": 0.03}).margin_or_usual == 0.03


def test_nulls_signs_and_families():
    assert parse_claim(OWN).null == 0
    assert parse_claim({"id": "s", "kind": "slot_preference", "judge": "j"}).null == 0.5
    assert parse_claim({"id": "f", "kind": "rate", "rate": "flip_rate", "judge": "j", "bar": 0.1}).null == 0.1
    assert parse_claim({**OWN, "direction": "below"}).sign == -1
    assert parse_claim(OWN).family_or_kind == "self_preference"
    assert parse_claim({**OWN, "family": "three"}).family_or_kind == "three"
    assert parse_claim({**OWN, "study": "one"}).study == ("one",)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({**OWN, "kind": "self_prefrence"}, "claim own: unknown kind 'self_prefrence'; did you mean"),
        ({**OWN, "tir": "objective"}, "unknown key of kind self_preference 'tir'; did you mean 'tier'?"),
        ({**OWN, "direction": "abov"}, "claim own: unknown direction 'abov'; did you mean 'above'?"),
        ({**OWN, "published": {"estimat": 0.3}}, "key of published 'estimat'; did you mean 'estimate'?"),
        ({**OWN, "published": {"estimate": 28.3}}, "published.estimate is 28.3: write shares, not percent"),
        ({**OWN, "published": {"estimate": 0.3, "low": 0.1}}, "an interval needs low and high"),
        ({**OWN, "published": {"estimate": 0.3, "low": 0.4, "high": 0.5}}, "has to lie between low and high"),
        ({**OWN, "published": 3}, "published: a table is needed, such as { estimate = 0.1 }"),
        ({**OWN, "judge": 3}, "judge: a text is needed"),
        ({**OWN, "margin": 0.1}, 'a margin belongs to direction = "absent"'),
        ({**OWN, "kind": "slot_preference", "direction": "absent", "margin": 0.5}, "leaves nothing out"),
        ({"id": "own", "kind": "self_preference"}, "claim own: judge is missing"),
        ({"kind": "self_preference", "judge": "j"}, "claim 1: id is missing"),
        ({"id": "own"}, "claim own has no kind"),
        ({"id": "r", "kind": "ranking", "order": ["a", "b", "a"]}, "stands in the order twice"),
        ({"id": "r", "kind": "ranking", "order": ["a", "b"], "direction": "below"}, "has no direction"),
        ({"id": "g", "kind": "self_preference_gradient", "judge": "j", "tier": "t"}, "leave out tier"),
        ({"id": "b", "kind": "beats", "generator": "x", "opponent": "x"}, "generator and opponent are one"),
        ({"id": "l", "kind": "longer_wins", "rewards": "concision"}, "belong to controlled = true"),
        ({"id": "k", "kind": "agreement", "judge": "x"}, "cohen_kappa needs two judges"),
        (
            {"id": "f", "kind": "rate", "rate": "fliprate", "judge": "j", "bar": 0.1},
            "did you mean 'flip_rate'?",
        ),
        ({"id": "w", "kind": "rate", "rate": "win_rate", "bar": 0.5}, "win_rate needs a generator"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(table, said):
    with pytest.raises(RecuseError) as caught:
        parse_claim(table)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        ({}, ConfigurationError, "begin each with a line [[claim]]"),
        ({"clam": [OWN]}, UnknownNameError, "did you mean 'claim'?"),
        ({"claim": [OWN, OWN]}, ConfigurationError, "two claims of one id: own"),
        ({"claim": [OWN], "sources": 3}, ConfigurationError, "sources: a list of texts is needed"),
    ],
)
def test_a_file_that_cannot_be_followed(content, error, said):
    with pytest.raises(error) as caught:
        parse_claims(content, "claims.toml")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"judge": "openai/gpt-5"}, "unknown judge 'openai/gpt-5'; did you mean 'openai/gpt-5.5'?"),
        ({"tier": "subjektive"}, "unknown tier 'subjektive'; did you mean 'subjective'?"),
        ({"study": "two-judges"}, "unknown study 'two-judges'; did you mean 'three-judges'?"),
    ],
)
def test_names_that_the_judgments_do_not_know(comparisons, changed, said):
    with pytest.raises(UnknownNameError) as caught:
        check_names([parse_claim({**OWN, **changed})], comparisons)
    assert str(caught.value) == f"claim own: {said}"


def test_generators_tasks_and_rewards_are_checked_too(comparisons):
    for table, nearest in [
        ({"kind": "beats", "generator": "xai/grok-4", "opponent": "openai/gpt-5.5"}, "xai/grok-4.3"),
        ({"kind": "ranking", "order": ["openai/gpt-5.5", "xai/grok-43"]}, "xai/grok-4.3"),
        ({"kind": "longer_wins", "controlled": True, "rewards": "concission"}, "concision"),
        ({"kind": "longer_wins", "controlled": True, "task": "len-sumarize"}, "len-summarize"),
        ({"kind": "slot_preference", "judge": "xai/grok-4.3", "probe": "mian"}, "main"),
    ]:
        with pytest.raises(UnknownNameError) as caught:
            check_names([parse_claim({"id": "c", **table})], comparisons)
        assert f"did you mean '{nearest}'?" in str(caught.value)


def test_a_file_is_read(tmp_path):
    path = tmp_path / "claims.toml"
    path.write_text('study = "three-judges"\n[[claim]]\nid = "own"\nkind = "self_preference"\njudge = "j"\n')
    found = read_claims(path)
    assert found.study == ("three-judges",)
    assert [claim.id for claim in found.claims] == ["own"]
    path.write_text("[[claim]\n")
    with pytest.raises(SourceError, match="not TOML"):
        read_claims(path)
    with pytest.raises(SourceError, match="check the path"):
        read_claims(tmp_path / "none.toml")


def test_every_kind_has_a_record_of_its_name():
    assert all(model.kind == kind for kind, model in KINDS.items())
