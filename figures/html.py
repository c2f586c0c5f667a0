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
from types import MappingProxyType
from typing import Any, Final, cast

import jinja2
from markupsafe import Markup

from recuse.figures.answer import short_answer, study_setup
from recuse.figures.diagnosis import AT_CHANCE, DIAGNOSIS_NOTE, Diagnosis, diagnoses
from recuse.figures.findings import findings_by_topic
from recuse.figures.lookup import Lookup
from recuse.figures.table import Table
from recuse.figures.tables import tables
from recuse.figures.vega import vega_bundle
from recuse.schema import EstimateFrame

__all__ = ["chart_words", "data_uri", "json_for_script", "page_environment", "report_html"]

_ESCAPES: Final = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
_AT_MOST: Final = 40
"""Findings of a diagnosis with which every pair of judges still has its place on the page."""
_TABLE_OF: Final[Mapping[str, str]] = MappingProxyType({"win_rate_by_judge": "win_rate"})
"""Figure → the table that holds its numbers, where they are not named alike."""


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
        Name of a figure → what it shows, in words; by default its question and the set-up underneath.
    set_aside_counts, notes, manifest
        As in the terminal and in ``manifest.json``.
    """
    charts, static = charts or {}, static or {}
    laid_out = tables(estimates)
    topics = findings_by_topic(estimates)
    return (
        page_environment()
        .get_template("report.html.j2")
        .render(
            studies=[study for study in Lookup(estimates).studies if study is not None],
            answer=[_held_together(sentence) for sentence in short_answer(estimates)],
            setup=study_setup(estimates, manifest),
            findings={topic: [_held_together(one) for one in said] for topic, said in topics.items()},
            diagnoses=_by_subject(diagnoses(estimates)),
            diagnosis_note=DIAGNOSIS_NOTE,
            figures=_figures(charts, static, alt or {}, laid_out),
            tables=laid_out,
            set_aside={rule: count for rule, count in (set_aside_counts or {}).items() if count},
            notes=list(notes),
            manifest=json.dumps(manifest, indent=2, ensure_ascii=False) if manifest else None,
            specifications=json_for_script(_by_place(charts, static)) if charts else None,
            bundle=vega_bundle() if charts else None,
        )
    )


def _by_subject(told: Sequence[Diagnosis]) -> dict[str, list[Diagnosis]]:
    """Group the diagnosis by judge or pair; pairs of which nothing is shown are left to the table."""
    grouped: dict[str, list[Diagnosis]] = {}
    for one in told:
        if one.bias != AT_CHANCE or one.level == "shown" or len(told) <= _AT_MOST:
            grouped.setdefault(one.subject, []).append(one)
    return grouped


def page_environment() -> jinja2.Environment:
    """Return the environment of every page: escaping is on, and what is not given is an error."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("recuse.figures", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _figures(
    charts: Mapping[str, Mapping[str, Any]],
    static: Mapping[str, str],
    alt: Mapping[str, str],
    laid_out: Sequence[Table],
) -> list[dict[str, Any]]:
    captions = {table.key: table.caption for table in laid_out}
    figures: list[dict[str, Any]] = []
    for place, name in enumerate(dict.fromkeys([*charts, *static])):
        title, *more = chart_words(charts.get(name, {})) or [name.replace("_", " ")]
        table = next((key for key in (name, _TABLE_OF.get(name)) if key in captions), None)
        figures.append(
            {
                "place": place,
                "title": title,
                "alt": alt.get(name) or " ".join([title, *more]),
                "image": data_uri(static[name]) if name in static else None,
                "drawn": name in charts,
                "table": table,
                "table_caption": captions[table] if table is not None else None,
            }
        )
    return figures


def _by_place(
    charts: Mapping[str, Mapping[str, Any]], static: Mapping[str, str]
) -> dict[str, Mapping[str, Any]]:
    names = list(dict.fromkeys([*charts, *static]))
    return {f"chart-{names.index(name)}": spec for name, spec in charts.items()}


def chart_words(spec: Mapping[str, Any]) -> list[str]:
    """Give the titles of a figure and of its parts as text, from the question at its head down.

    >>> chart_words({"title": "Why?", "vconcat": [{"title": {"text": ["Study s.", "One judge."]}}]})
    ['Why?', 'Study s. One judge.']
    """
    title: Any = spec.get("title")
    text: Any = cast("dict[str, Any]", title).get("text") if isinstance(title, dict) else title
    lines = [str(line) for line in cast("list[object]", text)] if isinstance(text, list) else [text]
    told = [" ".join(str(line) for line in lines if line), str(spec.get("description", ""))]
    for part in ("vconcat", "hconcat", "concat", "layer"):
        for inner in cast("list[Mapping[str, Any]]", spec.get(part, [])):
            told += chart_words(inner)
    return [line for line in told if line]


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


def data_uri(svg: str) -> str:
    """Give a drawing as the address of an image that is part of the page."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
