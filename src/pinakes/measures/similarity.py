"""Assessment by mean topic similarity (004 §4.3): does a crawl stay near its topic in the space of words?"""

from __future__ import annotations

from math import log

from pinakes.measures.term_table import TermTable
from pinakes.text.weights import Counts, unit


def topic_similarities(pool: TermTable, query: Counts) -> dict[str, float]:
    """Cosine of the topic and each page, weights f · (1 + ln(|S| / n)) over the pool S of all crawled pages.

    A term of the topic that no page has counts as if one page had it.
    """
    known, rarest = pool.idf_of(query), max(1, len(pool.urls))
    topic = unit({term: count * (1.0 + known.get(term, log(rarest))) for term, count in query.items()})
    return pool.values(pool.cosines(pool.counts * (1.0 + pool.idf[pool.ids]), pool.vector(topic)))
