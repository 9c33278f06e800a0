"""The merged context graph of 001: how far is a page from a target, judged by its words?

Layer 0 holds the examples, layer i pages from which a target is i links away. A page is reduced to its forty strongest
terms (eq. 1), given to the layer that a Naive Bayes classifier over the layers finds likeliest (eq. 2-4), and to
`other` when that layer's likelihood is below the least of its own training pages. The pages a layer learns from are
reduced in the same way, for the classifiers are defined on the reduced representation: a word that is common everywhere
counts for little, however often the examples have it.

A likelihood is the mean of the logarithms over forty terms, ln P(d | c) / 40: the product that eq. 3 prints falls with
every further term, so that pages with few terms in the vocabulary would always win. A page that has fewer is filled up
with terms that the layer lacks, for the same reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from math import inf, log
from typing import NamedTuple

from pinakes.models.bayes import word_log_probabilities
from pinakes.text.weights import Counts, Frequencies, idfs

KEPT = 40


class Placement(NamedTuple):
    """Where a page stands."""

    layer: int
    """The layer it was given to; the number of layers for `other`."""
    likelihood: float
    """Mean ln P(w | layer) over its kept terms, of the likeliest layer; -inf when it has no term of the vocabulary."""


class ContextGraph:
    """The classifiers of the layers, trained on the term counts of their pages."""

    def __init__(
        self,
        layers: Sequence[Sequence[Counts]],
        reference: Frequencies,
        *,
        kept: int = KEPT,
        vocabulary_layers: int = 1,
        uniform: bool = False,
    ) -> None:
        """`reference` are the document frequencies of eq. 1. The vocabulary is that of the first `vocabulary_layers`.
        `uniform`: layers are equally likely beforehand, instead of in proportion to their pages."""
        filled = [layer for layer in layers if layer]
        vocabulary = {term for layer in filled[:vocabulary_layers] for page in layer for term in page}
        self._kept = kept
        self._rarity = idfs(reference, sorted(vocabulary))
        self._rarest = max(self._rarity.values(), default=0.0)
        self._words = [
            word_log_probabilities([{term: page[term] for term in self.reduced(page)} for page in layer], self._rarity)
            for layer in filled
        ]  # eq. 4
        self._unseen = [min(words.values(), default=0.0) for words in self._words]
        pages = sum(map(len, filled))
        self._priors = [0.0 if uniform else log(len(layer) / pages) for layer in filled]
        self.thresholds = [
            min((self.likelihood(number, page) for page in layer), default=-inf) for number, layer in enumerate(filled)
        ]

    @property
    def depth(self) -> int:
        """Layers besides that of the targets."""
        return len(self._words) - 1

    def reduced(self, page: Counts) -> list[str]:
        """The page's strongest terms of the vocabulary; those that every document has are no part of the vector."""
        rarity, kept = self._rarity.get, self._kept
        # Eq. 1 without its division by the page's f_max, which is the same for all terms of a page.
        often = [(count * weight, term) for term, count in page.items() if count > 1 and (weight := rarity(term))]
        if len(often) >= kept:
            best = nlargest(kept, often)
            if best[-1][0] > self._rarest:  # no term that occurs once can weigh as much: half of a long page's terms
                return [term for _, term in best]
        weighed = [(count * weight, term) for term, count in page.items() if (weight := rarity(term))]
        best = nlargest(kept, weighed) if len(weighed) > kept else sorted(weighed, reverse=True)
        return [term for _, term in best]

    def likelihood(self, layer: int, page: Counts) -> float:
        """How likely the page is in a layer, per term."""
        terms = self.reduced(page)
        return self._per_term(layer, self._total(layer, terms), len(terms))

    def place(self, page: Counts) -> Placement:
        terms = self.reduced(page)
        totals = [self._total(layer, terms) for layer in range(len(self._words))]
        if not terms:
            return Placement(len(totals), -inf)
        layer = max(range(len(totals)), key=lambda j: self._priors[j] + totals[j])  # eq. 2, in logarithms
        likelihood = self._per_term(layer, totals[layer], len(terms))
        return Placement(layer if likelihood >= self.thresholds[layer] else len(totals), likelihood)

    def _total(self, layer: int, terms: Sequence[str]) -> float:
        """ln P(d | c) = Σ ln P(w | c) (eq. 3)."""
        words = self._words[layer]
        return sum(words[term] for term in terms)

    def _per_term(self, layer: int, total: float, terms: int) -> float:
        return (total + (self._kept - terms) * self._unseen[layer]) / self._kept if terms else -inf
