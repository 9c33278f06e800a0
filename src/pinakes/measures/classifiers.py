"""Assessment by classifiers (004 §4.1): the share of the pages fetched that a topic's classifiers accept.

Rocchio, Widrow-Hoff and exponentiated gradient learn from the topic's examples against those of the other topics, over
the 50 features of the best correlation coefficient; each one's threshold is that of best F1 on what it learnt from.
They see the pages only after the crawl.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from pinakes.models.linear import Linear, Table, best_cut, exponentiated_gradient, rocchio, table, widrow_hoff
from pinakes.models.samples import Sample
from pinakes.text.vectors import dot
from pinakes.text.weights import Counts, atc

FEATURES = 50

METHODS: Mapping[str, Callable[[Table, Sequence[int]], Linear]] = {
    "rocchio": lambda data, order: rocchio(data),
    "widrow_hoff": widrow_hoff,
    "eg": exponentiated_gradient,
}


def positive_pages(pool: Mapping[str, Counts], sample: Sample, *, random_state: int = 0) -> dict[str, dict[str, float]]:
    """For each classifier 1 for the pages it accepts and 0 for the others: {method: {url: 0 or 1}}."""
    data = table(sample, FEATURES)
    order = list(range(len(data.rows)))
    Random(random_state).shuffle(order)
    models = {name: train(data, order) for name, train in METHODS.items()}
    cuts = {name: best_cut(model, sample) for name, model in models.items()}
    found: dict[str, dict[str, float]] = {name: {} for name in models}
    for url, counts in pool.items():
        # The three share their features and idf, so a page is weighed once.
        weights = atc(counts, data.rarity)
        for name, model in models.items():
            found[name][url] = float(model.bias + dot(model.weights, weights) >= cuts[name])
    return found
