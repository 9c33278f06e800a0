"""Which language a text is in."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from turbohtml.detect import detect_language

FEWEST_WORDS = 20
"""Texts with fewer words are not guessed at."""

ENGLISH_STOP_WORDS = 0.3
"""A text with this share of English stop words is English: prose has .4 of them, other languages few."""

_SAMPLE = 1000
_SURE = 0.2
_code = re.compile(r"([a-z]{2,3})(?:[-_]|$)").match
_UNSAID = frozenset({"und", "mul", "zxx", "mis", "xx", "qaa"})
_other_scripts = re.compile(r"[\u0250-\U0010ffff]").findall
# The commoner languages that are not written in Latin letters.
_NOT_LATIN_CODES = "am ar be bg bn el fa gu he hi hy iw ja ka kk km kn ko ky lo mk ml mn mr my ne pa ps ru sa si ta te"
_NOT_LATIN = frozenset(f"{_NOT_LATIN_CODES} tg th uk ur yi zh".split())

Classifier: TypeAlias = Callable[[str], tuple[str, float]]


class Languages:
    """Names languages by their ISO 639 codes. The page's own word counts where it is plausible; else its text is
    classified, by a model that is loaded when first needed: that takes as long as reading several hundred pages, so
    English is recognised without it."""

    def __init__(self) -> None:
        self._classify: Classifier | None = None

    def of(self, text: str, hint: str = "", stopped: float = 0.0) -> str:
        """The language of a text, or empty. `hint` is its `lang` attribute, `stopped` the share of its words that are
        English stop words, which most often saves the classifier's time."""
        middle = max(0, (len(text) - _SAMPLE) // 2)  # menus stand at the beginning
        sample = text[middle : middle + _SAMPLE]
        found = _code(hint.strip().lower())
        if found and found[1] not in _UNSAID and _plausible(found[1], sample):
            return found[1]
        if len(sample.split()) < FEWEST_WORDS and len(_other_scripts(sample)) < 2 * FEWEST_WORDS:
            return ""
        if stopped >= ENGLISH_STOP_WORDS or _english(sample, text[:_SAMPLE]):
            return "en"
        if self._classify is None:
            from py3langid.langid import classify

            self._classify = classify
        language = str(self._classify(sample)[0])
        return "" if language in _UNSAID else language


def _english(middle: str, beginning: str) -> bool:
    """True when the groups of three letters are those of English; the beginning counts where the middle, perhaps a
    list of countries, is like no language. (Of other languages the classifier is the better judge.)"""
    found = detect_language(middle)
    if found.confidence < _SURE:
        found = detect_language(beginning)
    return found.language == "eng" and found.confidence >= _SURE


def _plausible(language: str, sample: str) -> bool:
    """False when the sample's letters contradict the language: templates often say `en` whatever they hold."""
    if len(sample) < _SAMPLE // 10:
        return True
    foreign = 0.0 if sample.isascii() else len(_other_scripts(sample)) / len(sample)
    return foreign > 0.02 if language in _NOT_LATIN else foreign < 0.4
