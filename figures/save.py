"""Figures to files: SVG for screens, PDF for papers, PNG for slides."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple, cast

if TYPE_CHECKING:
    import altair as alt

__all__ = ["PNG_SCALE", "begin_drawing", "file_name", "save_all", "to_svg"]

PNG_SCALE: Final = 2
"""Pixels per unit of the figure: sharp on dense screens and in print."""
_DRAW: Final = """
import json, pathlib, sys, vl_convert
vl_convert.vegalite_to_svg({"data": {"values": []}, "mark": "point"}, allowed_base_urls=[])
for line in sys.stdin:
    paths, specification = json.loads(line)
    drawing = vl_convert.vegalite_to_svg(specification, allowed_base_urls=[])
    pathlib.Path(paths[0]).write_text(drawing, encoding="utf-8")
    print(json.dumps(paths), flush=True)
"""
_CONVERT: Final = """
import json, pathlib, sys, vl_convert
for line in sys.stdin:
    svg, pdf, png = map(pathlib.Path, json.loads(line))
    drawing = svg.read_text(encoding="utf-8")
    pdf.write_bytes(vl_convert.svg_to_pdf(drawing))
    png.write_bytes(vl_convert.svg_to_png(drawing, scale=float(sys.argv[1])))
"""


class _Pipeline(NamedTuple):
    """Two processes, one after the other: specifications go in, the first draws them, the second converts."""

    draw: subprocess.Popen[str]
    convert: subprocess.Popen[str]


_begun: Final[list[_Pipeline]] = []
"""The pipeline that waits for figures, if one does."""


def begin_drawing() -> None:
    """Start what draws figures before there is one: a second core is ready when the first is specified.

    The library takes a second to start, and lets no other thread of its process run while it draws.
    """
    if not _begun:
        _begun.append(_started())


def save_all(charts: Iterable[tuple[str, alt.VConcatChart | Mapping[str, Any]]], out: Path) -> list[Path]:
    """Write every figure as SVG, PDF and PNG into ``out`` and return the files in the order written.

    Each drawing is laid out once, as SVG, and the other two are made from it and show the same; all this
    in processes of their own, while the next figure is specified here. A figure, given with its name, may be
    its Vega-Lite specification.

    Raises
    ------
    RuntimeError
        A figure could not be drawn, or turned into PDF or PNG.
    """
    out.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    with _drawing() as send:
        for name, chart in charts:
            stem = out / file_name(name)
            paths = [stem.with_name(f"{stem.name}.{ending}") for ending in ("svg", "pdf", "png")]
            send(paths, chart if isinstance(chart, Mapping) else chart.to_dict(validate=False))
            written += paths
    return written


@contextmanager
def _drawing() -> Generator[Callable[[Sequence[Path], Mapping[str, Any]], None]]:
    pipeline = _begun.pop() if _begun else _started()
    with pipeline.draw as draw, pipeline.convert as convert:
        to_process = cast("IO[str]", draw.stdin)

        def send(paths: Sequence[Path], specification: Mapping[str, Any]) -> None:
            line = json.dumps([[str(path.resolve()) for path in paths], specification])
            with suppress(BrokenPipeError):  # it has ended, and said why
                to_process.write(f"{line}\n")
                to_process.flush()

        try:
            yield send
        finally:
            with suppress(BrokenPipeError):
                to_process.close()
            errors = "".join(process.stderr.read() for process in (draw, convert) if process.stderr)
    if draw.returncode or convert.returncode:
        message = f"a figure was not drawn or not made as PDF and PNG: {errors.strip().splitlines()[-1]}"
        raise RuntimeError(message)


def _started() -> _Pipeline:
    # -P: a file of the working directory that is named like a library is not run.
    words = [sys.executable, "-P", "-c"]
    pipe = subprocess.PIPE
    draw = subprocess.Popen([*words, _DRAW], stdin=pipe, stdout=pipe, stderr=pipe, text=True)  # noqa: S603 - no word from outside
    convert = subprocess.Popen(  # noqa: S603 - no word from outside
        [*words, _CONVERT, str(PNG_SCALE)], stdin=draw.stdout, stderr=pipe, text=True
    )
    if draw.stdout:
        draw.stdout.close()
    return _Pipeline(draw, convert)


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
