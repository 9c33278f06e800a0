"""Search over a frozen web's pages: BM25 (Robertson and Walker, SIGIR 1994) and exact phrases."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from pinakes.core.roles import Hit
from pinakes.text.words import Words
from pinakes.web.columns import Array
from pinakes.web.index import Index

K1, B = 1.2, 0.75
_WORD = re.compile(r"[^\W_]+")
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_SNIPPET = 240
_SNIPPET_WITHIN = 20_000


class Searcher:
    """A search engine over one index."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._words = Words()

    def search(self, query: str, n: int, phrase: bool) -> list[Hit]:
        found = self._phrase(query) if phrase else iter(self._ranked(self._known(self._words.stems(query))).tolist())
        tokens = _WORD.findall(query.lower())
        hits = list[Hit]()
        for rank, page in enumerate((page for _, page in zip(range(n), found, strict=False)), 1):
            text = self._index.strings(page).text
            url = self._index.addresses[page]
            hits.append(Hit(url, self._index.titles[page], _snippet(text, tokens), rank, "frozen"))
        return hits

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {stem: number for number, stem in enumerate(self._index.stems)}

    @cached_property
    def _norms(self) -> Array:
        """BM25's denominator, less the term frequency, of every page."""
        lengths = self._index.lengths.astype(np.float64)
        return K1 * (1 - B + B * lengths / max(float(lengths.mean()) if len(lengths) else 0.0, 1.0))

    def _known(self, stems: Sequence[str]) -> list[int]:
        """The numbers of the stems that occur in this web, each once."""
        return list(dict.fromkeys(self._numbers[stem] for stem in stems if stem and stem in self._numbers))

    def _ranked(self, terms: Sequence[int], among: Array | None = None) -> Array:
        """Pages by score, those of equal score in the order of recording."""
        index, scores = self._index, np.zeros(self._index.pages)
        for term in terms:
            start, end = index.postings.bounds[term], index.postings.bounds[term + 1]
            pages, weights = index.postings.values[start:end], index.weights[start:end]
            idf = np.log1p((index.pages - len(pages) + 0.5) / (len(pages) + 0.5))
            scores[pages] += idf * weights * (K1 + 1) / (weights + self._norms[pages])
        found = np.flatnonzero(scores) if among is None else among
        return found[np.argsort(-scores[found], kind="stable")]

    def _phrase(self, query: str) -> Iterator[int]:
        """Pages that hold the query word for word, best first, each checked only when it is asked for."""
        pattern = _Phrase(query)
        stems = self._words.stems(query)
        numbers = [self._numbers.get(stem, -1) for stem in stems]
        terms = self._known(stems)
        if not pattern.words or -1 in numbers:
            return
        among = np.arange(self._index.pages)
        for term in sorted(terms, key=lambda term: len(self._index.postings[term])):
            among = np.intersect1d(among, self._index.postings[term], assume_unique=True)
        wanted = np.array(numbers, np.uint32)
        for page in self._ranked(terms, among).tolist():
            if pattern.within(self._index.titles[page]) or (
                _follow(self._index.words[page], wanted) and pattern.within(self._index.strings(page).text)
            ):
                yield page


def _follow(words: Array, wanted: Array) -> bool:
    """True when the wanted stems stand next to each other somewhere."""
    last = len(words) - len(wanted) + 1
    if last <= 0:
        return False
    key = int(wanted.argmax())  # a late number is a rare stem; zero is any stop word
    places = np.flatnonzero(words[key : key + last] == wanted[key])
    for offset, stem in enumerate(wanted):
        places = places[words[places + offset] == stem]
    return bool(len(places))


class _Phrase:
    """Words that must stand next to each other, whatever separates them and however they are cased."""

    def __init__(self, query: str) -> None:
        self.words = _WORD.findall(_folded(query))
        self._pattern = re.compile(r"[\W_]+".join(map(re.escape, self.words)))

    def within(self, text: str) -> bool:
        text = _folded(text)
        return any(
            not _joined(text[: found.start()][-1:], found[0][0]) and not _joined(found[0][-1], text[found.end() :][:1])
            for found in self._pattern.finditer(text)
        )


def _folded(text: str) -> str:
    """Case, ligatures and invisible characters set aside."""
    if text.isascii():
        return text.lower()
    for character in _INVISIBLE:
        text = text.replace(character, "")
    return unicodedata.normalize("NFKC", text).casefold()


def _joined(left: str, right: str) -> bool:
    """True when two characters belong to one word; ideographs and kana are words by themselves."""
    return left.isalnum() and right.isalnum() and not _alone(left) and not _alone(right)


def _alone(character: str) -> bool:
    return "\u3041" <= character <= "\u30ff" or "\u3400" <= character <= "\u9fff"


def _snippet(text: str, tokens: Sequence[str]) -> str:
    """The text round the first of the longest query word that occurs."""
    lowered = text[:_SNIPPET_WITHIN].lower()
    places = (lowered.find(token) for token in sorted(tokens, key=len, reverse=True))
    at = next((place for place in places if place >= 0), 0)
    start = max(0, at - _SNIPPET // 3)
    cut = text[start : start + _SNIPPET].split()
    if start and len(cut) > 1:
        cut[0] = "…"
    if start + _SNIPPET < len(text) and len(cut) > 1:
        cut[-1] = "…"
    return " ".join(cut)
