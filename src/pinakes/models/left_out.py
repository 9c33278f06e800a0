"""What a multinomial Naive Bayes says of pages it learnt from, had it learnt without them.

A crawl that starts from its own examples asks the classifier about the very pages that taught it, and of those it is
far too sure: their log-odds are many times those of any page it never saw. Taking a page's weights out of its class
again answers as if the page were new. Document frequencies stay those of all examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import log

from pinakes.models.samples import Sample
from pinakes.text.weights import Counts, Weights, at


class LeftOut:
    """The sums a classifier was made of, to take a positive example out of again."""

    def __init__(self, sample: Sample, rarity: Mapping[str, float]) -> None:
        self._rarity = rarity
        self._pages = len(sample.positives), len(sample.negatives)
        self._wanted, self._other = _summed(sample.positives, rarity), _summed(sample.negatives, rarity)
        self._sizes = tuple(len(rarity) + sum(weights.values()) for weights in (self._wanted, self._other))

    def value(self, counts: Counts, times: int = 1) -> float:
        """Log-odds of a positive example, taken out; it stood `times` among the examples."""
        page = at(counts, self._rarity)
        wanted, other = self._pages
        size, size_of_others = self._sizes
        # Laplace's rule, as for all pages (001 eq. 4), over what is left of the class.
        less = log(size - times * sum(page.values())) - log(size_of_others)
        odds = log(max(0, wanted - times) + 1) - log(other + 1)
        for term, weight in page.items():
            left = max(0.0, self._wanted.get(term, 0.0) - times * weight)
            odds += weight * (log(1 + left) - log(1 + self._other.get(term, 0.0)) - less)
        return odds


def _summed(pages: Iterable[Counts], rarity: Mapping[str, float]) -> Weights:
    total: Weights = {}
    for page in pages:
        for term, weight in at(page, rarity).items():
            total[term] = total.get(term, 0.0) + weight
    return total
