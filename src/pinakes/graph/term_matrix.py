"""A collection as a matrix: one row a page, one column a term, weighted as 002 §3.5 weights pages for clustering.

The weights are eq. 3.1's, with the document frequencies of the collection itself. Terms that stand on fewer than 1 % of
the pages tell nothing about communities, and terms on more than 80 % are the topic's own stop words: both are dropped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

RAREST = 0.01
COMMONEST = 0.80


@dataclass(frozen=True, slots=True)
class TermMatrix:
    """Pages as rows of length 1 (or 0, for a page with no term left) over a filtered vocabulary."""

    weights: sparse.csr_array
    terms: tuple[str, ...]
    idf: NDArray[np.float64]
    """What each term weighs by how many of the pages it stands on."""

    @property
    def pages(self) -> int:
        return int(self.weights.shape[0])

    def weigh(self, pages: Iterable[Mapping[str, int]]) -> sparse.csr_array:
        """Other pages as rows over the same terms, weighted by what those weigh here."""
        numbers = {term: number for number, term in enumerate(self.terms)}
        starts, columns, counts, most = [0], list[int](), list[int](), list[int]()
        for page in pages:
            here = [(numbers[term], count) for term, count in page.items() if term in numbers]
            columns += [number for number, _ in here]
            counts += [count for _, count in here]
            starts.append(len(columns))
            most.append(max(page.values(), default=1))
        matrix = sparse.csr_array((counts, columns, starts), shape=(len(most), len(self.terms)))
        return _weighted(matrix, np.maximum(np.array(most, np.float64), 1), self.idf)


def term_matrix(pages: Iterable[Mapping[str, int]], rarest: float = RAREST, commonest: float = COMMONEST) -> TermMatrix:
    """Weigh the terms of a collection, given how often each stands on each page."""
    counts, terms = _counted(pages)
    n = counts.shape[0]
    frequency = np.bincount(counts.indices, minlength=len(terms))
    # A term of one page groups nothing, however small the collection.
    kept = np.flatnonzero((frequency >= max(rarest * n, min(2, n))) & (frequency <= max(commonest * n, 1)))
    most = np.maximum(_row_maxima(counts), 1)
    counts = counts[:, kept]
    idf = np.log(n / frequency[kept]) if len(kept) else np.zeros(0)
    return TermMatrix(_weighted(counts, most, idf), tuple(terms[int(i)] for i in kept), idf)


def _weighted(counts: sparse.csr_array, most: NDArray[np.float64], idf: NDArray[np.float64]) -> sparse.csr_array:
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    weights = (0.5 + 0.5 * counts.data / most[rows]) * idf[counts.indices]  # eq. 3.1
    return unit_rows(sparse.csr_array((weights, counts.indices, counts.indptr), shape=counts.shape))


def unit_rows(matrix: sparse.csr_array) -> sparse.csr_array:
    """Every row at length 1, so that inner products are cosines (eq. 3.2); an empty row stays empty."""
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return sparse.csr_array(sparse.diags_array(scale) @ matrix)


def _counted(pages: Iterable[Mapping[str, int]]) -> tuple[sparse.csr_array, Sequence[str]]:
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__  # a term met first takes the next number
    number = numbers.__getitem__
    lengths: list[int] = []
    columns: list[NDArray[np.int32]] = []
    values: list[NDArray[np.float32]] = []
    for page in pages:
        lengths.append(len(page))
        columns.append(np.fromiter(map(number, page), np.int32, len(page)))
        values.append(np.fromiter(page.values(), np.float32, len(page)))
    indptr = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    indices = np.concatenate(columns) if columns else np.zeros(0, np.int32)
    data = np.concatenate(values) if values else np.zeros(0, np.float32)
    shape = (len(lengths), len(numbers))
    return sparse.csr_array((data, indices, indptr), shape=shape), list(chain(numbers))


def _row_maxima(matrix: sparse.csr_array) -> NDArray[np.float64]:
    most = np.zeros(matrix.shape[0])
    filled = np.diff(matrix.indptr) > 0
    if filled.any():
        most[filled] = np.maximum.reduceat(matrix.data, matrix.indptr[:-1][filled])
    return most
