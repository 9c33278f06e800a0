"""Words of a made-up language: a background everybody uses, and terms of its own for every topic.

Words are pronounceable, never met in two topics, and end so that an English stemmer leaves them whole.
Words are drawn by rank with a Zipf-like law. Everything a page is made of is made once, as ready fragments.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import NamedTuple

SYLLABLES = tuple(consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou")
ENDINGS = "nkm"
STOP_WORDS = ("the", "of", "and", "to", "in", "is", "that", "for", "with", "as", "on", "by")
BACKGROUND = -1
"""The pool of what is not about any topic."""
TERMS = 200
"""How many terms a topic has."""
COMMON = 4000
"""How many words the background has."""
TOPICS = len(SYLLABLES) ** 3 * len(ENDINGS) // TERMS
"""How many topics the language has terms for."""
SENTENCE = 8
"""Words in a fragment."""


class Pool(NamedTuple):
    terms: tuple[str, ...]
    """The words, commonest first."""
    fragments: tuple[str, ...]
    """Sentences of `SENTENCE` words; their number is a power of two."""
    phrases: tuple[str, ...]
    """One to three words, for titles and anchors; 64 of them."""


def word(number: int, syllables: int) -> str:
    """One word for each number below 3 x 70^syllables."""
    parts = []
    for _ in range(syllables):
        number, syllable = divmod(number, len(SYLLABLES))
        parts.append(SYLLABLES[syllable])
    return "".join(parts) + ENDINGS[number % len(ENDINGS)]


@dataclass(frozen=True)
class Vocabulary:
    seed: int = 0
    _pools: dict[int, Pool] = field(default_factory=dict, repr=False, compare=False)

    def pool(self, topic: int) -> Pool:
        """The ready text of a topic, or of the background; made when first asked for."""
        pool = self._pools.get(topic)
        if pool is None:
            pool = self._pools[topic] = self._make(topic)
        return pool

    def _make(self, topic: int) -> Pool:
        terms = self._terms(topic)
        common = terms if topic == BACKGROUND else self.pool(BACKGROUND).terms
        draw = random.Random(f"pinakes {self.seed} {topic}").random

        def ranked(words: tuple[str, ...]) -> str:
            """Log-uniform ranks: the word of rank r comes with a probability near 1/r."""
            return words[int(len(words) ** draw()) - 1]

        def sentence() -> str:
            words = []
            for _ in range(SENTENCE):
                luck = draw()
                if luck < 0.3:
                    words.append(STOP_WORDS[int(luck / 0.3 * len(STOP_WORDS))])
                else:
                    words.append(ranked(terms if luck < 0.8 else common))
            return " ".join(words).capitalize() + "."

        fragments = tuple(sentence() for _ in range(4096 if topic == BACKGROUND else 256))
        phrases = tuple(" ".join(ranked(terms) for _ in range(1 + int(draw() * 3))) for _ in range(64))
        return Pool(terms, fragments, phrases)

    def _terms(self, topic: int) -> tuple[str, ...]:
        syllables, first, count = (2, 0, COMMON) if topic == BACKGROUND else (3, topic * TERMS, TERMS)
        # Multiplying by a prime that does not divide the number of words spreads a topic's terms over the alphabet
        # and still gives every number a word of its own.
        space = len(SYLLABLES) ** syllables * len(ENDINGS)
        return tuple(word(((first + rank) * 7_368_787 + self.seed) % space, syllables) for rank in range(count))
