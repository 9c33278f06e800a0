"""Term weights: the SMART letters, and the forms the papers print.

A weighting has up to three letters: how a term's occurrences count (`n` as they are, `l` their logarithm, `a` relative
to the page's most frequent term), how its rarity counts (`n` not at all, `t` by the inverse document frequency), and
whether the vector is brought to length 1 (`c`). A term that a page lacks weighs nothing in any of them.

Document frequencies are a mapping of stems in which the empty stem counts the documents. A stem they lack counts as
if one document had it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import log

from pinakes.text.vectors import Vector, norm

Counts = Mapping[str, int]
Frequencies = Mapping[str, int]
Weights = dict[str, float]


def frequencies_of(documents: Iterable[Counts]) -> dict[str, int]:
    """In how many of the documents each stem occurs; the empty stem counts the documents."""
    found: Counter[str] = Counter()
    for document in documents:
        found.update(document.keys())
        found[""] += 1
    return dict(found)


def idf(frequencies: Frequencies, term: str) -> float:
    """ln(N / df); 0 for a term that every document has."""
    documents = max(1, frequencies.get("", 0))
    return log(documents / min(documents, max(1, frequencies.get(term, 0))))


def idfs(frequencies: Frequencies, terms: Iterable[str]) -> Weights:
    """The idf of each term, for a vocabulary that is used many times."""
    return {term: idf(frequencies, term) for term in terms}


def at(counts: Counts, rarity: Mapping[str, float]) -> Weights:
    """002 eq. 3.1, the *at* of atc, over the terms that have an idf: (0.5 + 0.5 tf / max tf) · ln(|C| / df)."""
    most = max(counts.values(), default=0)
    get = rarity.get
    return {
        term: (0.5 + 0.5 * count / most) * weight
        for term, count in counts.items()
        if (weight := get(term)) is not None and count > 0
    }


def atc(counts: Counts, rarity: Mapping[str, float]) -> Weights:
    """The *at* weights at length 1: SMART's *atc*."""
    return unit(at(counts, rarity))


def ltc(counts: Counts, rarity: Mapping[str, float]) -> Weights:
    """(1 + ln tf) · ln(N / df) at length 1."""
    get = rarity.get
    return unit(
        {
            term: (1.0 + log(count)) * weight
            for term, count in counts.items()
            if (weight := get(term)) is not None and count > 0
        }
    )


def at_of_collection(counts: Counts, frequencies: Frequencies, most: int) -> Weights:
    """004 §4.2's *at*: as 002's, but relative to the most frequent term of *any* page of the collection (`most`)."""
    return {term: 0.5 * (1.0 + count / most) * idf(frequencies, term) for term, count in counts.items() if count > 0}


def tf_idf(counts: Counts, frequencies: Frequencies) -> Weights:
    """004 §4.3: f · (1 + ln(|S| / n))."""
    return {term: count * (1.0 + idf(frequencies, term)) for term, count in counts.items()}


def unit(vector: Vector) -> Weights:
    """The vector at length 1: SMART's *c*."""
    length = norm(vector)
    return {term: weight / length for term, weight in vector.items()} if length else {}


def strongest(weights: Mapping[str, float], n: int) -> list[str]:
    """The `n` terms of most weight, the heaviest first; equal ones in the order of the alphabet."""
    return sorted(weights, key=lambda term: (-weights[term], term))[:n]
