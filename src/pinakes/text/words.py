"""Words: tokens, less stop words, stemmed.

A token is a run of letters, marks and digits; everything else separates. Tokens are lower-cased, English ones are
stemmed (Snowball), the others stand as they are. Chinese characters and kana count as a word each, for nothing
separates the words they form. Single letters and digits are stop words, and so are tokens of more than `LONGEST`
characters, which are data rather than words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import Stemmer

from pinakes.text.lexicon import Hashes, Ids, Lexicon

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

# ASCII: letters are lowered, digits kept, the rest separates. NUL is kept: it marks the joints between pieces.
_ASCII = bytes(c if c >= 128 or c == 0 or chr(c).isalnum() else 32 for c in range(256)).lower()
# Beyond ASCII the blocks of punctuation and symbols separate. (Only the basic plane: the set then compiles to a
# table, three times as fast. What is left of emoji and the like is dropped when a token is first met.)
_SEPARATORS = (
    "\u0080-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u02c2-\u02df\u037e\u0387\u055a-\u055f\u0589"
    "\u05be\u05c0\u05c3\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965\u0e4f\u0e5a\u0e5b\u104a-\u104f\u1360-\u1368"
    "\u166e\u1680\u17d4-\u17da\u2000-\u209f\u20a0-\u20cf\u2100-\u2bff\u2e00-\u2e7f\u3000-\u303f\u30fb\ufd3e\ufd3f"
    "\ufe10-\ufe6f\ufeff\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\ufff0-\uffff"
)
_WORD_EACH = "\u3041-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
_JOINERS = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
_special = re.compile(f"[{_SEPARATORS}{_WORD_EACH}]").sub
_joint = re.compile(rf"(?![{''.join(sorted(_JOINERS))}])[\x00-\x2f:-@\[-`{{-\x7f\s{_SEPARATORS}{_WORD_EACH}]").match


class Told(NamedTuple):
    """A text as words."""

    words: list[str]
    """In order, with an empty string where a stop word stood."""
    offsets: list[int]
    """The offset of each piece's first word."""
    terms: dict[str, int]
    """How often each word occurs; stop words left out."""
    hashes: Hashes
    """The hashes of the words in order; stop words left out."""


SILENT = Told([], [], {}, np.empty(0, np.uint64))
"""No words at all."""


class Words:
    """Turns texts into words. Remembers the stems of tokens it met; not for several threads at once."""

    def __init__(self, remember: int = _REMEMBERED) -> None:
        stems = _Stems(remember)
        self._stem = stems.__getitem__
        self._lexicon = Lexicon(remember, stems.computed)

    def stems(self, text: str) -> list[str]:
        """The words of a text in order, with an empty string where a stop word stood."""
        return self.pieces((text,))[0]

    def pieces(self, pieces: Sequence[str]) -> tuple[list[str], list[int]]:
        """The words of a text given in pieces, each cut at `word_start`, and the offset of each piece's first word."""
        marked = "\0".join([piece if piece.isascii() else _special(_spaced, piece) for piece in pieces])
        if marked.count("\0") >= len(pieces):
            return self.pieces([piece.replace("\0", " ") for piece in pieces])
        tokens: list[str] = []
        offsets = []
        for piece in marked.encode("utf-8", "replace").translate(_ASCII).decode().split("\0"):
            offsets.append(len(tokens))
            tokens += piece.split()
        return list(map(self._stem, tokens)), offsets

    def told(self, pieces: Sequence[str]) -> Told:
        """The words of a page, given in pieces as `pieces` takes them; twice as quick as that for a page's length."""
        marked = "\0".join(pieces)
        if marked.count("\0") >= len(pieces):
            return self.told([piece.replace("\0", " ") for piece in pieces])
        if not marked.isascii():
            marked = _special(_spaced, marked)
        data = marked.encode("utf-8", "replace").translate(_ASCII)
        ids, starts = self._lexicon.read(data)
        joints = np.flatnonzero(np.frombuffer(data, np.uint8) == 0)
        return Told(
            self._lexicon.stems(ids),
            [0, *np.searchsorted(starts, joints).tolist()],
            self._counted(ids),
            self._lexicon.hashes(ids),
        )

    def _counted(self, ids: Ids) -> dict[str, int]:
        """How often each stem occurs, in the order of their first occurrences."""
        # Number and place in one integer, for numbers are sorted quicker than the order of numbers is found.
        both = np.sort(ids.astype(np.int64) << 32 | np.arange(len(ids)))
        begins = np.flatnonzero(np.diff(both >> 32, prepend=-1))
        firsts = both[begins] & 0xFFFF_FFFF
        counts = np.diff(begins, append=len(ids))
        order = firsts.argsort()
        terms = dict(zip(self._lexicon.stems(ids[firsts[order]]), counts[order].tolist(), strict=True))
        terms.pop("", None)
        return terms

    @staticmethod
    def counts(words: Iterable[str]) -> dict[str, int]:
        """How often each word occurs; stop words left out."""
        found = dict(Counter(words))
        found.pop("", None)
        return found


def word_start(text: str, at: int, floor: int = 0) -> int:
    """Where the word that spans the place `at` begins, not before `floor`; `at` itself when none spans it."""
    if at < len(text) and not _joint(text, at):
        while at > floor and not _joint(text, at - 1):
            at -= 1
    return at


def _spaced(found: re.Match[str]) -> str:
    character = found[0]
    if character in _JOINERS:
        return ""
    return f" {character} " if character.isalnum() else " "


class _Stems(dict[str, str]):
    """Token -> stem, or the empty string for a stop word; forgets everything when full."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        stemmer = Stemmer.Stemmer("english")
        stemmer.maxCacheSize = 0  # this dictionary is the cache
        self._stemmed = stemmer.stemWord

    def __missing__(self, token: str) -> str:
        if len(self) >= self._limit:
            self.clear()
        stem = self[token] = self.computed(token)
        return stem

    def computed(self, token: str) -> str:
        if len(token) > LONGEST:
            return ""
        if token.isascii():
            return "" if len(token) == 1 or token in STOP_WORDS else str(self._stemmed(token))
        word = unicodedata.normalize("NFKC", token).lower()
        if word.isascii():
            return self.computed(word) if word.isalnum() else ""
        return word if any(map(str.isalnum, word)) else ""
