"""Assessment by a retrieval system (004 §4.2): when did a crawl fetch the pages that rank high for the topic?

The pages of all strategies are pooled and ranked with the topic's text as query; the measure is the mean rank of the
pages fetched so far, so that lower is better and a good crawl rises late. Ranks depend on the pool: values of two
evaluations with different strategies cannot be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log

from pinakes.text.vectors import dot
from pinakes.text.weights import Counts, at_of_collection, atc, frequencies_of, idfs, unit

Pool = Mapping[str, Counts]
Scores = dict[str, float]

K1, B = 1.2, 0.75


def smart(pool: Pool, query: Counts) -> Scores:
    """Cosine of SMART's *atc* weights: a term counts relative to its own page's most frequent term."""
    frequencies = frequencies_of(pool.values())
    rarity = idfs(frequencies, (term for term in frequencies if term))
    topic = atc(query, rarity)
    return {url: dot(topic, atc(counts, rarity)) for url, counts in pool.items()}


def printed(pool: Pool, query: Counts) -> Scores:
    """The formula as 004 prints it: a term counts relative to the most frequent term of *any* page."""
    frequencies = frequencies_of(pool.values())
    most = max((max(counts.values(), default=0) for counts in pool.values()), default=0) or 1
    known = {term: count for term, count in query.items() if term in frequencies}
    topic = unit(at_of_collection(known, frequencies, most))
    return {url: dot(topic, unit(at_of_collection(counts, frequencies, most))) for url, counts in pool.items()}


def bm25(pool: Pool, query: Counts) -> Scores:
    """Okapi BM25: a second system, as 004 §8 wished for."""
    frequencies = frequencies_of(pool.values())
    lengths = {url: sum(counts.values()) for url, counts in pool.items()}
    mean = sum(lengths.values()) / max(1, len(lengths)) or 1.0
    rarity = {
        term: log(1.0 + (len(pool) - frequencies[term] + 0.5) / (frequencies[term] + 0.5))
        for term in query
        if term in frequencies
    }
    scores = {}
    for url, counts in pool.items():
        norm = K1 * (1.0 - B + B * lengths[url] / mean)
        terms = ((weight, counts.get(term, 0)) for term, weight in rarity.items())
        scores[url] = sum(weight * count * (K1 + 1.0) / (count + norm) for weight, count in terms)
    return scores


SYSTEMS: Mapping[str, Callable[[Pool, Counts], Scores]] = {"smart": smart, "printed": printed, "bm25": bm25}


def pooled_ranks(pool: Pool, query: Counts, system: str = "smart") -> dict[str, float]:
    """The rank of every page of the pool, 1 for the best; pages of equal score share the middle of their ranks."""
    scores = SYSTEMS[system](pool, query)
    # Rounded, so that pages of the same words tie whatever the order their terms were added up in.
    ordered = sorted((-round(score, 12), url) for url, score in scores.items())
    ranks: dict[str, float] = {}
    start = 0
    while start < len(ordered):
        end = start
        while end < len(ordered) and ordered[end][0] == ordered[start][0]:
            end += 1
        for _, url in ordered[start:end]:
            ranks[url] = (start + 1 + end) / 2
        start = end
    return ranks
