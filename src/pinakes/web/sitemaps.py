"""The pages a site lists in its sitemaps, as a source of links."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pinakes.core.page import Link, Member, host_of
from pinakes.core.roles import Listed, Web
from pinakes.formats import encodings, http, sitemap
from pinakes.formats.robots import LIMIT, Robots
from pinakes.formats.sitemap import Entry, Sitemap
from pinakes.formats.url import canonical
from pinakes.formats.warc_reader import Record, read
from pinakes.web.answers import Answer, hop_of
from pinakes.web.client import Trouble

_HOPS = 5


class Source(Protocol):
    """What sitemaps are read through: politely, and under the guard."""

    def get(self, url: str, limit: int) -> Awaitable[Answer | Trouble]: ...


class Listing(NamedTuple):
    pages: tuple[Entry, ...]
    read: int
    """How many sitemaps were read."""
    troubles: dict[str, str]
    """What was wrong with which."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a site can make us do."""

    pages: int = 50_000
    files: int = 100
    depth: int = 3
    """Indexes inside indexes; the standard knows one."""
    size: int = sitemap.LARGEST


async def list_pages(
    site: str,
    robots: Robots,
    source: Source,
    bounds: Bounds | None = None,
    scope: Callable[[str], bool] = lambda url: True,
) -> Listing:
    """Read the sitemaps that a site's robots.txt names, or else the one at the usual place, and those they lead to.

    `site` is any canonical address there. Only pages of its own host come back; `scope` can refuse more of them.
    """
    bounds = bounds or Bounds()
    host = host_of(site)
    usual = canonical("/sitemap.xml", site)
    named = list(dict.fromkeys(address for text in robots.sitemaps if (address := canonical(text, site))))
    waiting = deque((address, 0, bool(named)) for address in named or [usual])
    seen = {address for address, _, _ in waiting}
    pages: dict[str, Entry] = {}
    troubles: dict[str, str] = {}
    files = 0
    while waiting and files < bounds.files and len(pages) < bounds.pages:
        address, depth, trusted = waiting.popleft()
        files += 1
        found = await _read(source, address, bounds.size)
        if found.trouble:
            troubles[address] = found.trouble
        for entry in found.pages:
            if host_of(entry.url) == host and sitemap.in_scope(entry.url, address, trusted) and scope(entry.url):
                pages.setdefault(entry.url, entry)
        for child in found.sitemaps if depth < bounds.depth else ():
            # Never more waiting than may be read: an index can list thousands, each with thousands of its own.
            if child not in seen and len(waiting) < bounds.files and (trusted or host_of(child) == host):
                seen.add(child)
                waiting.append((child, depth + 1, trusted))
    return Listing(tuple(pages.values())[: bounds.pages], files, troubles)


class SitemapListing:
    """The role `Listing` by robots.txt and sitemaps, read through a web: polite, guarded and recorded as pages are."""

    def __init__(self, web: Web, listed: Iterable[str] = (), bounds: Bounds | None = None) -> None:
        """`listed`: addresses of sites that have told already."""
        self._web, self._bounds = web, bounds or Bounds(pages=5000, files=20)
        self._told = {host_of(url) for url in listed}

    def wants(self, url: str) -> bool:
        host = host_of(url)
        new = host not in self._told
        self._told.add(host)
        return new

    async def listed(self, url: str) -> Listed:
        source = _Pages(self._web)
        answer = await source.get(canonical("/robots.txt", url), LIMIT)
        rules = answer.body if isinstance(answer, Answer) and answer.status == 200 else b""
        found = await list_pages(url, Robots(rules), source, self._bounds)
        return Listed([entry.url for entry in found.pages], tuple(source.record))


class _Pages:
    """Files fetched as if they were pages; what is in them is taken from the record."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self.record: list[Member] = []

    async def get(self, url: str, limit: int) -> Answer | Trouble:
        fetched = await self._web.fetch(Link(url))
        self.record += fetched.record
        for member in reversed(fetched.record):
            if member.kind == "response" and member.url == url and isinstance(kept := read(member.data), Record):
                said = http.parse(kept.block)
                body, at = said.body[:limit], fetched.page.fetched_at
                return Answer(url, said.status, b"", said.headers, body, len(said.body) > limit, b"", "", at, 0.0)
        return Trouble(fetched.page.outcome)


async def _read(source: Source, address: str, size: int) -> Sitemap:
    for _ in range(_HOPS + 1):
        answer = await source.get(address, size)
        if isinstance(answer, Trouble):
            return Sitemap(trouble=answer.outcome)
        hop, trouble = hop_of(answer)
        if trouble:
            return Sitemap(trouble=trouble)
        if not hop:
            break
        address = hop
    else:
        return Sitemap(trouble="bad-redirect")
    if not 200 <= answer.status < 300:
        return Sitemap(trouble="not-found")
    names = encodings.names(answer.headers.get("content-encoding", ""))
    return sitemap.parse(encodings.decode(answer.body, names, size).data, address)
