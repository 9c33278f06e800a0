"""Fingerprints: 64 bits that differ little between pages that differ little.

One-bit minwise hashing (Li and König, "b-bit minwise hashing", WWW 2010) of the page's runs of three words, stop
words left out, in one permutation (Li, Owen and Zhang, NIPS 2012): the hashes of the runs fall into 64 bins, and of
each bin's least one bit is kept. An empty bin borrows from the next (Shrivastava and Li, UAI 2014). Two pages differ
in about 32 × (1 - J) bits, J being the share of runs they have in common.

SimHash, the usual choice, turns a small edit into several bits: at three bits it missed a quarter of the pages of
300 to 1,000 words that differed in a word or a short footer, where this misses two in a hundred at most, and is as
precise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import xxhash
from numpy.typing import NDArray

NEAR = 3
"""Pages whose fingerprints differ in no more bits than this are near-duplicates."""

FEWEST_WORDS = 50
"""Pages with fewer words, stop words counted, have no fingerprint: too little speaks for them."""

Hashes: TypeAlias = NDArray[np.uint64]

_SHINGLE = 3
_REMEMBERED = 200_000
_BLOCKS = NEAR + 1
_BLOCK_BITS = 64 // _BLOCKS
_A = np.uint64(0x9E3779B97F4A7C15)
_B = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_BINS = np.arange(64, dtype=np.uint64)
_EDGES = _BINS << np.uint64(58)
_BIN_KEYS = _BINS * _A
_POWERS = np.uint64(1) << _BINS


class Fingerprints:
    """Takes fingerprints. Remembers the hashes of words it met; not for several threads at once."""

    def __init__(self, remember: int = _REMEMBERED) -> None:
        self._hash = _WordHashes(remember).__getitem__

    def of(self, words: Sequence[str]) -> int:
        """The fingerprint of a page's words; 0 when they are too few."""
        hashes = np.frombuffer(b"".join(map(self._hash, filter(None, words))), dtype="<u8")
        return self.of_hashes(hashes, len(words))

    @staticmethod
    def of_hashes(hashes: Hashes, words: int) -> int:
        """The same of the 64-bit hashes of a page's words, stop words left out; `words` is how many it has."""
        if words < FEWEST_WORDS:
            return 0
        shingles = _shingles(hashes)
        if not shingles.size:
            return 0
        # In order, so the first at or after a bin's edge is the bin's least, or the next bin's that has one.
        least = shingles[np.searchsorted(shingles, _EDGES) % shingles.size]
        bits = _mixed(least ^ _BIN_KEYS) >> np.uint64(63)  # the bin's own key tells borrowed values apart
        return int((bits * _POWERS).sum()) or 1


def hamming(a: int, b: int) -> int:
    """In how many bits two fingerprints differ."""
    return (a ^ b).bit_count()


def blocks(fingerprint: int) -> tuple[int, ...]:
    """Four numbers, at least one of which two fingerprints share if they are no more than `NEAR` bits apart."""
    mask = (1 << _BLOCK_BITS) - 1
    return tuple(place << _BLOCK_BITS | fingerprint >> place * _BLOCK_BITS & mask for place in range(_BLOCKS))


def _shingles(hashes: Hashes) -> Hashes:
    """Hashes of all runs of `_SHINGLE` words, in order."""
    count = len(hashes) - _SHINGLE + 1
    if count < 1:
        return hashes[:0]
    runs = hashes[:count]
    for place in range(1, _SHINGLE):
        runs = runs * _A + hashes[place : place + count]
    runs = _mixed(runs)
    runs.sort()
    return runs


def _mixed(values: Hashes) -> Hashes:
    """Each value's bits spread over all its bits."""
    values = values * _B
    values ^= values >> _HALF
    values *= _B
    values ^= values >> _HALF
    return values * _A


class _WordHashes(dict[str, bytes]):
    """Word -> its 64-bit hash, low byte first; forgets everything when full."""

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def __missing__(self, word: str) -> bytes:
        if len(self) >= self._limit:
            self.clear()
        digest = self[word] = xxhash.xxh3_64_digest(word.encode("utf-8", "surrogatepass"))[::-1]
        return digest
