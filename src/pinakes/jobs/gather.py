"""From what a crawl brought home to ranked collections: the best pages of each topic, by merit.

A page belongs to the topic of its nearest centroid (000 §2). Its *merit* is its correlation with that centroid, less
for pages that are mostly links: the aim is expository pages. Documents that a nugget links to and nobody has read stand
in with their parent's correlation (000, footnote 1). Pages below half the threshold are in no collection.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import NamedTuple

from pinakes.core.page import Brief, Verdict, host_of
from pinakes.core.roles import Judge
from pinakes.formats.hashes import hash_of, unsigned
from pinakes.formats.item import title_or_name
from pinakes.jobs.centroid_check import CentroidView
from pinakes.jobs.snippets import Snippets, day_of
from pinakes.judges.inheritance import DOCUMENTS, is_document
from pinakes.library.collections import Collection, Entry
from pinakes.library.library import Crawl, Library
from pinakes.text.fingerprint import NEAR, hamming

FLOOR = 0.5
"""The part of the threshold a page must score to be in a collection."""
AGAIN = 2_000
"""Pages of a crawl that are judged again when a collection is ranked anew."""
LONGEST_PATH = 200
JOBS = ("collect", "refresh")
"""The crawls collections are made of."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """How collections are made of pages."""

    size: int = 50
    per_host: int | None = None
    """The most pages of one host in a collection."""
    expository: bool = True
    """Rank link lists and indexes below pages of text."""


class Candidate(NamedTuple):
    """A page that may be in a collection."""

    url: str
    topic: str
    merit: float
    score: float
    nugget: bool
    page: int | None
    crawl: int
    title: str
    fingerprint: int
    digest: str
    parent: str = ""
    """Of a document that nobody read: the page that links to it."""


def expository(words: int, linked: int) -> float:
    """What the merit of a page is multiplied by: 1 while at most half of its words are links, 0 when all are."""
    return min(1.0, 2.0 * (1.0 - min(1.0, linked / words))) if words else 0.0


def gather(
    library: Library,
    crawl: Crawl,
    brief: Brief,
    judge: Judge,
    views: Sequence[CentroidView],
    ranking: Ranking,
    given: Mapping[str, Sequence[str]],
) -> list[Collection]:
    """The collections of a brief's topics, of all pages that crawls of this kind brought home. `given` are the
    examples a person gave for each topic; nobody needs to be told of those."""
    found: dict[str, list[Candidate]] = {topic.name: [] for topic in brief.topics}
    for candidate in _candidates(library, crawl, judge, ranking):
        if candidate.topic in found:
            found[candidate.topic].append(candidate)
    terms = {view.name: view.terms for view in views}
    snippets = Snippets(library.shelf, brief)
    made = []
    for topic in brief.topics:
        chosen = _chosen(found[topic.name], ranking, frozenset(given.get(topic.name, ())))
        entries = tuple(_entry(library, one, topic.name, snippets) for one in chosen)
        made.append(
            Collection(
                topic.name, topic.parent, topic.description, crawl.id, time.time(), terms.get(topic.name, ()), entries
            )
        )
    return made


def gather_anew(
    library: Library,
    crawl: Crawl,
    brief: Brief,
    judge: Judge,
    topic: str,
    ranking: Ranking,
    left_out: Set[str],
    judged: Callable[[Sequence[int]], Iterable[Verdict]],
) -> tuple[Entry, ...]:
    """One topic's pages, judged again: of those that crawls brought home, the ones that came nearest to it then.
    `judged` answers what the judge thinks of pages, by their numbers."""
    floor = FLOOR * judge.threshold
    found: dict[str, Candidate] = {}
    for earlier in reversed(library.crawls()):
        if earlier.id > crawl.id or earlier.job not in JOBS:
            continue
        near = _nearest(library.connection, earlier.id, topic)
        again: dict[str, tuple[Candidate, int, int]] = {}
        for stored, words, linked in _pages(library.connection, earlier.id):
            if stored.page in near and stored.url not in found:
                again.setdefault(stored.url, (stored, words, linked))
        verdicts = judged([stored.page for stored, *_ in again.values() if stored.page is not None])
        for (stored, words, linked), verdict in zip(again.values(), verdicts, strict=True):
            one = stored._replace(topic=verdict.topic, score=verdict.score, nugget=verdict.nugget)
            found[stored.url] = one
            if one.topic == topic and one.score >= floor and (words or one.nugget):
                merit = one.score * (expository(words, linked) if ranking.expository and words else 1.0)
                found[stored.url] = one._replace(merit=merit)
                if one.nugget:
                    found |= {document.url: document for document in _documents(library.connection, one)}
            else:
                found[stored.url] = one._replace(topic="")
    chosen = _chosen([one for one in found.values() if one.topic == topic], ranking, frozenset(left_out))
    snippets = Snippets(library.shelf, brief)
    return tuple(_entry(library, one, topic, snippets) for one in chosen)


def _nearest(connection: sqlite3.Connection, crawl: int, topic: str) -> frozenset[int]:
    """The pages of a crawl that scored best for a topic. Of a crawl with one topic the visit itself says how much."""
    rows = connection.execute(
        "SELECT page FROM (SELECT visits.page AS page, coalesce(verdicts.score, visits.score) AS near FROM visits"
        " LEFT JOIN verdicts ON verdicts.visit = visits.id AND verdicts.topic = ?"
        " WHERE crawl = ? AND outcome = 'ok' AND twin = '' AND visits.page IS NOT NULL"
        " AND (verdicts.score IS NOT NULL OR visits.topic = ?)) ORDER BY near DESC LIMIT ?",
        (topic, crawl, topic, AGAIN),
    )
    return frozenset(row[0] for row in rows)


def _chosen(candidates: list[Candidate], ranking: Ranking, given: frozenset[str]) -> list[Candidate]:
    """The best, each once: no near-duplicates, no more than so many of a host."""
    chosen: list[Candidate] = []
    urls, digests, hosts = set(given), set[str](), dict[str, int]()
    for one in sorted(candidates, key=lambda one: (-one.merit, one.page is None, one.url)):
        host = host_of(one.url)
        if len(chosen) >= ranking.size:
            break
        if one.url in urls or (one.digest and one.digest in digests):
            continue
        if ranking.per_host and hosts.get(host, 0) >= ranking.per_host:
            continue
        if one.fingerprint and any(
            other.fingerprint and hamming(one.fingerprint, other.fingerprint) <= NEAR for other in chosen
        ):
            continue
        chosen.append(one)
        urls.add(one.url)
        digests.add(one.digest)
        hosts[host] = hosts.get(host, 0) + 1
    return chosen


def _candidates(library: Library, crawl: Crawl, judge: Judge, ranking: Ranking) -> Iterator[Candidate]:
    """Pages of the crawl by its own verdicts; pages of earlier ones, where its judge was another, judged anew."""
    floor = FLOOR * judge.threshold
    own = library.recipe(crawl)
    seen: set[str] = set()
    for earlier in reversed(library.crawls()):
        if earlier.id > crawl.id or earlier.job not in JOBS:
            continue
        if earlier.job == "refresh":
            seen.update(_gone(library.connection, earlier.id))
        recipe = library.recipe(earlier)
        same = earlier.id == crawl.id or (recipe.judge, recipe.judge_parameters, recipe.brief) == (
            own.judge, own.judge_parameters, own.brief
        )  # fmt: skip
        for stored, words, linked in _pages(library.connection, earlier.id):
            if stored.url in seen:
                continue
            seen.add(stored.url)
            one = stored if same else _judged(library, stored, judge)
            if one.score < floor or (not words and not one.nugget):
                continue
            yield one._replace(merit=one.score * (expository(words, linked) if ranking.expository and words else 1.0))
            if one.nugget:
                yield from _documents(library.connection, one)


def _gone(connection: sqlite3.Connection, crawl: int) -> Iterator[str]:
    """Pages that were not there any more when a library was looked over."""
    rows = connection.execute("SELECT url FROM visits WHERE crawl = ? AND outcome IN ('not-found', 'gone')", (crawl,))
    return (row[0] for row in rows)


def _judged(library: Library, one: Candidate, judge: Judge) -> Candidate:
    assert one.page is not None
    verdict = judge.judge(library.shelf.page(one.page))
    return one._replace(topic=verdict.topic, score=verdict.score, nugget=verdict.nugget)


def _pages(connection: sqlite3.Connection, crawl: int) -> Iterator[tuple[Candidate, int, int]]:
    """What a crawl brought home, duplicates left out, with the words of each page and how many of them are links."""
    rows = connection.execute(
        "SELECT final, topic, score, nugget, visits.page, title, fingerprint, digest, words,"
        " (SELECT sum(length(anchor) - length(replace(anchor, ' ', '')) + 1) FROM links"
        "  WHERE links.page = visits.page AND anchor != '')"
        " FROM visits JOIN pages ON pages.id = visits.page WHERE crawl = ? AND outcome = 'ok' AND twin = ''"
        " ORDER BY visits.id",
        (crawl,),
    )
    for url, topic, score, nugget, page, title, fingerprint, digest, words, linked in rows:
        one = Candidate(url, topic, score, score, bool(nugget), page, crawl, title, unsigned(fingerprint), digest)
        yield one, words, linked or 0


def _documents(connection: sqlite3.Connection, nugget: Candidate) -> Iterator[Candidate]:
    """PDF and PostScript files a nugget links to that no crawl has read, with the nugget's own correlation."""
    likes = " OR ".join("url LIKE ?" for _ in DOCUMENTS)
    rows = connection.execute(
        f"SELECT url, anchor FROM links WHERE page = ? AND ({likes})",
        (nugget.page, *(f"%{ending}" for ending in DOCUMENTS)),
    )
    for url, anchor in list(rows):
        known = connection.execute(
            "SELECT 1 FROM visits WHERE url_hash = ? AND final = ? LIMIT 1", (hash_of(url), url)
        ).fetchone()
        if is_document(url) and not known:
            yield Candidate(
                url, nugget.topic, nugget.score, nugget.score, True, None, nugget.crawl, anchor, 0, "", nugget.url
            )


def _entry(library: Library, one: Candidate, topic: str, snippets: Snippets) -> Entry:
    path = _path(library.connection, one.crawl, one.parent or one.url)
    if one.parent:
        path = (*path, one.url)
    entry = Entry(one.url, round(one.merit, 6), one.title, round(one.score, 6), one.nugget, crawl=one.crawl, path=path)
    if one.page is None:
        return replace(entry, title=one.title or one.url.rsplit("/", 1)[-1])
    page = library.shelf.page(one.page)
    return replace(
        entry,
        title=title_or_name(page.title, one.url) or one.url,
        snippet=snippets.of(page, topic),
        language=page.language,
        date=day_of(page.modified, page.fetched_at),
        page=one.page,
    )


def _path(connection: sqlite3.Connection, crawl: int, url: str) -> tuple[str, ...]:
    """From the seed to the page, by first parents."""
    path: list[str] = []
    while url and url not in path and len(path) < LONGEST_PATH:
        path.append(url)
        row = connection.execute(
            "SELECT parent FROM visits INDEXED BY visits_url WHERE url_hash = ? AND crawl = ? AND final = ?"
            " ORDER BY id LIMIT 1",
            (hash_of(url), crawl, url),
        ).fetchone()
        url = row[0] if row else ""
    return tuple(path[::-1])
