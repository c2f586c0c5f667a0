"""What judges are shown, and the form that their verdict takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from recuse.cache.canonical_json import canonical, sha256_of
from recuse.collectors.live.study_file import Collection

__all__ = [
    "Messages",
    "answer_messages",
    "pairwise_messages",
    "pairwise_schema",
    "pointwise_messages",
    "pointwise_schema",
    "prompt_hash",
    "rubric_version",
]


Messages: TypeAlias = list[dict[str, str]]
"""A prompt in the wire format of chat models."""


_PAIRWISE: Final = """\
Two answers to the same task follow. Decide which of them is better.

{rubric}
The order in which they are shown means nothing, and neither does their length by itself.

<task>
{task}
</task>

<answer_a>
{a}
</answer_a>

<answer_b>
{b}
</answer_b>

{form}"""

_POINTWISE: Final = """\
An answer to a task follows. Check it against each criterion.

{rubric}

Criteria:
{criteria}

<task>
{task}
</task>

<answer>
{answer}
</answer>

{form}"""

_POINTWISE_FORM: Final = """\
Reply with one JSON object and nothing else:
{"failed_checks": [names of the criteria that are not met], "evidence": "words of the answer that show it", \
"verdict": "pass" if no criterion failed, else "fail"}"""


def answer_messages(prompt: str) -> Messages:
    """Give what a generator is asked: the task's prompt and nothing else."""
    return _asked(prompt)


def pairwise_messages(about: Collection, task: str, answer_a: str, answer_b: str) -> Messages:
    """Give what a judge is asked about two answers in this order."""
    text = _PAIRWISE.format(
        rubric=about.rubric,
        task=_inside(task),
        a=_inside(answer_a),
        b=_inside(answer_b),
        form=_pairwise_form(about),
    )
    return _asked(text)


def pairwise_schema(about: Collection) -> dict[str, Any]:
    """Give the ``response_format`` of a pairwise verdict."""
    verdict = {"type": "string", "enum": ["A", "B", *(["tie"] if about.ties else [])]}
    reason = {"reason": {"type": "string"}} if about.reasons else {}
    return _response_format("pairwise_verdict", {**reason, "verdict": verdict})


def pointwise_messages(about: Collection, task: str, answer: str) -> Messages:
    """Give what a judge is asked about one answer."""
    criteria = "\n".join(f"- {name}: {holds}" for name, holds in about.criteria.items())
    text = _POINTWISE.format(
        rubric=about.rubric,
        criteria=criteria,
        task=_inside(task),
        answer=_inside(answer),
        form=_POINTWISE_FORM,
    )
    return _asked(text)


def pointwise_schema(about: Collection) -> dict[str, Any]:
    """Give the ``response_format`` of a pointwise verdict."""
    failed = {"type": "array", "items": {"type": "string", "enum": list(about.criteria)}}
    properties = {
        "failed_checks": failed,
        "evidence": {"type": "string"},
        "verdict": {"type": "string", "enum": ["pass", "fail"]},
    }
    return _response_format("pointwise_verdict", properties)


def rubric_version(about: Collection) -> str:
    """Name what judges are told: the study's own name for it, and a hash of the words.

    The hash changes with the rubric, the criteria, the form of the reply and the frame around them.
    """
    words = [about.rubric, about.criteria, _pairwise_form(about), _PAIRWISE, _POINTWISE, _POINTWISE_FORM]
    digest = sha256_of(canonical(words, "rubric"))[:12]
    return f"{about.rubric_version}@{digest}" if about.rubric_version else digest


def prompt_hash(messages: Messages) -> str:
    """Hash a prompt as it was sent."""
    return sha256_of(canonical(messages, "messages"))


def _asked(text: str) -> Messages:
    return [{"role": "user", "content": text}]


def _pairwise_form(about: Collection) -> str:
    reason = '"reason": "one or two sentences", ' if about.reasons else ""
    tie = f' or {{{reason}"verdict": "tie"}} if neither is better' if about.ties else ""
    return (
        f'Reply with one JSON object and nothing else: {{{reason}"verdict": "A"}} if answer A is better, '
        f'{{{reason}"verdict": "B"}} if answer B is better{tie}.'
    )


def _inside(text: str) -> str:
    """Keep a text from closing the element that it is put into."""
    return text.replace("</answer", "<\\/answer").replace("</task", "<\\/task").strip("\n")


def _response_format(name: str, properties: Mapping[str, object]) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": name, "schema": schema, "strict": True}}
