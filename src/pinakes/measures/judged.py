"""Relevance by models that see a crawl only afterwards.

`informed_probabilities`: the evaluation classifier of 002 §4, a Naive Bayes that learnt from more pages than the
crawler did; the mean of what it says is the harvest rate of eq. 4.7. `seed_likelihoods`: the relevance of 001 fig. 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp

from pinakes.models.bayes import multinomial, posterior
from pinakes.models.context_graph import ContextGraph
from pinakes.models.samples import Sample
from pinakes.text.weights import Counts, Frequencies, frequencies_of


def informed_probabilities(pool: Mapping[str, Counts], informed: Sample) -> dict[str, float]:
    """Pr(c⁺ | page) of every page. `informed` should hold every page known to be of the topic, where the crawler's
    sample held a few, and a draw of those of other topics (002 §4)."""
    model = multinomial(informed)
    return {url: posterior(model.value(counts)) for url, counts in pool.items()}


def seed_likelihoods(
    pool: Mapping[str, Counts], examples: Sequence[Counts], reference: Frequencies | None = None
) -> dict[str, float]:
    """How likely each page is under the Naive Bayes model of the examples (001 §4): the geometric mean of its words'
    probabilities; 0 for a page that has none of their words. `reference` are document frequencies, else the pool's."""
    model = ContextGraph([examples], reference or frequencies_of(pool.values()))
    return {url: exp(model.likelihood(0, counts)) for url, counts in pool.items()}
