"""Term counts of many pages as arrays, so that a pool of thousands of pages is assessed in a moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pinakes.text.weights import Counts

Numbers = NDArray[np.float64]
Ids = NDArray[np.int64]


class TermTable:
    """Pages as rows of (term number, count), one after the other. Made once for a web; `among` picks a pool of it."""

    def __init__(self, urls: Sequence[str], terms: Mapping[str, int], lengths: Ids, ids: Ids, counts: Numbers) -> None:
        self.urls, self.terms = tuple(urls), terms
        self.ids, self.counts = ids, counts
        self._lengths = lengths
        self._starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        self.rows: Ids = np.repeat(np.arange(len(lengths)), lengths)
        """The row of every entry."""

    @classmethod
    def of(cls, pages: Mapping[str, Counts]) -> TermTable:
        """The table of pages' counts, by address."""
        terms: dict[str, int] = {}
        lengths = np.fromiter(map(len, pages.values()), np.int64, len(pages))
        numbered = (terms.setdefault(term, len(terms)) for counts in pages.values() for term in counts)
        ids = np.fromiter(numbered, np.int64, int(lengths.sum()))
        counts = np.fromiter(chain.from_iterable(page.values() for page in pages.values()), np.float64, len(ids))
        return cls(tuple(pages), terms, lengths, ids, counts)

    def among(self, urls: Iterable[str]) -> TermTable:
        """The table of some of the pages, in the order of this one; an address it lacks is an empty page."""
        wanted = dict.fromkeys(urls)
        rows = np.array([row for row, url in enumerate(self.urls) if url in wanted], np.int64)
        missing = list(wanted.keys() - set(self.urls))
        lengths = self._lengths[rows]
        starts = np.repeat(self._starts[rows] - np.concatenate([[0], np.cumsum(lengths)])[:-1], lengths)
        entries = starts + np.arange(len(starts))
        return TermTable(
            [*(self.urls[row] for row in rows), *sorted(missing)],
            self.terms,
            np.concatenate([lengths, np.zeros(len(missing), np.int64)]),
            self.ids[entries],
            self.counts[entries],
        )

    @cached_property
    def frequencies(self) -> Ids:
        """On how many of the pages each term is."""
        return np.bincount(self.ids, minlength=len(self.terms))

    @cached_property
    def idf(self) -> Numbers:
        """ln(N / n) of each term."""
        return np.log(max(1, len(self.urls)) / np.maximum(1, self.frequencies))

    @cached_property
    def relative(self) -> Numbers:
        """0.5 + 0.5 tf / max tf of every entry, max tf being its page's: SMART's *a*."""
        most = np.zeros(len(self.urls))
        np.maximum.at(most, self.rows, self.counts)
        return 0.5 + 0.5 * self.counts / most[self.rows]

    def sums(self, entries: Numbers) -> Numbers:
        """The sum over the entries of each page."""
        return np.bincount(self.rows, weights=entries, minlength=len(self.urls)).astype(np.float64)

    def cosines(self, entries: Numbers, vector: Numbers) -> Numbers:
        """The cosine of each page, as weighed, and a vector of length 1 over the terms; 0 for an empty page."""
        lengths = np.sqrt(self.sums(entries * entries))
        dots = self.sums(entries * vector[self.ids])
        return np.divide(dots, lengths, out=np.zeros(len(dots)), where=lengths > 0)

    def vector(self, weights: Mapping[str, float]) -> Numbers:
        """Weights of terms by number; a term that no page has is left out."""
        found = np.zeros(len(self.terms))
        for term, weight in weights.items():
            number = self.terms.get(term)
            if number is not None:
                found[number] = weight
        return found

    def idf_of(self, terms: Iterable[str]) -> dict[str, float]:
        """The idf of those of the terms that a page has."""
        known = ((term, self.terms.get(term)) for term in terms)
        return {term: float(self.idf[at]) for term, at in known if at is not None and self.frequencies[at]}

    def values(self, pages: Numbers) -> dict[str, float]:
        """A value a page, by its address."""
        return dict(zip(self.urls, pages.tolist(), strict=True))

    def page(self, row: int) -> dict[str, int]:
        """The counts of one page."""
        here = slice(self._starts[row], self._starts[row + 1])
        names = self._names
        return {names[at]: int(count) for at, count in zip(self.ids[here], self.counts[here], strict=True)}

    @cached_property
    def _names(self) -> list[str]:
        return list(self.terms)
