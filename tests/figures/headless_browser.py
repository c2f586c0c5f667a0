"""A headless Chromium, driven over its DevTools protocol: what a page draws, says and asks of the network."""

from __future__ import annotations

import base64
import itertools
import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_PATIENCE = 60.0
_OPTIONS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
    "--disable-dev-shm-usage", "--remote-allow-origins=*",
)  # fmt: skip


class Page:
    """One tab: its console, its requests, and what can be asked of its document."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._ids = itertools.count(1)
        self.events: list[dict[str, Any]] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: object) -> dict[str, Any]:
        """Send a command and return its answer; keep the events that come meanwhile."""
        sent = next(self._ids)
        self._socket.send(json.dumps({"id": sent, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=_PATIENCE))
            if message.get("id") == sent:
                assert "error" not in message, message
                answer: dict[str, Any] = message["result"]
                return answer
            self.events.append(message)

    def ask(self, expression: str) -> Any:
        """Return the value of an expression in the page."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def every(self, selector: str, holds: str) -> bool:
        """Say whether a selector finds elements, and an expression of ``node`` holds for each."""
        nodes = f"[...document.querySelectorAll('{selector}')]"
        return bool(self.ask(f"{nodes}.length > 0 && {nodes}.every((node) => {holds})"))

    def open(self, url: str, *, width: int = 1200, ready: str = "true") -> None:
        """Go to a page of a given width and wait until an expression holds."""
        self.resize(width)
        self.send("Page.navigate", url=url)
        until = time.monotonic() + _PATIENCE
        while not self.ask(f"document.readyState === 'complete' && ({ready})"):
            assert time.monotonic() < until, f"never: {ready}"
            time.sleep(0.1)

    def resize(self, width: int) -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=900, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip

    def requests(self) -> list[str]:
        """Return every address that was asked for, the page's own among them."""
        self.ask("1")
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def complaints(self) -> list[str]:
        """Return what the console shows as warning or error, exceptions and refused content included."""
        self.ask("1")
        said = []
        for event in self.events:
            params = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                said.append(json.dumps(params["exceptionDetails"]))
            elif event["method"] == "Runtime.consoleAPICalled" and params["type"] in {"error", "warning"}:
                said.append(json.dumps(params["args"]))
            elif event["method"] == "Log.entryAdded" and params["entry"]["level"] in {"error", "warning"}:
                said.append(json.dumps(params["entry"]))
        return said

    def screenshot(self) -> bytes:
        """Return the whole page as PNG."""
        shot = self.send("Page.captureScreenshot", captureBeyondViewport=True)
        return base64.b64decode(shot["data"])

    def print_pdf(self) -> bytes:
        """Return the page as it prints on A4."""
        printed = self.send("Page.printToPDF", preferCSSPageSize=True, paperWidth=8.27, paperHeight=11.69)
        return base64.b64decode(printed["data"])


@contextmanager
def browser(profile: Path) -> Generator[Page]:
    """Start Chromium with an empty profile and give its one tab; end it afterwards."""
    assert BROWSER is not None
    process = subprocess.Popen(
        [BROWSER, *_OPTIONS, f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        port = _port(profile / "DevToolsActivePort")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=_PATIENCE) as answer:
            tab = next(target for target in json.load(answer) if target["type"] == "page")
        with connect(tab["webSocketDebuggerUrl"], max_size=None) as socket:
            yield Page(socket)
    finally:
        process.terminate()
        process.wait(timeout=_PATIENCE)


@contextmanager
def offline(profile: Path, page: Path, ready: str) -> Generator[Page]:
    """Open a file in a browser without any network, and wait until ``ready`` holds in it."""
    with browser(profile) as tab:
        tab.send(
            "Network.emulateNetworkConditions",
            offline=True,
            latency=0,
            downloadThroughput=0,
            uploadThroughput=0,
        )
        tab.open(page.as_uri(), ready=ready)
        yield tab


def _port(told: Path) -> int:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        if told.exists() and (lines := told.read_text(encoding="utf-8").split()):
            return int(lines[0])
        time.sleep(0.05)
    raise TimeoutError(told)
