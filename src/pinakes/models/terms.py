"""Stems hashed into a table of fixed size, and how rare they are: what was known before, and what the crawl shows.

Memory is bounded however many words a crawl meets. Document frequencies start from a background's and take in every
page that is fetched, so that a web's own commonplaces soon weigh little, whatever the background was counted on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh32_intdigest

from pinakes.core.roles import Plain
from pinakes.models.packing import pack, unpack
from pinakes.text.numbered import NumberedWords

BITS = 18
SIZE = 1 << BITS
LEAST_IDF = 0.05
REMEMBERED = 500_000
BACKGROUND_PAGES = 500
"""The background weighs as much as so many fetched pages at most."""

Numbers = NDArray[np.float64]
Ids = NDArray[np.int64]


class TermIds(dict[str, int]):
    """Stems to places in the table; remembers many, forgets all when there are too many."""

    def __missing__(self, stem: str) -> int:
        if len(self) >= REMEMBERED:
            self.clear()
        # A stop word has the place after the last, which weighs nothing.
        number = xxh32_intdigest(stem.encode("utf-8", "surrogatepass")) & (SIZE - 1) if stem else SIZE
        self[stem] = number
        return number

    def of(self, stems: Iterable[str]) -> Ids:
        return np.fromiter(map(self.__getitem__, stems), np.int64)

    def of_words(self, words: Sequence[str], needed: NDArray[np.bool_]) -> Ids:
        """The places of those of a page's words that are needed; numbered words are not spelled for that."""
        if isinstance(words, NumberedWords):
            return self.of(words.vocabulary)[np.frombuffer(words.numbers, np.uint32)[needed]]
        return self.of(compress(words, needed.tolist()))


@dataclass(slots=True)
class Document:
    """A page as places in the table, and 1 + ln tf."""

    ids: Ids
    counts: Numbers


def table() -> Numbers:
    return np.zeros(SIZE + 1)


class Rarity:
    """idf = max(.05, ln((n + 1) / (df + .5))), over the background and the pages seen."""

    def __init__(self, ids: TermIds, background: Mapping[str, int]) -> None:
        stems = [stem for stem in background if stem]
        documents = max(1, background.get("", 0))
        share = min(1.0, BACKGROUND_PAGES / documents)
        self._known, self._known_documents = table(), documents * share
        np.add.at(self._known, ids.of(stems), np.array([background[stem] * share for stem in stems]))
        self._seen, self.pages = table(), 0
        self.fit()

    def see(self, document: Document) -> None:
        np.add.at(self._seen, document.ids, 1.0)
        self.pages += 1

    def fit(self) -> None:
        """Take in what was seen since the last fit."""
        documents = self._known_documents + self.pages
        self.idf = np.maximum(LEAST_IDF, np.log((documents + 1) / (self._known + self._seen + 0.5)))
        self.idf[SIZE] = 0.0

    def weights(self, document: Document) -> Numbers:
        """The document's weights, at length 1."""
        weights: Numbers = document.counts * self.idf[document.ids]
        length = float(np.sqrt(weights @ weights))
        return weights / length if length else weights

    def state(self) -> Plain:
        return [sparse(self._seen), self.pages, pack(self.idf)]

    def restore(self, state: Plain) -> None:
        """The fit is taken over as it was: pages came home since."""
        seen, self.pages, idf = state
        self._seen, self.idf = dense(seen), unpack(idf)


def sparse(vector: Numbers) -> Plain:
    places = np.nonzero(vector)[0]
    return [pack(places), pack(vector[places])]


def dense(packed: Plain) -> Numbers:
    vector = table()
    vector[unpack(packed[0])] = unpack(packed[1])
    return vector
