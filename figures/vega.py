"""The script that draws the charts of a page: Vega, Vega-Lite and Vega-Embed in one, made once a run."""

from __future__ import annotations

import functools
import subprocess
import sys
from typing import Final

from markupsafe import Markup

__all__ = ["begin_vega_bundle", "vega_bundle"]

_MAKE: Final = (
    "import sys, vl_convert; sys.stdout.buffer.write(vl_convert.javascript_bundle(None).encode('utf-8'))"
)


def begin_vega_bundle() -> None:
    """Start making the bundle in a process of its own, so that a second core does it meanwhile.

    It takes seconds, and the library that makes it lets no other thread of this process run.
    """
    _making()


@functools.cache
def vega_bundle() -> Markup:
    """Return the bundle, as text that can stand inside a script element; wait for it, or make it now."""
    output, errors = _making().communicate()
    if _making().returncode:
        message = f"vl-convert made no bundle: {errors.decode(errors='replace').strip()}"
        raise RuntimeError(message)
    bundle = output.decode("utf-8")
    return Markup(bundle.replace("</script", r"<\/script").replace("<!--", r"<\!--"))  # noqa: S704 - a library's source


@functools.cache
def _making() -> subprocess.Popen[bytes]:
    # -P: a file of the working directory that is named like a library is not run.
    words = [sys.executable, "-P", "-c", _MAKE]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603 - no word from outside
