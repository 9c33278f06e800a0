"""The passage of a text that answers a question best, and where in it the words stand."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

LENGTH = 240
MOST_PLACES = 2_000
_in_word = re.compile(r"[^\W_]").search
_spaces = re.compile(r"\s+").sub
_INVISIBLE = re.compile("[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


class Passage(NamedTuple):
    text: str
    marks: tuple[tuple[int, int], ...] = ()
    """Begin and end of each word that was looked for."""


def passage(
    text: str, sought: Iterable[Sequence[str]], cut: Callable[[str], list[str]], length: int = LENGTH
) -> Passage:
    """About `length` characters with the most different of the `sought` runs of stems in them; `cut` makes words into
    stems. Characters that cannot be seen, or that turn the direction of others, are left out."""
    text = _spaces(" ", _INVISIBLE.sub("", text)).strip()
    runs = list(dict.fromkeys(tuple(run) for run in sought if run))
    words = _words(text, frozenset(stem for run in runs for stem in run), cut)
    places = sorted(place for run in runs for place in _together(text, words, run))
    return _cut(text, places, _best(places, length), length)


class _Place(NamedTuple):
    begin: int
    end: int
    sought: tuple[str, ...]


def _words(text: str, stems: frozenset[str], cut: Callable[[str], list[str]]) -> list[tuple[int, int, str]]:
    """Begin, end and stem of each word that has one of the stems. Only words that begin like one are looked at."""
    if not stems:
        return []
    folded = text.lower() if text.isascii() else text.translate(_FOLD)
    starts = "|".join(sorted({re.escape(stem[: max(3, len(stem) - 1)]) for stem in stems}, key=len, reverse=True))
    words: list[tuple[int, int, str]] = []
    known: dict[str, str] = {}
    for found in re.finditer(rf"[\u3041-\u30ff\u3400-\u9fff]|(?<![^\W_])(?:{starts})[^\W_]*", folded):
        word = found[0]
        if word not in known:
            known[word] = next(iter(cut(word)), "")
        if known[word] in stems:
            words.append((*found.span(), known[word]))
            if len(words) >= MOST_PLACES:
                break
    return words


def _together(text: str, words: list[tuple[int, int, str]], run: tuple[str, ...]) -> Iterator[_Place]:
    """Where the stems of a run stand one after the other, with nothing but signs between them."""
    for first in range(len(words) - len(run) + 1):
        here = words[first : first + len(run)]
        if all(stem == wanted for (_, _, stem), wanted in zip(here, run, strict=True)) and not any(
            _in_word(text[left[1] : right[0]]) for left, right in pairwise(here)
        ):
            yield _Place(here[0][0], here[-1][1], run)


def _best(places: list[_Place], length: int) -> int:
    """Where the stretch begins that has the most different words in it, then the most words."""
    best, most = 0, (0, 0)
    last = 0
    for first, (begin, _, _) in enumerate(places):
        while last < len(places) and places[last][1] - begin <= length * 3 // 4:
            last += 1
        within = places[first:last]
        worth = (len({place.sought for place in within}), len(within))
        if worth > most:
            best, most = begin, worth
    return max(0, best - length // 6) if places else 0


def _cut(text: str, places: list[_Place], start: int, length: int) -> Passage:
    if start:
        space = text.find(" ", start, start + 30)
        start = space + 1 if space >= 0 else start
    end = min(len(text), start + length)
    if end < len(text):
        space = text.rfind(" ", start, end)
        end = space if space > start else end
    before, after = ("…" if start else ""), ("…" if end < len(text) else "")
    shift = len(before) - start
    marks: list[tuple[int, int]] = []
    for begin, stop, _ in places:
        if begin >= start and stop <= end and (not marks or begin + shift >= marks[-1][1]):
            marks.append((begin + shift, stop + shift))
    return Passage(f"{before}{text[start:end].rstrip(' ,;:-')}{after}", tuple(marks))


class _Fold(dict[int, int]):
    """Letters without case and accents, one for one, so that places stay what they are."""

    def __missing__(self, code: int) -> int:
        base = unicodedata.normalize("NFD", chr(code))[0].lower()
        self[code] = ord(base) if len(base) == 1 else code
        return self[code]


_FOLD = _Fold()
