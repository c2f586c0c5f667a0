"""Published judgments of pairs as files of labels; each asks whether the second answer is the better one."""

import functools
from pathlib import Path

import polars as pl
import pytest

from recuse.collectors.importers.reading import read_format
from recuse.collectors.importers.registry import format_named

DATA = Path(__file__).parents[2] / "shared" / "data"
SUBSETS = ("Natural", *(f"Adversarial/{name}" for name in ("GPTInst", "GPTOut", "Manual", "Neighbor")))
LLMBAR_JUDGES = ("ChatGPT", "ChatGPT-0301", "Falcon", "GPT-4", "LLaMA2", "PaLM2")
BATTLE_JUDGES = {
    "gpt-5": "GPT-5",
    "claude-sonnet-4-5-20250929": "Claude-Sonnet",
    "gemini-2.5-flash": "Gemini-Flash",
}


def there(name: str) -> Path:
    """Give a folder of published data, or skip the test."""
    folder = DATA / name
    if not folder.exists():
        pytest.skip(f"the published data {name} are not beside the checkout")
    return folder


@functools.cache
def imported(name: str) -> pl.DataFrame:
    """Give the labels that the importer of a folder's format makes of it."""
    labels = read_format(format_named(name), there(name)).labels
    assert labels is not None
    return labels


def pandalm() -> pl.DataFrame:
    """999 pairs, three humans, two judges, one order; what is neither answer nor tie is an abstention."""
    return imported("pandalm").sort("rater", maintain_order=True)


def llmbar(judge: str) -> pl.DataFrame:
    """419 pairs of five subsets with a gold label, one judge in both orders, given three ways.

    Raters: the judge as first asked (with the swapped order as probe ``swap``), the judge as asked with the
    answers swapped, and both orders together, an abstention where they differ.
    """
    labels = imported("llmbar").with_columns(pl.col("case_type").str.split("/").list.last())
    gold = labels.filter(pl.col("rater") == "gold")
    own = labels.filter(pl.col("rater") == judge)
    given = own.filter(pl.col("probe") == "main")
    swapped = own.filter(pl.col("probe") == "swap")
    main = {"probe": pl.lit("main"), "variant": pl.lit(None, pl.String)}
    as_asked_swapped = swapped.with_columns(rater=pl.lit(f"{judge} swapped"), **main)
    both = given.join(swapped.select("case_id", other="choice"), on="case_id").with_columns(
        rater=pl.lit(f"{judge} both orders"),
        choice=pl.when(pl.col("choice") == pl.col("other")).then(pl.col("choice")),
    )
    both = both.with_columns(approved=pl.col("choice") == "second").drop("other")
    return pl.concat([gold, own, as_asked_swapped, both])


def swap_battle() -> pl.DataFrame:
    """50 items, one human, three judges in both orders; ERROR is an abstention."""
    labels = imported("swap-battle").filter(pl.col("rater").is_in(["human", *BATTLE_JUDGES]))
    return labels.with_columns(pl.col("rater").replace(BATTLE_JUDGES))
