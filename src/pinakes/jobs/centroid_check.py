"""A look at the centroids before the crawl: their strongest terms, and topics that are too broad or too alike.

The crawl can be no better than its centroids: a curriculum of "too many broad and general terms" failed where an index
of mathematical terms did well (000 §2). Both warnings are measured on the pages the centroids are made of, each left
out of its own centroid. A topic is *too broad* when its pages have hardly more in common with each other than with the
other topics. Two are *too alike* when most pages of one lie nearer to the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pinakes.core.page import Brief, Page, Topic
from pinakes.models.centroid import Centroids, Rarity, concatenated
from pinakes.text.words import Words

TERMS = 10
_tokens = re.compile(r"\w+").findall
BROAD = 1.5
"""A topic whose pages correlate less than this many times as much with their own centroid as with the others'."""
ALIKE = 0.5
"""The part of a topic's pages that may lie nearer to another topic."""


@dataclass(frozen=True, slots=True)
class CentroidView:
    """One topic as the crawl will see it."""

    name: str
    parent: str
    pages: tuple[str, ...]
    """Addresses of the pages it is made of."""
    terms: tuple[str, ...]
    """Its strongest terms, as words of those pages."""
    cohesion: float = 0.0
    """Mean correlation of its pages with the centroid of the others; 0 with a single page."""
    warnings: tuple[str, ...] = ()


def look_at(brief: Brief, weights: str = "tf-idf") -> list[CentroidView]:
    """The centroids of a brief, weighed as 000 §2 does: by TF-IDF across all topics' pages, or `tf` alone."""
    documents = {topic.name: [page.terms for page in brief.examples.get(topic.name, ())] for topic in brief.topics}
    everything = [counts for group in documents.values() for counts in group]
    rarity = Rarity(everything) if weights == "tf-idf" and len(documents) > 1 else Rarity(())
    wholes = {name: concatenated(group) for name, group in documents.items()}
    vectors = {name: rarity.weigh(whole) or whole for name, whole in wholes.items()}
    centroids = Centroids(vectors)
    views = []
    for topic in brief.topics:
        pages = brief.examples.get(topic.name, ())
        strongest = sorted(vectors[topic.name], key=lambda term: (-vectors[topic.name][term], term))[:TERMS]
        words = _as_written(strongest, pages)
        alone = [_alone(page.terms, wholes[topic.name], rarity) for page in pages] if len(pages) > 1 else []
        cohesion = sum(alone) / len(alone) if alone else 0.0
        warnings = _warnings(topic, brief.topics, pages, alone, centroids)
        views.append(
            CentroidView(topic.name, topic.parent, tuple(page.url for page in pages), words, cohesion, warnings)
        )
    return views


def _alone(counts: Mapping[str, int], whole: Mapping[str, int], rarity: Rarity) -> float:
    """A page's correlation with the centroid of its topic's other pages."""
    others = Counter(whole)
    others.subtract(counts)
    return Centroids({"": rarity.weigh(+others)}).correlations(counts)[""]


def _warnings(
    topic: Topic, topics: Sequence[Topic], pages: Sequence[Page], alone: Sequence[float], centroids: Centroids
) -> tuple[str, ...]:
    if not alone or len(topics) < 2:
        return ()
    family = {topic.name, topic.parent, *(one.name for one in topics if one.parent == topic.name)}
    strangers = [name for name in centroids.names if name not in family]
    if not strangers:
        return ()
    nearer: Counter[str] = Counter()
    elsewhere = 0.0
    for page, own in zip(pages, alone, strict=True):
        scores = centroids.correlations(page.terms)
        nearest = max(strangers, key=scores.__getitem__)
        nearer[nearest] += scores[nearest] > own
        elsewhere += sum(scores[name] for name in strangers) / len(strangers)
    found = []
    other, count = nearer.most_common(1)[0] if nearer else ("", 0)
    if count > ALIKE * len(pages):
        found.append(
            f"'{topic.name}' and '{other}' are too alike: {count} of the {len(pages)} pages of the first lie nearer to "
            "the second; join them, or give each examples of its own."
        )
    if sum(alone) < BROAD * elsewhere:
        found.append(
            f"'{topic.name}' is too broad: its pages have hardly more in common with each other than with other "
            "topics; divide it, or give it a narrower description and more examples."
        )
    return tuple(found)


def _as_written(stems: Sequence[str], pages: Sequence[Page]) -> tuple[str, ...]:
    """Each stem as the word of these pages that has it most often."""
    wanted, words = set(stems), Words()
    forms: dict[str, Counter[str]] = {stem: Counter() for stem in stems}
    for page in pages:
        for token in _tokens(f"{page.title} {page.text}".lower()):
            stem = words.stems(token)
            if len(stem) == 1 and stem[0] in wanted:
                forms[stem[0]][token] += 1
    return tuple(forms[stem].most_common(1)[0][0] if forms[stem] else stem for stem in stems)
