"""What is noted about judgments that are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from recuse.analysis.comparisons import compare
from recuse.collectors.names import look_alikes
from recuse.collectors.sources import load

HEADER = "task_id,judge,slot_a,slot_b,verdict"
FAMILIES = "; if one belongs to another, say so under [families] in the study's file"


@pytest.fixture
def notes(tmp_path: Path):
    def notes_of(*rows: str, header: str = HEADER, study: str = "") -> tuple[str, ...]:
        path, study_file = tmp_path / "v.csv", tmp_path / "study.toml"
        path.write_text("\n".join([header, *rows]) + "\n")
        study_file.write_text(study)
        return load(str(path), study_file=study_file).notes

    return notes_of


def test_a_complete_study_of_known_models_gives_no_note(notes) -> None:
    assert notes("t,grok-4,grok-4,claude-3,a", "t,grok-4,claude-3,grok-4,a") == ()


def test_missing_swaps_are_counted_and_named(notes) -> None:
    both = ["t,grok-4,gpt-4,claude-3,a", "t,grok-4,claude-3,gpt-4,a"]
    assert notes(*both, "u,grok-4,gpt-4,claude-3,b") == (
        (
            "v, probe main: 1 of 2 comparisons lacks the swap and counts as incomplete: "
            "grok-4 on u (gpt-4 in slot A, claude-3 in slot B only)"
        ),
    )
    more = [f"u{i},grok-4,gpt-4,claude-3,b" for i in range(5)]
    assert notes(*both, *more) == (
        (
            "v, probe main: 5 of 6 comparisons lack the swap and count as incomplete: "
            "grok-4 on u0 (gpt-4 in slot A, claude-3 in slot B only), "
            "grok-4 on u1 (gpt-4 in slot A, claude-3 in slot B only), "
            "grok-4 on u2 (gpt-4 in slot A, claude-3 in slot B only) and 2 more"
        ),
    )


def test_one_order_by_design_is_judged_for_each_judge(notes) -> None:
    assert notes("t,grok-4,gpt-4,claude-3,a", "u,grok-4,gpt-4,claude-3,a") == (
        "v, probe main: 2 comparisons by grok-4 in one order only, so slot and answer cannot be told apart",
    )
    both = ["t,gpt-4,gpt-4,claude-3,a", "t,gpt-4,claude-3,gpt-4,a", "u,gpt-4,claude-3,gpt-4,a"]
    assert notes(*both, "t,grok-4,gpt-4,claude-3,a") == (
        "v, probe main: 1 comparison by grok-4 in one order only, so slot and answer cannot be told apart",
        (
            "v, probe main: 1 of 2 comparisons lacks the swap and counts as incomplete: "
            "gpt-4 on u (claude-3 in slot A, gpt-4 in slot B only)"
        ),
    )


def test_the_swap_of_a_variant_and_the_identical_pair(notes) -> None:
    header = f"{HEADER},probe,variant_a,variant_b"
    rows = ["t,grok-4,gpt-4,gpt-4,a,length,long,short", "t,grok-4,gpt-4,gpt-4,b,length,short,long"]
    assert notes(*rows, "t,grok-4,gpt-4,gpt-4,a,identical,,", header=header) == (
        "no judgment is of probe main, of which most estimates speak: all are of identical, length",
    )


def test_missing_verdicts_are_counted_by_status(notes) -> None:
    rows = ["t,grok-4,gpt-4,claude-3,a,", "t,grok-4,claude-3,gpt-4,,refused"]
    assert notes(*rows, header=f"{HEADER},status") == ("1 of 2 presentations have no verdict (refused 1)",)


def test_ties_without_the_judges_words(notes) -> None:
    rows = ["t,grok-4,gpt-4,claude-3,tie,", "t,grok-4,claude-3,gpt-4,a,A"]
    assert notes(*rows, header=f"{HEADER},raw") == (
        "1 tie has no raw text although other rows have: leave a verdict that could not be read empty",
    )
    assert notes(*[row.rstrip("A") for row in rows], header=f"{HEADER},raw") == ()


def test_a_judge_under_nearly_the_name_of_a_generator(notes) -> None:
    rows = ["t,openai/gpt-4,gpt-4-0613,claude-3,a", "t,openai/gpt-4,claude-3,gpt-4-0613,a"]
    assert notes(*rows) == (
        (
            "a judge has nearly the name of a generator: gpt-4-0613 / openai/gpt-4. They count as different "
            "models; if they are one, say so under [aliases] in the study's file"
        ),
    )


def test_with_aliases_they_are_one(notes) -> None:
    rows = ["t,openai/gpt-4,gpt-4-0613,claude-3,a", "t,openai/gpt-4,claude-3,gpt-4-0613,a"]
    aliases = '[aliases]\n"gpt-4-0613" = "openai/gpt-4"\n"gpt-4x" = "openai/gpt-4"\n'
    assert notes(*rows, study=aliases) == (
        "alias gpt-4-0613 counts as openai/gpt-4: 2 judgments name it",
        "alias gpt-4x counts as openai/gpt-4: no judgment names it",
    )


def test_generators_that_look_alike(notes) -> None:
    rows = ["t,grok-4,claude-3,claude-3-20240307,a", "t,grok-4,claude-3-20240307,claude-3,a"]
    assert notes(*rows) == ("names that look alike count as different models: claude-3 / claude-3-20240307",)


def test_unknown_families(notes) -> None:
    rows = ["t,grok-4,ours,claude-3,a", "t,grok-4,claude-3,ours,a"]
    assert notes(*rows) == (
        f"1 name is of no known family and counts as a family of its own: ours{FAMILIES}",
    )
    assert notes(*rows, study='[families]\n"our*" = "us"') == ()


def test_the_names_of_human_judges_are_no_models(notes) -> None:
    header = f"{HEADER},judge_kind"
    rows = ["t,worker-7,gpt-4,claude-3,a,human", "t,worker-7,claude-3,gpt-4,a,human"]
    assert notes(*rows, header=header) == ()


def test_columns_left_out_are_named(notes) -> None:
    rows = ["t,grok-4,gpt-4,claude-3,a,x,", "t,grok-4,claude-3,gpt-4,a,,"]
    assert notes(*rows, header=f"{HEADER},comment,Variant_A") == (
        "v.csv: not in the schema and left out: 'comment', 'Variant_A' (is it variant_a?)",
    )


@pytest.mark.parametrize(
    "pair",
    [
        ("gpt-4", "gpt-4-0613"),
        ("gpt-4", "openai/gpt-4"),
        ("GPT-4", "gpt-4"),
        ("claude-haiku-4.5", "claude-haiku-4-5-20251001"),
        ("gpt-4", "gpt-4 "),
        ("gpt-4-1106-preview", "gpt-4"),
    ],
)
def test_look_alikes(pair: tuple[str, str]) -> None:
    assert look_alikes(pair) == [tuple(sorted(pair))]


@pytest.mark.parametrize(
    "pair",
    [
        ("gpt-4", "gpt-4o"),
        ("gpt-4", "gpt-3.5"),
        ("llama-7b", "llama-13b"),
        ("claude-v1", "claude-instant-v1"),
    ],
)
def test_different_models_do_not_look_alike(pair: tuple[str, str]) -> None:
    assert look_alikes(pair) == []


def test_as_many_incomplete_comparisons_as_the_analysis_finds(tmp_path: Path) -> None:
    judgments = load("three-judges").judgments
    thinned = judgments.sample(300, seed=3)
    thinned.write_csv(tmp_path / "thinned.csv")
    source = load(str(tmp_path / "thinned.csv"))
    incomplete = dict(
        compare(source.judgments).filter(resolution="incomplete").group_by("probe").len().iter_rows()
    )
    assert set(incomplete) == {"main", "length"}
    for probe, count in incomplete.items():
        assert any(note.startswith(f"three-judges, probe {probe}: {count} of ") for note in source.notes)
    assert len(source.notes) == 2
