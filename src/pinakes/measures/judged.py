"""Relevance by models that see a crawl only afterwards.

`informed_probabilities`: the evaluation classifier of 002 §4, a Naive Bayes that learnt from more pages than the
crawler did; the mean of what it says is the harvest rate of eq. 4.7. `seed_likelihoods`: the relevance of 001 fig. 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

import numpy as np

from pinakes.measures.term_table import TermTable
from pinakes.models.bayes import multinomial
from pinakes.models.context_graph import ContextGraph
from pinakes.models.samples import Sample
from pinakes.text.weights import Counts


def informed_probabilities(pool: TermTable, informed: Sample) -> dict[str, float]:
    """Pr(c⁺ | page) of every page. `informed` should hold every page known to be of the topic, where the crawler's
    sample held a few, and a draw of those of other topics (002 §4)."""
    model = multinomial(informed)
    joint = pool.vector({term: weight * model.rarity[term] for term, weight in model.weights.items()})
    log_odds = model.bias + pool.sums(pool.relative * joint[pool.ids])
    return pool.values(1.0 / (1.0 + np.exp(-np.clip(log_odds, -700.0, 700.0))))


def seed_likelihoods(pool: TermTable, examples: Sequence[Counts]) -> dict[str, float]:
    """How likely each page is under the Naive Bayes model of the examples (001 §4): the geometric mean of its words'
    probabilities; 0 for a page that has none of their words. Document frequencies are the pool's."""
    frequencies = {term: int(n) for term, n in zip(pool.terms, pool.frequencies, strict=True) if n}
    model = ContextGraph([examples], {**frequencies, "": len(pool.urls)})
    return {url: exp(model.likelihood(0, pool.page(row))) for row, url in enumerate(pool.urls)}
