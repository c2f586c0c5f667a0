"""Nothing leaves the machine but the calls to the endpoints that a study names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from recuse.cache.store import Store

pytestmark = pytest.mark.slow  # importing litellm alone takes seconds

WATCHED = """
import socket, sys

asked = []
looked_up, connected = socket.getaddrinfo, socket.socket.connect
socket.getaddrinfo = lambda host, *rest, **more: (asked.append(host), looked_up(host, *rest, **more))[1]


def connect(self, address):
    asked.append(address[0] if isinstance(address, tuple) else address)
    return connected(self, address)


socket.socket.connect = connect
from recuse.cli import main

status = main(sys.argv[1:])
hosts = sorted({str(host) for host in asked})
print("hosts:", *hosts)
sys.exit(status)
"""


def test_only_the_named_endpoint_is_spoken_to_and_the_key_is_in_no_file(study, tmp_path):
    study(endpoint='api_key_env = "PANEL_KEY"\n')
    words = [
        "collect",
        str(tmp_path / "study.toml"),
        "--into",
        str(tmp_path / "cache"),
        "--out",
        str(tmp_path / "out"),
    ]
    environment = os.environ | {
        "PYTHONPATH": str(Path(__file__).parents[3] / "src"),
        "PANEL_KEY": "sk-planted-0123456789",
        "HOME": str(tmp_path / "home"),
        "LITELLM_LOG": "DEBUG",
    }
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *words], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    hosts = next(line for line in done.stdout.splitlines() if line.startswith("hosts:"))
    assert hosts.split()[1:] == ["127.0.0.1"]
    with Store(tmp_path / "cache") as store:
        assert len(store) == 12
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 6
    for path in files:
        assert b"sk-planted" not in path.read_bytes(), path
    assert "sk-planted" not in done.stdout + done.stderr
