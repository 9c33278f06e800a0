"""The Homepage Aggregator (003 §3.2): for each author, the page that is most likely their own.

Every candidate is kept with the rule that kept or dropped it, so that a person can see why, and correct it. A site has
one owner: when it speaks for several authors, it is the one's it speaks for most, and the others got a co-author's
page, which is a failure with a name of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pinakes.core.page import Link, Page
from pinakes.core.roles import Search, Web
from pinakes.jobs.harvest.ownership import LEAST, WORK, Author, Ownership, PageWords, ownership
from pinakes.jobs.harvest.sites import is_front_door, site_of, why_no_homepage

HITS = 10
HOPS = 5
HTML = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that may be an author's homepage."""

    name: str
    url: str
    title: str
    score: float
    rule: str
    """Why it was kept (`kept …`) or dropped."""
    priority: str = "low"
    kept: bool = False


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


class _Seen:
    """Pages fetched for candidates, each once."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self._pages: dict[str, PageWords | None] = {}
        self.fetched = 0

    async def page(self, url: str) -> PageWords | None:
        if url not in self._pages:
            link, seen = Link(url), {url}
            for _ in range(HOPS):
                answer = await self._web.fetch(link)
                self.fetched += 1
                if not answer.hop or answer.hop in seen:
                    break
                seen.add(answer.hop)
                link = Link(answer.hop)
            readable = answer.page.readable and not answer.hop and answer.page.type in HTML
            self._pages[url] = PageWords(answer.page) if readable else None
        return self._pages[url]


async def find_homepages(
    authors: Sequence[Author],
    search: Search,
    web: Web,
    *,
    known: Mapping[str, str] | None = None,
    hits: int = HITS,
    watch: Callable[[int, int], None] = lambda done, of: None,
) -> Homepages:
    """Look for every author's homepage; `known` ones (a person's corrections, ORCID, DBLP) are believed."""
    known = known or {}
    seen = _Seen(web)
    searches = 0
    dropped: list[Candidate] = []
    weighed: list[tuple[Author, Page, Ownership]] = []
    for number, author in enumerate(authors):
        watch(number, len(authors))
        if author.name in known:
            continue
        urls: dict[str, str] = {}
        for query in queries(author):
            searches += 1
            for hit in await search.search(query, hits):
                urls.setdefault(hit.url, hit.title)
        sites: dict[str, str] = {}
        for url, title in urls.items():
            if why := why_no_homepage(url, title):
                dropped.append(Candidate(author.name, url, title, 0.0, why))
                continue
            sites.setdefault(site_of(url), url)
        for url in [*_pages(urls, sites)]:
            read = await seen.page(url)
            if read is None:
                dropped.append(Candidate(author.name, url, urls.get(url, ""), 0.0, "cannot be read as a page"))
            elif why := why_no_homepage(read.page.url, read.page.title):
                dropped.append(Candidate(author.name, read.page.url, read.page.title, 0.0, why))
            else:
                weighed.append((author, read.page, ownership(author, read)))
    watch(len(authors), len(authors))
    found, candidates = _assigned(weighed)
    found.update(known)
    candidates = [*candidates, *dropped]
    candidates += [Candidate(name, url, "", 0.0, "kept: known", "high", True) for name, url in known.items()]
    failures = {author.name: _failure(author.name, candidates) for author in authors if author.name not in found}
    return Homepages(found, tuple(candidates), failures, searches, seen.fetched)


def queries(author: Author) -> list[str]:
    """(N, P) pairs and variations: the name with the venue, with words of homepages, and alone."""
    return [author.name, *(f"{author.name} {venue}" for venue in author.venues[:2]), f"{author.name} homepage"]


def _pages(urls: Iterable[str], sites: Mapping[str, str]) -> dict[str, None]:
    """The pages worth weighing: those found, and the front door of each site they stand on."""
    return dict.fromkeys([*(url for url in urls if site_of(url) in sites and not why_no_homepage(url, "")), *sites])


def _assigned(weighed: Sequence[tuple[Author, Page, Ownership]]) -> tuple[dict[str, str], list[Candidate]]:
    """Give each site to the author it speaks for most, and each author the best of their sites."""
    claims: dict[tuple[str, str], list[tuple[Page, Ownership]]] = {}
    for author, page, evidence in weighed:
        claims.setdefault((author.name, site_of(page.url)), []).append((page, evidence))
    strength = {claim: _site_score(pages) for claim, pages in claims.items()}
    owner: dict[str, str] = {}
    for (name, site), score in sorted(strength.items(), key=lambda item: (-item[1], item[0])):
        if score >= LEAST:
            owner.setdefault(site, name)
    best: dict[str, str] = {}
    for (name, site), _ in sorted(strength.items(), key=lambda item: (-item[1], item[0])):
        if owner.get(site) == name:
            best.setdefault(name, site)
    found: dict[str, str] = {}
    candidates: list[Candidate] = []
    for (name, site), pages in claims.items():
        front = max(pages, key=lambda item: (is_front_door(item[0].url), item[1].score, -len(item[0].url)))
        for page, evidence in pages:
            candidate = Candidate(name, page.url, page.title, evidence.score, "", evidence.priority)
            if best.get(name) == site:
                kept = page.url == front[0].url
                rule = f"kept: {evidence.in_words()}" if kept else "the front door of its site is kept"
                if kept:
                    found[name] = page.url
                candidates.append(replace(candidate, rule=rule, kept=kept))
            else:
                candidates.append(replace(candidate, rule=_rule(name, site, strength[name, site], owner, best)))
    return found, candidates


def _site_score(pages: Sequence[tuple[Page, Ownership]]) -> float:
    """A site speaks by its best page, and by the author's papers on any of them.

    A front door that can be read has to introduce the author itself, or else the site is a conference's or a group's
    on which the author has a page.
    """
    doors = [evidence for _, evidence in pages if evidence.front]
    if doors and not any(evidence.introduces for evidence in doors):
        return 0.0
    top = max(evidence.score for _, evidence in pages)
    works = max(evidence.works for _, evidence in pages)
    return top + WORK * min(works, 2) if top else 0.0


def _rule(name: str, site: str, score: float, owner: Mapping[str, str], best: Mapping[str, str]) -> str:
    if site in owner and owner[site] != name:
        return f"co-author's or namesake's page: it speaks for {owner[site]}"
    if name in best:
        return f"another site speaks for the author more: {best[name]}"
    return f"too little speaks for it ({score:.1f} of {LEAST:.1f})"


def _failure(name: str, candidates: Sequence[Candidate]) -> str:
    mine = [candidate for candidate in candidates if candidate.name == name]
    if not mine:
        return "no search result"
    if any(candidate.rule.startswith("co-author") for candidate in mine):
        return "only co-authors' pages"
    return "no page that is the author's own"
