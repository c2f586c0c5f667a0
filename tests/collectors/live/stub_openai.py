"""A server that speaks the OpenAI wire format and behaves as its models' names say.

Run as a program it prints its address and serves until it is stopped.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

VERDICTS = {"first": "A", "second": "B", "ties": "tie"}


class Stub(ThreadingHTTPServer):
    """What was asked of it is in ``requests``: (path, headers, body), in the order of arrival."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.times: list[float] = []
        self.seen: Counter[str] = Counter()
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.batch_status = "completed"
        self.lock = threading.Lock()

    def handle_error(self, *_: object) -> None:
        """Say nothing when somebody hangs up."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def asked(self, model: str = "") -> list[dict[str, Any]]:
        """Give the bodies of chat requests, of one model if named."""
        return [
            body
            for path, _, body in self.requests
            if path.endswith("/chat/completions") and model in body["model"]
        ]


def content_of(body: dict[str, Any]) -> str:
    """Answer a task, or judge, by what stands in the prompt."""
    prompt = body["messages"][-1]["content"]
    model = body["model"]
    if "<answer_a>" not in prompt and "<answer>" not in prompt:
        n_words = 40 if "at least" in prompt else 5 if "at most" in prompt or "one sentence" in prompt else 12
        style = chr(ord("a") + sum(map(ord, model)) % 26)
        words = " ".join(f"word{style}{number}" for number in range(n_words))
        said = {"leaky": "As Claude, I would say: ", "empty": ""}.get(model, f"{prompt[:20]}… ")
        return "" if model == "empty" else f"{said}{words}"
    if "<answer>" in prompt:
        return {
            "contradicts": '{"failed_checks": ["correct"], "evidence": "x", "verdict": "pass"}',
            "strict-judge": '{"failed_checks": ["correct"], "evidence": "word", "verdict": "fail"}',
        }.get(model, '{"failed_checks": [], "evidence": "word", "verdict": "pass"}')
    if model == "contradicts":
        return 'At first [[A]]. On reflection: {"verdict": "B"}'
    if model == "prose":
        return "I compared both answers carefully.\nVerdict: B"
    if model == "longer":
        a, b = (re.search(rf"<answer_{slot}>(.*?)</answer_{slot}>", prompt, re.DOTALL) for slot in "ab")
        longer = "A" if len(a.group(1)) > len(b.group(1)) else "B"
        return json.dumps({"verdict": longer})
    return json.dumps({"verdict": VERDICTS.get(model, "A")})


def completion(body: dict[str, Any]) -> dict[str, Any]:
    prompt = body["messages"][-1]["content"]
    text = content_of(body)
    declined = body["model"] == "declines"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": f"{body['model']}-2026-01-01",
        "system_fingerprint": "fp_stub",
        "choices": [
            {
                "index": 0,
                "finish_reason": "content_filter" if declined else "stop",
                "message": {"role": "assistant", "content": None if declined else text},
            }
        ],
        "usage": {
            "prompt_tokens": len(prompt) // 4,
            "completion_tokens": max(1, len(text) // 4),
            "total_tokens": 1,
        },
    }


class _Handler(BaseHTTPRequestHandler):
    server: Stub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._batch("GET", b"")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not self.path.endswith("/chat/completions"):
            self._batch("POST", raw)
            return
        body = json.loads(raw)
        with self.server.lock:
            self.server.requests.append((self.path, dict(self.headers), body))
            self.server.times.append(time.monotonic())
            key = json.dumps([body["model"], body["messages"]])
            self.server.seen[key] += 1
            nth = self.server.seen[key]
        self._behave(body, nth)

    def _behave(self, body: dict[str, Any], nth: int) -> None:  # noqa: C901
        model = body["model"]
        if model == "limited" and nth == 1:
            self._error(429, "Rate limit reached", {"Retry-After": "0.3"})
        elif model == "stumbles" and nth == 1:
            self._error(500, "The server had an error")
        elif model == "down":
            self._error(503, "Overloaded")
        elif model == "slow" and nth == 1:
            time.sleep(2)
            self._error(500, "too late")
        elif model == "cut" and nth == 1:
            self._send(200, json.dumps(completion(body)).encode()[:-40], {})
        elif model == "hangs-up" and nth == 1:
            self.close_connection = True
        elif model == "no-temperature" and "temperature" in body:
            self._error(
                400,
                "Unsupported value: 'temperature' does not support 0.0 with this model.",
                param="temperature",
                code="unsupported_value",
            )
        elif model == "no-schema" and "response_format" in body:
            self._error(400, "response_format of type json_schema is not supported by this model")
        elif model == "small-window" and len(body["messages"][-1]["content"]) > 900:
            self._error(400, "Too many tokens: shorten the prompt or lower max_tokens or temperature")
        elif model == "too-long":
            self._error(400, "The prompt is malformed", code="invalid_prompt")
        elif model == "tells-keys":
            self._error(401, f"Incorrect API key provided: {self.headers.get('authorization')}")
        else:
            self._send(200, json.dumps(completion(body)).encode(), {})

    def _error(
        self,
        status: int,
        message: str,
        headers: dict[str, str] | None = None,
        *,
        param: str = "",
        code: str = "",
    ) -> None:
        error = {"message": message, "type": "error", "param": param or None, "code": code or None}
        self._send(status, json.dumps({"error": error}).encode(), headers or {})

    def _send(
        self, status: int, body: bytes, headers: dict[str, str], kind: str = "application/json"
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _batch(self, method: str, raw: bytes) -> None:
        """Speak the part of the wire format that files and batches use."""
        server, path = self.server, self.path.removeprefix("/v1")
        with server.lock:
            server.requests.append((self.path, dict(self.headers), raw.decode(errors="replace")))
        if method == "POST" and path == "/files":
            name = f"file-{len(server.files)}"
            part = re.search(rb'name="file".*?\r\n\r\n(.*?)\r\n--', raw, re.DOTALL)
            server.files[name] = part.group(1) if part else b""
            self._json(
                {
                    "id": name,
                    "object": "file",
                    "bytes": 1,
                    "created_at": 1,
                    "filename": "b",
                    "purpose": "batch",
                    "status": "processed",
                }
            )
        elif method == "POST" and path == "/batches":
            asked = json.loads(raw)
            name = f"batch-{len(server.batches)}"
            server.batches[name] = {"id": name, "object": "batch", "input_file_id": asked["input_file_id"]}
            self._json(self._described(name, "validating"))
        elif path.startswith("/batches/"):
            self._json(self._described(path.split("/")[2], server.batch_status))
        elif path.endswith("/content"):
            self._send(200, server.files[path.split("/")[2]], {}, "application/octet-stream")
        else:
            self._error(404, "no such path")

    def _described(self, name: str, status: str) -> dict[str, Any]:
        about = self.server.batches[name]
        if status in {"completed", "expired"} and "output_file_id" not in about:
            lines, errors = [], []
            for number, line in enumerate(self.server.files[about["input_file_id"]].splitlines()):
                asked = json.loads(line)
                if status == "expired" and number % 2:
                    errors.append(
                        {
                            "custom_id": asked["custom_id"],
                            "error": {"code": "batch_expired", "message": "late"},
                        }
                    )
                    continue
                if asked["body"]["model"] == "too-long":
                    reply = {"status_code": 400, "body": {"error": {"message": "The prompt is malformed"}}}
                    errors.append({"custom_id": asked["custom_id"], "response": reply, "error": None})
                    continue
                reply = {"status_code": 200, "request_id": "r", "body": completion(asked["body"])}
                lines.append(
                    {"id": f"r{number}", "custom_id": asked["custom_id"], "response": reply, "error": None}
                )
            for field, rows in (("output_file_id", lines), ("error_file_id", errors)):
                about[field] = None
                if rows:
                    about[field] = f"file-{len(self.server.files)}"
                    self.server.files[about[field]] = "\n".join(map(json.dumps, rows)).encode()
        return {
            **about,
            "status": status,
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "created_at": 1,
            "request_counts": {"total": 1, "completed": 1, "failed": 0},
        }

    def _json(self, said: object) -> None:
        self._send(200, json.dumps(said).encode(), {})


if __name__ == "__main__":
    stub = Stub()
    sys.stdout.write(f"{stub.address}\n")
    sys.stdout.flush()
    stub.serve_forever()
