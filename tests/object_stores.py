"""A stand-in for object stores: what polars asks of S3, GCS and Azure, answered from a folder.

It knows single requests of whole objects and ranges, puts, and one page of a listing; no signatures, no parts
of an upload. That real stores answer in the same way is not shown by it.
"""

import http.server
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, unquote

import pytest

__all__ = ["STORES", "point_at", "served"]

STORES = ("s3", "gs", "az")
_AZURE_ACCOUNT = "devstoreaccount1"
_MODIFIED = "Mon, 30 Nov 2026 10:00:00 GMT"


class _Store(http.server.SimpleHTTPRequestHandler):
    """Serves parts of files, as object stores and most web servers do."""

    folder: Path

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_PUT(self) -> None:
        path = self._place()[0]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
        self._head(201 if "x-ms-version" in self.headers else 200, 0)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""

    def _place(self) -> tuple[Path, str]:
        where, _, query = self.path.partition("?")
        return self.folder / unquote(where).strip("/").removeprefix(_AZURE_ACCOUNT).strip("/"), query

    def _head(self, status: int, length: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        self.send_header("ETag", '"v1"')
        self.send_header("Last-Modified", _MODIFIED)
        self.end_headers()

    def _answer(self, *, body: bool) -> None:
        path, query = self._place()
        asked = parse_qs(query)
        if not path.is_file() and not {"list-type", "comp"} & set(asked):
            self.send_error(404)
            return
        content = path.read_bytes() if path.is_file() else _listed(path, asked)
        span = re.fullmatch(
            r"bytes=(\d*)-(\d*)", self.headers.get("Range") or self.headers.get("x-ms-range") or ""
        )
        first, last = 0, len(content) - 1
        if span and span[1]:
            first, last = int(span[1]), min(int(span[2] or last), last)
        elif span:
            first = max(0, len(content) - int(span[2]))
        self.send_response(206 if span else 200)
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
        self.send_header("Content-Length", str(last + 1 - first))
        self.send_header("ETag", '"v1"')
        self.send_header("Last-Modified", _MODIFIED)
        self.end_headers()
        if body:
            self.wfile.write(content[first : last + 1])


def _listed(bucket: Path, asked: dict[str, list[str]]) -> bytes:
    """List the objects of a bucket as S3 and GCS do, or as Azure does."""
    prefix = asked.get("prefix", [""])[0]
    paths = [path for path in sorted(bucket.rglob("*")) if path.is_file()]
    sizes = {path.relative_to(bucket).as_posix(): path.stat().st_size for path in paths}
    found = {key: size for key, size in sizes.items() if key.startswith(prefix)}
    if "comp" in asked:
        blobs = "".join(
            f"<Blob><Name>{key}</Name><Properties><Creation-Time>{_MODIFIED}</Creation-Time><Last-Modified>{_MODIFIED}"
            f"</Last-Modified><Etag>v1</Etag><Content-Length>{size}</Content-Length>"
            "<Content-Type>application/octet-stream</Content-Type><BlobType>BlockBlob</BlobType></Properties></Blob>"
            for key, size in found.items()
        )
        listed = f"<Prefix>{prefix}</Prefix><Blobs>{blobs}</Blobs>"
        return f"<EnumerationResults>{listed}</EnumerationResults>".encode()
    objects = "".join(
        f"<Contents><Key>{key}</Key><LastModified>2026-11-30T10:00:00.000Z</LastModified>"
        f"<ETag>v1</ETag><Size>{size}</Size><StorageClass>STANDARD</StorageClass></Contents>"
        for key, size in found.items()
    )
    counted = f"<KeyCount>{len(found)}</KeyCount><IsTruncated>false</IsTruncated>"
    head = f"<Name>{bucket.name}</Name><Prefix>{prefix}</Prefix><MaxKeys>1000</MaxKeys>{counted}"
    return f"<ListBucketResult>{head}{objects}</ListBucketResult>".encode()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder whose folders are buckets; gives the address."""
    handler = type("Served", (_Store,), {"folder": folder})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def point_at(web: str, scheme: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the environment that leads polars to the stand-in."""
    environment = {
        "s3": {
            "AWS_ENDPOINT_URL": web,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "here",
            "AWS_ACCESS_KEY_ID": "nobody",
            "AWS_SECRET_ACCESS_KEY": "nothing",
        },
        "gs": {"GOOGLE_SERVICE_ACCOUNT": str(folder / "account.json")},
        "az": {"AZURE_STORAGE_USE_EMULATOR": "true", "AZURITE_BLOB_STORAGE_URL": web},
    }[scheme]
    if scheme == "gs":
        account = dict.fromkeys(("client_email", "private_key", "private_key_id"), "")
        written = json.dumps({"gcs_base_url": web, "disable_oauth": True, **account})
        (folder / "account.json").write_text(written, encoding="utf-8")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
