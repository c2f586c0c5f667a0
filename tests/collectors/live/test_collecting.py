"""The collector against a server of its own, through the real litellm."""

import json

import pytest
from conftest import LENGTH_TASK, TASKS

from recuse.cache.records import address_of
from recuse.cache.snapshot import judgments
from recuse.cache.store import Store
from recuse.collectors.live.completeness import state_of
from recuse.collectors.live.keeping import failures_of
from recuse.collectors.live.session import Session
from recuse.errors import BlindingError, CollectionError, ConfigurationError

pytestmark = pytest.mark.slow  # importing litellm alone takes seconds
FAST = "[limits.default]\nattempts = 3\nconcurrency = 2\n"


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "cache", create=True) as opened:
        yield opened


def test_every_pair_is_judged_by_every_judge_in_both_orders_once(study, store, stub):
    panel = study(generators=("one", "other", "third"))
    outcome = Session(panel, store).run()
    # 2 tasks × 3 answers, then 2 tasks × 3 pairs × 2 judges × 2 orders.
    assert (outcome.n_asked, outcome.n_kept, outcome.n_retries) == (6 + 24, 30, 0)
    assert len(stub.asked()) == 30
    frame = judgments(store)
    assert frame.height == frame.select("task_id", "judge", "slot_a", "slot_b").n_unique() == 24
    assert set(frame["slot_a"].unique()) == {"one", "other", "third"}
    verdicts = dict(frame.group_by("judge").agg("verdict").iter_rows())
    assert set(verdicts["first"]) == {"a"}
    assert set(verdicts["second"]) == {"b"}
    assert state_of(panel, store).missing == []
    assert store.verify().ok

    again = Session(panel, store).run()
    assert again.n_asked == 0
    assert len(stub.asked()) == 30


def test_a_judgment_has_the_address_of_what_was_asked_and_says_where_it_comes_from(study, store, stub):
    panel = study(tables="[params]\njudgments = { temperature = 0.0, max_tokens = 9 }")
    Session(panel, store).run()
    judgments = store.records_of("judgment")
    record = next(record for record in judgments if record["request"]["model"] == "openai/first")
    row, request = record["judgment"], record["request"]
    assert row["judgment_id"] == record["address"] == address_of(request)
    assert request["api_base"] == stub.address
    sent = next(body for body in stub.asked("first") if body["messages"] == request["messages"])
    assert (sent["temperature"], sent["max_tokens"]) == (0.0, 9)
    assert sent["response_format"] == request["params"]["response_format"]
    assert row["model_resolved"] == "first-2026-01-01"
    assert json.loads(row["params_effective"]) == request["params"]
    assert row["raw"] == '{"verdict": "A"}'
    assert row["tier"] == "objective"
    assert row["words_a"] == len(record_text(store, row["slot_a"], row["task_id"]).split())
    assert "cost_usd" not in row  # nobody stated a price, and that is not 0


def record_text(store, generator, task_id):
    prompt = next(task["prompt"] for task in TASKS if task["id"] == task_id)
    found = [
        record["response"]["text"]
        for record in store.records_of("answer")
        if record["request"]["model"] == f"openai/{generator}"
        and record["request"]["messages"][0]["content"] == prompt
    ]
    return found[0]


def test_what_passes_is_tried_again_and_the_server_says_when(study, store, stub):
    panel = study(
        generators=("limited", "stumbles"), judges=("cut", "hangs-up"), tasks=TASKS[:1], tables=FAST
    )
    outcome = Session(panel, store).run()
    assert outcome.failed == {}
    assert outcome.n_kept == 2 + 4
    assert outcome.n_retries == 6
    assert state_of(panel, store).missing == []
    first, second = (
        time
        for (_, _, body), time in zip(stub.requests, stub.times, strict=True)
        if body["model"] == "limited"
    )
    assert 0.3 <= second - first < 0.9  # Retry-After, and not a second of our own
    attempts = {record["request"]["model"]: record["response"]["attempts"] for record in store.records()}
    assert set(attempts.values()) == {2}


def test_a_call_that_takes_too_long_is_tried_again(study, store):
    panel = study(judges=("slow",), tasks=TASKS[:1], tables=FAST, endpoint="timeout_s = 0.5\n")
    outcome = Session(panel, store).run()
    assert outcome.failed == {}
    assert outcome.n_retries == 2


def test_what_does_not_pass_is_in_the_ledger_and_asked_again_only_on_demand(study, store, stub):
    panel = study(judges=("too-long", "first"), tasks=TASKS[:1], tables=FAST)
    outcome = Session(panel, store).run()
    assert (outcome.n_kept, len(outcome.failed), outcome.n_retries) == (2 + 2, 2, 0)
    ledger = failures_of(store.records_of("failure"))
    assert {failed.error for failed in ledger.values()} == {"BadRequestError"}
    assert "The prompt is malformed" in next(iter(ledger.values())).message
    assert len(state_of(panel, store).missing) == 2
    assert judgments(store)["judge"].unique().to_list() == ["first"]

    n_asked = len(stub.asked())
    assert Session(panel, store).run().n_asked == 0
    assert len(stub.asked()) == n_asked
    assert len(Session(panel, store, retry_failed=True).run().failed) == 2


def test_a_server_that_stays_down_costs_its_attempts_and_is_asked_again_next_time(study, store, stub):
    limits = "[limits.default]\nattempts = 2\nconcurrency = 4\n"
    panel = study(judges=("down",), tasks=TASKS[:1], tables=limits)
    outcome = Session(panel, store).run()
    assert len(outcome.failed) == 2
    assert len(stub.asked("down")) == 4
    assert all(failed.asked_again for failed in failures_of(store.records_of("failure")).values())


def test_a_refused_parameter_is_left_out_and_what_was_sent_is_stored(study, store, stub):
    panel = study(judges=("no-temperature", "no-schema"), tasks=TASKS[:1])
    outcome = Session(panel, store).run()
    assert outcome.failed == {}
    frame = judgments(store)
    assert frame["status"].unique().to_list() == ["ok"]
    for judge, name in (("no-temperature", "temperature"), ("no-schema", "response_format")):
        row = frame.filter(judge=judge).row(0, named=True)
        assert name in json.loads(row["params_requested"])
        assert name not in json.loads(row["params_effective"])
    # It is remembered: one refusal for each judge and coroutine at most.
    refused = [body for body in stub.asked("no-temperature") if "temperature" in body]
    assert 1 <= len(refused) <= 2


def test_an_error_of_one_prompt_changes_no_other_call_and_lifts_no_limit(study, store, stub):
    tasks = [{"id": "t0", "prompt": "Count. " * 200}, *TASKS]
    panel = study(judges=("small-window",), tasks=tasks, tables="[limits.default]\nconcurrency = 1\n")
    assert len(Session(panel, store).run().failed) == 2
    assert judgments(store).height == 4
    assert all(body["max_tokens"] == 100 for body in stub.asked("small-window"))
    kept = [json.loads(params) for params in judgments(store)["params_effective"].to_list()]
    assert all(params["temperature"] == 0 for params in kept)


def test_texts_that_contradict_themselves_or_decline_are_no_verdicts_and_are_kept(study, store):
    panel = study(judges=("contradicts", "declines", "prose"), tasks=TASKS[:1])
    Session(panel, store).run()
    found = {
        judge: (status, verdict, raw)
        for judge, status, verdict, raw in judgments(store)
        .select("judge", "status", "verdict", "raw")
        .unique()
        .iter_rows()
    }
    assert found["contradicts"] == ("parse_failed", None, 'At first [[A]]. On reflection: {"verdict": "B"}')
    assert found["declines"] == ("refused", None, "")
    assert found["prose"][:2] == ("ok", "b")


def test_an_answer_that_the_provider_refused_is_never_judged_and_counted(study, store):
    panel = study(generators=("one", "declines"), tasks=TASKS[:1])
    Session(panel, store).run()
    state = state_of(panel, store)
    assert state.missing == []
    assert len(state.phases[2].never) == 4


def test_an_answer_that_names_its_writer_stops_the_study_before_a_judgment(study, store, stub):
    panel = study(generators=("leaky", "other"), top='[aliases]\n"Claude" = "leaky"\n')
    with pytest.raises(BlindingError, match="t1, answer of leaky: Claude in “As Claude, I would") as caught:
        Session(panel, store).run()
    assert len(caught.value.offenders) == 2
    assert len(store) == 4  # the answers are paid for and kept
    assert stub.asked("first") == []


@pytest.mark.parametrize(
    ("policy", "shown"), [("redact", "As [name removed], I would"), ("flag", "As Claude, I would")]
)
def test_a_finding_is_stored_with_the_judgment(study, store, stub, policy, shown):
    top = f'blinding = "{policy}"\n[aliases]\n"Claude" = "leaky"\n'
    panel = study(generators=("leaky", "other"), judges=("first",), top=top)
    Session(panel, store).run()
    assert all(shown in body["messages"][0]["content"] for body in stub.asked("first"))
    records = list(store.records_of("judgment"))
    assert len(records) == 4
    assert all(record["response"]["blinding"][0]["word"] == "Claude" for record in records)
    assert {record["response"]["blinding"][0]["where"] for record in records} == {"answer_a", "answer_b"}


def test_a_task_that_names_a_generator_is_refused_before_an_answer_is_paid_for(study, store, stub):
    tasks = [{"id": "t", "prompt": "What do you think of other models?"}]
    panel = study(tasks=tasks)
    with pytest.raises(BlindingError, match="task t: other in"):
        Session(panel, store).run()
    assert stub.requests == []


def test_the_length_probe_shows_the_judge_the_prompt_without_the_sentence(study, store, stub):
    panel = study(judges=("longer",), tasks=[LENGTH_TASK], tables="[probes]\nlength = true")
    Session(panel, store).run()
    frame = judgments(store)
    assert frame.select("slot_a", "variant_a", "variant_b").n_unique() == frame.height == 4
    assert (frame["slot_a"] == frame["slot_b"]).all()
    assert frame["rewards"].unique().to_list() == ["elaboration"]
    long_in_a = frame["variant_a"] == "long"
    assert (long_in_a == (frame["verdict"] == "a")).all()
    for body in stub.asked("longer"):
        assert "Explain rain." in body["messages"][0]["content"]
        assert "sentence" not in body["messages"][0]["content"].split("<task>")[1].split("<answer_a>")[0]


def test_padded_and_identical_answers_are_probes_of_their_own(study, store):
    tables = '[probes]\nrepetition = { tasks = ["t1"] }\nidentical = { generators = ["one"] }'
    panel = study(judges=("longer",), tables=tables)
    Session(panel, store).run()
    frame = judgments(store)
    counts = dict(frame.group_by("probe").len().iter_rows())
    assert counts == {"main": 4, "repetition": 2 * 2, "identical": 2}
    padded = frame.filter(probe="repetition", variant_a="padded")
    assert (padded["words_a"] == 2 * padded["words_b"]).all()
    assert (padded["verdict"] == "a").all()
    same = frame.filter(probe="identical")
    assert set(same.select("slot_a", "slot_b", "variant_a").iter_rows()) == {("one", "one", None)}
    assert (same["chars_a"] == same["chars_b"]).all()


def test_one_order_is_drawn_with_the_seed_and_drawn_the_same_again(study, store):
    tasks = [{"id": f"t{n}", "prompt": f"Say {n}."} for n in range(12)]
    panel = study(judges=("first",), tasks=tasks, top='orders = "random"\nseed = 3')
    assert Session(panel, store).run().n_asked == 24 + 12
    assert Session(panel, store).run().n_asked == 0
    shown_first = judgments(store)["slot_a"].to_list()
    assert 2 <= shown_first.count("one") <= 10


def test_replicates_and_no_ties(study, store, stub):
    panel = study(judges=("ties",), tasks=TASKS[:1], top="replicates = 3\nties = false")
    Session(panel, store).run()
    frame = judgments(store)
    assert sorted(frame["replicate"].to_list()) == [0, 0, 1, 1, 2, 2]
    assert frame["status"].unique().to_list() == ["parse_failed"]  # a tie was not on offer
    assert all("tie" not in body["messages"][0]["content"] for body in stub.asked("ties"))


def test_two_generators_with_the_same_answer_are_two_presentations(study, store):
    tasks = [{"id": "t", "prompt": "Be silent."}]
    panel = study(generators=("empty", "other"), judges=("first",), tasks=tasks)
    twin = panel.about.model_copy(
        update={
            "generators": {"one": panel.about.generators["other"], "two": panel.about.generators["other"]}
        }
    )
    import dataclasses

    Session(dataclasses.replace(panel, about=twin), store).run()
    frame = judgments(store)
    assert sorted(frame["slot_a"].to_list()) == ["one", "two"]
    assert frame["prompt_hash"].n_unique() == 1
    assert len(list(store.records_of("answer"))) == 1


def test_nothing_costs_more_than_allowed(study, store):
    price = "price = { input = 1000.0, output = 1000.0 }\n"
    tables = "[params]\nanswers = { max_tokens = 50 }\n" + FAST
    panel = study(endpoint=price, tables=tables)
    outcome = Session(panel, store, max_cost=0.5).run()
    assert outcome.over_budget
    assert 0 < outcome.cost_usd <= 0.5
    assert len(state_of(panel, store).missing) > 0
    kept = sum(record["response"]["cost_usd"] for record in store.records() if record["kind"] != "failure")
    assert kept == pytest.approx(outcome.cost_usd)
    assert Session(panel, store, max_cost=1000).run().over_budget is False
    assert state_of(panel, store).missing == []


def test_a_limit_of_cost_needs_prices(study, store, stub):
    with pytest.raises(CollectionError, match=r"--max-cost needs prices.*openai/first"):
        Session(study(), store, max_cost=1.0)
    assert stub.requests == []


def test_no_key_of_the_environment_goes_where_the_study_file_names_none(study, store, stub, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-for-somebody-else")
    Session(study(tasks=TASKS[:1]), store).run()
    sent = [headers.get("Authorization", headers.get("authorization")) for _, headers, _ in stub.requests]
    assert set(sent) == {"Bearer none"}


def test_a_key_is_sent_and_stays_out_of_the_cache(study, store, stub, monkeypatch, tmp_path, capfd):
    monkeypatch.setenv("PANEL_KEY", "sk-planted-0123456789")
    panel = study(
        judges=("tells-keys", "first"), tasks=TASKS[:1], endpoint='api_key_env = "PANEL_KEY"\n', tables=FAST
    )
    outcome = Session(panel, store).run()
    sent = {headers.get("Authorization", headers.get("authorization")) for _, headers, _ in stub.requests}
    assert sent == {"Bearer sk-planted-0123456789"}
    assert "openai/tells-keys" in outcome.given_up
    held = b"".join(path.read_bytes() for path in (tmp_path / "cache").rglob("*") if path.is_file())
    printed = "".join(capfd.readouterr())
    assert b"Incorrect API key provided" in held
    for text in (held, printed.encode(), str(outcome).encode()):
        assert b"planted" not in text


def test_a_model_that_takes_no_key_is_given_up_at_once(study, store, stub):
    tasks = [{"id": f"t{n}", "prompt": f"Say {n}."} for n in range(10)]
    panel = study(judges=("tells-keys",), tasks=tasks, tables=FAST)
    outcome = Session(panel, store).run()
    assert len(stub.asked("tells-keys")) <= 2  # as many as run side by side
    assert len(state_of(panel, store).missing) == 20
    assert "AuthenticationError" in outcome.given_up["openai/tells-keys"]


def test_a_key_that_is_not_there_is_asked_for_by_name(study, store, monkeypatch):
    monkeypatch.delenv("PANEL_KEY", raising=False)
    with pytest.raises(ConfigurationError, match=r"the environment has no PANEL_KEY.*export PANEL_KEY"):
        Session(study(endpoint='api_key_env = "PANEL_KEY"\n'), store)


def test_a_pointwise_verdict_says_what_failed_and_what_contradicts_itself_is_none(study, store):
    top = 'modes = ["pointwise"]\n'
    tables = '[criteria]\ncorrect = "The number is a prime."\n'
    panel = study(judges=("strict-judge", "lenient", "contradicts"), tasks=TASKS[:1], top=top, tables=tables)
    Session(panel, store).run()
    found = {
        record["request"]["presentation"]["judge"]: record["response"]
        for record in store.records_of("pointwise")
    }
    assert len(list(store.records_of("pointwise"))) == 6
    assert (found["strict-judge"]["approved"], found["strict-judge"]["failed_checks"]) == (False, ["correct"])
    assert found["lenient"]["approved"] is True
    assert (found["contradicts"]["status"], found["contradicts"]["approved"]) == ("parse_failed", None)


def test_calls_keep_to_their_pace(study, store, stub):
    panel = study(judges=("first",), tasks=TASKS[:1], tables="[limits.default]\nrequests_per_minute = 300\n")
    Session(panel, store).run()
    assert stub.times[-1] - stub.times[0] > 0.35  # four calls, one each 0.2 seconds
