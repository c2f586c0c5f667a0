r"""One TeX macro call per estimate, so that no number of a paper is typed by hand.

``numbers.tex`` defines a table of keys and these commands to look them up::

    \RecuseNumber{self_preference_delta/judge=gpt-5.5/baseline=uninvolved}  the value, with its unit
    \RecuseLow{…}, \RecuseHigh{…}                 the limits, without unit
    \RecuseInterval{…}                            both limits, in brackets
    \RecuseEstimate{…}                            the value and both limits
    \RecuseP{…}                                   the p-value, with "p ="
    \RecuseMde{…}                                 the minimum detectable effect
    \RecuseN{…}, \RecuseTasks{…}                  comparisons, tasks
    \RecusePresentations{…}                       presentations
    \RecuseName{gpt-5.5}                          a model's name, by what keys call it
    \RecuseCount{judges}                          the size of the study and its settings
    \RecuseSays{…}{interval above zero}           nothing: recuse paper --check holds it to the estimate

A key is the estimand followed by the keys that are not null, each as ``name=value``: study (only where
a run holds several), judge, judge_2, generator, tier, probe (only if not ``main``), group, split,
baseline, scoring (only where a run holds several). Model names lose their provider unless two would then
be alike; characters that TeX reads in its own way become ``-``. A second row of the same quantity
adds ``test=…`` or ``interval=…``. A key that is not there stops TeX with an error. The file works with
pdflatex, xelatex and lualatex; percent signs and minus signs are set as TeX needs them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from recuse.figures.latex import escape
from recuse.figures.lookup import Lookup, short_name
from recuse.figures.wording import Row, bare_number, detectable_text, estimate_text, interval_text, p_text
from recuse.schema import ESTIMATE_KEYS, EstimateFrame

__all__ = ["names_in_keys", "number_keys", "numbers_tex"]

_FIELDS: Final = (
    *("Number", "Low", "High", "Interval", "P", "N", "Tasks", "Presentations", "Mde"),
    *("Name", "Count"),
)
_MODELS: Final = ("judge", "judge_2", "generator")
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._+=()-]+")
_HEAD: Final = r"""% Generated: one entry per estimate. \input this file in the preamble.
\makeatletter
\def\recuse@look#1#2{\expandafter\ifx\csname recuse@#1@#2\endcsname\relax
  \errmessage{recuse: numbers.tex has no #1 for '\detokenize{#2}'}\else\csname recuse@#1@#2\endcsname\fi}
\def\recuse@set#1#2#3{\expandafter\def\csname recuse@#1@#2\endcsname{#3}}
\protected\def\RecuseEstimate#1{\RecuseNumber{#1} \RecuseInterval{#1}}
\protected\def\RecuseSays#1#2{}
"""


def numbers_tex(estimates: EstimateFrame, counts: Mapping[str, str] | None = None) -> str:
    r"""Write the definitions and one block of entries per estimate; see the top of this module.

    Parameters
    ----------
    estimates
        The estimates of the run.
    counts
        The size of the study and its settings as text: what ``\RecuseCount`` looks up.
    """
    rows = estimates.lazy().collect().to_dicts()
    lines = [_HEAD.rstrip()]
    lines += [rf"\protected\def\Recuse{field}#1{{\recuse@look{{{field}}}{{#1}}}}" for field in _FIELDS]
    lines += [_set("Count", _count_key(name), escape(text)) for name, text in (counts or {}).items()]
    lookup = Lookup(estimates)
    lines += [_set("Name", short, escape(lookup.name(model))) for model, short in names_in_keys(rows).items()]
    for key, row in zip(number_keys(rows), rows, strict=True):
        lines += [_set(field, key, text) for field, text in _entries(row)]
    return "\n".join([*lines, r"\makeatother"]) + "\n"


def _set(field: str, key: str, text: str) -> str:
    return rf"\recuse@set{{{field}}}{{{key}}}{{{text}}}"


def _count_key(name: str) -> str:
    return "/".join(_UNSAFE.sub("-", part) for part in name.split("/", maxsplit=1))


def names_in_keys(rows: Iterable[Row]) -> dict[str, str]:
    """Give each model the name by which keys call it."""
    return _model_names({row[column] for row in rows for column in _MODELS if row[column] is not None})


def number_keys(rows: Iterable[Row]) -> list[str]:
    """Give each row its key: unique, readable, and free of characters that TeX reads in its own way."""
    rows = list(rows)
    names = names_in_keys(rows)
    optional = {column for column in ("study", "scoring") if len({row[column] for row in rows} - {None}) <= 1}
    plain = [_key(row, names, optional) for row in rows]
    groups: dict[str, list[int]] = defaultdict(list)
    for place, key in enumerate(plain):
        groups[key].append(place)
    keys = list(plain)
    taken = set(groups)
    for key, places in groups.items():
        ordered = sorted(places, key=lambda place: rows[place]["conf_low"] is None)
        for place in ordered[1:]:
            keys[place] = _unique(f"{key}/{_method(rows[place])}", taken)
            taken.add(keys[place])
    return keys


def _method(row: Row) -> str:
    if row["test"] is not None:
        return f"test={row['test']}"
    return f"interval={row['interval'] or 'none'}"


def _key(row: Row, names: dict[str, str], left_out: set[str]) -> str:
    parts = [row["estimand"]]
    for column in ESTIMATE_KEYS[1:]:
        value = row[column]
        if value is None or column in left_out or (column == "probe" and value == "main"):
            continue
        parts.append(f"{column}={names[value] if column in _MODELS else _UNSAFE.sub('-', value)}")
    return "/".join(parts)


def _model_names(models: set[str]) -> dict[str, str]:
    named: dict[str, str] = {}
    short = defaultdict[str, list[str]](list)
    for model in sorted(models):
        short[_UNSAFE.sub("-", short_name(model))].append(model)
    taken: set[str] = set()
    for name, owners in short.items():
        for owner in owners:
            wanted = name if len(owners) == 1 else _UNSAFE.sub("-", owner)
            named[owner] = _unique(wanted, taken)
            taken.add(named[owner])
    return named


def _unique(wanted: str, taken: set[str]) -> str:
    candidate, place = wanted, 2
    while candidate in taken:
        candidate, place = f"{wanted}-{place}", place + 1
    return candidate


def _entries(row: Row) -> list[tuple[str, str]]:
    entries = [("Number", escape(estimate_text(row)))]
    if row["conf_low"] is not None and row["conf_high"] is not None:
        entries += [
            ("Low", escape(bare_number(row["conf_low"], row["unit"]))),
            ("High", escape(bare_number(row["conf_high"], row["unit"]))),
            ("Interval", escape(interval_text(row))),
        ]
    if row["mde"] is not None:
        entries.append(("Mde", escape(detectable_text(row["mde"], row["unit"]))))
    if row["p_value"] is not None:
        entries.append(("P", escape(p_text(row["p_value"]))))
    entries += [
        (field, f"{row[column]:,}")
        for field, column in (
            ("N", "n_comparisons"),
            ("Tasks", "n_tasks"),
            ("Presentations", "n_presentations"),
        )
        if row[column] is not None
    ]
    return entries
