"""A memory of tokens that is asked for all of a page at once: which stem each has, and the stem's hash.

A page has thousands of tokens and most were met before, so what they cost is finding each of them in a large
dictionary, by one slow walk through memory after the other. Here they are hashed and found in arrays, together. The
hash's keys are drawn anew for every lexicon, so that nobody can write tokens that are taken for others.

Where a C compiler was at hand when Pinakes was installed, `_lexicon.c` does the same in one pass, and this is not used.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pinakes.text.fingerprint import Fingerprints
from pinakes.text.joined import joined
from pinakes.text.tokens import LOWERED, hash_of, spaced, word_start

Hashes: TypeAlias = NDArray[np.uint64]
Ids: TypeAlias = NDArray[np.int32]
Places: TypeAlias = NDArray[np.int64]

STOP = 0
"""The stem of a stop word: the empty string."""

_POWER = 0x9E3779B97F4A7C15
_LENGTH = 256
"""Bytes of a token that have a weight of their own."""
_LEAST = 1 << 12
_SPARE = 8
"""The tables have this many times as many places as there are tokens."""


class Lexicon:
    """Remembers up to `limit` tokens, and forgets everything when full; `stem` finds what it does not know."""

    def __init__(self, limit: int, stem: Callable[[str], str]) -> None:
        self._limit, self._stem = limit, stem
        keys = np.frombuffer(os.urandom(8 * 256), np.uint64).copy()
        keys[0] = keys[32] = 0
        self._keys: Hashes = keys
        weights = np.full(_LENGTH, _POWER, np.uint64)
        weights[0] = 1
        self._weights: Hashes = np.multiply.accumulate(weights)
        self._numbers: dict[str, int] = {}
        self._stems: NDArray[np.object_] = np.empty(0, object)
        self._hashes: Hashes = np.empty(0, np.uint64)
        self._forget()

    def told(self, data: bytes, places: list[int]) -> tuple[str, bytes, bytes, list[int], int, int]:
        """Of a text in UTF-8: its stems and how often each occurs, as `JoinedTerms` has them; the words as the numbers
        of these stems from 1, 0 for stop words; how many words begin before each place; how many are stop words; and
        the fingerprint."""
        text = data.decode().replace("\0", " ")
        # Each place cuts the text where it is, or where a word that spans it begins: so the pieces have the same words
        # as the whole, and the words before a place are those before its piece.
        cuts, last = [0], 0
        for place in places:
            last = word_start(text, max(place, last), last)
            cuts.append(last)
        cuts.append(len(text))
        marked = "\0".join([text[start:end] for start, end in pairwise(cuts)])
        data = spaced(marked).encode().translate(LOWERED)
        ids, starts = self._read(data)
        joints = np.flatnonzero(np.frombuffer(data, np.uint8) == 0)
        offsets: list[int] = np.searchsorted(starts, joints).tolist()
        spelled, counts, numbers = self._counted(ids)
        hashes = self._hashes[ids[ids != STOP]]
        fingerprint = Fingerprints.of_hashes(hashes, len(ids))
        return spelled, counts, numbers.tobytes(), offsets, len(ids) - len(hashes), fingerprint

    def _counted(self, ids: Ids) -> tuple[str, bytes, NDArray[np.uint32]]:
        """The stems in the order of their first occurrences, how often each occurs, and each word's number in that
        order."""
        # Number and place in one integer, for numbers are sorted quicker than the order of numbers is found.
        both = np.sort(ids.astype(np.int64) << 32 | np.arange(len(ids)))
        begins = np.flatnonzero(np.diff(both >> 32, prepend=-1))
        counts = np.diff(begins, append=len(ids))
        where = both & 0xFFFF_FFFF
        firsts = where[begins]
        order = firsts.argsort()
        order = order[ids[firsts[order]] != STOP]
        ranks = np.zeros(len(begins), np.uint32)
        ranks[order] = np.arange(1, len(order) + 1)
        numbers = np.empty(len(ids), np.uint32)
        numbers[where] = np.repeat(ranks, counts)
        stems = self._stems[ids[firsts[order]]].tolist()
        return joined(stems), counts[order].astype(np.uint32).tobytes(), numbers

    def _read(self, data: bytes) -> tuple[Ids, Places]:
        """Of each token in bytes, parted by spaces and NULs: the number of its stem, and where it starts."""
        raw = np.frombuffer(b" %b " % data, np.uint8)
        inside = raw > 32
        edges = np.flatnonzero(inside[1:] != inside[:-1])
        starts, lengths = edges[::2], edges[1::2] - edges[::2]
        if not len(starts):
            return np.empty(0, np.int32), starts
        tokens = self._hashed(raw[inside], lengths)
        self._room(len(tokens))
        found = self._find(tokens)
        if (found < 0).any():
            self._learn(data, tokens, starts, lengths, found)
            found = self._find(tokens)
        return found, starts

    def _hashed(self, letters: NDArray[np.uint8], lengths: Places) -> Hashes:
        """A hash of each token, given the bytes of all; never 0."""
        firsts = np.cumsum(lengths) - lengths
        within = np.arange(len(letters)) - np.repeat(firsts, lengths)
        weights = self._weights.take(within, mode="clip")
        weights *= self._keys[letters]
        hashes: Hashes = np.add.reduceat(weights, firsts)
        return hashes | np.uint64(1)

    def _find(self, tokens: Hashes) -> Ids:
        """The number of each token's stem, -1 where the token is not known."""
        place = (tokens >> self._shift).astype(np.int64)
        there = self._tokens[place]
        found = np.where(there == tokens, self._stem_of[place], -1)
        on = np.flatnonzero((there != tokens) & (there != 0))
        while len(on):  # another token sits there: look into the next place
            place[on] += 1
            there = self._tokens[place[on]]
            found[on] = np.where(there == tokens[on], self._stem_of[place[on]], -1)
            on = on[(there != tokens[on]) & (there != 0)]
        return found

    def _learn(self, data: bytes, tokens: Hashes, starts: Places, lengths: Places, found: Ids) -> None:
        missed = np.flatnonzero(found < 0)
        new, first = np.unique(tokens[missed], return_index=True)
        at = missed[first]
        begin = starts[at]
        numbers = self._numbers
        ids = []
        for start, end in zip(begin.tolist(), (begin + lengths[at]).tolist(), strict=True):
            stem = self._stem(data[start:end].decode())
            number = numbers.get(stem)
            if number is None:
                number = numbers[stem] = len(numbers)
                if number >= len(self._stems):
                    self._stems = np.concatenate((self._stems, np.empty_like(self._stems)))
                    self._hashes = np.concatenate((self._hashes, np.empty_like(self._hashes)))
                self._stems[number] = stem
                self._hashes[number] = hash_of(stem)
            ids.append(number)
        self._insert(new, np.array(ids, np.int32))

    def _insert(self, tokens: Hashes, ids: Ids) -> None:
        """Make places for tokens, all different, that have none."""
        self._used += len(tokens)
        place = (tokens >> self._shift).astype(np.int64)
        while len(tokens):
            free = self._tokens[place] == 0
            self._tokens[place[free]] = tokens[free]
            # Where several wanted one place the last got it, and the others look again.
            won = self._tokens[place] == tokens
            self._stem_of[place[won]] = ids[won]
            tokens, ids, place = tokens[~won], ids[~won], place[~won] + 1

    def _room(self, n: int) -> None:
        """Make room for `n` more tokens."""
        if self._used + n > self._limit and self._used:
            self._forget()
        if (self._used + n) * _SPARE > self._size:
            known = self._tokens != 0
            tokens, ids = self._tokens[known], self._stem_of[known]
            size = self._size
            while (self._used + n) * _SPARE > size:
                size *= 2
            self._allocate(size)
            self._insert(tokens, ids)

    def _forget(self) -> None:
        self._allocate(_LEAST)
        self._numbers = {"": STOP}
        self._stems = np.full(_LEAST, "", object)
        self._hashes = np.zeros(_LEAST, np.uint64)

    def _allocate(self, size: int) -> None:
        self._size, self._used = size, 0
        self._shift = np.uint64(64 - (size.bit_length() - 1))
        # The last tokens may lie beyond the end by as much as a run of taken places is long.
        self._tokens: Hashes = np.zeros(size + size // _SPARE + 64, np.uint64)
        self._stem_of: Ids = np.zeros(len(self._tokens), np.int32)
