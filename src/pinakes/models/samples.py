"""What a two-class model learns from: the examples of a topic against pages of other kinds.

The papers take the negatives from other topics' examples (002 §3.3, 004 §4.1). Where the brief has none, documents
drawn from the background's frequencies stand in for them; where there is no background either, an empty page does.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from pinakes.core.page import Brief
from pinakes.text.background import english
from pinakes.text.topics import topic_vectors
from pinakes.text.weights import Counts, frequencies_of

COMMONEST = 20_000
"""Stand-in documents are drawn from so many of the background's stems."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Term counts of pages that are wanted and of pages that are not."""

    positives: tuple[Counts, ...]
    negatives: tuple[Counts, ...]

    @property
    def documents(self) -> tuple[Counts, ...]:
        return (*self.positives, *self.negatives)


def samples_of(brief: Brief, ratio: float | None = None) -> dict[str, Sample]:
    """The sample of each topic. `ratio` bounds the negatives to so many for each positive: a random subset, spread
    over the topics they come from."""
    described = topic_vectors(brief) if brief.topics else {}
    found = {}
    for name in dict.fromkeys((*described, *brief.examples)):
        positives = tuple(page.terms for page in brief.examples.get(name, ()) if page.terms)
        positives = positives or ((described[name],) if described.get(name) else ())
        if not positives:
            continue
        random = Random(f"{brief.random_state} {name}")
        negatives = _negatives(brief, name)
        most = max(1, round(len(positives) * ratio)) if ratio else len(negatives)
        if len(negatives) > most:
            negatives = _spread(negatives, most, random)
        if not negatives:
            negatives = _drawn(brief, max(1, round(len(positives) * (ratio or 2.0))), random)
        found[name] = Sample(positives, tuple(negatives))
    return found


def reference_of(brief: Brief, *, own: bool = False) -> Counts:
    """Document frequencies of a reference corpus: the background's, or else the table that ships with Pinakes; with
    `own`, those of the brief's pages of this very web, layers included."""
    if not own:
        return brief.background if brief.background.get("", 0) else english()
    pages = [page for pages in brief.examples.values() for page in pages]
    for group in (brief.negatives, *brief.layers):
        pages += group
    return frequencies_of(page.terms for page in pages)


def _negatives(brief: Brief, name: str) -> list[Counts]:
    if brief.negatives:
        return [page.terms for page in brief.negatives if page.terms]
    own = {page.url for page in brief.examples.get(name, ())}
    others = {page.url: page.terms for other, pages in brief.examples.items() if other != name for page in pages}
    return [terms for url, terms in others.items() if url not in own and terms]


def _spread(pages: list[Counts], n: int, random: Random) -> list[Counts]:
    """One page out of each of `n` equal stretches of the list. Negatives of one topic stand together, so that every
    topic gives its share; drawn without regard to that, sixteen pages are now and then mostly of two or three kinds,
    and the crawl goes by their peculiarities."""
    stretch = len(pages) / n
    return [pages[int((number + random.random()) * stretch)] for number in range(n)]


def _drawn(brief: Brief, n: int, random: Random) -> list[Counts]:
    """Documents in which each stem occurs as often as in the background, independently of the others."""
    total = brief.background.get("", 0)
    stems = sorted((stem for stem in brief.background if stem), key=lambda stem: (-brief.background[stem], stem))
    if not total or not stems:
        return [{}]
    return [
        {stem: 1 for stem in stems[:COMMONEST] if random.random() < brief.background[stem] / total} for _ in range(n)
    ]
