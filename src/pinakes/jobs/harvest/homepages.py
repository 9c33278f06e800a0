"""The Homepage Aggregator (003 §3.2): for each author, the page that is most likely their own.

Every candidate is kept with the rule that kept or dropped it, so that a person can see why, and correct it.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import msgspec

from pinakes.core.page import Fetched, Link, host_of
from pinakes.core.roles import Search, Web
from pinakes.jobs.harvest.assigning import PRIORITIES, Candidate, Weighed, assigned, failure, site_score
from pinakes.jobs.harvest.corrections import BELIEVED, REFUSED
from pinakes.jobs.harvest.ownership import LEAST, PAPERS, Author, PageWords, ownership
from pinakes.jobs.harvest.sites import site_of, why_no_homepage
from pinakes.text.names import PersonName

HITS = 10
HOPS = 5
DEAD = 2
"""A host that gave no answer so often is not asked again."""
PATIENCE = 30.0
"""Seconds a host may ask us to wait; beyond that its next page is asked for all the same, or not at all."""
UNANSWERED = frozenset({"dns", "connection", "timeout", "tls"})
NOT_LOOKED = "not looked for"
HTML = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True, slots=True)
class Homepages:
    """The homepage database."""

    found: Mapping[str, str]
    """Author -> homepage."""
    candidates: tuple[Candidate, ...]
    failures: Mapping[str, str]
    """Author -> why there is none."""
    searches: int
    pages: int

    @property
    def in_order(self) -> list[str]:
        """The homepages as they are to be crawled: those of high priority first (003 table 1)."""
        rank = {(one.name, one.url): PRIORITIES.index(one.priority) for one in self.candidates if one.kept}
        names = sorted(self.found, key=lambda name: rank.get((name, self.found[name]), 0))
        return [self.found[name] for name in names]


class _Seen:
    """Pages fetched for candidates, each once; a host rests between two of them, and a dead one is not asked again."""

    def __init__(self, web: Web, delay: float = 0.0) -> None:
        self._web, self._delay = web, delay
        self._pages: dict[str, PageWords | None] = {}
        self._hosts: dict[str, asyncio.Lock] = {}
        self._rested: dict[str, float] = {}
        self._failures: Counter[str] = Counter()
        self.fetched = 0

    async def page(self, url: str) -> PageWords | None:
        if url not in self._pages:
            link, seen = Link(url), {url}
            answer = await self._fetch(link)
            while answer is not None and answer.hop and answer.hop not in seen and len(seen) < HOPS:
                seen.add(answer.hop)
                answer = await self._fetch(Link(answer.hop))
            good = answer is not None and answer.page.readable and not answer.hop and answer.page.type in HTML
            self._pages[url] = PageWords(answer.page) if answer is not None and good else None
        return self._pages[url]

    async def _fetch(self, link: Link) -> Fetched | None:
        host = host_of(link.url)
        async with self._hosts.setdefault(host, asyncio.Lock()):
            if self._failures[host] >= DEAD:
                return None
            if self._delay and (wait := self._rested.get(host, 0.0) - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            answer = await self._web.fetch(link)
            self.fetched += 1
            self._rested[host] = time.monotonic() + max(self._delay, min(answer.host_delay or 0.0, PATIENCE))
            if answer.page.error in UNANSWERED:
                self._failures[host] += 1
            return answer


Remembered = Mapping[str, Any]
"""Author -> what was learnt when they were last looked for, as plain data."""
Remember = Callable[[str, Any], None]


class _Looked(NamedTuple):
    """What looking for one author brought."""

    weighed: tuple[Weighed, ...]
    dropped: tuple[Candidate, ...]


async def find_homepages(
    authors: Sequence[Author],
    search: Search | None,
    web: Web,
    *,
    known: Mapping[str, str] | None = None,
    listed: Mapping[str, tuple[str, str]] | None = None,
    refused: Mapping[str, Container[str]] | None = None,
    rows: Mapping[str, Sequence[Candidate]] | None = None,
    hits: int = HITS,
    delay: float = 0.0,
    at_once: int = 1,
    remembered: Remembered | None = None,
    remember: Remember = lambda name, data: None,
    watch: Callable[[int, int], None] = lambda done, of: None,
) -> Homepages:
    """Look for every author's homepage; without a `search`, only where it is known.

    `known` ones (a person's corrections) are believed. Those that a directory lists (`listed`: address and which
    directory) are believed while they can be read; the search engine is asked for another where one is dead. `refused`
    are addresses a person has struck out. `rows` are candidates of a table that was handed back, by author: what they
    say stands. Authors that are `remembered` are not looked for again; what is learnt about
    others is given to `remember`."""
    known, refused, remembered, rows = known or {}, refused or {}, remembered or {}, rows or {}
    listed = {
        name: entry
        for name, entry in (listed or {}).items()
        if name not in known and entry[0] not in refused.get(name, ())
    }
    seen = _Seen(web, delay)
    turn = asyncio.Semaphore(at_once)
    searches = done = 0
    alive: dict[str, str] = {}

    async def looked_for(author: Author) -> _Looked:
        nonlocal searches, done
        async with turn:
            watch(done, len(authors))
            if author.name in listed and (door := await seen.page(listed[author.name][0])) is not None:
                alive[author.name] = door.page.url
                done += 1
                return _Looked((), ())
            looked = _recalled(remembered.get(author.name))
            if looked is None and search is not None:
                looked = await _look(author, search, seen, hits)
                searches += len(queries(author))
                remember(author.name, msgspec.to_builtins(looked))
            done += 1
            return looked or _Looked((), ())

    async def moved(url: str) -> str:
        """Where a homepage that is known is now: a crawl goes round that place."""
        async with turn:
            door = await seen.page(url)
            return door.page.url if door is not None else url

    others = [author for author in authors if author.name not in known]
    tasks = [asyncio.ensure_future(looked_for(author)) for author in others]
    moving = {url: asyncio.ensure_future(moved(url)) for url in dict.fromkeys(known.values())}
    try:
        looks = await asyncio.gather(*tasks)
        await asyncio.gather(*moving.values())
    except BaseException:
        for task in (*tasks, *moving.values()):
            task.cancel()
        raise
    known = {name: moving[url].result() for name, url in known.items()}
    dropped: list[Candidate] = []
    weighed: list[Weighed] = []
    for author, looked in zip(others, looks, strict=True):
        struck = [one for one in looked.weighed if _struck_out(one, refused.get(author.name, ()))]
        weighed += [one for one in looked.weighed if one not in struck]
        dropped += [Candidate(one.name, one.url, one.title, 0.0, REFUSED) for one in struck]
        dropped += looked.dropped
    watch(len(authors), len(authors))
    found, candidates = assigned(weighed, {**alive, **known}, {author.name: author.coauthors for author in authors})
    found = {**found, **alive, **known}
    candidates += [*dropped, *_of_directories(listed, alive, found)]
    candidates = [*_with_table(candidates, rows, known)]
    lost = [author.name for author in authors if author.name not in found]
    named = {one.name for one in candidates}
    failures = {
        name: failure(name, candidates) if search is not None or name in named else NOT_LOOKED for name in lost
    }  # fmt: skip
    return Homepages(found, tuple(candidates), failures, searches, seen.fetched)


async def _look(author: Author, search: Search, seen: _Seen, hits: int) -> _Looked:
    """Search for one author, and weigh the pages found."""
    weighed: list[Weighed] = []
    dropped: list[Candidate] = []
    urls: dict[str, str] = {}
    for query in queries(author):
        for hit in await search.search(query, hits):
            urls.setdefault(hit.url, hit.title)
    name = PersonName.read(author.name)
    sites: dict[str, str] = {}
    for url, title in urls.items():
        if why := why_no_homepage(url, title):
            dropped.append(Candidate(author.name, url, title, 0.0, why))
        else:
            sites.setdefault(site_of(url, name), url)
    doors: dict[str, PageWords] = {}
    for url in _pages(urls, sites, name):
        read = await seen.page(url)
        if read is None:
            dropped.append(Candidate(author.name, url, urls.get(url, ""), 0.0, "cannot be read as a page"))
        elif why := why_no_homepage(read.page.url, read.page.title):
            dropped.append(Candidate(author.name, read.page.url, read.page.title, 0.0, why))
        else:
            weighed.append(Weighed(author.name, read.page.url, read.page.title, ownership(author, read)))
            if weighed[-1].evidence.front:
                doors[site_of(read.page.url, name)] = read
    weighed += [one async for one in _papers_listed(author, weighed, doors, seen)]
    return _Looked(tuple(weighed), tuple(dropped))


async def _papers_listed(
    author: Author, weighed: Sequence[Weighed], doors: Mapping[str, PageWords], seen: _Seen
) -> AsyncIterator[Weighed]:
    """The list of papers of every site that may be the author's and has not shown any acquaintance with them: a
    namesake's has other papers."""
    name = PersonName.read(author.name)
    for site, door in doors.items():
        pages = [one for one in weighed if site_of(one.url, name) == site]
        if site_score(pages) < LEAST or any(one.evidence.acquainted for one in pages):
            continue
        known = {one.url for one in pages}
        for link in door.page.links:
            if link.url in known or not link.url.startswith(site) or why_no_homepage(link.url, ""):
                continue
            if PAPERS.search(f"{link.anchor} {link.url.removeprefix(site)}"):
                read = await seen.page(link.url)
                if read is not None and site_of(read.page.url, name) == site:
                    yield Weighed(author.name, read.page.url, read.page.title, ownership(author, read))
                break


def _struck_out(one: Weighed, out: Container[str]) -> bool:
    """True for what a person has struck out: a page, or with its front door the whole site."""
    return one.url in out or site_of(one.url, PersonName.read(one.name)) in out


def _of_directories(
    listed: Mapping[str, tuple[str, str]], alive: Mapping[str, str], found: dict[str, str]
) -> Iterator[Candidate]:
    """What directories of people had; a dead address is kept, and told as such, where there is no other."""
    for name, (url, by) in listed.items():
        if name in alive:
            yield Candidate(name, alive[name], "", 0.0, f"kept: {by} has it", "high", True)
        else:
            kept = found.setdefault(name, url) == url
            rule = f"{'kept: ' if kept else ''}{by} has it, but it cannot be read"
            yield Candidate(name, url, "", 0.0, rule, "medium", kept)


def _with_table(
    candidates: Sequence[Candidate], rows: Mapping[str, Sequence[Candidate]], known: Mapping[str, str]
) -> Iterator[Candidate]:
    """The candidates, and a table's rows as they were; a homepage that has moved since with its new address."""
    listed = [one for some in rows.values() for one in some]
    told = {(one.name, one.url) for one in listed}
    yield from (one for one in candidates if (one.name, one.url) not in told)
    for one in listed:
        yield replace(one, url=known.get(one.name, one.url)) if one.kept else one
    for name, url in known.items():
        if not any(one.kept for one in rows.get(name, ())):
            yield Candidate(name, url, "", 0.0, BELIEVED, "high", True)


def _recalled(data: Any) -> _Looked | None:
    """What was remembered; nothing where another version of Pinakes kept something else."""
    try:
        return msgspec.convert(data, _Looked) if data is not None else None
    except msgspec.ValidationError:
        return None


def queries(author: Author) -> list[str]:
    """(N, P) pairs and variations: the name with the venue, with words of homepages, and alone."""
    return [author.name, *(f"{author.name} {venue}" for venue in author.venues[:2]), f"{author.name} homepage"]


def _pages(urls: Iterable[str], sites: Mapping[str, str], name: PersonName) -> dict[str, None]:
    """The pages worth weighing: those found, and the front door of each site they stand on."""
    return dict.fromkeys(
        [*(url for url in urls if site_of(url, name) in sites and not why_no_homepage(url, "")), *sites]
    )
