"""Bytes from disk: hashed, unpacked, and no more of them than a file of judgments may have."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from pathlib import Path
from typing import IO, Final

from recuse.errors import SourceError

__all__ = ["LONGEST_LINE", "as_text", "stored_content", "stored_head"]

LONGEST_LINE: Final = 64 * 2**20
"""Bytes that one line may have; a longer one is no judgment, and would be held in memory several times."""
_AT_ONCE: Final = 4 * 2**20


def stored_content(path: Path, *, bounded_lines: bool = False, limit: int | None = None) -> tuple[bytes, str]:
    """Read a file's content, unpacked if it is gzipped, and the SHA-256 of its bytes on disk.

    Parameters
    ----------
    path
        The file.
    bounded_lines
        Stop at a line longer than ``LONGEST_LINE``, before the rest is read.
    limit
        Stop at this many bytes of content.

    Raises
    ------
    SourceError
        The file cannot be opened, is cut off or damaged, or goes beyond a bound.
    """
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            if not packed and limit is not None and path.stat().st_size > limit:
                raise _too_large(path, limit)
            if not packed and not bounded_lines and limit is None:
                whole = file.read()
                return whole, hashlib.sha256(whole).hexdigest()
            if not packed:
                return _read(file, path, bounded_lines=bounded_lines, limit=limit)
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            with gzip.GzipFile(fileobj=file) as unpacked:
                return _read(unpacked, path, bounded_lines=bounded_lines, limit=limit)[0], sha256
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise SourceError(path, "the gzip file is cut off or damaged", "fetch it again") from error
    except FileNotFoundError:
        raise SourceError(path, "there is no such file", "check the path") from None
    except IsADirectoryError:
        raise SourceError(path, "it is a directory", "name a file in it") from None
    except OSError as error:
        raise SourceError(path, error.strerror or "the file cannot be opened") from error


def stored_head(path: Path, n_bytes: int, *, upto_line: bool = False) -> bytes:
    """Read the first bytes of a file's content, or its first line that is not blank; b"" if unreadable."""
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            content: IO[bytes] | gzip.GzipFile = gzip.GzipFile(fileobj=file) if packed else file
            if not upto_line:
                return content.read(n_bytes)
            line = content.readline(n_bytes)
            while line and not line.strip() and len(line) < n_bytes:
                line = content.readline(n_bytes)
            return line
    except (OSError, EOFError, zlib.error):
        return b""


def as_text(content: bytes, path: Path) -> str:
    """Decode UTF-8, with or without its mark.

    Raises
    ------
    SourceError
        It is another encoding; the message names the line.
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SourceError(path, "it is written in UTF-16", "save it as UTF-8 (in a spreadsheet: CSV UTF-8)")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SourceError(
            path,
            f"line {line:,} is not UTF-8 (byte 0x{content[error.start]:02x})",
            "save the file as UTF-8 (in a spreadsheet: CSV UTF-8)",
        ) from error


def _too_large(path: Path, limit: int) -> SourceError:
    return SourceError(
        path,
        f"it holds more than {limit // 2**20:,} MiB in one JSON document",
        "write one object a line and name it .jsonl, or make it Parquet",
    )


def _read(
    file: IO[bytes] | gzip.GzipFile, path: Path, *, bounded_lines: bool, limit: int | None
) -> tuple[bytes, str]:
    digest = hashlib.sha256()
    content = bytearray()
    n_lines = open_line = 0
    while chunk := file.read(_AT_ONCE):
        digest.update(chunk)
        content += chunk
        if limit is not None and len(content) > limit:
            raise _too_large(path, limit)
        if not bounded_lines:
            continue
        first, last = chunk.find(b"\n"), chunk.rfind(b"\n")
        if max(open_line + (len(chunk) if first < 0 else first), len(chunk) - 1 - last) > LONGEST_LINE:
            raise SourceError(
                path,
                f"line {n_lines + 1:,} is longer than {LONGEST_LINE // 2**20:,} MiB",
                "a file of this kind has one judgment a line",
            )
        open_line = open_line + len(chunk) if last < 0 else len(chunk) - 1 - last
        n_lines += chunk.count(b"\n")
    return bytes(content), digest.hexdigest()
