"""Assessment by classifiers (004 §4.1): the share of the pages fetched that a topic's classifiers accept.

Rocchio, Widrow-Hoff and exponentiated gradient learn from the topic's examples against those of the other topics, over
the 50 features of the best correlation coefficient; each one's threshold is that of best F1 on what it learnt from.
They see the pages only after the crawl.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from pinakes.measures.term_table import TermTable
from pinakes.models.linear import Linear, Table, best_cut, exponentiated_gradient, rocchio, table, widrow_hoff
from pinakes.models.samples import Sample

FEATURES = 50

METHODS: Mapping[str, Callable[[Table, Sequence[int]], Linear]] = {
    "rocchio": lambda data, order: rocchio(data),
    "widrow_hoff": widrow_hoff,
    "eg": exponentiated_gradient,
}


def positive_pages(pool: TermTable, sample: Sample, *, random_state: int = 0) -> dict[str, dict[str, float]]:
    """For each classifier 1 for the pages it accepts and 0 for the others: {method: {url: 0 or 1}}."""
    data = table(sample, FEATURES)
    order = list(range(len(data.rows)))
    Random(random_state).shuffle(order)
    # The three share their features and idf, so the pages are weighed once: SMART's atc over the sample's vocabulary.
    weights = pool.relative * pool.vector(data.rarity)[pool.ids]
    found = {}
    for name, train in METHODS.items():
        model = train(data, order)
        values = model.bias + pool.cosines(weights, pool.vector(model.weights))
        found[name] = pool.values((values >= best_cut(model, sample)).astype(float))
    return found
