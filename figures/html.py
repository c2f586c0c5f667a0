"""One self-contained HTML file: the answer, the charts, the tables, what was set aside, the manifest.

The page asks nothing of any network: the Vega bundle is part of it, and its content policy forbids every
request. Whatever comes from the data reaches the page as text: through the template's escaping, or as
JSON in which ``<``, ``>`` and ``&`` cannot end a script.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import jinja2
from markupsafe import Markup

from recuse.figures.findings import findings
from recuse.figures.lookup import Lookup
from recuse.figures.tables import tables
from recuse.figures.vega import vega_bundle
from recuse.schema import EstimateFrame

__all__ = ["json_for_script", "report_html"]

_ESCAPES: Final = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def report_html(
    estimates: EstimateFrame,
    *,
    charts: Mapping[str, Mapping[str, Any]] | None = None,
    static: Mapping[str, str] | None = None,
    alt: Mapping[str, str] | None = None,
    set_aside_counts: Mapping[str, int] | None = None,
    notes: Sequence[str] = (),
    manifest: Mapping[str, Any] | None = None,
) -> str:
    """Render the report.

    Parameters
    ----------
    estimates
        The estimates of the run; everything else on the page is about how they came to be.
    charts
        Name of a figure → its Vega-Lite specification; drawn by the reader's browser.
    static
        Name of a figure → SVG source, shown until the specification is drawn, in print, and where
        scripts are off.
    alt
        Name of a figure → what it shows, in words; by default its title and description.
    set_aside_counts, notes, manifest
        As in the terminal and in ``manifest.json``.
    """
    charts, static = charts or {}, static or {}
    names = list(dict.fromkeys([*charts, *static]))
    figures = [
        {
            "name": name,
            "place": place,
            "alt": (alt or {}).get(name) or _description(name, charts.get(name, {})),
            "image": _data_uri(static[name]) if name in static else None,
            "drawn": name in charts,
        }
        for place, name in enumerate(names)
    ]
    specifications = {f"chart-{names.index(name)}": spec for name, spec in charts.items()}
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("recuse.figures", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.j2").render(
        studies=[study for study in Lookup(estimates).studies if study is not None],
        findings=[_held_together(sentence) for sentence in findings(estimates)],
        figures=figures,
        tables=tables(estimates),
        set_aside={rule: count for rule, count in (set_aside_counts or {}).items() if count},
        notes=list(notes),
        manifest=json.dumps(manifest, indent=2, ensure_ascii=False) if manifest else None,
        specifications=json_for_script(specifications) if charts else None,
        bundle=vega_bundle() if charts else None,
    )


def json_for_script(value: object) -> Markup:
    r"""Write JSON that can stand inside a script element whatever text it holds.

    >>> print(json_for_script({"name": "</script>"}))
    {"name": "\u003c/script\u003e"}
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_ESCAPES)
    return Markup(text)  # noqa: S704 - no sign is left that ends or opens an element


def _held_together(sentence: str) -> str:
    """Let no line break between a number and its unit or its sign of equality."""
    spaced = re.sub(r"(?<=\d) (?=%|pp)", "\u00a0", sentence)
    return re.sub(r"\b([pn]) = ", "\\1\u00a0=\u00a0", spaced)


def _description(name: str, spec: Mapping[str, Any]) -> str:
    title = spec.get("title")
    text = title.get("text") if isinstance(title, Mapping) else title  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    lines = [str(line) for line in text] if isinstance(text, list) else [str(text or name.replace("_", " "))]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return " ".join([*lines, str(spec.get("description", ""))]).strip()


def _data_uri(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
