"""The keywords of anchor texts and the priority each gives: 003 §3.3's priority lists.

A keyword's weight is learnt from breadth-first crawls: W(O→Q) = D(Q) / D(P) (eq. 1), so that links close to a wanted
document weigh most. "Closer to P than to S" is High, the rest Medium.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pinakes.core.page import Brief
from pinakes.models.samples import reference_of, samples_of
from pinakes.text.topics import topic_vectors
from pinakes.text.weights import Counts, Frequencies, Weights, idfs, ltc, strongest, unit

LOW, MEDIUM, HIGH = 0, 1, 2
TEACHES, TWICE = 3, 2
"""Wanted links a site must have to teach what stands beside them, and how many of them must have a word."""
OF_SITES, OF_OCCURRING = 1 / 8, 1 / 4
"""Shares of the sites that must be for a word: of all that teach, and of those where it occurs."""

TABLE_4: Mapping[str, int] = {
    **dict.fromkeys(("volume", "pub", "paper", "conf", "journal", "content", "program", "research", "list"), HIGH),
    **dict.fromkeys(("topic", "faculty", "people", "group", "lab"), MEDIUM),
}
"""Table 4's sample of the paper's own list."""


class Learnt(NamedTuple):
    """A keyword of links that led to wanted documents."""

    weight: float
    """The mean of D(Q) / D(P) over the links that have it and the documents below them."""
    interesting: int
    """Links that led to a document and have the keyword in their anchor."""
    other: int
    """Links that led to none and have it."""


class Followed(NamedTuple):
    """A link that a breadth-first crawl followed."""

    keywords: frozenset[str]
    """The words of its anchor."""
    weights: Sequence[float]
    """D(Q) / D(P) for each wanted document below it; none when it led to none."""


def learn(links: Iterable[Followed], common: int = 3, ratio: float = 2.0, sure: float = 2.0) -> dict[str, Learnt]:
    """Keywords "commonly occurring in the interesting class and not so commonly occurring in the non-interesting".

    Commonly: on at least `common` interesting links, `ratio` times as often among them as among the others, and more
    often than chance has it by `sure` standard deviations: names and numbers that stood on a few links by luck teach
    nothing.
    """
    weights: defaultdict[str, list[float]] = defaultdict(list)
    found: dict[bool, defaultdict[str, int]] = {True: defaultdict(int), False: defaultdict(int)}
    totals = {True: 0, False: 0}
    for link in links:
        interesting = bool(link.weights)
        totals[interesting] += 1
        for keyword in link.keywords:
            found[interesting][keyword] += 1
            weights[keyword] += link.weights
    learnt = {}
    share = totals[True] / max(1, sum(totals.values()))
    for keyword, count in found[True].items():
        others = found[False][keyword]
        lucky = share * (count + others) + sure * math.sqrt(share * (1 - share) * (count + others))
        if count >= common and count * totals[False] >= ratio * others * totals[True] and count >= lucky:
            learnt[keyword] = Learnt(sum(weights[keyword]) / len(weights[keyword]), count, others)
    return learnt


class Met(NamedTuple):
    """A link that a breadth-first crawl met, whether or not it was followed from there."""

    site: str
    words: frozenset[str]
    """Those that stand beside it."""
    wanted: bool
    """It leads to a wanted document."""


def beside(links: Iterable[Met], ratio: float = 2.0) -> dict[str, Learnt]:
    """Ours: words that stand beside wanted documents, on many sites (named in `pinakes train anchors --words beside`).

    Anchors that lead to lists of documents are few, and each site calls them as it likes; but what stands beside the
    documents themselves (*conference*, *proceedings*, *workshop*, *report*) is much the same everywhere, and a link
    that speaks so leads to more of them. A site counts once, however many links it has, so that no large one teaches
    its own habits: it is for a word when that stands beside at least TWICE wanted links and there `ratio` times as
    often as beside others. A word is learnt that an eighth of the sites are for, and a quarter of those where it
    occurs. Its weight is 1, as eq. 1 has it for the last link of a path.
    """
    found: dict[str, dict[bool, defaultdict[str, int]]] = {}
    totals: dict[str, dict[bool, int]] = {}
    for link in links:
        counts = found.setdefault(link.site, {True: defaultdict(int), False: defaultdict(int)})[link.wanted]
        totals.setdefault(link.site, {True: 0, False: 0})[link.wanted] += 1
        for word in link.words:
            counts[word] += 1
    teachers = [site for site, total in totals.items() if total[True] >= TEACHES]
    votes: dict[str, list[bool]] = {}
    for site in teachers:
        near, far, total = found[site][True], found[site][False], totals[site]
        for word in {*near, *far}:
            often = near[word] * max(1, total[False]) >= ratio * far[word] * total[True]
            votes.setdefault(word, []).append(near[word] >= TWICE and often)
    learnt = {}
    for word, said in votes.items():
        if sum(said) >= max(2, OF_SITES * len(teachers)) and sum(said) >= OF_OCCURRING * len(said):
            learnt[word] = Learnt(1.0, sum(said), len(said) - sum(said))
    return learnt


def priorities(weights: Mapping[str, float], high: float) -> dict[str, int]:
    """A priority for each learnt weight: High above `high`."""
    return {keyword: HIGH if weight > high else MEDIUM for keyword, weight in weights.items() if weight > 0}


def of_topics(brief: Brief, high: int, medium: int, common: int) -> dict[str, int]:
    """The strongest terms of each topic: `high` of them High, the next `medium` Medium.

    The topic's own name and description weigh as much as its examples together: what a person calls a thing is what
    links to it are called. A term of the examples alone must be on at least `common` of them, so that the names and
    numbers of a single page are no keywords.
    """
    reference = reference_of(brief)
    described = topic_vectors(replace(brief, examples={}))
    found: dict[str, int] = {}
    for name, sample in samples_of(brief).items():
        own = described.get(name, {})
        pages, total = _summed(sample.positives, reference), _summed((own,), reference)
        for term, weight in pages.items():
            if term in own or sum(term in page for page in sample.positives) >= min(common, len(sample.positives)):
                total[term] = total.get(term, 0.0) + weight
        for rank, term in enumerate(strongest(total, high + medium)):
            found[term] = max(found.get(term, LOW), HIGH if rank < high else MEDIUM)
    return found


def _summed(documents: Sequence[Counts], reference: Frequencies) -> Weights:
    """The direction the documents have in common."""
    total: defaultdict[str, float] = defaultdict(float)
    for document in documents:
        for term, weight in ltc(document, idfs(reference, document)).items():
            total[term] += weight
    return unit(total)
