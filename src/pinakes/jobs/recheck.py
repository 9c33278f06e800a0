"""What sets a refresh apart: known pages are asked for only if they changed, known links not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pinakes.core.page import Fetched, Link, Page, Verdict
from pinakes.core.roles import Plain, Strategy, Web
from pinakes.formats.hashes import hash_of
from pinakes.library.library import Library
from pinakes.library.shelf import Shelf


class Recheck:
    """A web whose unchanged pages (304) are delivered from the library."""

    def __init__(self, web: Web, shelf: Shelf) -> None:
        self.ordered = web.ordered
        self._web, self._shelf = web, shelf

    async def fetch(self, link: Link) -> Fetched:
        fetched = await self._web.fetch(link)
        if fetched.page.error != "unchanged":
            return fetched
        number = self._shelf.number(link.url)
        return fetched if number is None else replace(fetched, page=self._shelf.page(number, link), record=())

    async def close(self) -> None:
        await self._web.close()


class Unheld:
    """A strategy that leaves alone the links to what the library has asked for before."""

    def __init__(self, strategy: Strategy, held: frozenset[int]) -> None:
        """`held`: hashes of addresses."""
        self.strategy, self._held = strategy, held
        self.limit, self.batch = strategy.limit, strategy.batch

    def seed(self, links: Sequence[Link]) -> Iterable[Link]:
        return self.strategy.seed(links)

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        return [link for link in self.strategy.visit(page, verdict) if hash_of(link.url) not in self._held]

    def state(self) -> Plain:
        return self.strategy.state()

    def restore(self, state: Plain) -> None:
        self.strategy.restore(state)


def held_before(library: Library, crawl: int) -> frozenset[int]:
    """Hashes of all addresses that crawls before this one asked for."""
    rows = library.connection.execute("SELECT url_hash FROM visits WHERE crawl < ?", (crawl,))
    return frozenset(row[0] for row in rows)


def validators_of(library: Library, links: Sequence[Link]) -> Mapping[str, tuple[str, str]]:
    """ETag and Last-Modified of the latest captures of pages, for conditional requests."""
    found: dict[str, tuple[str, str]] = {}
    for link in links:
        row = library.connection.execute(
            "SELECT etag, modified FROM pages WHERE url_hash = ? AND url = ? ORDER BY id DESC LIMIT 1",
            (hash_of(link.url), link.url),
        ).fetchone()
        if row and any(row):
            found[link.url] = row
    return found
