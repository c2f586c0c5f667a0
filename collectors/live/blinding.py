"""Blinding: no prompt to a judge says who wrote what it judges, not even in the answers' own words."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from recuse.analysis.families import family_of
from recuse.collectors.live.study_file import Collection

__all__ = ["REDACTED", "Blind", "Found", "identifying_words"]

REDACTED: Final = "[name removed]"

_OF_A_FAMILY: Final[dict[str, tuple[str, ...]]] = {
    "anthropic": ("Anthropic", "Claude"),
    "openai": ("OpenAI", "ChatGPT", "GPT", "GPT-3.5", "GPT-4", "GPT-4o", "GPT-5"),
    "google": ("Google", "DeepMind", "Gemini", "Gemma", "Bard", "PaLM"),
    "meta": ("Meta AI", "Llama"),
    "xai": ("xAI", "Grok"),
    "mistral": ("Mistral", "Mistral AI", "Mixtral", "Ministral"),
    "qwen": ("Qwen", "Alibaba", "Alibaba Cloud", "Tongyi"),
    "deepseek": ("DeepSeek",),
    "cohere": ("Cohere", "Command R"),
    "microsoft": ("Microsoft", "Phi-3", "Phi-4"),
    "huggingface": ("Hugging Face", "HuggingFace", "SmolLM", "SmolLM2", "Zephyr"),
    "amazon": ("Amazon", "Amazon Nova"),
    "nvidia": ("NVIDIA", "Nemotron"),
    "moonshot": ("Moonshot AI", "Kimi"),
    "zhipu": ("Zhipu", "ChatGLM", "GLM-4"),
    "ibm": ("IBM", "Granite"),
    "lmsys": ("LMSYS", "Vicuna"),
    "allenai": ("AllenAI", "Ai2", "OLMo", "Tulu"),
    "tii": ("Falcon", "TII"),
    "databricks": ("Databricks", "DBRX", "Dolly"),
    "ai21": ("AI21", "Jamba"),
    "01-ai": ("01.AI",),
    "baidu": ("Baidu", "ERNIE Bot"),
    "bytedance": ("ByteDance", "Doubao"),
    "tencent": ("Tencent", "Hunyuan"),
}
"""Family → makers and models by which one of its members gives itself away."""

_HIDDEN: Final = "Cf"
"""Unicode category of signs that are not seen; a name with one inside is still read."""


@dataclass(frozen=True, slots=True)
class Found:
    """A word in a prompt that says, or may say, who wrote an answer."""

    word: str
    """As the study knows it."""
    where: str
    """``task``, ``rubric``, ``answer_a``, ``answer_b`` or ``answer``."""
    text: str
    """As it stands there, with a few signs around it."""

    def recorded(self) -> dict[str, str]:
        """Give the finding as it is stored."""
        return {"word": self.word, "where": self.where, "text": self.text}


def identifying_words(about: Collection) -> tuple[str, ...]:
    """List what must not be in a prompt of this study.

    Names of the generators, their model strings with and without what stands before a slash, aliases that
    lead to them, their families, what is known of the families' makers, and the study's own ``blind_to``.
    """
    words: dict[str, None] = {}
    for name, endpoint in about.generators.items():
        names = {name, endpoint.model, name.rpartition("/")[2], endpoint.model.rpartition("/")[2]}
        names |= {alias for alias, target in about.aliases.items() if target == name}
        families = set(family_of([name, endpoint.model], about.families).values())
        for family in sorted(families):
            names |= {family, *_OF_A_FAMILY.get(family, ())}
        words |= dict.fromkeys(sorted(names))
    words |= dict.fromkeys(about.blind_to)
    return tuple(word for word in words if len(word) > 1)


class Blind:
    """The check of one study's prompts.

    Parameters
    ----------
    words
        What must not be in a prompt. Letter case, Unicode form, hyphens for blanks and signs that are not
        seen make no difference; a word within a word is none.
    """

    def __init__(self, words: Iterable[str]) -> None:
        listed = sorted(words)
        self._word_of = {_key(word): word for word in listed}
        parts = sorted({_pattern(word) for word in listed}, key=len, reverse=True)
        joined = "|".join(parts) or r"(?!)"
        self._pattern = re.compile(rf"(?<![^\W_])(?:{joined})(?![^\W_])", re.IGNORECASE)
        self._looked_up = functools.lru_cache(maxsize=4096)(self._findings)

    def findings(self, text: str, where: str) -> tuple[Found, ...]:
        """List the words found in a text; ``where`` names the text."""
        return tuple(Found(word, where, around) for word, around in self._looked_up(text))

    def redacted(self, text: str) -> str:
        """Replace every word found; a text without one comes back as it is."""
        if not self._looked_up(text):
            return text
        return self._pattern.sub(REDACTED, _plain(text))

    def _findings(self, text: str) -> tuple[tuple[str, str], ...]:
        plain = _plain(text)
        return tuple(
            (self._word_of.get(_key(match.group()), match.group()), _around(plain, match))
            for match in self._pattern.finditer(plain)
        )


def _around(text: str, match: re.Match[str]) -> str:
    return " ".join(text[max(match.start() - 20, 0) : match.end() + 20].split())


def _plain(text: str) -> str:
    composed = unicodedata.normalize("NFKC", text)
    return "".join(sign for sign in composed if unicodedata.category(sign) != _HIDDEN)


def _key(word: str) -> str:
    return re.sub(r"[\s_-]+", "", _plain(word)).casefold()


def _pattern(word: str) -> str:
    """Let a blank, a hyphen and an underscore stand for each other, or be left out, also before a capital."""
    pieces = [re.escape(piece) for piece in re.split(r"[\s_-]+|(?<=[a-z])(?=[A-Z])", _plain(word)) if piece]
    return r"[\s_-]?".join(pieces)
