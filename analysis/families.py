"""Which family a model belongs to, read from its name.

A family is *who trained and released the model*, not whose weights it started from: a fine-tune by
another group (Vicuna, Alpaca, WizardLM on LLaMA) is a family of its own. A study that wants derived
models counted with their base says so in its ``[families]``, for example ``"vicuna*" = "meta"``.

Families say who may have a stake in a comparison. They never say that two names are one model.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

__all__ = ["FAMILY_PATTERNS", "family_of", "unknown_families"]

FAMILY_PATTERNS: Final[tuple[tuple[str, str], ...]] = (
    # Derived models first: their names often contain that of the base.
    ("vicuna*", "lmsys"), ("alpaca*", "alpaca"), ("pandalm*", "pandalm"), ("koala*", "koala"),
    ("guanaco*", "guanaco"), ("baize*", "baize"), ("tulu*", "allenai"), ("*llama*-tulu*", "allenai"),
    ("olmo*", "allenai"), ("wizardlm*", "wizardlm"), ("wizardcoder*", "wizardlm"), ("nous-*", "nous"),
    ("hermes-*", "nous"), ("openhermes*", "nous"), ("gpt4all*", "nomic"), ("oasst*", "openassistant"),
    ("openassistant*", "openassistant"), ("h2ogpt*", "h2oai"), ("open*llama*", "openlm"),
    ("zephyr*", "huggingface"), ("smollm*", "huggingface"), ("starling*", "starling"),
    ("openchat*", "openchat"), ("prometheus*", "prometheus"), ("judgelm*", "judgelm"),
    ("auto-j*", "auto-j"), ("*nemotron*", "nvidia"), ("sonar*", "perplexity"), ("*-sonar-*", "perplexity"),
    ("solar*", "upstage"), ("dolphin*", "dolphin"), ("deepseek*", "deepseek"), ("chatglm*", "zhipu"),
    # Makers, by the names of their models.
    ("claude*", "anthropic"),
    ("gpt-oss*", "openai"), ("gpt-[0-9]*", "openai"), ("gpt[0-9]*", "openai"), ("chatgpt*", "openai"),
    ("o[1-9]", "openai"), ("o[1-9]-*", "openai"), ("codex*", "openai"), ("davinci*", "openai"),
    ("text-davinci*", "openai"), ("code-davinci*", "openai"), ("babbage*", "openai"), ("curie*", "openai"),
    ("instructgpt*", "openai"),
    ("grok*", "xai"),
    ("gemini*", "google"), ("palm*", "google"), ("gemma*", "google"), ("bard*", "google"),
    ("*bison*", "google"), ("flan-t5*", "google"),
    ("llama*", "meta"), ("meta-llama*", "meta"), ("codellama*", "meta"), ("code-llama*", "meta"),
    ("opt-[0-9]*", "meta"), ("muse-*", "meta"),
    ("mistral*", "mistral"), ("mixtral*", "mistral"), ("ministral*", "mistral"), ("codestral*", "mistral"),
    ("magistral*", "mistral"), ("devstral*", "mistral"), ("pixtral*", "mistral"),
    ("qwen*", "qwen"), ("qwq*", "qwen"), ("qvq*", "qwen"),
    ("command*", "cohere"), ("c4ai-*", "cohere"), ("aya-*", "cohere"),
    ("falcon*", "tii"), ("mpt-*", "mosaicml"), ("dolly*", "databricks"), ("dbrx*", "databricks"),
    ("stablelm*", "stability"), ("stable-*", "stability"), ("rwkv*", "rwkv"), ("fastchat-t5*", "lmsys"),
    ("phi-[0-9]*", "microsoft"), ("phi[0-9]*", "microsoft"), ("yi-*", "01-ai"), ("glm*", "zhipu"),
    ("kimi*", "moonshot"), ("moonshot*", "moonshot"), ("minimax*", "minimax"), ("internlm*", "internlm"),
    ("baichuan*", "baichuan"), ("ernie*", "baidu"), ("doubao*", "bytedance"), ("hunyuan*", "tencent"),
    ("nova-*", "amazon"), ("titan-*", "amazon"), ("granite*", "ibm"), ("jamba*", "ai21"),
    ("jurassic*", "ai21"), ("j2-*", "ai21"), ("reka*", "reka"), ("luminous*", "aleph-alpha"),
    ("pythia*", "eleutherai"), ("gpt-j*", "eleutherai"), ("gpt-neo*", "eleutherai"), ("bloom*", "bigscience"),
    ("human", "human"),
    # Makers, by the prefix that a routing library puts before a model.
    ("*anthropic[./]*", "anthropic"), ("openai/*", "openai"), ("xai/*", "xai"), ("x-ai/*", "xai"),
    ("google/*", "google"), ("*meta.llama*", "meta"), ("meta/*", "meta"), ("facebook/*", "meta"),
    ("mistralai/*", "mistral"), ("mistral/*", "mistral"), ("cohere/*", "cohere"), ("*cohere.*", "cohere"),
    ("amazon/*", "amazon"), ("*amazon.*", "amazon"), ("microsoft/*", "microsoft"), ("nvidia/*", "nvidia"),
)  # fmt: skip
"""(pattern, family); the first pattern that fits a name decides.

A pattern is a shell glob (``*``, ``?``, ``[...]``) in lower case. It must fit the whole name or what
follows one of its slashes: ``claude*`` fits ``claude-v1``, ``anthropic/claude-v1`` and
``openrouter/anthropic/claude-v1``.
"""


def family_of(names: Iterable[str], extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Give every name its family; a name that no pattern fits is its own family.

    Parameters
    ----------
    names
        Judges and generators, as the study writes them. Case does not matter for the patterns.
    extra
        The study's own patterns → families; they are tried before the shipped ones, in their order.

    Returns
    -------
    dict
        Name → family, in the order in which the names came, each once.

    Examples
    --------
    >>> family_of(["openai/gpt-5.5", "vicuna-13b", "our-model"])
    {'openai/gpt-5.5': 'openai', 'vicuna-13b': 'lmsys', 'our-model': 'our-model'}
    >>> family_of(["vicuna-13b"], {"vicuna*": "meta"})
    {'vicuna-13b': 'meta'}
    """
    patterns = _patterns(extra)
    return {name: _matched(name, patterns) or name for name in names}


def unknown_families(names: Iterable[str], extra: Mapping[str, str] | None = None) -> list[str]:
    """List the names that no pattern fits, sorted: those that count as a family of one.

    Examples
    --------
    >>> unknown_families(["grok-4.3", "our-model"])
    ['our-model']
    """
    patterns = _patterns(extra)
    return sorted({name for name in names if _matched(name, patterns) is None})


def _patterns(extra: Mapping[str, str] | None) -> tuple[tuple[str, str], ...]:
    own = tuple((pattern.lower(), family) for pattern, family in (extra or {}).items())
    return own + FAMILY_PATTERNS


@lru_cache(maxsize=100_000)
def _matched(name: str, patterns: tuple[tuple[str, str], ...]) -> str | None:
    segments = name.strip().lower().split("/")
    tails = ["/".join(segments[start:]) for start in range(len(segments))]
    for pattern, family in patterns:
        if any(fnmatch.fnmatchcase(tail, pattern) for tail in tails):
            return family
    return None
