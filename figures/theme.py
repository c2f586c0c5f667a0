"""One look for every figure: a named font, colours told apart in grey print, a light grid."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import altair as alt

__all__ = ["COLOURS", "FONT", "GREY", "GRID", "INK", "SHAPES", "config", "themed"]

FONT: Final = "Liberation Sans, Arial, Helvetica, sans-serif"
"""vl-convert carries Liberation Sans, so widths are the same on every machine; Arial has its metrics."""

INK: Final = "#1a1a1a"
GREY: Final = "#5f5f5f"
GRID: Final = "#e6e6e6"

COLOURS: Final = ("#0b3c6f", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Dark first, lighter after: apart for the colour-blind by hue and lightness, and always with a shape."""
SHAPES: Final = ("circle", "diamond", "square", "triangle-up", "triangle-down", "cross")


def config() -> dict[str, Any]:
    """Vega-Lite configuration that every figure carries in its own specification."""
    return {
        "background": "white",
        "font": FONT,
        "padding": 12,
        "view": {"stroke": None},
        "title": {
            "color": INK,
            "fontSize": 15,
            "fontWeight": "bold",
            "anchor": "start",
            "frame": "bounds",
            "offset": 12,
            "limit": 1200,
        },
        "axis": {
            "labelColor": INK,
            "labelFontSize": 11,
            "titleColor": INK,
            "titleFontSize": 11,
            "titleFontWeight": "normal",
            "titlePadding": 8,
            "gridColor": GRID,
            "domainColor": GREY,
            "tickColor": GREY,
        },
        "header": {"labelColor": INK, "labelFontSize": 12, "labelFontWeight": "bold", "title": None},
        "legend": {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal"},
        "text": {"color": INK, "fontSize": 11},
        "concat": {"spacing": 28},
    }


def themed(chart: alt.VConcatChart, question: str) -> alt.VConcatChart:
    """Put the question above a figure and the house's configuration into its specification."""
    import altair as alt

    chart.title = alt.TitleParams(text=question)
    chart.config = alt.Config(**config())
    return chart
