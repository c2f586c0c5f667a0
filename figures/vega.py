"""The script that draws the charts of a page: Vega, Vega-Lite and Vega-Embed in one, made once."""

from __future__ import annotations

import functools
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Final

import platformdirs
from markupsafe import Markup

__all__ = ["begin_vega_bundle", "vega_bundle"]

_MAKE: Final = (
    "import sys, vl_convert; sys.stdout.buffer.write(vl_convert.javascript_bundle(None).encode('utf-8'))"
)


def begin_vega_bundle() -> None:
    """Start making the bundle, unless an earlier run has, in a process of its own on a second core.

    It takes seconds, and the library that makes it lets no other thread of this process run.
    """
    if _kept() is None:
        _making()


@functools.cache
def vega_bundle() -> Markup:
    """Return the bundle, as text that can stand inside a script element; wait for it, or make it now.

    It is kept in the user's cache folder for the next run with the same version of the library. Nothing is
    lost where that folder cannot be written to.
    """
    bundle = _kept()
    if bundle is None:
        bundle = _made()
        _keep(bundle)
    return Markup(bundle.replace("</script", r"<\/script").replace("<!--", r"<\!--"))  # noqa: S704 - a library's source


def _made() -> str:
    output, errors = _making().communicate()
    if _making().returncode:
        message = f"vl-convert made no bundle: {errors.decode(errors='replace').strip()}"
        raise RuntimeError(message)
    return output.decode("utf-8")


def _path() -> Path:
    return platformdirs.user_cache_path("recuse") / f"vega-{version('vl-convert-python')}.js"


def _kept() -> str | None:
    try:
        return _path().read_text(encoding="utf-8") or None
    except (OSError, UnicodeDecodeError):
        return None


def _keep(bundle: str) -> None:
    path = _path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Written beside and renamed: a reader finds the whole text or none.
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, suffix=".part", delete=False
        ) as part:
            part.write(bundle)
        Path(part.name).replace(path)
    except OSError:
        return


@functools.cache
def _making() -> subprocess.Popen[bytes]:
    # -P: a file of the working directory that is named like a library is not run.
    words = [sys.executable, "-P", "-c", _MAKE]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603 - no word from outside
