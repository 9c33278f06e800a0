"""Phrases as people write them: runs of one to three words inside a clause, with the case they are written in.

Stems are for machines. What a reader sees, such as the label of a community, is made of words as they stand on the
pages: `operating systems`, `CORBA`, `Object Management Group`. Words of one stem count together and are shown in the
form that is used most.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pinakes.text.generic import APPARATUS, FUNCTION_WORDS
from pinakes.text.words import LONGEST, STOP_WORDS

LONGEST_PHRASE = 3
MOST_CHARACTERS = 10_000
"""Of a longer text only the beginning is read: phrases are for labels, which a beginning suffices for."""
_REMEMBERED = 100_000

_token = re.compile(r"[^\W_]+(?:[-'’.&+#](?=[^\W_])[^\W_]+)*[+#]*|[.!?;:,()\[\]{}\"“”|•/\n]").findall
_INNER = frozenset(("of", "and", "for", "in", "de", "du", "la", "von", "van"))
"""Words that may stand inside a phrase, though not at its ends. No `the`: what it follows is a verb."""

_LEADING = frozenset((
    "the", "a", "an", "this", "that", "these", "those", "its", "their", "his", "her", "our", "my", "your", "of",
    "for", "in", "on", "with", "by", "from", "about", "into", "each", "every", "no", "some", "any", "many", "few",
    "other", "all", "another", "both", "such", "between", "through",
))  # fmt: skip
"""Words that nouns, and adjectives before them, follow in English; verbs hardly do."""
_NUMBERS = frozenset((
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
    "thirty", "forty", "fifty", "hundred", "thousand", "million", "billion", "first", "second", "third",
))  # fmt: skip
"""Words that say how many, and never what."""

_EMPTY = STOP_WORDS | _NUMBERS | APPARATUS | FUNCTION_WORDS
_garbled = re.compile(r"[ÃÂâ][\W\d_]?$|Ã|�").search

Key = tuple[str, ...]
"""A phrase by the stems of its words, those inside that are no stop words."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """The phrases of one text."""

    counts: Mapping[Key, int]
    """How often each occurs."""
    led: Mapping[str, int]
    """How often each word, by its stem, follows a word that nouns follow."""
    titled: frozenset[Key]
    """The phrases of its title."""
    clauses: Sequence[tuple[Sequence[str], Sequence[str]]]
    """The words of each clause as written, and their stems (empty for a word that cannot begin or end a phrase)."""
    _places: dict[str, list[tuple[int, int]]] = field(default_factory=dict, repr=False, compare=False)

    def forms(self, key: Key) -> Counter[str]:
        """How the text writes a phrase, and how often so."""
        found: Counter[str] = Counter()
        for clause, start, end in self.places(key):
            words = self.clauses[clause][0]
            found[" ".join([_first(words, start, end), *words[start + 1 : end]])] += 1
        return found

    def places(self, key: Key) -> list[tuple[int, int, int]]:
        """Where a phrase stands: the number of the clause, and its first word there and the one after its last."""
        found = []
        for clause, start in self._beginnings().get(key[0], ()):
            words, stems = self.clauses[clause]
            for end in range(start + len(key), min(start + LONGEST_PHRASE, len(words)) + 1):
                if stems[end - 1] == key[-1] and tuple(filter(None, stems[start:end])) == key:
                    found.append((clause, start, end))
                    break
        return found

    def _beginnings(self) -> Mapping[str, Sequence[tuple[int, int]]]:
        """Where each stem stands: the number of the clause and the place in it. Found when first asked for."""
        if not self._places:
            for clause, (_, stems) in enumerate(self.clauses):
                for at, stem in enumerate(stems):
                    if stem:
                        self._places.setdefault(stem, []).append((clause, at))
        return self._places


class PhraseReader:
    """Finds the phrases of texts; `stems` turns a text into its stems (empty for stop words)."""

    def __init__(self, stems: Callable[[str], Sequence[str]], longest: int = LONGEST_PHRASE) -> None:
        self._stems, self._longest = stems, longest
        self._known: dict[str, str] = {}

    def read(self, text: str, title: str = "") -> Phrases:
        """Every phrase of a text; none runs over a mark that ends a clause, or begins or ends with a stop word.

        What its title says counts double: it was written to tell what the text is about."""
        counts: Counter[Key] = Counter()
        led: Counter[str] = Counter()
        clauses = list(self._clauses(title))
        titled = [key for words, stems in clauses for key in self._phrases(words, stems)]
        counts.update(titled * 2)
        for words, stems in self._clauses(text):
            clauses.append((words, stems))
            counts.update(self._phrases(words, stems))
            led.update(
                stem
                for word, before, stem in zip(words, stems, stems[1:], strict=False)
                if stem and not before and word.lower() in _LEADING
            )
        return Phrases(counts, led, frozenset(titled), clauses)

    def _clauses(self, text: str) -> Iterator[tuple[list[str], list[str]]]:
        words: list[str] = []
        for token in [*_token(text[:MOST_CHARACTERS]), "\n"]:
            if token[0].isalnum():
                words.append(token)
            elif words:
                yield words, [self._stem(word) for word in words]
                words = []

    def _phrases(self, words: Sequence[str], stems: Sequence[str]) -> list[Key]:
        found: list[Key] = []
        for start, first in enumerate(stems):
            if not first:
                continue
            key: Key = (first,)
            found.append(key)
            for end in range(start + 1, min(start + self._longest, len(stems))):
                if stem := stems[end]:
                    if stem in key:
                        break  # a word twice over is a list or a menu
                    key = (*key, stem)
                    found.append(key)
                elif words[end].lower() not in _INNER:
                    break
        return found

    def _stem(self, word: str) -> str:
        stem = self._known.get(word)
        if stem is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            small = word.lower()
            usable = 2 <= len(word) <= LONGEST and small not in _EMPTY and any(map(str.isalpha, word))
            # Names of variables and the like (`M0`, `x1`, `h`) and what a wrong encoding left behind name nothing.
            usable = usable and not (len(word) <= 3 and any(map(str.isdigit, word))) and not _garbled(word)
            usable = usable and (len(word) > 2 or word.isupper())
            stem = self._known[word] = "".join(self._stems(word)) if usable else ""
        return stem


def _first(words: Sequence[str], start: int, end: int) -> str:
    """A phrase's first word. At the head of a clause a capital letter tells nothing, unless the next word has one."""
    word = words[start]
    heads = start == 0 and word[1:].islower() and not (len(words) > 1 and words[1][0].isupper())
    return word.lower() if heads else word


def written(forms: Mapping[str, int]) -> str:
    """The form that is used most; among equals the one in small letters."""
    return max(forms, key=lambda form: (forms[form], form.islower(), form))
