"""Figures to files: SVG for screens, PDF for papers, PNG for slides."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import altair as alt

__all__ = ["PNG_SCALE", "file_name", "save_all", "to_svg"]

PNG_SCALE: Final = 2
"""Pixels per unit of the figure: sharp on dense screens and in print."""
_MAKE: Final = """
import json, pathlib, sys, vl_convert
for line in sys.stdin:
    svg, pdf, png = map(pathlib.Path, json.loads(line))
    drawing = svg.read_text(encoding="utf-8")
    pdf.write_bytes(vl_convert.svg_to_pdf(drawing))
    png.write_bytes(vl_convert.svg_to_png(drawing, scale=float(sys.argv[1])))
"""


def save_all(charts: Iterable[tuple[str, alt.VConcatChart | Mapping[str, Any]]], out: Path) -> list[Path]:
    """Write every figure as SVG, PDF and PNG into ``out`` and return the files in the order written.

    The drawing is laid out once, as SVG; a process of its own makes the other two from it meanwhile, and they
    show the same. A figure, given with its name, may be its Vega-Lite specification.

    Raises
    ------
    RuntimeError
        A drawing could not be turned into PDF or PNG.
    """
    out.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    with _making_pdf_and_png() as send:
        for name, chart in charts:
            stem = out / file_name(name)
            paths = [stem.with_name(f"{stem.name}.{ending}") for ending in ("svg", "pdf", "png")]
            specification = chart if isinstance(chart, Mapping) else chart.to_dict(validate=False)
            paths[0].write_text(to_svg(specification), encoding="utf-8")
            send(paths)
            written += paths
    return written


@contextmanager
def _making_pdf_and_png() -> Generator[Callable[[Sequence[Path]], None]]:
    # The library lets no other thread of this process run while it draws.
    # -P: a file of the working directory that is named like a library is not run.
    words = [sys.executable, "-P", "-c", _MAKE, str(PNG_SCALE)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603 - no word from outside
        to_process = process.stdin

        def send(paths: Sequence[Path]) -> None:
            if to_process is not None:
                to_process.write(json.dumps([str(path.resolve()) for path in paths]) + "\n")
                to_process.flush()

        yield send
        _, errors = process.communicate()
    if process.returncode:
        message = f"a figure was not made as PDF and PNG: {errors.strip().splitlines()[-1]}"
        raise RuntimeError(message)


def to_svg(spec: Mapping[str, Any]) -> str:
    """Draw a Vega-Lite specification as SVG, in this process and without any network."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(dict(spec), allowed_base_urls=[]))


def file_name(name: str) -> str:
    """Return a name with letters, digits, points, hyphens and underscores only, that stays in its folder.

    >>> file_name("../self preference")
    'self_preference'
    """
    return re.sub(r"[^A-Za-z0-9._-]+", "_", name).strip("._") or "figure"
