"""Assessment by mean topic similarity (004 §4.3): does a crawl stay near its topic in the space of words?"""

from __future__ import annotations

from collections.abc import Mapping

from pinakes.text.vectors import TfCosine
from pinakes.text.weights import Counts, frequencies_of, idfs


def topic_similarities(pool: Mapping[str, Counts], query: Counts) -> dict[str, float]:
    """Cosine of the topic and each page, weights f · (1 + ln(|S| / n)) over the pool S of all crawled pages."""
    frequencies = frequencies_of(pool.values())
    rarity = idfs(frequencies, {*frequencies, *query} - {""})
    topic = TfCosine(_weighed(query, rarity))
    return {url: topic.similarity(_weighed(counts, rarity)) for url, counts in pool.items()}


def _weighed(counts: Counts, rarity: Mapping[str, float]) -> dict[str, float]:
    return {term: count * (1.0 + rarity[term]) for term, count in counts.items()}
