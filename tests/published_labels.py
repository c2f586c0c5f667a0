"""Published judgments of pairs as files of labels; each asks whether the second answer is the better one."""

import gzip
import json
from pathlib import Path

import polars as pl
import pytest

DATA = Path(__file__).parents[2] / "shared" / "data"
SUBSETS = ("Natural", *(f"Adversarial/{name}" for name in ("GPTInst", "GPTOut", "Manual", "Neighbor")))
LLMBAR_JUDGES = ("ChatGPT", "ChatGPT-0301", "Falcon", "GPT-4", "LLaMA2", "PaLM2")
BATTLES = {"gpt5": "GPT-5", "claude": "Claude-Sonnet", "gemini": "Gemini-Flash"}


def there(name: str) -> Path:
    """Give a folder of published data, or skip the test."""
    folder = DATA / name
    if not folder.exists():
        pytest.skip(f"the published data {name} are not beside the checkout")
    return folder


def read(path: Path) -> list[dict]:
    content = path.read_bytes()
    return json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)


def pandalm() -> pl.DataFrame:
    """999 pairs, three humans, two judges, one order; what is neither answer nor tie is an abstention."""
    folder = there("pandalm")
    words = {"1": "first", "2": "second", "0": "neither", "Tie": "neither"}
    rows = [
        {
            "case_id": str(pair["idx"]),
            "rater": f"annotator{n}",
            "rater_kind": "human",
            "choice": words[str(pair[f"annotator{n}"])],
        }
        for pair in read(folder / "testset-v1.json.gz")
        for n in (1, 2, 3)
    ]
    for file, key in (("gpt-3.5-turbo", "gpt_result"), ("pandalm-7b", "pandalm_result")):
        rows += [
            {
                "case_id": str(pair["idx"]),
                "rater": file,
                "rater_kind": "model",
                "choice": words.get(str(pair[key])),
            }
            for pair in read(folder / f"{file}-testset-v1.json.gz")
        ]
    return labelled(rows)


def llmbar(judge: str) -> pl.DataFrame:
    """419 pairs of five subsets with a gold label, one judge in both orders, given three ways.

    Raters: the judge as first asked (with the swapped order as probe ``swap``), the judge as asked with the
    answers swapped, and both orders together, an abstention where they differ.
    """
    folder = there("llmbar")
    words = {"1": "first", "2": "second"}
    rows = []
    for subset in SUBSETS:
        pairs = read(folder / subset / "evaluators" / judge / "Vanilla" / "result.json.gz")
        for place, pair in enumerate(pairs):
            given, swapped = (
                words.get(pair["results"][0][f"swap = {order}"]["winner"]) for order in (False, True)
            )
            case = {"case_id": f"{subset}-{place}", "case_type": subset.split("/")[-1]}
            model = case | {"rater_kind": "model"}
            rows += [
                case | {"rater": "gold", "rater_kind": "human", "choice": words[str(pair["label"])]},
                model | {"rater": judge, "choice": given},
                model | {"rater": judge, "choice": swapped, "probe": "swap", "variant": "swapped"},
                model | {"rater": f"{judge} swapped", "choice": swapped},
                model | {"rater": f"{judge} both orders", "choice": given if given == swapped else None},
            ]
    return labelled(rows)


def swap_battle() -> pl.DataFrame:
    """50 items, one human, three judges in both orders; ERROR is an abstention."""
    folder = there("swap-battle")
    words = {"A": "first", "B": "second", "TIE": "neither"}
    human = read(folder / "human_baseline" / "progress.json")["scores"]
    rows = [
        {
            "case_id": name,
            "case_type": pick["category"],
            "rater": "human",
            "rater_kind": "human",
            "choice": words[pick["human_pick"]],
        }
        for name, pick in human.items()
    ]
    for short, judge in BATTLES.items():
        (battle,) = folder.glob(f"battle_*_judge-{short}")
        (replay,) = folder.glob(f"replay_*_swap-{short}")
        swapped = {"probe": "swap", "variant": "swapped"}
        for path, key, given in ((battle, "winner", {}), (replay, "original_winner", swapped)):
            rows += [
                {
                    "case_id": item["id"],
                    "case_type": item["category"],
                    "rater": judge,
                    "rater_kind": "model",
                    "choice": words.get(item.get(key)),
                }
                | given
                for item in read(path / "_results.json")["results"]
            ]
    return labelled(rows)


def labelled(rows: list[dict]) -> pl.DataFrame:
    defaults = {"case_type": "pair", "split": "dev", "probe": "main", "variant": None}
    frame = pl.DataFrame([defaults | row for row in rows], infer_schema_length=None)
    return frame.with_columns(approved=pl.col("choice") == "second")
