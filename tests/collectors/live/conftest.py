import json
import threading

import pytest
from stub_openai import Stub

from recuse.collectors.live.study_file import load_study


@pytest.fixture
def stub():
    """Serve models in the OpenAI wire format on this machine."""
    server = Stub()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


TASKS = [
    {"id": "t1", "tier": "objective", "prompt": "Name a prime between ten and twenty."},
    {"id": "t2", "tier": "subjective", "prompt": "Describe the sea."},
]
LENGTH_TASK = {
    "id": "l1", "tier": "medium", "prompt": "Explain rain.", "rewards": "elaboration",
    "length": {"short": "Answer in one sentence.", "long": "Answer in at least eight sentences."},
}  # fmt: skip


@pytest.fixture
def study(tmp_path, stub):
    """Write a study file whose models are the stub's, and load it."""

    def write(
        generators=("one", "other"), judges=("first", "second"), tasks=TASKS, top="", tables="", endpoint=""
    ):
        sections = [
            f'[{role}.{name}]\nmodel = "openai/{name}"\napi_base = "{stub.address}"\n{endpoint}'
            for role, names in (("generators", generators), ("judges", judges))
            for name in names
        ]
        lines = "\n".join(json.dumps(task) for task in tasks)
        (tmp_path / "tasks.jsonl").write_text(lines + "\n", encoding="utf-8")
        path = tmp_path / "study.toml"
        text = "\n".join(['name = "panel"', 'tasks = "tasks.jsonl"', top, *sections, tables])
        path.write_text(text, encoding="utf-8")
        return load_study(path)

    return write
