"""Tokens: where the words of a text begin and end.

A token is a run of letters, marks and digits; everything else separates. Chinese characters and kana count as a token
each, for nothing separates the words they form. Soft hyphens and zero-width joiners are as if they were not there.
"""

from __future__ import annotations

import re
from functools import cache

from xxhash import xxh3_64_intdigest

LOWERED = bytes(c if c >= 128 or c == 0 or chr(c).isalnum() else 32 for c in range(256)).lower()
"""ASCII letters are lowered, digits kept, the rest separates. NUL is kept: it marks the joints between pieces."""

PART, SEPARATOR, TOKEN, JOINER = range(4)
"""What a character is: part of a token, between tokens, a token by itself, nothing."""

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
_ROW = 256
_ranges = re.compile(r"(.)(?:-(.))?", re.DOTALL).findall


def spaced(text: str) -> str:
    """The text with blanks wherever something beyond ASCII separates tokens."""
    return text if text.isascii() else _special().sub(_parted, text)


def word_start(text: str, at: int, floor: int = 0) -> int:
    """Where the word that spans the place `at` begins, not before `floor`; `at` itself when none spans it."""
    joint = _joint().match
    if at < len(text) and not joint(text, at):
        while at > floor and not joint(text, at - 1):
            at -= 1
    return at


def hash_of(stem: str) -> int:
    """The 64-bit hash of a stem."""
    number: int = xxh3_64_intdigest(stem.encode("utf-8", "surrogatepass"))
    return number


# These take a while to compile, and many processes never need them.


@cache
def _special() -> re.Pattern[str]:
    return re.compile(f"[{_SEPARATORS}{_WORD_EACH}]")


@cache
def _joint() -> re.Pattern[str]:
    return re.compile(rf"(?![{''.join(sorted(_JOINERS))}])[\x00-\x2f:-@\[-`{{-\x7f\s{_SEPARATORS}{_WORD_EACH}]")


@cache
def kinds() -> bytes:
    """What each character of the basic plane is, by its number; ASCII is left out."""
    table = bytearray(1 << 16)
    for first, last in _ranges(_SEPARATORS + _WORD_EACH):
        for begin in range(ord(first), ord(last or first) + 1, _ROW):
            row = "".join(map(chr, range(begin, min(begin + _ROW, ord(last or first) + 1))))
            alike = bytes([TOKEN]) * len(row) if row.isalnum() else bytes(map(_kind, row))
            table[begin : begin + len(row)] = alike
    for joiner in _JOINERS:
        table[ord(joiner)] = JOINER
    return bytes(table)


def _kind(character: str) -> int:
    return TOKEN if character.isalnum() else SEPARATOR


def _parted(found: re.Match[str]) -> str:
    character = found[0]
    if character in _JOINERS:
        return ""
    return f" {character} " if character.isalnum() else " "
