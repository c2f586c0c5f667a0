"""Figures to files: SVG for screens, PDF for papers, PNG for slides."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import altair as alt

__all__ = ["PNG_SCALE", "file_name", "save_all", "to_svg"]

PNG_SCALE: Final = 2
"""Pixels per unit of the figure: sharp on dense screens and in print."""


def save_all(charts: Mapping[str, alt.VConcatChart], out: Path) -> list[Path]:
    """Write every figure as SVG, PDF and PNG into ``out`` and return the files in the order written.

    The drawing is laid out once, as SVG; the other two are made from it and show the same.
    """
    import vl_convert

    out.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name, chart in charts.items():
        stem = out / file_name(name)
        svg = to_svg(chart.to_dict(validate=False))
        forms: dict[str, bytes] = {
            "svg": svg.encode(),
            "pdf": vl_convert.svg_to_pdf(svg),
            "png": vl_convert.svg_to_png(svg, scale=PNG_SCALE),
        }
        for ending, content in forms.items():
            path = stem.with_name(f"{stem.name}.{ending}")
            path.write_bytes(content)
            written.append(path)
    return written


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
