"""The pages a site lists in its sitemaps, as a source of links."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pinakes.core.page import host_of
from pinakes.formats import encodings, sitemap
from pinakes.formats.robots import Robots
from pinakes.formats.sitemap import Entry, Sitemap
from pinakes.formats.url import canonical
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
