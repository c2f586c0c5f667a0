"""The multiverse against the ladder's own evaluation, against data cut by hand, and against small cases."""

from __future__ import annotations

import polars as pl
import pytest

from recuse.analysis.claims.choices import Choices
from recuse.analysis.claims.evaluation import evaluate
from recuse.analysis.claims.evidence import gather
from recuse.analysis.claims.parsing import parse_claim
from recuse.analysis.comparisons import compare
from recuse.analysis.inference.clusters import ClusterSums
from recuse.analysis.inference.means import mean_interval
from recuse.analysis.multiverse.evaluation import MOST_TASKS, multiverse
from recuse.analysis.multiverse.frame import Specifications
from recuse.analysis.multiverse.grid import SAME_JUDGES
from recuse.analysis.multiverse.summary import holds_by_choice, specification_share
from recuse.analysis.multiverse.variants import Variants
from recuse.analysis.self_preference import against_baselines, self_preference
from recuse.analysis.settings import Settings
from recuse.collectors.sources import load
from recuse.schema import Judgments

GPT, CLAUDE, GROK = "openai/gpt-5.5", "anthropic/claude-sonnet-4-6", "xai/grok-4.3"
JUDGES = [CLAUDE, GPT, GROK]
CR2 = Settings(interval="cr2")


def claim(kind: str, **fields: object):
    return parse_claim({"id": "c", "kind": kind, **fields})


@pytest.fixture(scope="module")
def judgments() -> pl.DataFrame:
    return load().judgments


@pytest.fixture(scope="module")
def evidence(judgments: pl.DataFrame):
    return gather(compare(judgments))


@pytest.fixture(scope="module")
def variants(evidence) -> Variants:
    return Variants(evidence)


@pytest.fixture(scope="module")
def of_gpt(evidence, variants: Variants) -> pl.DataFrame:
    return multiverse(claim("self_preference", judge=GPT), evidence, JUDGES, variants)


def usual(specifications: pl.DataFrame) -> dict[str, object]:
    rows = specifications.filter(pl.col("is_usual")).to_dicts()
    assert len(rows) == 1
    return rows[0]


def test_the_grid_is_whole_and_says_why_not(of_gpt: pl.DataFrame) -> None:
    # scoring × baseline × unit × ties × (nothing, two judges, fifteen tasks)
    assert of_gpt.height == 3 * 4 * 3 * 2 * (1 + 2 + 15)
    choices = ["scoring", "baseline", "cluster", "ties", "left_out", "left_out_name"]
    assert not of_gpt.select(pl.struct(choices).is_duplicated()).to_series().any()
    undecided = of_gpt.filter(pl.col("holds").is_null())
    assert set(undecided["reason"]) == {
        "no human judge on any comparison",
        SAME_JUDGES,
        "a score over both orders belongs to the comparison: one presentation has none",
    }
    assert of_gpt.filter(pl.col("holds").is_not_null())["reason"].is_null().all()


def test_usual_specification_is_the_row_of_the_estimates(
    judgments: pl.DataFrame, of_gpt: pl.DataFrame
) -> None:
    row = (
        self_preference(compare(judgments), CR2)
        .filter(
            pl.col("estimand") == "self_preference_delta",
            pl.col("judge") == GPT,
            pl.col("baseline") == "uninvolved",
            pl.col("tier").is_null(),
            pl.col("interval") == "cr2",
        )
        .to_dicts()[0]
    )
    found = usual(of_gpt)
    for name in ("estimate", "std_error", "conf_low", "conf_high", "p_value", "n_comparisons", "n_tasks"):
        assert found[name] == pytest.approx(row[name], abs=1e-12)
    assert found["holds"] is True


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("self_preference", {"judge": CLAUDE, "tier": "subjective"}),
        ("self_preference", {"judge": GROK, "direction": "absent"}),
        ("self_preference_gradient", {"judge": GPT}),
        ("beats", {"generator": GPT, "opponent": GROK}),
        ("beats", {"generator": GPT, "opponent": GROK, "judge": CLAUDE}),
        ("ranking", {"order": [GPT, CLAUDE, GROK]}),
        ("slot_preference_gradient", {"judge": GROK}),
        ("slot_preference", {"judge": GPT, "direction": "absent"}),
        ("longer_wins", {}),
        ("longer_wins", {"controlled": True, "rewards": "concision"}),
        ("longer_wins", {"controlled": True, "rewards": "elaboration", "judge": GPT}),
        ("agreement", {"judge": GPT, "judge_2": GROK, "direction": "absent"}),
        ("agreement", {"statistic": "krippendorff_alpha"}),
        ("rate", {"rate": "flip_rate", "judge": GROK, "bar": 0.2}),
        ("rate", {"rate": "win_rate", "generator": GPT, "bar": 0.5, "direction": "below"}),
    ],
)
def test_usual_specification_is_the_rung_of_the_ladder(
    evidence, variants: Variants, kind: str, fields
) -> None:
    stated = claim(kind, **fields)
    specifications = multiverse(stated, evidence, JUDGES, variants)
    found = usual(specifications)
    ladder = evaluate(
        stated, evidence, Choices(baseline=found["baseline"] or "all_peers", interval=_analytic(kind)), CR2
    )
    assert found["estimate"] == pytest.approx(ladder.estimate, abs=1e-12)
    assert found["conf_low"] == pytest.approx(ladder.interval.low, abs=1e-9)
    assert found["conf_high"] == pytest.approx(ladder.interval.high, abs=1e-9)
    if ladder.test != "sign_flip_task_lean":
        assert found["p_value"] == pytest.approx(ladder.p_value, abs=1e-9)


def _analytic(kind: str) -> str:
    return "cr2" if kind in {"self_preference", "self_preference_gradient", "ranking"} else "default"


@pytest.mark.parametrize("scoring", ["resolved", "averaged", "consistent"])
@pytest.mark.parametrize("baseline", ["all_peers", "uninvolved"])
def test_leaving_out_is_the_same_as_never_having_had_it(
    judgments: pl.DataFrame, of_gpt: pl.DataFrame, scoring, baseline: str
) -> None:
    cells = of_gpt.filter(
        pl.col("scoring") == scoring,
        pl.col("baseline") == baseline,
        pl.col("cluster") == "task",
        pl.col("ties") == "kept",
    )
    for what, name, column in (("judge", GROK, "judge"), ("task", "subj-explain", "task_id")):
        without = compare(judgments.filter(pl.col(column) != name), scoring=scoring)
        own = against_baselines(without, [baseline]).filter(
            pl.col("judge") == GPT, pl.col("delta").is_not_null()
        )
        codes = own["task_id"].rank("dense").cast(pl.Int64).to_numpy() - 1
        sums = ClusterSums.of(codes, own["delta"].to_numpy())
        found = cells.filter(pl.col("left_out") == what, pl.col("left_out_name") == name).to_dicts()[0]
        expected = mean_interval(sums, rng=CR2.rng("x"), method="cr2", bounds=(-1.0, 1.0))
        assert found["estimate"] == pytest.approx(sums.estimate, abs=1e-12)
        assert found["conf_low"] == pytest.approx(expected.low, abs=1e-12)
        assert found["n_tasks"] == sums.n_clusters
        assert found["n_comparisons"] == own.height


def small(rows: list[tuple[str, str, str, str]]) -> pl.DataFrame:
    """Task, judge, and the verdicts with `own` in slot A and in slot B, of the pair own against other."""
    told = [
        {"judgment_id": f"{place}-{order}", "study": "s", "task_id": task, "probe": "main", "judge": judge,
         "judge_kind": "model", "slot_a": sides[0], "slot_b": sides[1], "verdict": verdict, "status": "ok",
         "replicate": 0}
        for place, (task, judge, in_a, in_b) in enumerate(rows)
        for order, sides, verdict in ((0, ("own", "other"), in_a), (1, ("other", "own"), in_b))
    ]  # fmt: skip
    schema = {name: column.dtype for name, column in Judgments.columns().items()}
    return Judgments.validate(pl.DataFrame(told, schema=schema, orient="row"))


HAND = [
    ("t1", "own", "a", "b"), ("t1", "peer", "a", "b"),  # own 1 (win), peer 1: Δ 0
    ("t2", "own", "a", "b"), ("t2", "peer", "b", "a"),  # own 1, peer 0 (loss): Δ 1
    ("t3", "own", "a", "a"), ("t3", "peer", "tie", "tie"),  # own ½ (flip), peer ½ (tie): Δ 0
    ("t4", "own", "a", "tie"), ("t4", "peer", "b", "a"),  # own ½ resolved, ¾ averaged; peer 0
]  # fmt: skip


@pytest.fixture(scope="module")
def by_hand() -> pl.DataFrame:
    return multiverse(claim("self_preference", judge="own"), gather(compare(small(HAND))), ["own", "peer"])


@pytest.mark.parametrize(
    ("scoring", "ties", "cluster", "without", "delta", "n"),
    [
        ("resolved", "kept", "task", None, (0 + 1 + 0 + 0.5) / 4, 4),
        ("resolved", "kept", "task", "t2", (0 + 0 + 0.5) / 3, 3),
        ("resolved", "kept", "task", "t4", (0 + 1 + 0) / 3, 3),
        ("resolved", "dropped", "task", None, (0 + 1 + 0.5) / 3, 3),
        ("averaged", "kept", "task", None, (0 + 1 + 0 + 0.75) / 4, 4),
        ("consistent", "kept", "task", None, (0 + 1) / 2, 2),
        # eight presentations: t1 0 0, t2 1 1, t3 ½ −½, t4 1 ½
        ("averaged", "kept", "row", None, (0 + 0 + 1 + 1 + 0.5 - 0.5 + 1 + 0.5) / 8, 8),
        # ties of presentations left out: t3 has no peer, t4 loses one of its two
        ("averaged", "dropped", "row", None, (0 + 0 + 1 + 1 + 1) / 5, 5),
    ],
)
def test_specifications_worked_by_hand(by_hand, scoring, ties, cluster, without, delta, n) -> None:
    row = by_hand.filter(
        pl.col("scoring") == scoring,
        pl.col("baseline") == "uninvolved",
        pl.col("ties") == ties,
        pl.col("cluster") == cluster,
        pl.col("left_out") == ("nothing" if without is None else "task"),
        pl.col("left_out_name").eq_missing(pl.lit(without, dtype=pl.String)),
    ).to_dicts()[0]
    assert row["estimate"] == pytest.approx(delta)
    assert row["n_comparisons"] == n


def test_without_the_only_uninvolved_judge_nothing_is_left(by_hand: pl.DataFrame) -> None:
    alone = by_hand.filter(pl.col("left_out") == "judge", pl.col("cluster") == "task")
    assert set(alone["left_out_name"]) == {"peer"}
    assert alone["holds"].is_null().all()
    assert alone.filter(pl.col("baseline") == "uninvolved")["reason"].unique().to_list() == [
        "no uninvolved judge for any comparison"
    ]


def test_where_only_contestants_judge_every_uninvolved_specification_says_so() -> None:
    rows = [(task, judge, "a", "b") for task in ("t1", "t2", "t3") for judge in ("own", "other")]
    found = multiverse(claim("self_preference", judge="own"), gather(compare(small(rows))), ["own", "other"])
    recused = found.filter(pl.col("baseline").is_in(["uninvolved", "uninvolved_family"]))
    assert recused["holds"].is_null().all()
    assert recused["reason"].is_not_null().all()
    share = specification_share(found)
    assert share["estimate"].item() is None
    assert share["reason"].item() == "no specification is feasible"


def test_shares_count_what_holds(of_gpt: pl.DataFrame) -> None:
    feasible = of_gpt.filter(pl.col("holds").is_not_null())
    share = specification_share(of_gpt)
    assert share["estimate"].item() == pytest.approx(feasible["holds"].mean())
    assert share["n_dropped"].item() == of_gpt.height - feasible.height
    levels = holds_by_choice(of_gpt)
    for choice in ("scoring", "baseline", "cluster", "ties", "left_out"):
        of = levels.filter(pl.col("choice") == choice)
        assert (of["n"].sum(), of["n_holds"].sum()) == (of_gpt.height, feasible["holds"].sum())


def test_of_many_tasks_those_that_matter_most_are_left_out() -> None:
    rows = [
        (f"t{task:02}", judge, *(("a", "b") if judge == "own" or task not in {7, 31} else ("b", "a")))
        for task in range(40)
        for judge in ("own", "peer")
    ]
    found = multiverse(claim("self_preference", judge="own"), gather(compare(small(rows))), ["own", "peer"])
    left = set(found.filter(pl.col("left_out") == "task")["left_out_name"])
    assert len(left) == MOST_TASKS
    assert {"t07", "t31"} <= left


def test_of_many_comparisons_no_judge_is_left_out_and_the_row_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("recuse.analysis.multiverse.evaluation.MOST_COMPARISONS", 7)
    found = multiverse(claim("self_preference", judge="own"), gather(compare(small(HAND))), ["own", "peer"])
    out = found.filter(pl.col("left_out") == "judge", pl.col("cluster") == "task")
    assert out.height
    assert set(out["reason"]) == {"judges are left out up to 150,000 comparisons only"}
    assert found.filter(pl.col("left_out") == "nothing")["holds"].is_not_null().any()


def test_the_frame_keeps_its_schema(of_gpt: pl.DataFrame) -> None:
    assert of_gpt.columns == list(Specifications.columns())
    numbers = of_gpt.select(pl.col(pl.Float64))
    assert not numbers.select(pl.any_horizontal(pl.all().is_nan().fill_null(value=False))).to_series().any()
