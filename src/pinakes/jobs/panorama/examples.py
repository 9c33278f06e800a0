"""Example pages for a paper (002 §3.2–3.3): who on the web names it, or what it cites?

The title of the paper and the titles of its references are asked of a search engine as exact phrases; the pages that
really have the phrase are positive examples. Negative examples are pages of unrelated papers, or any other pages, twice
as many.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass

from pinakes.core.page import Link, Page
from pinakes.core.roles import Search, Web
from pinakes.text.titles import title_words

HITS = 10
NEGATIVES = 2.0
"""Negative examples for each positive one."""
LEAST_WORDS = 2
"""A title of fewer words is no phrase to search for: it stands on every other page."""
MOST_WEIGHT = 3
HOPS = 5

Watch = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Query:
    """A phrase to look for."""

    text: str
    kind: str = "reference"
    """`title`, `reference`, or what was added when those gave too little: `author`, `keyword`."""
    weight: int = 1
    """How many of the given papers cite it; its pages count so often."""
    phrase: bool = True


@dataclass(frozen=True, slots=True)
class Asked:
    """A query and where it led."""

    query: Query
    urls: tuple[str, ...]
    """Pages on which the phrase really stands."""
    hits: int


@dataclass(frozen=True, slots=True)
class Positives:
    """Pages that show what the paper is about."""

    pages: tuple[Page, ...]
    """Each as often as it weighs."""
    asked: tuple[Asked, ...]

    @property
    def urls(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(page.url for page in self.pages))


async def find_positives(
    queries: Sequence[Query], search: Search, web: Web, *, hits: int = HITS, watch: Watch = lambda done, of: None
) -> Positives:
    """Ask every query and keep the pages that have what was asked for."""
    pages: dict[str, Page | None] = {}
    weights: dict[str, int] = {}
    asked = []
    for number, query in enumerate(queries):
        watch(number, len(queries))
        if query.phrase and len(title_words(query.text)) < LEAST_WORDS:
            asked.append(Asked(query, (), 0))
            continue
        found = await search.search(query.text, hits, query.phrase)
        kept = []
        for hit in found:
            if hit.url not in pages:
                pages[hit.url] = await _read(hit.url, web)
            page = pages[hit.url]
            if page is not None and page.url not in kept and (not query.phrase or has_title(page, query.text)):
                kept.append(page.url)
                weights[page.url] = max(weights.get(page.url, 1), query.weight)
        asked.append(Asked(query, tuple(kept), len(found)))
    watch(len(queries), len(queries))
    by_url = {page.url: page for page in pages.values() if page is not None}
    # A page that names many references is a bibliography, and one example; one that names what several papers cite
    # counts for each of them, up to a point.
    counted = tuple(by_url[url] for url, weight in weights.items() for _ in range(min(weight, MOST_WEIGHT)))
    return Positives(counted, tuple(asked))


def has_title(page: Page, title: str) -> bool:
    """True when the page really has the phrase: search engines answer with what is like it, too."""
    wanted = " ".join(title_words(title))
    return bool(wanted) and f" {wanted} " in f" {' '.join(title_words(f'{page.title} {page.text}'))} "


async def draw_negatives(
    candidates: Iterable[str], positives: Positives, web: Web, random_state: int, each: float = NEGATIVES
) -> tuple[Page, ...]:
    """Pages drawn at random from `candidates` that are not positive, `each` times as many as the positive ones."""
    urls = sorted(set(candidates) - set(positives.urls))
    random.Random(random_state).shuffle(urls)
    most = round(each * len(positives.pages))
    drawn: list[Page] = []
    async for page in _readable(urls, web):
        if len(drawn) >= most:
            break
        drawn.append(page)
    return tuple(drawn)


async def _readable(urls: Iterable[str], web: Web) -> AsyncIterator[Page]:
    for url in urls:
        page = await _read(url, web)
        if page is not None:
            yield page


async def _read(url: str, web: Web) -> Page | None:
    """A page with words, redirects followed; None when there is none."""
    link, seen = Link(url), {url}
    for _ in range(HOPS):
        answer = await web.fetch(link)
        if not answer.hop or answer.hop in seen:
            return answer.page if answer.page.readable and answer.page.terms else None
        seen.add(answer.hop)
        link = Link(answer.hop)
    return None
