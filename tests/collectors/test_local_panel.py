"""The bundled study that this program collected: complete, as its manifest says, and analysed."""

import hashlib
import json

import polars as pl

from recuse.analysis.comparisons import compare
from recuse.analysis.self_preference import self_preference
from recuse.analysis.settings import Settings
from recuse.collectors.bundled import folder_of
from recuse.collectors.live.study_file import load_study
from recuse.collectors.sources import load

FOLDER = folder_of("local-panel")
MANIFEST = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))


def test_the_files_are_those_of_the_manifest():
    for name, sha256 in MANIFEST["files"].items():
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == sha256, name


def test_it_is_complete_and_names_no_place_of_the_machine_that_collected_it():
    source = load("local-panel")
    assert source.judgments.height == MANIFEST["calls"]["judgments"]["kept"]
    assert MANIFEST["calls"]["judgments"]["missing"] == 0
    counts = source.judgments.group_by("task_id", "probe", "judge").len()["len"]
    # Three pairs in both orders, and in the length probe one for each of three generators.
    assert counts.unique().to_list() == [6]
    assert set(source.judgments["model_resolved"].unique()) == {"gemma-3-270m", "smollm2-135m"}
    for path in FOLDER.iterdir():
        text = path.read_text(encoding="utf-8")
        assert ".gguf" not in text
        assert "/home" not in text


def test_every_main_answer_has_a_probability_under_both_judges_but_for_divided_characters():
    main = load("local-panel").judgments.filter(probe="main")
    for slot in ("logprob_a", "logprob_b"):
        assert main[slot].null_count() / main.height < 0.1
        assert main[slot].drop_nulls().is_between(-20, 0).all()


def test_the_file_it_was_collected_with_can_collect_it_again():
    study = load_study(FOLDER / "study.toml")
    assert study.tasks_sha256 == MANIFEST["tasks_sha256"]
    assert set(study.about.judges) == {"gemma-3-270m", "smollm2-135m"}


def test_involvement_by_model_and_by_family_differ():
    source = load("local-panel")
    comparisons = compare(source.judgments, families=source.families)
    deltas = self_preference(comparisons, Settings(n_resamples=99)).filter(
        pl.col("estimand") == "self_preference_delta", pl.col("tier").is_null()
    )
    n = {
        (judge, baseline): n or 0
        for judge, baseline, n in deltas.select("judge", "baseline", "n_comparisons").iter_rows()
    }
    # gemma's comparisons with the sampled generator leave smollm2 uninvolved as a model, not as a family.
    assert n["gemma-3-270m", "uninvolved"] > 0
    assert n["gemma-3-270m", "uninvolved_family"] == 0
