"""A crawl's pages as the analysis wants them: their terms, who links to whom, and how the crawling judge scored them.

A panorama's crawl keeps the terms of its pages. Those of pages that another crawl had brought home, or that an older
library holds, are parsed again from the archive, on all cores.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pinakes.library.library import Library
from pinakes.library.terms import KeptTerms
from pinakes.web.parsing import Parsed, Task
from pinakes.web.workers import parse_all

CHUNK = 100
FEW = 400
"""So few pages are parsed sooner here than other processes are started."""


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


def collection_of(library: Library, crawl: int) -> Collection:
    """Every page the crawl read, each once; near-duplicates, which came home as such, are not among them."""
    rows = library.connection.execute(
        "SELECT pages.id, pages.url, pages.title, pages.language, visits.score, visits.url FROM visits"
        " JOIN pages ON pages.id = visits.page WHERE visits.crawl = ? AND visits.outcome = 'ok' AND pages.words > 0"
        " ORDER BY visits.id",
        (crawl,),
    )
    pages: list[CrawledPage] = []
    places: dict[str, int] = {}
    for number, url, title, language, score, asked in rows:
        if url not in places:
            places[url] = len(pages)
            pages.append(CrawledPage(number, url, title, language, score))
        places.setdefault(asked, places[url])  # a link to an address that redirects is one to where it leads
    sources, targets = [], []
    for place, page in enumerate(pages):
        for (url,) in library.connection.execute("SELECT url FROM links WHERE page = ?", (page.number,)):
            target = places.get(url)
            if target is not None:
                sources.append(place)
                targets.append(target)
    return Collection(tuple(pages), np.array(sources, np.int64), np.array(targets, np.int64))


def terms_of(
    library: Library, pages: Sequence[CrawledPage], processes: int | None = None
) -> Iterator[Mapping[str, int]]:
    """How often each stem stands on each page, in the order of the pages."""
    kept = KeptTerms(library.connection)
    known = kept.known([page.number for page in pages])
    held = kept.of([page.number for page in pages if page.number in known])
    parsed = _parsed(library, [page for page in pages if page.number not in known], processes)
    for page in pages:
        yield next(held if page.number in known else parsed)


def _parsed(library: Library, pages: Sequence[CrawledPage], processes: int | None) -> Iterator[Mapping[str, int]]:
    """The terms of pages that are only in the archive."""
    if not pages:
        return
    segments = dict(library.connection.execute("SELECT id, name FROM segments"))
    numbers = {segment: place for place, segment in enumerate(segments)}
    files = [library.archive.local(name) for name in segments.values()]
    tasks = []
    for page in pages:
        segment, offset, length = library.connection.execute(
            "SELECT held.segment, held.offset, held.length FROM pages"
            " JOIN pages AS held ON held.id = coalesce(pages.original, pages.id) WHERE pages.id = ?",
            (page.number,),
        ).fetchone()
        tasks.append(Task(numbers[segment], offset, length, page.url, 0.0))
    workers = 1 if len(tasks) <= FEW else (processes or os.cpu_count() or 1)
    chunks = [tasks[at : at + CHUNK] for at in range(0, len(tasks), CHUNK)]
    for parsed in parse_all(files, chunks, workers):
        yield from _terms(parsed)


def _terms(parsed: Parsed) -> Iterator[dict[str, int]]:
    stems = parsed.stems
    terms = np.frombuffer(parsed.terms, np.uint32).tolist()
    counts = np.frombuffer(parsed.counts, np.uint32).tolist()
    at = 0
    for size in np.frombuffer(parsed.term_sizes, np.uint32).tolist():
        end = at + size
        yield {stems[term]: count for term, count in zip(terms[at:end], counts[at:end], strict=True)}
        at = end
