"""Words: tokens, less stop words, stemmed.

Tokens are lower-cased, English ones are stemmed (Snowball), the others stand as they are. Single letters and digits are
stop words, and so are tokens of more than `LONGEST` characters, which are data rather than words.
"""

from __future__ import annotations

import os
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import Stemmer

from pinakes.text.joined import JoinedTerms
from pinakes.text.numbered import NumberedWords
from pinakes.text.tokens import LOWERED, hash_of, kinds, spaced

_REVISION = 4
try:
    from pinakes.text import _lexicon
except ImportError:  # it was not compiled
    QUICK = None
else:  # or it was, of another state of these files
    QUICK = _lexicon.Lexicon if _lexicon.REVISION == _REVISION else None

LONGEST = 40

_STOP_TEXT = """
    a about above across after again against all almost alone along already also although always am among an and
    another any anybody anyone anything anywhere are aren around as at away be became because become been before
    behind being below between both but by came can cannot could couldn did didn do does doesn doing don done down
    during each either else ever every everybody everyone everything everywhere few for from further gave get give
    given gives go going got had hadn has hasn have haven having he hence her here hers herself him himself his how
    however i if in indeed instead into is isn it its itself just keep kept knew let ll made make many may maybe me
    might more most mostly much must my myself near neither never nevertheless no nobody nor not nothing now nowhere
    of off often on once one only onto or other others otherwise our ours ourselves out over own perhaps put quite
    rather re really said same saw say says seem seemed seems shall she should shouldn since so some somebody someone
    something sometimes somewhere still such take taken than that the their theirs them themselves then there
    therefore these they this those though through throughout thus to together too took toward towards under unless
    until up upon us used using usually ve very was wasn we well went were weren what whatever when whenever where
    wherever whether which while who whoever whole whom whose why will with within without won would wouldn yet you
    your yours yourself yourselves"""
STOP_WORDS = frozenset(_STOP_TEXT.split())

_REMEMBERED = 200_000


class Told(NamedTuple):
    """A text as words."""

    words: NumberedWords
    """In order, with an empty string where a stop word stood."""
    terms: JoinedTerms
    """How often each word occurs, in the order of their first occurrences; stop words left out."""
    offsets: list[int]
    """How many words begin before each place asked for, one that spans it not counted."""
    stopped: int
    """How many of the words are stop words."""
    fingerprint: int
    """See `pinakes.text.fingerprint`."""


class Words:
    """Turns texts into words. Remembers the stems of tokens it met; not for several threads at once."""

    def __init__(self, remember: int = _REMEMBERED, plain: bool = False) -> None:
        """With `plain` nothing compiled is used; what comes out is the same."""
        stems = _Stems(remember)
        self._stem = stems.__getitem__
        self._told: Callable[[bytes, list[int]], tuple[str, bytes, bytes, list[int], int, int]]
        if plain or QUICK is None:
            from pinakes.text.lexicon import Lexicon  # and NumPy with it, which processes that only read do without

            self._told = Lexicon(remember, stems.computed).told
        else:
            stops = list(STOP_WORDS)
            self._told = QUICK(remember, stems.plain, stems.computed_all, stops, hash_of, kinds(), os.urandom(32)).told

    def stems(self, text: str) -> list[str]:
        """The words of a text in order, with an empty string where a stop word stood."""
        return self.pieces((text,))[0]

    def pieces(self, pieces: Sequence[str]) -> tuple[list[str], list[int]]:
        """The words of a text given in pieces, each cut at `word_start`, and the offset of each piece's first word."""
        marked = "\0".join(map(spaced, pieces))
        if marked.count("\0") >= len(pieces):
            return self.pieces([piece.replace("\0", " ") for piece in pieces])
        tokens: list[str] = []
        offsets = []
        for piece in marked.encode("utf-8", "replace").translate(LOWERED).decode().split("\0"):
            offsets.append(len(tokens))
            tokens += piece.split()
        return list(map(self._stem, tokens)), offsets

    def told(self, text: str, places: Sequence[int] = (), data: bytes | None = None) -> Told:
        """The words of a page's text, several times as quick as `stems`; `places` are in order, and `data` is the text
        in UTF-8, where that is at hand."""
        found = self._told(text.encode("utf-8", "replace") if data is None else data, list(places))
        spelled, counts, numbers, offsets, stopped, fingerprint = found
        terms = JoinedTerms(spelled, counts)
        return Told(NumberedWords(numbers, terms), terms, offsets, stopped, fingerprint)

    @staticmethod
    def counts(words: Iterable[str]) -> dict[str, int]:
        """How often each word occurs; stop words left out."""
        found = dict(Counter(words))
        found.pop("", None)
        return found


class _Stems(dict[str, str]):
    """Token -> stem, or the empty string for a stop word; forgets everything when full."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        stemmer = Stemmer.Stemmer("english")
        stemmer.maxCacheSize = 0  # this dictionary is the cache
        self._stemmed = stemmer.stemWord
        self.plain = stemmer.stemWords
        """The stems of tokens that are ASCII, no stop words and of a word's length, twice as quick as one by one."""

    def __missing__(self, token: str) -> str:
        if len(self) >= self._limit:
            self.clear()
        stem = self[token] = self.computed(token)
        return stem

    def computed_all(self, tokens: list[str]) -> list[str]:
        return list(map(self.computed, tokens))

    def computed(self, token: str) -> str:
        if len(token) > LONGEST:
            return ""
        if token.isascii():
            return "" if len(token) == 1 or token in STOP_WORDS else str(self._stemmed(token))
        word = unicodedata.normalize("NFKC", token).lower()
        if word.isascii():
            return self.computed(word) if word.isalnum() else ""
        return word if any(map(str.isalnum, word)) else ""
