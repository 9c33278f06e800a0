"""Assessment by a retrieval system (004 §4.2): when did a crawl fetch the pages that rank high for the topic?

The pages of all strategies are pooled and ranked with the topic's text as query; the measure is the mean rank of the
pages fetched so far, so that lower is better and a good crawl rises late. Ranks depend on the pool: values of two
evaluations with different strategies cannot be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pinakes.measures.term_table import Numbers, TermTable
from pinakes.text.weights import Counts, atc, unit

K1, B = 1.2, 0.75


def smart(pool: TermTable, query: Counts) -> Numbers:
    """Cosine of SMART's *atc* weights: a term counts relative to its own page's most frequent term."""
    topic = atc(query, pool.idf_of(query))
    return pool.cosines(pool.relative * pool.idf[pool.ids], pool.vector(topic))


def printed(pool: TermTable, query: Counts) -> Numbers:
    """The formula as 004 prints it: a term counts relative to the most frequent term of *any* page."""
    most = float(np.max(pool.counts, initial=1.0))
    topic = unit({term: 0.5 * (1.0 + query[term] / most) * idf for term, idf in pool.idf_of(query).items()})
    return pool.cosines(0.5 * (1.0 + pool.counts / most) * pool.idf[pool.ids], pool.vector(topic))


def bm25(pool: TermTable, query: Counts) -> Numbers:
    """Okapi BM25: a second system, as 004 §8 wished for."""
    lengths = pool.sums(pool.counts)
    mean = float(lengths.mean()) if len(lengths) else 0.0
    norms = K1 * (1.0 - B + B * lengths / (mean or 1.0))
    rarity = np.log1p((len(pool.urls) - pool.frequencies + 0.5) / (pool.frequencies + 0.5))
    wanted = rarity * pool.vector(dict.fromkeys(query, 1.0))
    return pool.sums(wanted[pool.ids] * pool.counts * (K1 + 1.0) / (pool.counts + norms[pool.rows]))


SYSTEMS: Mapping[str, Callable[[TermTable, Counts], Numbers]] = {"smart": smart, "printed": printed, "bm25": bm25}


def pooled_ranks(pool: TermTable, query: Counts, system: str = "smart") -> dict[str, float]:
    """The rank of every page of the pool, 1 for the best; pages of equal score share the middle of their ranks."""
    # Rounded, so that pages of the same words tie whatever the order their terms were added up in.
    scores = np.round(SYSTEMS[system](pool, query), 12)
    _, places, sizes = np.unique(-scores, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return pool.values((last - (sizes - 1) / 2)[places])
