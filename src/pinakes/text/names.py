"""Names of people, as bibliographies and pages write them.

`Matt J. Kusner`, `M. J. Kusner`, `Kusner, Matt` and `KUSNER Matt` may be one person; `Mark Kusner` is not. A name is
folded (accents, case, apostrophes) and compared by its surname and its given names, of which initials and missing
middle names agree with anything that begins alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

_PARTICLE_WORDS = (
    "al ap ben bin da dal de del della den der des di do dos du el la las le lo los mac san st ten ter van vander "
    "vom von y zu zum zur"
)
_PARTICLES = frozenset(_PARTICLE_WORDS.split())
_SUFFIXES = frozenset(("jr", "sr", "ii", "iii", "iv", "phd", "md"))
_word = re.compile(r"[^\W\d_]+").findall
_apostrophes = re.compile(r"[’'`´ʼ‘]")
_UNFOLDED = str.maketrans(
    {"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"}
)


class Agreement(IntEnum):
    """How well two names, or a name and a mention of it, agree."""

    NONE = 0
    INITIALS = 1
    """The surname, and initials that do not contradict."""
    FULL = 2
    """The surname and a given name written out."""


def folded(text: str) -> str:
    """Small letters without accents or apostrophes: `D’Amorim` is `damorim`, `Küçük` is `kucuk`."""
    plain = unicodedata.normalize("NFKD", _apostrophes.sub("", text)).casefold().translate(_UNFOLDED)
    return "".join(c for c in plain if not unicodedata.combining(c))


def name_words(text: str) -> list[str]:
    """A text's words as names are compared with them."""
    return _word(folded(text))


@dataclass(frozen=True, slots=True)
class PersonName:
    """A person's name, folded."""

    given: tuple[str, ...]
    surname: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> PersonName:
        """Read `Given Surname` or `Surname, Given`; numbers that tell namesakes apart (`0001`) are left out."""
        head, comma, tail = text.partition(",")
        words = name_words(head)
        if comma and (given := [word for word in name_words(tail) if word not in _SUFFIXES]):
            return cls(tuple(given), tuple(words))
        while len(words) > 1 and words[-1] in _SUFFIXES:
            words.pop()
        if not words:
            return cls((), ())
        start = len(words) - 1
        while start > 1 and words[start - 1] in _PARTICLES:
            start -= 1
        return cls(tuple(words[:start]), tuple(words[start:]))

    def __bool__(self) -> bool:
        return bool(self.surname)

    @property
    def joined(self) -> str:
        """The surname in one piece, as addresses write it."""
        return "".join(self.surname)

    def agrees(self, other: PersonName) -> Agreement:
        """Whether two names may be one person's."""
        if self.joined != other.joined or not self.joined:
            return Agreement.NONE
        return _given_agree(self.given, other.given)

    def mentions(self, words: Sequence[str]) -> Iterator[tuple[int, Agreement]]:
        """Where a text (see `name_words`) names this person, and how fully; each place once."""
        size = len(self.surname)
        if not size:
            return
        last = self.surname[-1]
        for at, word in enumerate(words):
            if word != last or tuple(words[at - size + 1 : at + 1]) != self.surname:
                continue
            start = at - size + 1
            before, after = self._before(words, start), self._after(words, at + 1)
            found = max(before, after)
            if found:
                yield start, found

    def named_in(self, words: Sequence[str]) -> Agreement:
        """How fully a text names this person, if at all."""
        return max((agreement for _, agreement in self.mentions(words)), default=Agreement.NONE)

    def _before(self, words: Sequence[str], start: int) -> Agreement:
        """`Given [Middle] Surname`: the longest run of words before the surname that agrees."""
        best = Agreement.NONE
        for size in range(1, min(4, start) + 1):
            run = tuple(words[start - size : start])
            # Of several words between the two, only initials and the person's own names belong to the name.
            foreign = sum(len(word) > 1 and word not in self.given for word in run[1:])
            if self.given and run[0][0] == self.given[0][0] and foreign <= (size == 2):
                best = max(best, _given_agree(self.given, run))
        return best

    def _after(self, words: Sequence[str], end: int) -> Agreement:
        """`Surname Given`, as in lists and in names of East Asia; initials alone would say too little."""
        run = tuple(words[end : end + len(self.given)])
        return Agreement.FULL if self.given and len(self.given[0]) > 1 and run == self.given else Agreement.NONE


def _given_agree(a: Sequence[str], b: Sequence[str]) -> Agreement:
    """First given names decide; middle names may be missing, but one of each must not contradict."""
    if not a or not b:
        return Agreement.NONE
    if "".join(a) == "".join(b):
        return Agreement.FULL if max(map(len, a)) > 1 else Agreement.INITIALS
    first, second = a[0], b[0]
    if first != second:
        short, long = sorted((first, second), key=len)
        # `M. J.` agrees with `Matt`, and `Matt` with `Matthew`; `Mark` with neither.
        if not (long.startswith(short) and (len(short) == 1 or len(short) >= 3)):
            return Agreement.NONE
    for x, y in zip(a[1:], b[1:], strict=False):
        if x[0] != y[0]:
            return Agreement.NONE
    return Agreement.FULL if min(len(first), len(second)) > 1 else Agreement.INITIALS
