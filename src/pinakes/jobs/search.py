"""Full-text search in a library: the index is brought up to date, then asked."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pinakes.core.page import host_of
from pinakes.jobs.snippets import cut, day_of
from pinakes.library.fulltext import FullText, Match, Matches, kind_of
from pinakes.library.library import Library
from pinakes.library.passages import passage
from pinakes.library.query import Asked, read_query
from pinakes.library.rolling import Watch, roll

LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class Found:
    """A page that answers."""

    rank: int
    url: str
    title: str
    snippet: str
    marks: tuple[tuple[int, int], ...]
    """Where in the snippet the words stand that were looked for."""
    site: str
    type: str
    """`html`, `pdf`, …"""
    language: str
    date: str
    topics: tuple[str, ...]
    merit: float
    """The best score a judge gave it."""
    score: float
    """How well it answers; comparable within one search only."""
    page: int
    """The library's number of it."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    library: str
    query: str
    total: int
    """How many pages answer; `hits` are the best of them."""
    hits: tuple[Found, ...] = ()
    facets: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    """`topic`, `site`, `type`, `language`: the commonest values among all that answer, and how often."""
    relaxed: bool = False
    """No page holds all that was asked for; these hold some of it."""
    indexed: int = 0
    """Pages that were put into the index first."""
    seconds: float = 0.0
    """What the search itself took."""


def search(folder: Path, query: str, n: int = 10, offset: int = 0, watch: Watch | None = None) -> SearchResult:
    """The pages of a library that answer best; what a running crawl has committed is among them."""
    fulltext = FullText(folder)
    with Library(folder) as library:
        indexed = roll(folder, fulltext, watch)
        return search_in(library, fulltext, query, n, offset, indexed)


def search_in(
    library: Library, fulltext: FullText, query: str, n: int = 10, offset: int = 0, indexed: int = 0
) -> SearchResult:
    """The same with everything open, in the index as it is."""
    began = time.perf_counter()
    asked = read_query(query)
    found = fulltext.search(asked, n, offset)
    hits = _shown(library, fulltext, asked, found, offset)
    seconds = time.perf_counter() - began
    return SearchResult(
        str(library.folder), query, found.total, hits, found.facets, found.relaxed, indexed, round(seconds, 6)
    )


def _shown(library: Library, fulltext: FullText, asked: Asked, found: Matches, offset: int) -> tuple[Found, ...]:
    analyze = fulltext.analyzer.analyze
    sought = [analyze(piece.text) for group in asked.wanted for piece in group]

    def shown(rank: int, match: Match) -> Found | None:
        row = library.connection.execute(
            "SELECT url, title, type, language, modified, fetched_at FROM pages WHERE id = ?", (match.facts.number,)
        ).fetchone()
        if row is None:
            return None
        url, title, kind, language, modified, fetched_at = row
        best = passage(match.text, sought, analyze)
        plain = passage(title, (), analyze, LONGEST_TITLE).text
        return Found(
            rank, url, cut(plain, LONGEST_TITLE), best.text, best.marks, host_of(url), kind_of(kind), language,
            day_of(modified, fetched_at), match.facts.topics, round(match.facts.merit, 4), round(match.score, 4),
            match.facts.number,
        )  # fmt: skip

    hits = (shown(rank, match) for rank, match in enumerate(found.matches, offset + 1))
    return tuple(hit for hit in hits if hit is not None)
