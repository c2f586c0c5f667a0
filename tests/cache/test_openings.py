from dataclasses import replace

from recuse.cache.openings import Opening, case_digests, log_openings, openings_of, spoken_openings
from recuse.cache.store import Store

CASES = case_digests([("c1", "plain"), ("c2", "rare")])
FIRST = Opening("2026-01-02T03:04:05.000001Z", "s", "judge", "v1", "r1", CASES)
SECOND = replace(FIRST, opened_at="2026-02-03T04:05:06.000001Z", rubric_version="r2", judge_version="v2")


def test_what_was_logged_is_read_again_and_verifies(tmp_path):
    cache = tmp_path / "cache"
    assert openings_of(cache, CASES) == []
    log_openings(cache, [SECOND])
    log_openings(cache, [FIRST])
    assert openings_of(cache, CASES) == [FIRST, SECOND]
    with Store(cache) as store:
        assert store.stats().n_by_kind == {"opening": 2}
        assert store.verify().ok


def test_one_shared_case_is_enough_and_another_file_is_none(tmp_path):
    cache = tmp_path / "cache"
    log_openings(cache, [FIRST])
    assert openings_of(cache, case_digests([("c1", "plain"), ("new", "plain")])) == [FIRST]
    assert openings_of(cache, case_digests([("c1", "rare")])) == []


def test_digests_do_not_depend_on_order():
    assert case_digests([("c2", "rare"), ("c1", "plain")]) == CASES


def test_what_is_said_of_openings():
    assert spoken_openings([], [], ["r1"]) == ["Never opened."]
    assert spoken_openings([], [FIRST], ["r1"]) == ["Opened once, at 2026-01-02T03:04:05 UTC."]
    twice = "Opened 2 times, first at 2026-01-02T03:04:05 UTC, last at 2026-02-03T04:05:06 UTC."
    assert spoken_openings([FIRST], [FIRST, replace(SECOND, rubric_version="r1")], ["r1"]) == [twice]
    assert spoken_openings([FIRST], [FIRST, SECOND], ["r2"]) == [
        twice,
        "Rubric r2 came after they had been opened under r1: these cases are no longer unseen.",
    ]
    # Two judges of one run are one opening.
    assert len(spoken_openings([], [FIRST, replace(FIRST, judge="other")], ["r1"])[0]) == len(
        "Opened once, at 2026-01-02T03:04:05 UTC."
    )
