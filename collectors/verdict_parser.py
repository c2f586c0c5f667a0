"""A judge's words to a verdict: strictly, or not at all."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["VERDICT_WORDS", "ParsedVerdict", "parse_verdict"]

VERDICT_WORDS: Final[Mapping[str, str]] = {
    "a": "a", "a>b": "a", "a>>b": "a", "b<a": "a", "b<<a": "a",
    "b": "b", "b>a": "b", "b>>a": "b", "a<b": "b", "a<<b": "b",
    "c": "tie", "tie": "tie", "draw": "tie", "a=b": "tie", "b=a": "tie", "a==b": "tie", "b==a": "tie",
}  # fmt: skip
"""What a verdict may be called, in lower case and without blanks; ``c`` is the third choice of MT-Bench."""

_WORD: Final = r"[ab]\s*(?:>{1,2}|<{1,2}|={1,2})\s*[ab]|[abc]|tie|draw"
_MARKS: Final = r"[*_`\"']{0,3}"
_NAMED: Final = r"(?:(?:assistant|answer|response|output|model|option)\s)?"
_KEYS: Final = "verdict|winner|choice|preference|decision"
_ALONE: Final = rf"(?:\((?:{_WORD})\)|\[(?:{_WORD})\]|(?:{_WORD}))"
_STATED: Final = (
    rf"\b(?:{_KEYS}|judge?ment)\b[*_`]{{0,3}}\s?(?:is\b)?\s?[:=]?[*_`]{{0,3}}\s"
    rf"(?:(?:an?\s)?(?P<tied>tie|draw)|{_NAMED}{_MARKS}(?P<stated>{_ALONE}){_MARKS})"
    r"(?=\s*[.,;:!)\]}]|\s*$|\n)"
)
_FORMS: Final = (
    rf"\[\[\s*(?P<bracketed>{_WORD})\s*\]\]",
    rf"\\boxed\s?\{{\s*(?P<boxed>{_WORD})\s*\}}",
    rf"[\"'](?:{_KEYS})[\"']\s?:\s?[\"']\s*(?P<quoted>{_WORD})\s*[\"']",
    _STATED,
)
_IN_TEXT: Final = re.compile("|".join(_FORMS), re.IGNORECASE)
_WHOLE: Final = re.compile(rf"{_NAMED}{_MARKS}(?P<whole>{_ALONE}){_MARKS}\.?", re.IGNORECASE)
_AROUND: Final = re.compile(r"[\s()\[\]]+")
_DOUBLED: Final = str.maketrans({"≫": ">>", "≪": "<<", "⟩": ">", "⟨": "<"})


@dataclass(frozen=True, slots=True)
class ParsedVerdict:
    """What a text says, and why not where it says nothing."""

    verdict: str | None
    """``a``, ``b`` or ``tie``, as shown; None exactly when ``status`` is not ``ok``."""
    status: str
    """``ok`` or ``parse_failed``."""
    found: tuple[str, ...] = ()
    """Each verdict that the text states, in the order of the text and without repetitions."""

    @property
    def is_contradictory(self) -> bool:
        """The text states two verdicts that differ."""
        return len(self.found) > 1


def parse_verdict(text: str | None, words: Mapping[str, str] = VERDICT_WORDS) -> ParsedVerdict:
    r"""Read the one verdict that a text states.

    A verdict is a token of its own in one of these places: double brackets (``[[A]]``, ``[[B>>A]]``),
    ``\boxed{A}``, the value of a JSON key such as ``"winner"``, behind ``verdict``, ``winner``, ``choice``,
    ``preference``, ``decision`` or ``judgment`` where the phrase ends with it, or the whole text (``A``,
    ``Output (b)``, ``tie``). A letter within a sentence is no verdict. The text is brought into Unicode form
    NFKC and invisible characters are taken out first, so that full-width brackets read like others; letters
    of other alphabets that look alike do not.

    Parameters
    ----------
    text
        The judge's words; None and blanks state nothing.
    words
        Token in lower case without blanks → ``a``, ``b`` or ``tie``. A token that is not among them is none.

    Returns
    -------
    ParsedVerdict
        ``parse_failed`` when the text states no verdict, or two that differ: which of them was meant is not
        guessed, not even from their order.

    Examples
    --------
    >>> parse_verdict("Both are fine, but [[B]]").verdict
    'b'
    >>> parse_verdict("At first [[A]]. On reflection: [[B]]").status
    'parse_failed'
    >>> parse_verdict("A better answer would cite sources.").found
    ()
    """
    plain = _plain(text or "")
    whole = _WHOLE.fullmatch(plain.strip())
    matches = [whole] if whole else list(_IN_TEXT.finditer(plain))
    tokens = (next(token for token in match.groups() if token is not None) for match in matches)
    verdicts = (words.get(_AROUND.sub("", token).lower()) for token in tokens)
    found = tuple(dict.fromkeys(verdict for verdict in verdicts if verdict is not None))
    if len(found) == 1:
        return ParsedVerdict(found[0], "ok", found)
    return ParsedVerdict(None, "parse_failed", found)


def _plain(text: str) -> str:
    composed = unicodedata.normalize("NFKC", text).translate(_DOUBLED)
    visible = "".join(sign for sign in composed if unicodedata.category(sign) != "Cf")
    # One blank for many: a search must not try every way to share out a long run of them.
    return re.sub(r" ?\n[ \n]*", "\n", re.sub(r"[^\S\n]+", " ", visible))
