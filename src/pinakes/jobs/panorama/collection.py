"""A crawl's pages as the analysis wants them: their terms, who links to whom, and how the crawling judge scored them.

A panorama's crawl keeps the terms of its pages. Those of pages that another crawl had brought home, or that an older
library holds, are parsed again from the archive. Both, and who links to whom, are read in shards: on all cores, or on
those of a Ray cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pinakes.formats.hashes import hash_of
from pinakes.jobs.shards import Shards
from pinakes.library.library import Library
from pinakes.library.terms import KeptTerms


@dataclass(frozen=True, slots=True)
class CrawledPage:
    """A page of a crawl, without its text."""

    number: int
    url: str
    title: str
    language: str
    score: float


@dataclass(frozen=True, slots=True)
class Collection:
    """The pages a crawl read, in the order it read them, and the links among them."""

    pages: tuple[CrawledPage, ...]
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]

    def without_worst(self, share: float) -> Collection:
        """The collection less the `share` of its pages that scored lowest (002 §3.5)."""
        scores = np.array([page.score for page in self.pages])
        dropped = np.argsort(scores, kind="stable")[: int(share * len(scores))]
        kept = np.setdiff1d(np.arange(len(scores)), dropped)
        place = np.full(len(scores), -1)
        place[kept] = np.arange(len(kept))
        source, target = place[self.sources], place[self.targets]
        both = (source >= 0) & (target >= 0)
        return Collection(tuple(self.pages[int(i)] for i in kept), source[both], target[both])


def collection_of(library: Library, crawl: int, processes: int | None = None, on: str = "") -> Collection:
    """Every page the crawl read, each once; near-duplicates, which came home as such, are not among them."""
    rows = library.connection.execute(
        "SELECT pages.id, pages.url, pages.title, pages.language, visits.score, visits.url FROM visits"
        " JOIN pages ON pages.id = visits.page WHERE visits.crawl = ? AND visits.outcome = 'ok' AND visits.twin = ''"
        " AND pages.words > 0 ORDER BY visits.id",
        (crawl,),
    )
    pages: list[CrawledPage] = []
    places: dict[str, int] = {}
    for number, url, title, language, score, asked in rows:
        if url not in places:
            places[url] = len(pages)
            pages.append(CrawledPage(number, url, title, language, score))
        places.setdefault(asked, places[url])  # a link to an address that redirects is one to where it leads
    sources, targets = _links(library, pages, places, processes, on)
    return Collection(tuple(pages), sources, targets)


def _links(
    library: Library, pages: Sequence[CrawledPage], places: Mapping[str, int], processes: int | None, on: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Who links to whom, by the places of the pages."""
    known = np.array([hash_of(url) for url in places], np.int64)
    order = np.argsort(known)
    known, leads = known[order], np.array(list(places.values()), np.int64)[order]
    sources, targets = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    start = 0
    # A list of links is read ten times sooner than a page.
    with Shards(library, len(pages) // 10, processes, on) as shards:
        for sizes, led in shards.links([page.number for page in pages]):
            found = np.minimum(np.searchsorted(known, led), max(0, len(known) - 1))
            here = known[found] == led
            sources.append(np.repeat(np.arange(start, start + len(sizes)), sizes)[here])
            targets.append(leads[found[here]])
            start += len(sizes)
    return np.concatenate(sources), np.concatenate(targets)


def terms_of(
    library: Library, pages: Sequence[CrawledPage], processes: int | None = None, on: str = ""
) -> Iterator[Mapping[str, int]]:
    """How often each stem stands on each page, in the order of the pages."""
    numbers = [page.number for page in pages]
    kept = KeptTerms(library.connection)
    unread = len(numbers) - len(kept.known(numbers))
    if not unread and not on:  # reading them here is quicker than having them told
        yield from kept.of(numbers)
        return
    with Shards(library, max(unread, len(numbers) // 20), processes, on) as shards:
        yield from shards.terms(numbers)
